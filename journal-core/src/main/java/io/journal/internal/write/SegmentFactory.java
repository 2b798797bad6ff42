// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.LongSupplier;

import io.journal.internal.control.WriterFence;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.CleanUp;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentFilling;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * Makes the files of segments: under a temporary name first, under the segment's name once length and header are
 * durable. A crash between any two steps leaves a file to be deleted or a segment without a frame. Guarded by the lock
 * of the {@link SegmentSupply}.
 */
public final class SegmentFactory
{
    final SegmentStore store;
    final int length;
    private final UUID uuid;
    private final LongSupplier salts;
    private final EpochClock clock;
    private final WriterFence fence;

    public SegmentFactory(
        final SegmentStore store,
        final UUID uuid,
        final int segmentLength,
        final LongSupplier salts,
        final EpochClock clock,
        final WriterFence fence)
    {
        this.store = store;
        this.uuid = uuid;
        length = segmentLength;
        this.salts = salts;
        this.clock = clock;
        this.fence = fence;
    }

    /** Creates a temporary file without zeros, and returns its name. Its length and its header are durable. */
    String create(final long ordinal) throws IOException
    {
        // Files are created by path, and another journal may be there by now.
        fence.check();
        SegmentFilling.create(store, ordinal, header(ordinal, false), length, 0).close();
        return JournalFiles.spare(ordinal);
    }

    /**
     * Renames a pruned segment to a temporary name and returns that; null if its file is missing, cut short, or cannot
     * be opened.
     */
    String retire(final long ordinal) throws IOException
    {
        if (!isWhole(ordinal))
        {
            return null;
        }

        final String spare = JournalFiles.spare(ordinal);
        store.rename(JournalFiles.segment(ordinal), spare);
        return spare;
    }

    private boolean isWhole(final long ordinal)
    {
        try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.READ))
        {
            return file.length() == length;
        }
        catch (final IOException ignore)
        {
            // The caller uses a new file instead.
            return false;
        }
    }

    /**
     * Gives a temporary file the name of its segment. The name is durable on return: records may follow.
     *
     * @param isRecycled whether it is a pruned file, which gets a new header first.
     */
    Segment name(final String spare, final long ordinal, final boolean isRecycled) throws IOException
    {
        final String name = JournalFiles.segment(ordinal);
        try
        {
            if (isRecycled)
            {
                renew(spare, ordinal);
            }
            // Another writer may have a segment of this name.
            fence.check();
            // The file is left over from an attempt that failed after the rename: recovery removed all others.
            store.delete(name);
            store.rename(spare, name);
        }
        catch (final Throwable ex)
        {
            CleanUp.after(ex, () -> delete(spare));
            throw ex;
        }
        fence.forceNew(store, name);
        final Segment segment = open(ordinal);
        segment.filledEnd(isRecycled ? length : SegmentHeader.LENGTH);
        return segment;
    }

    /** Gives a pruned file a new header. The new salt invalidates the stale bytes of its previous use. */
    private void renew(final String spare, final long ordinal) throws IOException
    {
        try (SegmentFile file = store.open(spare, SegmentStore.Access.WRITE))
        {
            // The second block is zero: the first frame reads as absent.
            final ByteBuffer blocks = Block.allocate(2);
            blocks.put(header(ordinal, true)).clear();
            file.write(0, blocks);
            file.force(0, blocks.capacity());
        }
    }

    /**
     * Opens a segment to append to. Maps it now if it will be mapped, because a roll could not be undone if mapping
     * failed.
     */
    Segment open(final long ordinal) throws IOException
    {
        final Segment segment =
            Segment.open(store, SegmentStore.Access.APPEND, true, uuid, ordinal, length);
        try
        {
            if (SegmentStore.Memory.MAPPED == store.memory())
            {
                segment.file.map();
            }
            return segment;
        }
        catch (final Throwable ex)
        {
            segment.close();
            throw ex;
        }
    }

    /** Deletes a file without records, unless another writer may have the journal. */
    void delete(final String spare) throws IOException
    {
        fence.check();
        store.delete(spare);
    }

    private ByteBuffer header(final long ordinal, final boolean isRecycled)
    {
        return SegmentHeader.encode(uuid, ordinal, length, salts.getAsLong(), clock.time(), isRecycled);
    }
}
