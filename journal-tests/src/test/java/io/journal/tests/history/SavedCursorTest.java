package io.journal.tests.history;

import java.util.List;
import java.util.Map;

import io.journal.JournalCursor;
import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.State;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Saved cursors as seen by read-only journals.
 */
class SavedCursorTest extends RecoveryFixture
{
    private static final String FILE = "cursors/b.cursor";

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

    @EachBackend
    void unusableCursorIsListedWithTheOthers(final Backend backend)
    {
        crash(backend);
        final Map<String, byte[]> image = crashed.content();
        crashed.cut(FILE, 100);
        assertFault(7, "found=100 bytes");

        // Saved at a record that this journal does not have.
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 5, 100);
            journal.cursor("b").save(15);
        }
        crashed.restore(image);
        crashed.put(FILE, live.read(FILE));
        assertFault(7, "found=sequence 15");

        // Of another history, in which as many records were appended.
        crashed.restore(image);
        try (Journal journal = open(crashed, backend))
        {
            appendNumbered(journal, 5, 100);
        }
        crashed.put(FILE, live.read(FILE));
        assertFault(12, "of another history");
    }

    @EachBackend
    void cursorsReflectAPendingTruncation(final Backend backend)
    {
        crash(backend);
        final State state = crashed.state();
        final JournalDirectory.Frame frame = crashed.record(6);
        crashed.writeState(new State(
            state.generation() + 1, 1, 0, 1, true, frame.position(), 6, crashed.record(10).endPosition()));

        try (ReadOnlyJournal followed = Journal.openReadOnly(crashed.path))
        {
            assertEquals(List.of(saved("a", 3, 2), saved("b", 5, 0)), followed.cursors());
        }
        final Journal journal = closing(open(crashed, backend));
        assertEquals(5, journal.cursor("b").sequence());
    }

    private void crash(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(3);
            journal.cursor("b").save(10);
            live.copyTo(crashed.path);
        }
    }

    private void assertFault(final long lag, final String fault)
    {
        try (ReadOnlyJournal followed = Journal.openReadOnly(crashed.path))
        {
            final List<JournalCursor.Saved> cursors = followed.cursors();
            assertEquals(2, cursors.size());
            assertEquals(saved("a", 3, lag), cursors.get(0));
            assertFalse(cursors.get(1).isUsable());
            assertTrue(cursors.get(1).fault().contains("file=" + FILE), cursors.get(1)::fault);
            assertTrue(cursors.get(1).fault().contains(fault), cursors.get(1)::fault);
        }
    }

    private static JournalCursor.Saved saved(final String name, final long sequence, final long lag)
    {
        return new JournalCursor.Saved(name, sequence, lag, "");
    }
}
