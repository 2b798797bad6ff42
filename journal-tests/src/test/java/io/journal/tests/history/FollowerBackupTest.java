package io.journal.tests.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Backups that a process makes which only reads the journal.
 */
class FollowerBackupTest extends JournalFixture
{
    @EachBackend
    void durableRecordsCursorsAndSnapshotsAreCopiedWhileTheWriterGoesOn(final Backend backend)
    {
        final Path target = temp.resolve("copy");
        try (Journal journal = open(backend); ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            appendNumbered(journal, 200, 1000);
            journal.force();
            journal.cursor("mailer").save(100);
            journal.snapshots().save(150, (output) -> output.write(7));
            appendNumbered(journal, 3, 10);

            final long last = follower.backup(target);

            assertTrue(last >= 200 && last <= 203, () -> "last=" + last);
            assertThrows(IllegalArgumentException.class, () -> follower.backup(target));
            assertThrows(IllegalArgumentException.class, () -> follower.backup(directory().resolve("copy")));
            appendNumbered(journal, 1, 10);
            try (Journal copy = Journal.open(target))
            {
                assertNumbered(1, last, readAll(copy));
                assertEquals(100, copy.cursor("mailer").sequence());
                assertEquals(150, copy.snapshots().load((input) -> assertEquals(7, input.read())));
                appendNumbered(copy, 1, 10);
            }
        }
    }

    @EachBackend
    void copiesAreWholeWhileTheJournalIsPrunedAndTruncated(final Backend backend)
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        try (Journal journal = builder(directory(), backend).recycleSegments(true).open();
            ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            appendNumbered(journal, 300, 1000);
            journal.force();
            final Background writer = Background.start("writer", () ->
            {
                while (!isDone.get())
                {
                    appendNumbered(journal, 70, 1000);
                    journal.truncateAfter(journal.lastSequence() - 5);
                    appendNumbered(journal, 70, 1000);
                    journal.force();
                    journal.prune(journal.lastSequence() - 250);
                    // A moment in which a copy can be made.
                    final long sequence = journal.lastSequence();
                    for (int i = 0; i < 20 && !isDone.get(); i++)
                    {
                        journal.awaitForced(sequence);
                        Thread.yield();
                    }
                }
            });
            try
            {
                for (int i = 0; i < 4; i++)
                {
                    checkCopy(follower, temp.resolve("copy" + i));
                }
            }
            finally
            {
                isDone.set(true);
                writer.join();
            }
            checkCopy(follower, temp.resolve("last"));
            assertTrue(Files.exists(temp.resolve("last")));
        }
    }

    private static void checkCopy(final ReadOnlyJournal follower, final Path target)
    {
        try
        {
            final long last = follower.backup(target);
            try (Journal copy = Journal.open(target))
            {
                assertNumbered(copy.firstSequence(), last, readAll(copy));
            }
        }
        catch (final JournalException ex)
        {
            // Changed during each attempt: then there is nothing.
            assertFalse(ex instanceof CorruptJournalException && Files.exists(target), ex::toString);
            assertFalse(Files.exists(target), ex::toString);
        }
    }

    @EachBackend
    void damagedRecordLeavesNothing(final Backend backend) throws IOException
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 200, 1000);
        }
        final byte[] bytes = contentOf(segment(directory(), 1));
        bytes[20_000] ^= 1;
        Files.write(segment(directory(), 1), bytes);
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            final CorruptJournalException thrown =
                assertThrows(CorruptJournalException.class, () -> follower.backup(temp.resolve("copy")));
            assertEquals(segment(directory(), 1).getFileName().toString(), thrown.file());
        }
        assertFalse(Files.exists(temp.resolve("copy")));
    }

    @EachBackend
    void withoutAWatermarkThereIsNothingToCopy(final Backend backend) throws IOException
    {
        open(backend).close();
        Files.delete(directory().resolve("journal.mark"));
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            assertThrows(JournalException.class, () -> follower.backup(temp.resolve("copy")));
        }
        assertFalse(Files.exists(temp.resolve("copy")));
    }
}
