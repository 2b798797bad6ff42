// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.follow;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.Checkpoint;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.support.CountingSteps;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Consumers that keep their position themselves: the meaning of a checkpoint, and the effects of a truncation, a prune
 * and another journal on it. {@code RollbackTest} tests further cases of directories that were rolled back.
 */
@InMemory
class CheckpointTest extends JournalFixture
{
    private ReadOnlyJournal follow()
    {
        return closing(Journal.openReadOnly(directory()));
    }

    private ReadOnlyJournal followTenRecords()
    {
        try (Journal journal = open(Backend.FILE_CHANNEL))
        {
            appendNumbered(journal, 10, 100);
        }
        return follow();
    }

    private JournalReader read(final ReadOnlyJournal follower, final int count)
    {
        final JournalReader reader = closing(follower.openReader(Checkpoint.START));
        assertNumbered(1, count, poll(reader, count));
        return reader;
    }

    private static void assertState(
        final JournalReader.State state, final ReadOnlyJournal follower, final Checkpoint checkpoint)
    {
        try (JournalReader reader = follower.openReader(checkpoint))
        {
            assertEquals(state, reader.state(), checkpoint::toString);
            assertEquals(checkpoint.sequence() + 1, reader.nextSequence());
            if (JournalReader.State.FOLLOWING != state)
            {
                assertThrows(JournalException.class, () -> reader.poll(IGNORE, 1));
                assertThrows(JournalException.class, reader::checkpoint);
            }
        }
    }

