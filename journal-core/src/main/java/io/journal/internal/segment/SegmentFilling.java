package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.internal.files.JournalFiles;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The file of a segment under its temporary name, while it is filled with zeros: step by step, so that other work can
 * be done in between. Length and header are durable from the beginning. See
 * {@code docs/adr/0002-preparing-segments.md}.
 */
public final class SegmentFilling
{
    // Lengths of writes: short ones for segments whose records are fsynced one by one, long ones for those that records
    // stream into.
    private static final int WRITE_LENGTH = 16 * 1024;
    private static final int STREAM_WRITE_LENGTH = 64 * 1024;
    // Of the memory from which they are written without a copy. Allocated when they are needed: a class whose
    // initialization fails for lack of memory fails for good.
    private static final AtomicReference<ByteBuffer> ZEROS = new AtomicReference<>();
    private static final AtomicReference<ByteBuffer> HEAP_ZEROS = new AtomicReference<>();

    private final SegmentStore store;
    private final SegmentFile file;
    private final long ordinal;
    private final int length;
    private int filledEnd;

    /**
     * Creates the file, and fsyncs its length and its header.
     *
     * @throws IOException if that fails; no file is left.
     */
    public SegmentFilling(final SegmentStore store, final long ordinal, final ByteBuffer header, final int length)
        throws IOException
    {
        this.store = store;
        this.ordinal = ordinal;
        this.length = length;
        store.delete(name());
        file = store.createUnallocated(name(), length);
        try
        {
            filledEnd = header.remaining();
            file.write(0, header);
            file.force(0, length);
        }
        catch (final Throwable ex)
        {
            deleteAfter(ex);
            throw ex;
        }
    }

    /**
     * Creates a file without zeros: whoever opens it fills it.
     *
     * @throws IOException if that fails; no file is left.
     */
    public static void create(
        final SegmentStore store, final long ordinal, final ByteBuffer header, final int length) throws IOException
    {
        new SegmentFilling(store, ordinal, header, length).close();
    }

    /**
     * Fills up to so many bytes more.
     *
     * @param maxLength a power of two.
     * @param isForced  whether the zeros become durable, so that later fsyncs need not allocate their blocks. Otherwise
     *                  they reserve the space until this system ends.
     * @return whether the file is complete. It is closed then.
     * @throws IOException if that fails; the file is deleted.
     */
    public boolean step(final int maxLength, final boolean isForced) throws IOException
    {
        try
        {
            final int end = stepEnd(filledEnd, length, maxLength);
            while (filledEnd < end)
            {
                filledEnd = writeZeros(file, filledEnd, end, store.memory(), !isForced);
            }
            if (isForced)
            {
                file.force(0, end);
            }
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

    /** Offset at which the step ends that begins at an offset: aligned, as each write is. */
    public static int stepEnd(final int from, final int length, final int maxLength)
    {
        return Math.min(length, (from & -maxLength) + maxLength);
    }

    /**
     * Writes zeros with one aligned write, which replace whatever the file holds there.
     *
     * @return offset at which it ends, at most the given one.
     */
    public static int writeZeros(
        final SegmentFile file, final int from, final int to, final SegmentStore.Memory memory, final boolean isStream)
        throws IOException
    {
        final int writeLength = isStream ? STREAM_WRITE_LENGTH : WRITE_LENGTH;
        // Aligned: a misaligned write is split into smaller folios.
        final int next = stepEnd(from, to, writeLength);
        file.write(from, zeros(memory, next - from));
        return next;
    }

    private static ByteBuffer zeros(final SegmentStore.Memory memory, final int length)
    {
        final boolean isHeap = SegmentStore.Memory.HEAP == memory;
        final AtomicReference<ByteBuffer> zeros = isHeap ? HEAP_ZEROS : ZEROS;
        if (null == zeros.get())
        {
            zeros.set(isHeap ? ByteBuffer.allocate(STREAM_WRITE_LENGTH) :
                ByteBuffer.allocateDirect(STREAM_WRITE_LENGTH).asReadOnlyBuffer());
        }
        return zeros.get().duplicate().limit(length);
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
    public void close()
    {
        file.close();
    }

    private String name()
    {
        return JournalFiles.spare(ordinal);
    }
}
