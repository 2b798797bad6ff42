// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.platform.CleanUp;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Creates the file of a segment, and fills it with zeros step by step, so that other work can be done in between. See
 * {@code docs/adr/0002-preparing-segments.md}.
 */
public final class SegmentFilling
{
    // Lengths of writes, which become folios of the page cache. Long folios are cheaper to write to. A store into a
    // mapping dirties a whole folio, so folios of mapped segments are short where records are fsynced one by one.
    private static final int WRITE_LENGTH = 64 * 1024;
    private static final int MAPPED_WRITE_LENGTH = 4 * 1024;
    // Memory from which zeros are written without a copy. Allocated on first use: a class whose initialization runs out
    // of memory fails for good.
    private static final AtomicReference<ByteBuffer> ZEROS = new AtomicReference<>();
    private static final AtomicReference<ByteBuffer> HEAP_ZEROS = new AtomicReference<>();

    private SegmentFilling()
    {
    }

    /**
     * Creates the file under its temporary name, and fsyncs its length and its header.
     *
     * @param filledEnd offset up to which zeros follow the header.
     * @throws IOException if that fails; no file is left.
     */
    public static SegmentFile create(
        final SegmentStore store, final long ordinal, final ByteBuffer header, final int length, final int filledEnd)
        throws IOException
    {
        final String name = JournalFiles.spare(ordinal);
        store.delete(name);
        final SegmentFile file = store.createUnallocated(name, length);
        try
        {
            file.write(0, header);
            int offset = header.limit();
            while (offset < filledEnd)
            {
                final int next = writeEnd(offset, filledEnd, store.memory(), false);
                file.write(offset, zeros(store.memory(), next - offset));
                offset = next;
            }
            file.force(0, length);
            return file;
        }
        catch (final Throwable ex)
        {
            file.close();
            CleanUp.after(ex, () -> store.delete(name));
            throw ex;
        }
    }

    /** End of the step that begins at an offset: aligned, as each write is. */
    public static int stepEnd(final int from, final int length, final int maxLength)
    {
        return Math.min(length, (from & -maxLength) + maxLength);
    }

    /**
     * Fills with one aligned write, which replaces whatever the file holds there.
     *
     * @param to       where the step ends.
     * @param isStream whether records stream in.
     */
    public static void write(
        final Segment segment, final int to, final SegmentStore.Memory memory, final boolean isStream)
        throws IOException
    {
        final int from = segment.filledEnd();
        final int next = writeEnd(from, to, memory, isStream);
        segment.file.write(from, zeros(memory, next - from));
        segment.filledEnd(next);
    }

    /** End of a write of zeros: aligned, because a misaligned write is split into smaller folios. */
    private static int writeEnd(
        final int from, final int to, final SegmentStore.Memory memory, final boolean isStream)
    {
        final boolean isShort = SegmentStore.Memory.MAPPED == memory && !isStream;
        return stepEnd(from, to, isShort ? MAPPED_WRITE_LENGTH : WRITE_LENGTH);
    }

    private static ByteBuffer zeros(final SegmentStore.Memory memory, final int length)
    {
        final boolean isHeap = SegmentStore.Memory.HEAP == memory;
        final AtomicReference<ByteBuffer> zeros = isHeap ? HEAP_ZEROS : ZEROS;
        if (null == zeros.get())
        {
            zeros.set(isHeap ? ByteBuffer.allocate(WRITE_LENGTH) :
                ByteBuffer.allocateDirect(WRITE_LENGTH).asReadOnlyBuffer());
        }
        return zeros.get().duplicate().limit(length);
    }
}
