package io.journal.internal.files;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.zip.CRC32C;

import io.journal.store.SegmentFile;

/**
 * Stream to which an application writes its state: in chunks, to the end of a file, with a checksum. A failed write
 * fails the whole snapshot, even if the application catches the exception: a snapshot with a gap must not be saved.
 */
final class SnapshotOutput extends OutputStream
{
    static final int CHUNK_LENGTH = 64 * 1024;

    private final SegmentFile file;
    private final long start;
    private final CRC32C checksum = new CRC32C();
    private final ByteBuffer chunk = ByteBuffer.allocate(CHUNK_LENGTH);
    private long end;
    private IOException failure;
    private boolean isEnded;

    /**
     * @param start offset at which the file ends and the content begins.
     */
    SnapshotOutput(final SegmentFile file, final long start)
    {
        this.file = file;
        this.start = start;
        end = start;
    }

    void writeAll(final SnapshotContent.Writer writer) throws IOException
    {
        try
        {
            writer.write(this);
            writeChunk();
        }
        catch (final IOException | RuntimeException ex)
        {
            if (null != failure)
            {
                throw failure;
            }

            throw ex instanceof final IOException io ? new UncheckedIOException(io) : (RuntimeException)ex;
        }
    }

    long length()
    {
        return end - start;
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
        isEnded = true;
    }

    private void makeRoom() throws IOException
    {
        if (isEnded)
        {
            throw new IOException("the snapshot has ended, nothing can be written to it any more");
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
