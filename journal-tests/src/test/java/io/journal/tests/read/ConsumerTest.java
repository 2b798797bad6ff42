// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.time.Duration;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Consumers: a reader that continues after its cursor, waits for records and commits, in the writer's process and in
 * others.
 */
class ConsumerTest extends JournalFixture
{
    private static final Duration LONG = Duration.ofMinutes(10);
    @EachBackend
    void readerOfACursorContinuesBehindItsCommit(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
            try (JournalReader reader = journal.openReader(journal.cursor("mailer")))
            {
                assertNumbered(1, 4, poll(reader, 4));
                reader.commit();
                assertEquals(4, journal.cursor("mailer").sequence());
                assertTrue(journal.forcedSequence() >= 4);
                assertNumbered(5, 6, poll(reader, 2));
            }
            try (JournalReader reader = journal.openReader(journal.cursor("mailer")))
            {
                assertNumbered(5, 10, poll(reader));
                reader.commit();
                reader.commit();
            }
        }
        try (Journal journal = reopen(backend);
            JournalReader reader = journal.openReader(journal.cursor("mailer"), JournalReader.Limit.FORCED))
        {
            assertEquals(List.of(), poll(reader));
            appendNumbered(journal, 1, 100);
            assertEquals(List.of(), poll(reader));
            journal.force();
            assertNumbered(11, 11, poll(reader));
        }
    }

    @EachBackend
    void commitNeedsACursorOfThisJournal(final Backend backend)
    {
        try (Journal journal = open(backend);
            Journal other = open(temp.resolve("other"), backend);
            JournalReader reader = journal.openReader())
        {
            assertThrows(IllegalStateException.class, reader::commit);
            final JournalCursor foreign = other.cursor("mailer");
            assertThrows(IllegalArgumentException.class, () -> journal.openReader(foreign));
        }
    }

    @EachBackend
    void deletedCursorIsRefused(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalCursor deleted = journal.cursor("mailer");
        final JournalCursor other = journal.cursor("other");
        deleted.delete();
        journal.deleteCursor("other");
        assertThrows(IllegalArgumentException.class, () -> journal.openReader(deleted));
        assertThrows(IllegalArgumentException.class, () -> journal.openReader(other));

        final JournalCursor again = journal.cursor("mailer");
        assertThrows(IllegalArgumentException.class, () -> journal.openReader(deleted));
        journal.openReader(again).close();
    }

    @EachBackend
    void prunedRecordsAreNotSkippedSilently(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            final JournalCursor cursor = journal.cursor("mailer");
            appendNumbered(journal, 200, 1000);
            final long first = journal.prune(150);
            assertTrue(first > 1);
            try (JournalReader reader = journal.openReader(cursor))
            {
                assertEquals(JournalReader.State.PRUNED, reader.state());
                final JournalException thrown = assertThrows(JournalException.class, () -> reader.poll(IGNORE, 1));
                assertEquals(1, thrown.sequence());
                assertThrows(JournalException.class, reader::commit);
                assertThrows(JournalException.class, () -> reader.await(LONG));
                assertEquals(0, cursor.sequence());

                reader.seekToStart();
                assertNumbered(first, first, poll(reader, 1));
                reader.commit();
                assertEquals(first, cursor.sequence());
            }
        }
    }

    @EachBackend
    void truncatedRecordsAreNotCommitted(final Backend backend)
    {
        try (Journal journal = open(backend);
            JournalReader reader = journal.openReader(journal.cursor("mailer")))
        {
            appendNumbered(journal, 10, 100);
            poll(reader);
            journal.truncateAfter(5);
            appendNumbered(journal, 10, 100);
            assertThrows(JournalException.class, reader::commit);
            assertEquals(0, journal.cursor("mailer").sequence());

            reader.seek(6);
            assertNumbered(6, 15, poll(reader));
            reader.commit();
            assertEquals(15, journal.cursor("mailer").sequence());
        }
    }

    @EachBackend
    void awaitEndsWithTheJournalAndWithAnInterrupt(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        Thread.currentThread().interrupt();
        assertFalse(reader.await(LONG));
        assertTrue(Thread.interrupted());

        appendNumbered(journal, 1, 100);
        final Background consumer = Background.start("consumer", () ->
        {
            assertTrue(reader.await(LONG));
            assertNumbered(1, 1, poll(reader));
            assertFalse(reader.await(Duration.ofDays(1000 * 365)));
        });
        journal.close();
        consumer.join();
        assertEquals(JournalReader.State.CLOSED, reader.state());
    }
}
