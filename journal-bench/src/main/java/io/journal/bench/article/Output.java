package io.journal.bench.article;

import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * Sequential writes through one API of the JDK, by bytes or by arrays.
 */
public interface Output extends Closeable
{
    /** Of the JDK's buffered streams. */
    int JDK_BUFFER_LENGTH = 8192;

    void write(byte next) throws IOException;

    void write(byte[] source, int offset, int count) throws IOException;

    /** Flushes buffers, then fsyncs the file. */
    void force() throws IOException;

    /** A stream, buffered unless the length of the buffer is 0. */
    static Output stream(final FileOutputStream file, final int bufferLength)
    {
        return new OfStream(file, 0 == bufferLength ? file : new BufferedOutputStream(file, bufferLength));
    }

    static void writeAll(final FileChannel channel, final ByteBuffer source) throws IOException
    {
        while (source.hasRemaining())
        {
            channel.write(source);
        }
    }

    /** A system call per write. */
    record OfRandomAccessFile(RandomAccessFile file) implements Output
    {
        @Override
        public void write(final byte next) throws IOException
        {
            file.write(next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            file.write(source, offset, count);
        }

        @Override
        public void force() throws IOException
        {
            file.getFD().sync();
        }

        @Override
        public void close() throws IOException
        {
            file.close();
        }
    }

    /** A stream, possibly with a buffered one in front. */
    record OfStream(FileOutputStream file, OutputStream out) implements Output
    {
        @Override
        public void write(final byte next) throws IOException
        {
            out.write(next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            out.write(source, offset, count);
        }

        @Override
        public void force() throws IOException
        {
            out.flush();
            file.getFD().sync();
        }

        @Override
        public void close() throws IOException
        {
            out.close();
        }
    }

    /** A channel that writes the caller's array directly. */
    record OfArrays(FileChannel channel) implements Output
    {
        @Override
        public void write(final byte next) throws IOException
        {
            writeAll(channel, ByteBuffer.wrap(new byte[]{ next }));
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            writeAll(channel, ByteBuffer.wrap(source, offset, count));
        }

        @Override
        public void force() throws IOException
        {
            channel.force(true);
        }

        @Override
        public void close() throws IOException
        {
            channel.close();
        }
    }

    /** A channel with a buffer, which is written when full. */
    record OfBuffer(FileChannel channel, ByteBuffer buffer) implements Output
    {
        @Override
        public void write(final byte next) throws IOException
        {
            if (!buffer.hasRemaining())
            {
                drain();
            }
            buffer.put(next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            if (buffer.remaining() < count)
            {
                drain();
            }
            buffer.put(source, offset, count);
        }

        @Override
        public void force() throws IOException
        {
            drain();
            channel.force(true);
        }

        @Override
        public void close() throws IOException
        {
            try (channel)
            {
                drain();
            }
        }

        private void drain() throws IOException
        {
            writeAll(channel, buffer.flip());
            buffer.clear();
        }
    }

    /** A file of known length, mapped piece by piece. */
    final class OfMapping implements Output
    {
        private static final long PIECE_LENGTH = 1 << 30;

        private final FileChannel channel;
        private final long length;
        private final List<MappedByteBuffer> pieces = new ArrayList<>();
        private MappedByteBuffer piece;
        private long endPosition;

        OfMapping(final FileChannel channel, final long length) throws IOException
        {
            this.channel = channel;
            this.length = length;
            nextPiece();
        }

        @Override
        public void write(final byte next) throws IOException
        {
            if (!piece.hasRemaining())
            {
                nextPiece();
            }
            piece.put(next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            final int fitting = Math.min(count, piece.remaining());
            piece.put(source, offset, fitting);
            if (fitting < count)
            {
                nextPiece();
                piece.put(source, offset + fitting, count - fitting);
            }
        }

        @Override
        public void force() throws IOException
        {
            pieces.forEach(MappedByteBuffer::force);
            // Includes the file's length.
            channel.force(true);
        }

        @Override
        public void close() throws IOException
        {
            channel.close();
        }

        private void nextPiece() throws IOException
        {
            final long pieceLength = Math.min(PIECE_LENGTH, length - endPosition);
            piece = channel.map(FileChannel.MapMode.READ_WRITE, endPosition, pieceLength);
            pieces.add(piece);
            endPosition += pieceLength;
        }
    }
}
