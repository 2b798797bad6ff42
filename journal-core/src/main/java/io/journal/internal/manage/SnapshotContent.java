package io.journal.internal.manage;

import io.journal.Snapshots;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;

import io.journal.store.SegmentFile;

/**
 * An application's state on its way into and out of a snapshot's file: streams that are open during one callback. An
 * I/O error fails the whole save or load, even if the application catches it: a snapshot with a gap must not be saved.
 */
public final class SnapshotContent
{
    static final int CHUNK_LENGTH = 64 * 1024;

    private SnapshotContent()
    {
    }

    static void read(final SegmentFile file, final long start, final Snapshots.Reader reader) throws IOException
    {
        final Input input = new Input(file, start);
        try (InputStream buffered = new BufferedInputStream(input, CHUNK_LENGTH))
        {
            reader.read(buffered);
        }
        catch (final IOException | RuntimeException ex)
        {
            throw cause(input.failure, ex);
        }
        if (null != input.failure)
        {
            throw input.failure;
        }
    }

    /**
     * Rethrows a failure of the file as it is, and an exception of the application unchecked.
     */
    private static IOException cause(final IOException failure, final Exception thrown)
    {
        if (null != failure)
        {
            return failure;
        }

        throw thrown instanceof final IOException io ? new UncheckedIOException(io) : (RuntimeException)thrown;
    }

    /** Reads from a place of a file to its end; buffered by the stream around it. */
    private static final class Input extends InputStream
    {
        private final SegmentFile file;
        private final long end;
        private long offset;
        private IOException failure;

        Input(final SegmentFile file, final long start) throws IOException
        {
            this.file = file;
            offset = start;
            end = file.length();
        }

        @Override
        public int read() throws IOException
        {
            final byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
        }

        @Override
        public int read(final byte[] bytes, final int start, final int length) throws IOException
        {
            if (null != failure)
            {
                throw failure;
            }
            if (offset == end)
            {
                return -1;
            }

            final int count = (int)Math.min(Math.min(length, CHUNK_LENGTH), end - offset);
            try
            {
                file.read(offset, ByteBuffer.wrap(bytes, start, count));
            }
            catch (final IOException ex)
            {
                failure = ex;
                throw ex;
            }
            offset += count;
            return count;
        }

        @Override
        public int available()
        {
            return (int)Math.min(Integer.MAX_VALUE, end - offset);
        }
    }

    /** Writes to the end of a file, in chunks. */
    static final class Output extends OutputStream
    {
        private final SegmentFile file;
        private final CRC32C checksum = new CRC32C();
        private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_LENGTH);
        private long end;
        private IOException failure;
        private boolean isClosed;

        Output(final SegmentFile file, final long start)
        {
            this.file = file;
            end = start;
        }

        void writeAll(final Snapshots.Writer writer) throws IOException
        {
            try
            {
                writer.write(this);
                writeChunk();
            }
            catch (final IOException | RuntimeException ex)
            {
                throw cause(failure, ex);
            }
        }

        long end()
        {
            return end;
        }

        int checksum()
        {
            return (int)checksum.getValue();
        }

        @Override
        public void write(final int value) throws IOException
        {
            makeRoom();
            chunk.put((byte)value);
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length) throws IOException
        {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            int done = 0;
            while (done < length)
            {
                makeRoom();
                final int count = Math.min(chunk.remaining(), length - done);
                chunk.put(bytes, offset + done, count);
                done += count;
            }
        }

        @Override
        public void close()
        {
            isClosed = true;
        }

        private void makeRoom() throws IOException
        {
            if (isClosed)
            {
                throw new IOException("the stream of a snapshot is closed");
            }
            if (!chunk.hasRemaining() || null != failure)
            {
                writeChunk();
            }
        }

        private void writeChunk() throws IOException
        {
            if (null != failure)
            {
                throw failure;
            }

            try
            {
                final int length = chunk.flip().limit();
                checksum.update(chunk.array(), 0, length);
                file.write(end, chunk);
                end += length;
                chunk.clear();
            }
            catch (final IOException ex)
            {
                failure = ex;
                throw ex;
            }
        }
    }
}
