package io.journal.bench.article;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.ArrayList;
import java.util.List;

/**
 * The JDK's file APIs as output streams: by calls of arrays, by a buffer, or by mappings. For one thread.
 */
final class FileStreams
{
    private static final long MAPPING_LENGTH = 1 << 30;

    private FileStreams()
    {
    }

    static void writeAll(final FileChannel channel, final ByteBuffer source) throws IOException
    {
        while (source.hasRemaining())
        {
            channel.write(source);
        }
    }

    interface ArrayWrite
    {
        void write(byte[] array, int offset, int count) throws IOException;
    }

    /** Every write is a system call. */
    static final class UnbufferedOutput extends OutputStream
    {
        private final Closeable file;
        private final ArrayWrite call;

        UnbufferedOutput(final Closeable file, final ArrayWrite call)
        {
            this.file = file;
            this.call = call;
        }

        static OutputStream of(final RandomAccessFile file)
        {
            return new UnbufferedOutput(file, file::write);
        }

        @Override
        public void write(final int next) throws IOException
        {
            call.write(new byte[]{ (byte)next }, 0, 1);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            call.write(source, offset, count);
        }

        @Override
        public void close() throws IOException
        {
            file.close();
        }
    }

    /** A channel with a buffer, which is written when full. */
    static final class BufferOutput extends OutputStream
    {
        private final FileChannel channel;
        private final ByteBuffer buffer;

        BufferOutput(final FileChannel channel, final ByteBuffer buffer)
        {
            this.channel = channel;
            this.buffer = buffer;
        }

        @Override
        public void write(final int next) throws IOException
        {
            if (!buffer.hasRemaining())
            {
                flush();
            }
            buffer.put((byte)next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            if (buffer.remaining() < count)
            {
                flush();
            }
            buffer.put(source, offset, count);
        }

        @Override
        public void flush() throws IOException
        {
            writeAll(channel, buffer.flip());
            buffer.clear();
        }

        @Override
        public void close() throws IOException
        {
            try (channel)
            {
                flush();
            }
        }
    }

    /** A file of known length, mapped piece by piece. */
    static final class MappedOutput extends OutputStream
    {
        private final FileChannel channel;
        private final long length;
        private final List<MappedByteBuffer> pieces = new ArrayList<>();
        private MappedByteBuffer piece;
        private long endPosition;

        MappedOutput(final FileChannel channel, final long length) throws IOException
        {
            this.channel = channel;
            this.length = length;
            nextPiece();
        }

        @Override
        public void write(final int next) throws IOException
        {
            if (!piece.hasRemaining())
            {
                nextPiece();
            }
            piece.put((byte)next);
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
        public void flush()
        {
            pieces.forEach(MappedByteBuffer::force);
        }

        @Override
        public void close() throws IOException
        {
            channel.close();
        }

        private void nextPiece() throws IOException
        {
            final long pieceLength = Math.min(MAPPING_LENGTH, length - endPosition);
            piece = channel.map(MapMode.READ_WRITE, endPosition, pieceLength);
            pieces.add(piece);
            endPosition += pieceLength;
        }
    }
}
