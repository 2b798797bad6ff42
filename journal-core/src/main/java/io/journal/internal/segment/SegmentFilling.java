package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.internal.files.JournalFiles;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The file of a segment under its temporary name, while it is filled with zeros: step by step, so that other work can
 * be done in between. See {@code docs/adr/0002-preparing-segments.md}.
 */
public final class SegmentFilling implements AutoCloseable
{
    // Lengths of writes: short ones for segments whose records are fsynced one by one, long ones for those that records
    // stream into.
    private static final int WRITE_LENGTH = 16 * 1024;
    private static final int STREAM_WRITE_LENGTH = 64 * 1024;
    // Outside the heap, from where it is written without a copy. Allocated when it is needed: a class whose
    // initialization fails for lack of memory fails for good.
    private static final AtomicReference<ByteBuffer> ZEROS = new AtomicReference<>();

    private final SegmentStore store;
    private final SegmentFile file;
    private final long ordinal;
    private final int length;
    private final boolean isForced;
    private int filledEnd;

    /**
     * Creates the file, with its header.
     *
     * @param isForced whether the zeros become durable. Otherwise length and header are durable on return, and the
     *                 zeros only reserve the space, until this system ends.
     * @throws IOException if that fails; no file is left.
     */
    public SegmentFilling(
        final SegmentStore store, final long ordinal, final ByteBuffer header, final int length, final boolean isForced)
        throws IOException
    {
        this.store = store;
        this.ordinal = ordinal;
        this.length = length;
        this.isForced = isForced;
        store.delete(name());
        file = store.createUnallocated(name(), length);
        try
        {
            filledEnd = header.remaining();
            file.write(0, header);
            if (!isForced)
            {
                file.force(0, length);
            }
        }
        catch (final Throwable ex)
        {
            deleteAfter(ex);
            throw ex;
        }
    }

    /**
     * Fills the whole file.
     *
     * @throws IOException if that fails; no file is left.
     */
    public static void fill(
        final SegmentStore store, final long ordinal, final ByteBuffer header, final int length) throws IOException
    {
        new SegmentFilling(store, ordinal, header, length, true).step(length);
    }

    /**
     * Fills up to so many bytes more.
     *
     * @param maxLength a power of two.
     * @return whether the file is complete. It is closed then.
     * @throws IOException if that fails; the file is deleted.
     */
    public boolean step(final int maxLength) throws IOException
    {
        try
        {
            // Aligned, as each write is.
            final int end = Math.min(length, (filledEnd & -maxLength) + maxLength);
            final int writeLength = isForced ? WRITE_LENGTH : STREAM_WRITE_LENGTH;
            final ByteBuffer zeros =
                SegmentStore.Memory.HEAP == store.memory() ? ByteBuffer.allocate(writeLength) : zeros();
            write(file, filledEnd, end, zeros, writeLength);
            if (isForced)
            {
                file.force(0, end);
            }
            filledEnd = end;
        }
        catch (final Throwable ex)
        {
            deleteAfter(ex);
            throw ex;
        }

        final boolean isComplete = length == filledEnd;
        if (isComplete)
        {
            close();
        }
        return isComplete;
    }

    private static ByteBuffer zeros()
    {
        if (null == ZEROS.get())
        {
            ZEROS.set(ByteBuffer.allocateDirect(STREAM_WRITE_LENGTH).asReadOnlyBuffer());
        }
        return ZEROS.get().duplicate();
    }

    /** Writes zeros, which replace whatever the file holds there. */
    static void writeZeros(final SegmentFile file, final int from, final int to) throws IOException
    {
        write(file, from, to, ByteBuffer.allocate(WRITE_LENGTH), WRITE_LENGTH);
    }

    private static void write(
        final SegmentFile file, final int from, final int to, final ByteBuffer zeros, final int writeLength)
        throws IOException
    {
        int offset = from;
        while (offset < to)
        {
            // Aligned: a misaligned write is split into smaller folios.
            final int next = Math.min(to, (offset & -writeLength) + writeLength);
            file.write(offset, zeros.clear().limit(next - offset));
            offset = next;
        }
    }

    private void deleteAfter(final Throwable failure)
    {
        try
        {
            delete();
        }
        catch (final IOException ex)
        {
            // The original failure is the more useful one to report.
            failure.addSuppressed(ex);
        }
    }

    /** Closes and deletes the file. */
    public void delete() throws IOException
    {
        close();
        store.delete(name());
    }

    /** Closes the file, which stays as it is. */
    @Override
    public void close()
    {
        file.close();
    }

    private String name()
    {
        return JournalFiles.spare(ordinal);
    }
}
