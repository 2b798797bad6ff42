// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.internal.read.RecordsGoneException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
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
class RollbackTest extends JournalFixture
{
    private static final byte[] RECORD = new byte[100];

    // The checkpoint of a consumer in another process.
    private Checkpoint kept;

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

    private Map<String, byte[]> image()
    {
        return new JournalDirectory(directory()).content();
    }

    private void roll(final Map<String, byte[]> back)
    {
        new JournalDirectory(directory()).restore(back);
    }

    private void put(final String name, final byte[] bytes) throws IOException
    {
        Files.createDirectories(directory().resolve(name).getParent());
        Files.write(directory().resolve(name), bytes);
    }

    private static Checkpoint checkpoint(final ReadOnlyJournal follower, final long sequence)
    {
        try (JournalReader reader = follower.openReader(JournalReader.Limit.FORCED))
        {
            reader.seek(sequence + 1);
            return reader.checkpoint();
        }
    }

    private void followTo(final long sequence)
    {
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory()))
        {
            kept = checkpoint(follower, sequence);
            assertEquals(sequence, kept.sequence());
        }
    }

    private void assertFollowerIsIntact()
    {
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory());
            JournalReader reader = follower.openReader(kept))
        {
            assertEquals(JournalReader.State.FOLLOWING, reader.state());
            assertEquals(kept.sequence() + 1, reader.nextSequence());
            assertEquals(kept, reader.checkpoint());
        }
    }

    private void assertFollowerIsRefused()
    {
        try (ReadOnlyJournal follower = Journal.openReadOnly(directory());
            JournalReader reader = follower.openReader(kept))
        {
            assertEquals(JournalReader.State.TRUNCATED, reader.state());
            assertThrows(RecordsGoneException.class, reader::checkpoint);
        }
    }

    @EachBackend
    void followerLearnsThatTheDirectoryWasRolledBack(final Backend backend)
    {
        appendAnew(backend, 50);
        final Map<String, byte[]> older = image();
        appendAnew(backend, 50);
        followTo(90);
        assertFollowerIsIntact();

        roll(older);
        assertFollowerIsRefused();
        appendAnew(backend, 70);
        assertFollowerIsRefused();
    }

    @EachBackend
    void followerGoesOnIfItHadReadNoFurtherThanTheOlderCopy(final Backend backend)
    {
        appendAnew(backend, 50);
        followTo(50);
        final Map<String, byte[]> older = image();
        appendAnew(backend, 50);
        roll(older);
        appendAnew(backend, 70);
        assertFollowerIsIntact();
    }

    @EachBackend
    void followerLearnsOfARollbackThatOneMoreTruncationFollows(final Backend backend)
    {
        appendAnew(backend, 100);
        final Map<String, byte[]> older = image();
        try (Journal journal = open(backend))
        {
            journal.truncateAfter(50);
            append(journal, 50);
        }
        followTo(90);
        assertFollowerIsIntact();

        // Another history with the same number of truncations.
        roll(older);
        try (Journal journal = open(backend))
        {
            journal.truncateAfter(60);
            append(journal, 50);
        }
        assertFollowerIsRefused();
    }

    @EachBackend
    void followerGoesOnAfterOpeningsCrashesAndTruncationsBehindIt(final Backend backend) throws IOException
    {
        appendAnew(backend, 40);
        followTo(40);
        for (int i = 0; i < 5; i++)
        {
            appendAnew(backend, 0);
            appendAnew(backend, 10 + i);
            assertFollowerIsIntact();
        }
        final Map<String, byte[]> crashed;
        try (Journal journal = open(backend))
        {
            append(journal, 10);
            for (int i = 0; i < 3; i++)
            {
                journal.truncateAfter(40 + i);
                append(journal, 20);
                assertFollowerIsIntact();
            }
            crashed = image();
        }
        roll(crashed);
        appendAnew(backend, 10);
        assertFollowerIsIntact();
        try (Journal journal = open(backend))
        {
            journal.truncateAfter(40);
            append(journal, 10);
        }
        assertFollowerIsIntact();
        try (Journal journal = open(backend))
        {
            journal.truncateAfter(39);
            append(journal, 10);
        }
        assertFollowerIsRefused();
    }

    /** The follower's place is the last record before the first segment, which has been pruned. */
    @EachBackend
    void followerAtThePruningPointIsJudgedLikeOthers(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            append(journal, 20);
            journal.roll();
            append(journal, 20);
        }
        final Map<String, byte[]> older = image();
        try (Journal journal = open(backend))
        {
            append(journal, 10);
            journal.roll();
            append(journal, 10);
            journal.prune(51);
            assertEquals(51, journal.firstSequence());
        }
        followTo(50);
        appendAnew(backend, 10);
        assertFollowerIsIntact();

        roll(older);
        try (Journal journal = open(backend))
        {
            append(journal, 10);
            journal.roll();
            append(journal, 10);
            journal.prune(51);
            assertEquals(51, journal.firstSequence());
        }
        assertFollowerIsRefused();
    }

    /** Openings without appends also begin terms, but no record belongs to these terms. */
    @EachBackend
    void followerAtThePruningPointGoesOnAfterOpeningsWithoutRecords(final Backend backend)
    {
        appendAnew(backend, 50);
        followTo(50);
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
        assertFollowerIsIntact();
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
    void snapshotThatWasNotRolledBackIsRefused(final Backend backend) throws IOException
    {
        appendAnew(backend, 50);
        final Map<String, byte[]> older = image();
        try (Journal journal = open(backend))
        {
            append(journal, 50);
            journal.snapshots().save(90, (output) -> output.write(1));
        }
        final JournalDirectory files = new JournalDirectory(directory());
        final String name = "snapshots/00000000000000000090-1.snapshot";
        final byte[] snapshot = files.read(name);

        roll(older);
        appendAnew(backend, 70);
        put(name, snapshot);
        try (Journal journal = open(backend))
        {
            assertThrows(CorruptJournalException.class, () -> journal.snapshots().load((input) ->
            {
            }));
            assertFalse(journal.isClosed());
        }
    }
}
