// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * A directory is replaced by an older copy of itself, as by a restored disk image. Positions that were kept elsewhere,
 * or were not rolled back, must not be taken for parts of the history that follows. All records are equal.
 */
@InMemory
class RollbackTest extends JournalFixture
{
    private static final byte[] RECORD = new byte[100];

    private static void append(final Journal journal, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            journal.appender().append(RECORD);
        }
        journal.force();
    }

    private void appendAnew(final Backend backend, final int count)
    {
        try (Journal journal = open(backend))
        {
            append(journal, count);
        }
    }

    private static Checkpoint checkpoint(final ReadOnlyJournal follower, final long sequence)
    {
        try (JournalReader reader = follower.openReader(JournalReader.Limit.FORCED))
        {
            reader.seek(sequence + 1);
            return reader.checkpoint();
        }
    }

    /** Openings without appends also begin terms, but no record belongs to these terms. */
    @EachBackend
    void followerAtThePruningPointGoesOnAfterOpeningsWithoutRecords(final Backend backend)
    {
        appendAnew(backend, 50);
        final Checkpoint kept;
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            kept = checkpoint(follower, 50);
        }
        appendAnew(backend, 0);
        try (Journal journal = open(backend))
        {
            journal.cursor("consumer").save(50);
            journal.roll();
            append(journal, 1);
            journal.truncateAfter(50);
            journal.roll();
            append(journal, 10);
            journal.prune(51);
            assertEquals(51, journal.firstSequence());
            journal.backup(temp.resolve("copy"));
        }
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory());
            JournalReader reader = follower.openReader(kept))
        {
            assertEquals(JournalReader.State.FOLLOWING, reader.state());
            assertEquals(51, reader.nextSequence());
            assertEquals(kept, reader.checkpoint());
        }
        for (final Path path : List.of(directory(), temp.resolve("copy")))
        {
            try (Journal journal = open(path, backend))
            {
                assertEquals(50, journal.cursor("consumer").sequence());
            }
        }
    }

    /**
     * If an opening finds no room for a watermark frame, its first record must not be taken for a record of the old
     * term.
     */
    @Tag("slow")
    @EachBackend
    void everyRollbackIsDetectedWhateverIsLeftOfTheSegment(final Backend backend)
    {
        for (int left = 0; left <= 136; left += 8)
        {
            final Path path = temp.resolve("left-" + left);
            final JournalDirectory files = new JournalDirectory(path);
            final long first;
            try (Journal journal = open(path, backend))
            {
                journal.appender().append(
                    new byte[SEGMENT_LENGTH - SEGMENT_HEADER_LENGTH - MARK_LENGTH - FRAME_HEADER_LENGTH - left]);
                first = journal.lastSequence();
                journal.force();
            }
            final Map<String, byte[]> older = files.content();
            try (Journal journal = open(path, backend))
            {
                journal.appender().append(new byte[0]);
                journal.force();
            }
            final Checkpoint keptAt;
            final Checkpoint keptBefore;
            try (ReadOnlyJournal follower = Journal.openReadOnly(path))
            {
                keptAt = checkpoint(follower, first + 1);
                keptBefore = checkpoint(follower, first);
            }
            files.restore(older);
            try (Journal journal = open(path, backend))
            {
                journal.appender().append(new byte[0]);
                journal.appender().append(new byte[0]);
                journal.force();
            }
            try (ReadOnlyJournal follower = Journal.openReadOnly(path);
                JournalReader at = follower.openReader(keptAt);
                JournalReader before = follower.openReader(keptBefore))
            {
                assertEquals(JournalReader.State.TRUNCATED, at.state(), "left=" + left);
                assertEquals(JournalReader.State.FOLLOWING, before.state(), "left=" + left);
            }
        }
    }

    @EachBackend
    void snapshotThatWasNotRolledBackIsRefused(final Backend backend)
    {
        final JournalDirectory files = new JournalDirectory(directory());
        appendAnew(backend, 50);
        final Map<String, byte[]> older = files.content();
        try (Journal journal = open(backend))
        {
            append(journal, 50);
            journal.snapshots().save(90, (output) -> output.write(1));
        }
        final String name = "snapshots/00000000000000000090-1.snapshot";
        older.put(name, files.read(name));
        files.restore(older);
        appendAnew(backend, 70);

        final Journal journal = closing(open(backend));
        assertThrows(CorruptJournalException.class, () -> journal.snapshots().load(InputStream::close));
        assertFalse(journal.isClosed());
    }
}
