package io.journal.internal.manage;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Layout;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.RecordWalk;
import io.journal.internal.recover.Truncation;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentSet;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.SegmentSupply;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentStore;

/**
 * Removes the newest records of an open journal. Runs under the lock of {@link SegmentLifecycle}, with readers quiesced
 * and appends excluded.
 */
final class Truncating
{
    private final SegmentStore store;
    private final AtomicReference<JournalMeta> meta;
    private final Layout layout;
    private final WriteRoom write;
    private final ReadRoom read;
    private final Cursors cursors;

    Truncating(
        final SegmentStore store,
        final AtomicReference<JournalMeta> meta,
        final WriteRoom write,
        final ReadRoom read,
        final Cursors cursors)
    {
        this.store = store;
        this.meta = meta;
        layout = new Layout(meta.get().segmentLength);
        this.write = write;
        this.read = read;
        this.cursors = cursors;
    }

    void truncateAfter(final long sequence) throws IOException
    {
        final Forcer forcer = write.forcer();
        if (sequence < write.positions().appendedSequence())
        {
            final long position = positionOf(sequence + 1);
            // Excludes saving a cursor at a record that is about to go.
            cursors.hold();
            try
            {
                cursors.checkReadable();
                // So that all remaining records are durable when the truncation is complete.
                forcer.force();
                forcer.whileForcing("truncate", () -> cut(position, sequence + 1));
                write.listener().truncatedAfter(sequence);
            }
            finally
            {
                cursors.release();
            }
        }
        // The watermark frame at the new end is durable before anything can follow it.
        forcer.force();
    }

    /**
     * Position of a record's frame.
     */
    private long positionOf(final long sequence) throws IOException
    {
        try (RecordWalk walk = new RecordWalk(read.source(), ReadSource.End.WRITTEN))
        {
            walk.seek().toVerified(sequence);
            if (walk.isInBatch())
            {
                throw new IllegalArgumentException(
                    "record is in the middle of a batch, which stays whole: sequence=" + sequence);
            }

            return walk.position();
        }
    }

    private void cut(final long position, final long nextSequence) throws IOException
    {
        final TailWriter tail = write.tail();
        final SegmentSupply supply = write.supply();
        final long ordinal = layout.ordinal(position);
        final long zeroEnd = Math.min(tail.position(), layout.position(ordinal + 1, 0));

        final boolean isNextKept = supply.suspend(ordinal + 1);
        read.source().releaseSegments();
        final List<Long> ordinals = SegmentSet.ordinals(store);
        if (isNextKept)
        {
            ordinals.remove(ordinal + 1);
        }
        final JournalMeta intent = Truncation.begin(
            store, meta.get(), write.markFile(), new JournalMeta.Cut(position, nextSequence, zeroEnd));
        // Before anything is removed: if a step fails, readers must not take what is left of the records for damage.
        meta.set(intent);
        final JournalMeta cut = Truncation.carryOut(
            store, intent, write.markFile(), ordinals, write.positions().forcedPosition(), cursors.files());
        // For followers: if there is no room for a watermark frame, no fsync has to follow that would store it.
        write.markFile().checkOwned();
        write.markFile().forced(cut.state.epoch, position, nextSequence);

        final Segment segment =
            Segment.open(store, SegmentStore.Access.APPEND, true, cut.uuid, ordinal, cut.segmentLength);
        try
        {
            segment.firstSequence(nextSequence);
            supply.restart(segment);
            tail.start(segment, layout.offset(position), nextSequence, cut.state);
        }
        catch (final Throwable ex)
        {
            segment.close();
            throw ex;
        }
        meta.set(cut);
    }
}
