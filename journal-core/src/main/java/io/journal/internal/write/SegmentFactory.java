package io.journal.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;
import java.util.function.LongSupplier;

import io.journal.internal.control.DirectoryForce;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.control.WriterFence;
import io.journal.internal.format.Block;
import io.journal.internal.format.SegmentHeader;
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
    private final SegmentStore store;
    private final UUID uuid;
    private final int segmentLength;
    private final LongSupplier salts;
    private final EpochClock clock;
    private final FailureLatch latch;
    private final WriterFence fence;

    public SegmentFactory(
        final SegmentStore store,
        final UUID uuid,
        final int segmentLength,
        final LongSupplier salts,
        final EpochClock clock,
        final FailureLatch latch,
        final WriterFence fence)
    {
        this.store = store;
        this.uuid = uuid;
        this.segmentLength = segmentLength;
        this.salts = salts;
        this.clock = clock;
        this.latch = latch;
        this.fence = fence;
    }

    String journal()
    {
        return latch.journal();
    }

    int length()
    {
        return segmentLength;
    }

    /** Removes a segment that an earlier attempt left, if it failed after the rename: recovery removed all others. */
    void clear(final long ordinal) throws IOException
    {
        // Files are created by path, and another journal may be there by now.
        fence.check();
        store.delete(JournalFiles.segment(ordinal));
    }

    /** Begins a temporary file of zeros. */
    SegmentFilling fill(final long ordinal) throws IOException
    {
        return new SegmentFilling(store, ordinal, header(ordinal, false), segmentLength);
    }

    SegmentStore.Memory memory()
    {
        return store.memory();
    }

    /** Whether there may be space for one more segment. */
    boolean isSpaceLikely()
    {
        return store.freeSpace() >= segmentLength;
    }

    /** Makes a pruned segment a temporary file; null if its file is missing, cut short, or cannot be opened. */
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
            return file.length() == segmentLength;
        }
        catch (final IOException ignore)
        {
            // A new file takes its place.
            return false;
        }
    }

    /** Gives a pruned file a new header. The new salt invalidates the stale bytes of its previous use. */
    void reuse(final String spare, final long ordinal) throws IOException
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

    /** Gives a temporary file the name of its segment. The name is durable on return: records may follow. */
    Segment name(final String spare, final long ordinal) throws IOException
    {
        // Filling has taken a while.
        fence.check();
        store.rename(spare, JournalFiles.segment(ordinal));
        DirectoryForce.forceNew(store, JournalFiles.segment(ordinal), latch, fence);
        final Segment segment = open(ordinal);
        try
        {
            segment.file.warm(0, segment.length);
            return segment;
        }
        catch (final Throwable ex)
        {
            segment.close();
            throw ex;
        }
    }

    /** Opens a segment to append to. It is mapped already, if it will be: a roll could not be undone if that failed. */
    Segment open(final long ordinal) throws IOException
    {
        final Segment segment =
            Segment.open(store, SegmentStore.Access.APPEND, true, uuid, ordinal, segmentLength);
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

    /** Deletes a temporary file, unless another writer may have the journal. */
    void delete(final String spare) throws IOException
    {
        fence.check();
        store.delete(spare);
    }

    private ByteBuffer header(final long ordinal, final boolean isRecycled)
    {
        return SegmentHeader.encode(
            uuid, ordinal, segmentLength, salts.getAsLong(), clock.time(), isRecycled);
    }
}
