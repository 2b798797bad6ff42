package io.journal.internal.follow;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkContent;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.TruncationIntent;
import io.journal.internal.format.Layout;
import io.journal.internal.recover.JournalScan;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.SegmentStore;

/**
 * Finds the end of a journal that another process may be writing, as recovery does, from the durable watermark.
 */
final class EndFinder
{
    private static final int MAX_ATTEMPTS = 100;

    private EndFinder()
    {
    }

    record Found(JournalMeta.State state, long position, long nextSequence)
    {
    }

    static Found find(final SegmentStore store, final FollowedMeta metaFile) throws IOException
    {
        Exception failure = null;
        for (int i = 0; i < MAX_ATTEMPTS; i++)
        {
            final JournalMeta meta = metaFile.read();
            try
            {
                final JournalScan scan = scan(store, meta);
                final JournalMeta.State now = metaFile.read().state;
                // Pruning does not move the end.
                if (now.epoch == meta.state.epoch && now.startPosition <= scan.end())
                {
                    return new Found(now, scan.end(), scan.nextSequence());
                }
            }
            catch (final CorruptJournalException | IOException ex)
            {
                // Files that are being changed may appear corrupt, but not twice in the same way.
                if (isSame(failure, ex) && metaFile.read().state.generation == meta.state.generation)
                {
                    throw ex;
                }
                failure = ex;
            }
        }

        throw new JournalException("journal changes too quickly to be opened: try again");
    }

    /** Whether two scans failed in the same way. Where there is a place, the text may hold what a writer moves. */
    private static boolean isSame(final Exception before, final Exception now)
    {
        if (now instanceof CorruptJournalException corrupt && null != corrupt.file())
        {
            return before instanceof CorruptJournalException other && Objects.equals(corrupt.file(), other.file()) &&
                corrupt.offset() == other.offset() && corrupt.sequence() == other.sequence();
        }

        return null != before && before.getClass() == now.getClass() &&
            Objects.equals(before.getMessage(), now.getMessage());
    }

    private static JournalScan scan(final SegmentStore store, final JournalMeta meta) throws IOException
    {
        final MarkContent content = MarkFile.read(store, meta.uuid);
        final long marked = content.forcedPosition(meta.state);
        final long firstOrdinal = new Layout(meta.segmentLength).ordinal(meta.state.startPosition);
        final List<Long> ordinals = SegmentSet.ordinalsFrom(store, firstOrdinal);
        TruncationIntent.check(meta, ordinals, marked);

        return JournalScan.follow(store, meta, ordinals, marked, !content.isForceUnfinished);
    }
}
