// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.follow;

import java.io.IOException;
import java.util.Objects;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlView;
import io.journal.internal.control.History;
import io.journal.internal.recover.Scan;
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

    record Found(ControlContent content, long position, long nextSequence)
    {
    }

    static Found find(final SegmentStore store, final ControlView control) throws IOException
    {
        Exception failure = null;
        for (int i = 0; i < MAX_ATTEMPTS; i++)
        {
            final ControlContent content = control.read();
            try
            {
                final Scan scan = Scan.of(store, content, SegmentSet.ordinals(store), false);
                final ControlContent after = control.read();
                final History now = after.state().history;
                // Pruning does not move the end.
                if (now.number == content.state().history.number && now.term == content.state().history.term &&
                    now.startPosition <= scan.end)
                {
                    return new Found(after, scan.end, scan.nextSequence);
                }
            }
            catch (final CorruptJournalException | IOException ex)
            {
                // Files that are being changed may appear corrupt, but not twice in the same way.
                if (isSame(failure, ex) && control.read().state().generation == content.state().generation)
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
}