    @EachBackend
    void consumerContinuesAfterItsCheckpoint(final Backend backend)
    {
        final Checkpoint fourth;
        final Checkpoint tenth;
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
            journal.force();
            appendNumbered(journal, 1, 100);
            try (ReadOnlyJournal follower = Journal.openReadOnly(directory());
                JournalReader reader = follower.openReader(Checkpoint.START))
            {
                assertEquals(Checkpoint.START, reader.checkpoint());
                assertNumbered(1, 4, poll(reader, 4));
                fourth = reader.checkpoint();
                assertEquals(4, fourth.sequence());
                // The eleventh is not durable.
                assertNumbered(5, 10, poll(reader));
                assertFalse(reader.await(Duration.ZERO));
            }
            try (ReadOnlyJournal follower = Journal.openReadOnly(directory());
                JournalReader reader = follower.openReader(fourth))
            {
                assertNumbered(5, 10, poll(reader));
                tenth = reader.checkpoint();
                journal.force();
                assertTrue(reader.await(Duration.ofMinutes(10)));
                assertNumbered(11, 11, poll(reader));
            }
            // A reader in the writing process and a reader in another process see the same.
            try (JournalReader reader = journal.openReader(tenth))
            {
                assertEquals(tenth, reader.checkpoint());
                assertNumbered(11, 11, poll(reader));
                assertEquals(fourth.term(), reader.checkpoint().term());
            }
        }
        try (Journal journal = open(backend); JournalReader reader = journal.openReader(tenth))
        {
            appendNumbered(journal, 1, 100);
            journal.force();
            assertNumbered(11, 12, poll(reader));
            assertNotEquals(tenth.term(), reader.checkpoint().term());
        }
    }

    @EachBackend
    void checkpointFollowsThePositionOfItsReader(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
            journal.force();
            final JournalReader reader = read(follow(), 7);
            final Checkpoint seventh = reader.checkpoint();
            assertEquals(3, reader.pollBackwards(IGNORE, 3));
            assertEquals(4, reader.checkpoint().sequence());
            reader.seekToEnd();
            assertEquals(10, reader.checkpoint().sequence());
            reader.seek(8);
            assertEquals(seventh, reader.checkpoint());
            reader.poll(
                (buffer, offset, length, header) -> assertThrows(IllegalStateException.class, reader::checkpoint), 1);
            assertThrows(IllegalStateException.class, reader::commit);
        }
    }

    @EachBackend
    void readerOfDurableRecordsIsOpenedOnlyAfterADurableOne(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 3, 100);
            journal.force();
            appendNumbered(journal, 2, 100);
            final ReadOnlyJournal follower = follow();
            final JournalReader written = closing(follower.openReader(Checkpoint.START, JournalReader.Limit.WRITTEN));
            assertNumbered(1, 4, poll(written, 4));
            final Checkpoint fourth = written.checkpoint();

            final JournalException thrown =
                assertThrows(JournalException.class, () -> follower.openReader(fourth));
            assertTrue(thrown.getMessage().contains("not durable"), thrown::getMessage);
            assertNumbered(5, 5, poll(closing(follower.openReader(fourth, JournalReader.Limit.WRITTEN))));
            journal.force();
            assertNumbered(5, 5, poll(closing(follower.openReader(fourth))));
        }
    }

    @EachBackend
    void readerThatHasPassedTruncatedRecordsHasNoCheckpoint(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
            journal.force();
            final ReadOnlyJournal follower = follow();
            final JournalReader reader = read(follower, 8);
            final JournalReader before = read(follower, 6);
            final Checkpoint ahead = reader.checkpoint();
            journal.truncateAfter(6);
            // The checkpoint is past the end, until another record gets its sequence.
            assertState(JournalReader.State.TRUNCATED, follower, ahead);
            appendNumbered(journal, 10, 100);
            journal.force();
            assertState(JournalReader.State.TRUNCATED, follower, ahead);
            assertThrows(JournalException.class, reader::checkpoint);
            assertEquals(JournalReader.State.TRUNCATED, reader.state());
            assertEquals(6, before.checkpoint().sequence());
            reader.seek(7);
            assertNumbered(7, 16, poll(reader));
            assertState(JournalReader.State.FOLLOWING, follower, reader.checkpoint());
        }
    }

    @EachBackend
    void prunedRecordsAreNotSkippedSilently(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
            journal.roll();
            appendNumbered(journal, 10, 100);
            journal.force();
            final Checkpoint ninth = read(follow(), 9).checkpoint();
            final Checkpoint tenth = read(follow(), 10).checkpoint();
            assertEquals(11, journal.prune(11));
            final ReadOnlyJournal follower = follow();
            assertState(JournalReader.State.PRUNED, follower, ninth);
            assertState(JournalReader.State.PRUNED, follower, Checkpoint.START);
            // A new consumer of such a journal begins with this checkpoint.
            final JournalReader first = closing(follower.openReader(JournalReader.Limit.FORCED));
            assertEquals(tenth, first.checkpoint());
            assertNumbered(11, 20, poll(first));
        }
    }

    @EachBackend
    void checkpointOfAnotherJournalIsRefused(final Backend backend)
    {
        final Path other = temp.resolve("other");
        for (final Path path : List.of(directory(), other))
        {
            try (Journal journal = open(path, backend))
            {
                appendNumbered(journal, 10, 100);
            }
        }
        final Checkpoint foreign = read(closing(Journal.openReadOnly(other)), 5).checkpoint();
        assertState(JournalReader.State.TRUNCATED, follow(), foreign);
        // Checkpoints of a term that this journal never had, and past its end.
        assertState(JournalReader.State.TRUNCATED, follow(), new Checkpoint(foreign.term(), 10));
        assertState(JournalReader.State.TRUNCATED, follow(), new Checkpoint(foreign.term(), 500));
        assertState(JournalReader.State.TRUNCATED, follow(), new Checkpoint(1, 5));
    }

    @EachBackend
    void checkpointOfALostRecordIsRefusedAlsoIfAnotherOneHasItsSequence(final Backend backend)
    {
        final Path lossy = temp.resolve("lossy");
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            appendNumbered(journal, 5, 100);
            journal.force();
            new JournalDirectory(directory()).copyTo(lossy);
            appendNumbered(journal, 5, 100);
            final JournalReader reader = closing(journal.openReader(Checkpoint.START, JournalReader.Limit.WRITTEN));
            assertNumbered(1, 8, poll(reader, 8));
            final Checkpoint eighth = reader.checkpoint();
            try (Journal after = open(lossy, backend); ReadOnlyJournal follower = Journal.openReadOnly(lossy))
            {
                assertState(JournalReader.State.TRUNCATED, follower, eighth);
                appendNumbered(after, 10, 100);
                after.force();
                assertState(JournalReader.State.TRUNCATED, follower, eighth);
            }
        }
    }

    /**
     * A checkpoint identifies one record forever, whatever was appended, truncated, pruned, rolled back to an older
     * copy of the directory, and reopened since.
     */
    @EachBackend
    void checkpointIsAcceptedAsLongAsItsRecordIsThere(final Backend backend)
    {
        // The seeds differ because the protocol does not depend on the backend.
        for (int seed = 1; seed <= 2; seed++)
        {
            checkHistory(temp.resolve("history-" + seed), backend, 2 * backend.ordinal() + seed);
        }
    }

    private void checkHistory(final Path path, final Backend backend, final int seed)
    {
        final Random random = new Random(seed);
        final JournalDirectory files = new JournalDirectory(path);
        // An id for each record, by sequence from 1, also for pruned records. Each id is used once.
        List<Long> tags = new ArrayList<>();
        List<Long> olderTags = List.of();
        Map<String, byte[]> older = null;
        final Map<Checkpoint, Long> kept = new LinkedHashMap<>();
        Journal journal = closing(open(path, backend));
        for (int step = 0; step < 60; step++)
        {
            final String place = "seed=" + seed + ", step=" + step;
            final long first = journal.firstSequence();
            switch (random.nextInt(7))
            {
                case 0 ->
                {
                    final long last = first - 1 + random.nextInt((int)(journal.lastSequence() - first) + 2);
                    journal.truncateAfter(last);
                    tags.subList((int)last, tags.size()).clear();
                }
                case 1 ->
                {
                    journal.close();
                    if (null == older || random.nextBoolean())
                    {
                        older = files.content();
                        olderTags = List.copyOf(tags);
                    }
                    else
                    {
                        files.restore(older);
                        tags = new ArrayList<>(olderTags);
                    }
                    journal = closing(open(path, backend));
                }
                case 2 ->
                {
                    journal.roll();
                    append(journal, 1, tags, random);
                    journal.prune(first + random.nextInt((int)(journal.lastSequence() - first) + 1));
                }
                case 3 ->
                {
                    journal.close();
                    journal = closing(open(path, backend));
                }
                default -> append(journal, 1 + random.nextInt(30), tags, random);
            }
            journal.force();
            assertEquals(tags.size(), journal.lastSequence(), place);
            try (ReadOnlyJournal follower = Journal.openReadOnly(path))
            {
                keep(journal, follower, tags, kept, random, place);
                for (final Map.Entry<Checkpoint, Long> entry : kept.entrySet())
                {
                    final Checkpoint checkpoint = entry.getKey();
                    final JournalReader.State expected =
                        expected(checkpoint.sequence(), entry.getValue(), tags, journal.firstSequence());
                    try (JournalReader live = journal.openReader(checkpoint);
                        JournalReader outside = follower.openReader(checkpoint))
                    {
                        assertEquals(expected, live.state(), () -> place + ", " + checkpoint);
                        assertEquals(expected, outside.state(), () -> place + ", " + checkpoint);
                    }
                }
            }
        }
        journal.close();
    }

    private static void append(
        final Journal journal, final int count, final List<Long> tags, final Random random)
    {
        for (int i = 0; i < count; i++)
        {
            final long tag = random.nextLong();
            final int length = random.nextInt(2000);
            journal.appender().append(tag, new byte[length], 0, length);
            tags.add(tag);
        }
    }

    /** Adds the checkpoint of some record, which is the same in any process. */
    private static void keep(
        final Journal journal, final ReadOnlyJournal follower, final List<Long> tags, final Map<Checkpoint, Long> kept,
        final Random random, final String place)
    {
        final long first = journal.firstSequence();
        final long sequence = first + random.nextInt((int)(journal.lastSequence() - first) + 2) - 1;
        try (JournalReader live = journal.openReader(JournalReader.Limit.FORCED);
            JournalReader outside = follower.openReader(JournalReader.Limit.FORCED))
        {
            live.seek(sequence + 1);
            outside.seek(sequence + 1);
            final Checkpoint checkpoint = live.checkpoint();
            assertEquals(sequence, checkpoint.sequence(), place);
            assertEquals(checkpoint, outside.checkpoint(), place);
            final long tag = 0 == sequence ? 0 : tags.get((int)sequence - 1);
            assertEquals(tag, kept.getOrDefault(checkpoint, tag), () -> place + ", " + checkpoint);
            kept.put(checkpoint, tag);
        }
    }

    private static JournalReader.State expected(
        final long sequence, final long tag, final List<Long> tags, final long firstSequence)
    {
        if (sequence > tags.size())
        {
            return JournalReader.State.TRUNCATED;
        }
        if (sequence + 1 < firstSequence)
        {
            return JournalReader.State.PRUNED;
        }
        return 0 == sequence || tag == tags.get((int)sequence - 1) ? JournalReader.State.FOLLOWING :
            JournalReader.State.TRUNCATED;
    }

    @Test
    void closedReadersAndJournalsHaveNoCheckpoint()
    {
        final ReadOnlyJournal follower = followTenRecords();
        final JournalReader reader = read(follower, 4);
        final Checkpoint fourth = reader.checkpoint();
        final JournalReader closed = closing(follower.openReader(fourth));
        closed.close();
        assertThrows(IllegalStateException.class, closed::checkpoint);
        follower.close();
        assertThrows(IllegalStateException.class, reader::checkpoint);
        assertThrows(IllegalStateException.class, () -> follower.openReader(fourth));

        final Journal journal = closing(open(Backend.FILE_CHANNEL));
        final JournalReader live = closing(journal.openReader(fourth));
        assertNumbered(5, 7, poll(live, 3));
        journal.close();
        assertThrows(IllegalStateException.class, () -> journal.openReader(fourth));
        // Readers of a closed journal can still read.
        assertEquals(7, live.checkpoint().sequence());
        assertNumbered(8, 10, poll(live));
        assertEquals(new Checkpoint(fourth.term(), 10), live.checkpoint());
    }

    @Test
    void textOfACheckpointIsParsed()
    {
        final Checkpoint fourth = read(followTenRecords(), 4).checkpoint();
        for (final Checkpoint checkpoint : List.of(
            fourth, Checkpoint.START, new Checkpoint(0, 7), new Checkpoint(-1, Long.MAX_VALUE)))
        {
            assertEquals(checkpoint, Checkpoint.parse(checkpoint.toString()));
            assertTrue(checkpoint.toString().length() <= 36, checkpoint::toString);
        }
        assertEquals("0@0", Checkpoint.START.toString());
        assertEquals("63785@2f1c", new Checkpoint(0x2f1c, 63_785).toString());
        for (final String text : List.of(
            "", "@", "5", "5@", "@5", "0@5", "-1@5", "5@-5", "+5@5", "05@5", "5@05", "5@A", " 5@5", "5@5 ", "5@5@5",
            "5@g", "9223372036854775808@5", "5@10000000000000000"))
        {
            final IllegalArgumentException thrown =
                assertThrows(IllegalArgumentException.class, () -> Checkpoint.parse(text), text);
            assertTrue(thrown.getMessage().contains("text=" + text), thrown::getMessage);
        }
        assertThrows(IllegalArgumentException.class, () -> new Checkpoint(1, 0));
        assertThrows(IllegalArgumentException.class, () -> new Checkpoint(1, -1));
    }

    @EachBackend
    void checkpointIsKnownWhileTheWriterTruncatesAndWhileItIsNotKnownWhatIsDurable(final Backend backend)
    {
        final AtomicBoolean isTruncating = new AtomicBoolean();
        final AtomicInteger steps = new AtomicInteger();
        final List<JournalReader> reader = new ArrayList<>();
        final List<ReadOnlyJournal> follower = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            if (isTruncating.get())
            {
                assertFalse(isUnknown(follower.get(0), reader.get(0)));
                steps.incrementAndGet();
            }
            return true;
        });
        try (Journal journal = builder(directory(), backend).store(store).backgroundThread(false).open())
        {
            appendNumbered(journal, 200, 900);
            journal.force();
            follower.add(follow());
            reader.add(read(follower.get(0), 4));
            isTruncating.set(true);
            journal.truncateAfter(10);
            isTruncating.set(false);

            assertTrue(steps.get() > 0);
            assertEquals(4, reader.get(0).checkpoint().sequence());
            new JournalDirectory(directory()).loseForced();
            assertTrue(isUnknown(follower.get(0), reader.get(0)));
            journal.appender().append(new byte[10]);
            journal.force();
            reader.get(0).seek(5);
            assertNumbered(5, 10, poll(reader.get(0), 6));
            assertState(JournalReader.State.FOLLOWING, follower.get(0), reader.get(0).checkpoint());
        }
    }

    /** Returns whether the durable watermark is unknown. */
    private boolean isUnknown(final ReadOnlyJournal follower, final JournalReader reader)
    {
        final Checkpoint checkpoint = reader.checkpoint();
        assertEquals(4, checkpoint.sequence());
        final boolean isReadable = reader.await(Duration.ZERO);
        assertEquals(isReadable ? 1 : 0, reader.poll(IGNORE, 1));
        assertEquals(isReadable ? 1 : 0, reader.pollBackwards(IGNORE, isReadable ? 1 : 0));
        final boolean isUnknown = 0 == follower.forcedSequence();
        if (isUnknown)
        {
            final JournalException thrown = assertThrows(JournalException.class, () -> follower.openReader(checkpoint));
            assertTrue(thrown.getMessage().contains("not known what is durable"), thrown::getMessage);
            assertThrows(JournalException.class, () -> reader.seek(5));
            assertThrows(IllegalArgumentException.class, () -> reader.seek(500));
            assertEquals(5, reader.nextSequence());
        }
        return isUnknown;
    }

    @EachBackend
    void awaitReadsNothingIfTheNextRecordIsKnown(final Backend backend)
    {
        final CountingSteps steps = new CountingSteps();
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 10, 100);
            journal.force();
            final ReadOnlyJournal follower =
                closing(Internals.openReadOnly(directory(), new StepStore(backend.store(directory()), steps)));
            for (final JournalReader.Limit limit : JournalReader.Limit.values())
            {
                final JournalReader reader = closing(follower.openReader(limit));
                assertTrue(reader.await(Duration.ZERO));
                assertNumbered(1, 4, poll(reader, 4));
                steps.reset();
                assertTrue(reader.await(Duration.ZERO));
                assertEquals(0, steps.bytesRead.get());
                assertNumbered(5, 10, poll(reader));
                assertFalse(reader.await(Duration.ZERO));
            }
        }
    }
}
