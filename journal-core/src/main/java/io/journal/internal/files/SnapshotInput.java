package io.journal.internal.files;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;

import io.journal.store.SegmentFile;

/**
 * Stream from which an application reads its state: part of a file, in chunks. A failed read fails the whole load, even
 * if the application catches the exception.
 */
final class SnapshotInput extends InputStream
{
    private final SegmentFile file;
    private final long end;
    private final ByteBuffer chunk = ByteBuffer.allocate(SnapshotOutput.CHUNK_LENGTH).limit(0);
    private long offset;
    private IOException failure;
    private boolean isEnded;

    SnapshotInput(final SegmentFile file, final long start, final long end)
    {
        this.file = file;
        this.end = end;
        offset = start;
    }

    void readAll(final SnapshotContent.Reader reader) throws IOException
    {
        try
        {
            reader.read(this);
        }
        catch (final IOException | RuntimeException ex)
        {
            if (null == failure)
            {
                throw ex instanceof final IOException io ? new UncheckedIOException(io) : (RuntimeException)ex;
            }
        }
        if (null != failure)
        {
            throw failure;
        }
    }

    @Override
    public int read() throws IOException
    {
        return isFilled() ? chunk.get() & 0xFF : -1;
    }

    @Override
    public int read(final byte[] bytes, final int start, final int length) throws IOException
    {
        Objects.checkFromIndexSize(start, length, bytes.length);
        if (0 == length)
        {
            return 0;
        }
        if (!isFilled())
        {
            return -1;
        }

        final int count = Math.min(chunk.remaining(), length);
        chunk.get(bytes, start, count);
        return count;
    }

    @Override
    public int available()
    {
        return (int)Math.min(Integer.MAX_VALUE, chunk.remaining() + end - offset);
    }

    @Override
    public void close()
    {
        isEnded = true;
    }

    private boolean isFilled() throws IOException
    {
        if (isEnded)
        {
            throw new IOException("the snapshot was loaded, nothing can be read from it any more");
        }
        if (null != failure)
        {
            throw failure;
        }
        if (!chunk.hasRemaining() && offset < end)
        {
            try
            {
                file.read(offset, chunk.clear().limit((int)Math.min(chunk.capacity(), end - offset)));
                offset += chunk.flip().limit();
            }
            catch (final IOException ex)
            {
                chunk.limit(0);
                failure = ex;
                throw ex;
            }
        }

        return chunk.hasRemaining();
    }
}
