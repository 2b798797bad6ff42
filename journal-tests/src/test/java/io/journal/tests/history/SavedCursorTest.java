// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.util.List;

import io.journal.JournalCursor;
import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Saved cursors, read through read-only journals. */
class SavedCursorTest extends RecoveryFixture
{
    @EachBackend
    void cursorsAreListedWithTheirLagDuringWrites(final Backend backend)
    {
        try (Journal journal = open(live, backend); ReadOnlyJournal followed = Journal.openReadOnly(live.path))
        {
            assertEquals(List.of(), followed.cursors());

            model.append(journal, 10, 100);
            journal.cursor("a").save(3);
            journal.cursor("b").save(10);
            assertEquals(List.of(saved("a", 3, 7), saved("b", 10, 0)), followed.cursors());

            model.append(journal, 5, 100);
            journal.force();
            assertEquals(List.of(saved("a", 3, 12), saved("b", 10, 5)), followed.cursors());

            journal.truncateAfter(8);
            assertEquals(List.of(saved("a", 3, 5), saved("b", 8, 0)), followed.cursors());

            journal.deleteCursor("a");
            assertEquals(List.of(saved("b", 8, 0)), followed.cursors());
        }
        final ReadOnlyJournal closed = Journal.openReadOnly(live.path);
        closed.close();
        assertClosed(closed::cursors);
    }

    @EachBackend
    void lagCountsFromTheOldestRecord(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        final ReadOnlyJournal followed = closing(Journal.openReadOnly(live.path));
        journal.cursor("a");
        model.appendInto(journal, 2, 3000);
        journal.force();
        final long first = journal.prune(model.size());

        assertTrue(first > 1);
        assertEquals(List.of(saved("a", 0, model.size() - first + 1)), followed.cursors());
    }

    private static JournalCursor.Saved saved(final String name, final long sequence, final long lag)
    {
        return new JournalCursor.Saved(name, sequence, lag);
    }
}
