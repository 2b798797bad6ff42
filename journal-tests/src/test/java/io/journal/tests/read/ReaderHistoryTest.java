// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordBatch;
import io.journal.RecordHandler;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.read.RecordsGoneException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Readers whose records are pruned or truncated, in the process of the writer. */
@InMemory
class ReaderHistoryTest extends JournalFixture
{
    private int replays;
    private Journal open(final Backend backend, final boolean isRecycling)
    {
        return builder(temp.resolve("journal"), backend).recycleSegments(isRecycling).backgroundThread(false).open();
    }

    @EachBackend
    void readerOfPrunedRecordsThrowsInEachForm(final Backend backend)
    {
        final Journal journal = closing(open(backend, true));
        final ReadOnlyJournal followed = closing(Journal.openReadOnly(journal.path()));
        final List<JournalReader> readers = ownAndFollowing(journal, followed);
        appendNumbered(journal, 300, 900);
        readers.forEach((reader) -> assertNumbered(1, 5, poll(reader, 5)));
        final long first = journal.prune(200);
        appendNumbered(journal, 300, 900);
        assertTrue(first > 100);
        assertEquals(first, followed.firstSequence());
        for (final JournalReader reader : readers)
        {
            assertEquals(JournalReader.State.PRUNED, reader.state());
            for (final Executable form : List.<Executable>of(
                () -> poll(reader),
                () -> reader.controlledPoll((b, o, l, h) -> RecordHandler.Action.ABORT, 1),
                () -> reader.pollBackwards(IGNORE, 1),
                () -> reader.stream().count()))
            {
                final String message = assertThrows(RecordsGoneException.class, form).getMessage();
                assertTrue(message.contains("nextSequence=6, firstSequence=" + first + ", lastSequence=600"), message);
            }
            assertThrows(IllegalArgumentException.class, () -> reader.seek(first - 1));
            assertEquals(JournalReader.State.PRUNED, reader.state());
            assertEquals(6, reader.nextSequence());
            reader.seekToStart();
            assertEquals(JournalReader.State.FOLLOWING, reader.state());
            assertNumbered(first, 600, poll(reader));
            assertEquals(600 - first + 1, reader.pollBackwards(IGNORE, 1000));
            assertEquals(0, reader.pollBackwards(IGNORE, 1000));
        }
    }

    @EachBackend
    void readerBeyondATruncationThrowsAlsoIfItsCutWasPruned(final Backend backend)
    {
        final Journal journal = closing(open(backend, true));
        appendNumbered(journal, 10, 100);
        journal.force();
        final List<JournalReader> readers =
            ownAndFollowing(journal, closing(Journal.openReadOnly(directory())));
        readers.forEach((reader) -> assertNumbered(1, 8, poll(reader, 8)));
        journal.truncateAfter(3);
        appendNumbered(journal, 2, 200);
        journal.roll();
        appendNumbered(journal, 10, 200);
        // The newest cut is never pruned.
        journal.truncateAfter(14);
        assertEquals(6, journal.prune(6));
        for (final JournalReader reader : readers)
        {
            assertEquals(9, reader.nextSequence());
            assertEquals(JournalReader.State.TRUNCATED, reader.state());
            assertThrows(RecordsGoneException.class, () -> poll(reader));
        }
    }

    @EachBackend
    void readerBeyondATruncationThrowsAndOthersContinue(final Backend backend)
    {
        try (Journal journal = open(backend, false);
            JournalReader behind = journal.openReader();
            JournalReader at = journal.openReader();
            JournalReader before = journal.openReader())
        {
            appendNumbered(journal, 300, 900);
            assertNumbered(1, 300, poll(behind));
            assertNumbered(1, 200, poll(at, 200));
            assertNumbered(1, 20, poll(before, 20));

            journal.truncateAfter(200);
            // This truncation changes nothing, so it begins no epoch.
            journal.truncateAfter(200);
            for (int i = 201; i <= 300; i++)
            {
                journal.appender().append(i, record(-i, 900));
            }

            assertThrows(RecordsGoneException.class, () -> poll(behind));
            assertEquals(JournalReader.State.TRUNCATED, behind.state());
            assertThrows(RecordsGoneException.class, () -> behind.pollBackwards(IGNORE, 1));
            assertEquals(JournalReader.State.FOLLOWING, at.state());
            assertEquals(201, poll(at, 1).get(0).tag());
            assertNumbered(21, 200, poll(before, 180));
            assertEquals(100, poll(before).size());
            behind.seekToEnd();
            assertEquals(JournalReader.State.FOLLOWING, behind.state());
            assertEquals(100, behind.pollBackwards((b, o, l, h) -> assertEquals(h.sequence(), h.tag()), 100));
            assertEquals(1, behind.pollBackwards((b, o, l, h) -> assertEquals(-200, h.tag()), 1));
        }
    }

    @EachBackend
    void seekBackOverACutInTheSegmentLeavesItOut(final Backend backend)
    {
        try (Journal journal = open(backend, false); JournalReader reader = journal.openReader())
        {
            appendTagged(journal, 10, "old");
            journal.truncateAfter(5);
            appendTagged(journal, 5, "new");
            reader.seekToEnd();
            assertEquals(2, reader.pollBackwards((b, o, l, h) -> assertTrue(h.sequence() > 8), 2));
            final List<Entry> all = readAll(journal);

            for (long sequence = 1; sequence <= 10; sequence++)
            {
                reader.seek(10);
                assertEquals(1, poll(reader, 1).size());
                reader.seek(sequence);
                assertEquals(all.subList((int)sequence - 1, 10), poll(reader));
            }
        }
    }

    /** The records that replace the truncated ones lie at the same positions. */
    @EachBackend
    void readerThatIsTruncatedReadsTheNewRecordsAfterASeek(final Backend backend)
    {
        assertNewRecordsAreRead(
            backend,
            (journal) -> appendTagged(journal, 10, "old"),
            (journal) -> appendTagged(journal, 10, "new"));
    }

    @EachBackend
    void readerThatIsTruncatedReadsTheNewBatchAfterASeek(final Backend backend)
    {
        assertNewRecordsAreRead(
            backend,
            (journal) -> journal.appender().append(
                new RecordBatch().add(1, record(1, 8)).add(2, record(2, 80)).add(3, record(3, 8))),
            (journal) -> journal.appender().append(
                new RecordBatch().add(-1, record(1, 80)).add(-2, record(2, 8)).add(-3, record(3, 8))));
    }

    private void assertNewRecordsAreRead(
        final Backend backend, final Consumer<Journal> before, final Consumer<Journal> after)
    {
        final Journal journal = closing(open(backend, false));
        final ReadOnlyJournal followed = closing(Journal.openReadOnly(journal.path()));
        before.accept(journal);
        journal.force();
        final List<JournalReader> readers = ownAndFollowing(journal, followed);
        readers.forEach((reader) -> assertEquals(journal.lastSequence(), poll(reader).size()));
        journal.truncateAfter(0);
        after.accept(journal);
        journal.force();
        final List<Entry> all = readAll(journal);
        for (final JournalReader reader : readers)
        {
            assertEquals(JournalReader.State.TRUNCATED, reader.state());
            // Other callers have looked the record up, so its place is cached.
            assertTrue(journal.get(3, READ) && followed.get(3, READ));
            reader.seek(2);
            assertEquals(all.subList(1, all.size()), poll(reader));
            assertEquals(2, reader.pollBackwards(READ, 2));
            assertEquals(all.subList(all.size() - 2, all.size()), poll(reader));
        }
    }

    private static final RecordHandler READ = (buffer, offset, length, header) -> assertTrue(length > 0);

    private List<JournalReader> ownAndFollowing(final Journal journal, final ReadOnlyJournal followed)
    {
        return List.of(closing(journal.openReader()), closing(followed.openReader()));
    }

    private static void appendTagged(final Journal journal, final int count, final String content)
    {
        for (int i = 0; i < count; i++)
        {
            final long sequence = journal.lastSequence() + 1;
            final byte[] bytes = Arrays.copyOf((content + sequence).getBytes(StandardCharsets.US_ASCII), 900);
            journal.appender().append(sequence, bytes, 0, bytes.length);
        }
    }

    @EachBackend
    void readerInABatchBeforeATruncationReadsWhatIsAppendedThere(final Backend backend)
    {
        final Journal journal = closing(open(backend, false));
        final ReadOnlyJournal followed = closing(Journal.openReadOnly(journal.path()));
        appendNumbered(journal, 9, 10);
        journal.appender().append(
            new RecordBatch().add(-10, record(10, 9)).add(-11, record(11, 0)).add(-12, record(12, 9)));
        appendNumbered(journal, 3, 10);
        final List<JournalReader> readers = ownAndFollowing(journal, followed);
        readers.forEach((reader) -> assertNumbered(1, 10, poll(reader, 10)));
        journal.truncateAfter(12);
        // Loads the batch again, before the truncated end.
        readers.forEach((reader) -> assertEquals(
            1, reader.pollBackwards((b, o, l, h) -> assertEquals(10, h.sequence()), 1)));
        appendNumbered(journal, 2, 10);
        readers.forEach((reader) -> assertNumbered(10, 14, poll(reader)));
    }

    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    void truncationDoesNotWaitForAHandlerThatReadsAndAppends(final boolean isSeeking)
    {
        final Journal journal = closing(open(Backend.MAPPED, false));
        final JournalReader outer = closing(journal.openReader());
        final JournalReader inner = closing(journal.openReader());
        final JournalAppender appender = journal.sharedAppender();
        for (int i = 0; i < 10; i++)
        {
            appender.append(record(i, 100));
        }
        final CountDownLatch isInside = new CountDownLatch(1);
        final CountDownLatch mayGoOn = new CountDownLatch(1);
        final Background reading = Background.start("reading", () -> outer.poll((buffer, offset, length, header) ->
        {
            isInside.countDown();
            await(mayGoOn);
            if (isSeeking)
            {
                inner.seek(3);
            }
            assertEquals(isSeeking ? 3 : 1, inner.nextSequence());
            assertEquals(1, inner.poll(IGNORE, 1));
            assertEquals(6, appender.append(record(11, 100)));
            journal.awaitForced(6);
        }, 1));
        await(isInside);
        journal.truncateAfter(5);
        mayGoOn.countDown();
        reading.join();
        assertEquals(6, journal.lastSequence());
        assertEquals(JournalReader.State.FOLLOWING, outer.state());
        assertEquals(5, outer.poll(IGNORE, 10));
    }

    /** Prunes once, when a segment is opened next. */
    private static final class PruneOnOpen implements StepStore.Steps
    {
        private Runnable prune;

        @Override
        public boolean before(final StepStore.Step step, final String name)
        {
            return StepStore.Step.FORCE != step && StepStore.Step.FORCE_DIRECTORY != step;
        }

        @Override
        public void beforeOpen(final String name)
        {
            final Runnable prune = this.prune;
            if (null != prune && JournalFiles.isSegment(name))
            {
                // Pruning opens segments as well.
                this.prune = null;
                prune.run();
            }
        }
    }

    private interface Replay
    {
        void run(Journal journal, JournalReader reader, PruneOnOpen steps);
    }

    /** Replays a journal in its own process and through a follower, in two directories. */
    private void replay(final Backend backend, final Replay replay)
    {
        for (final boolean isFollowed : new boolean[]{ false, true })
        {
            final PruneOnOpen steps = new PruneOnOpen();
            final Path path = temp.resolve((isFollowed ? "followed-" : "own-") + ++replays);
            final StepStore store = new StepStore(backend.store(path), steps);
            try (Journal journal = builder(path, backend).store(store).backgroundThread(false).open();
                ReadOnlyJournal followed = Internals.openReadOnly(path, store);
                JournalReader reader = isFollowed ? followed.openReader() : journal.openReader())
            {
                appendNumbered(journal, 600, 900);
                replay.run(journal, reader, steps);
            }
        }
    }

    @EachBackend
    void replayReachesTheEndWhileReadRecordsArePruned(final Backend backend)
    {
        final List<Entry> entries = new ArrayList<>();
        final RecordHandler into = into(entries);
        final RecordHandler.Controlled controlled = (buffer, offset, length, header) ->
        {
            into.onRecord(buffer, offset, length, header);
            return RecordHandler.Action.COMMIT;
        };
        for (final ToIntFunction<JournalReader> poll : List.<ToIntFunction<JournalReader>>of(
            (reader) -> reader.poll(into, 1), (reader) -> reader.controlledPoll(controlled, 1)))
        {
            replay(backend, (journal, reader, steps) ->
            {
                entries.clear();
                reader.seek(200);
                // Prunes within the reader's segment or, if that is read completely, up to the next segment.
                do
                {
                    steps.prune = () -> journal.prune(reader.nextSequence());
                }
                while (poll.applyAsInt(reader) > 0);
                assertNumbered(200, 600, entries);
                assertTrue(journal.firstSequence() > 500);
            });
        }
    }

    @EachBackend
    void backwardReplayReachesTheFirstRemainingRecord(final Backend backend)
    {
        replay(
            backend,
            (journal, reader, steps) ->
            {
                final List<Entry> entries = new ArrayList<>();
                reader.seek(500);
                do
                {
                    // Prune one segment.
                    steps.prune = () -> journal.prune(journal.firstSequence() + 70);
                }
                while (reader.pollBackwards(into(entries), 1) > 0);

                assertEquals(journal.firstSequence(), reader.nextSequence());
                assertTrue(journal.firstSequence() > 200);
                Collections.reverse(entries);
                assertNumbered(journal.firstSequence(), 499, entries);
            });
    }

    @EachBackend
    void replayThrowsOnceItsRecordsArePruned(final Backend backend)
    {
        replay(
            backend,
            (journal, reader, steps) ->
            {
                reader.seek(200);
                steps.prune = () -> journal.prune(500);
                assertThrows(RecordsGoneException.class, () ->
                {
                    while (reader.poll((b, o, l, h) -> assertTrue(h.sequence() < 300), 1) > 0)
                    {
                        assertEquals(JournalReader.State.FOLLOWING, reader.state());
                    }
                });
                assertEquals(JournalReader.State.PRUNED, reader.state());
            });
    }

    @EachBackend
    void rejectedSeekDoesNotMoveTheReader(final Backend backend)
    {
        replay(
            backend,
            (journal, reader, steps) ->
            {
                reader.seek(300);
                journal.prune(250);
                assertThrows(IllegalArgumentException.class, () -> reader.seek(602));
                assertThrows(IllegalArgumentException.class, () -> reader.seek(100));
                assertThrows(IllegalArgumentException.class, () -> reader.seek(0));
                assertEquals(300, reader.nextSequence());
                assertNumbered(300, 600, poll(reader));
            });
    }

    @EachBackend
    void seekToAConcurrentlyPrunedRecordReportsThat(final Backend backend)
    {
        replay(
            backend,
            (journal, reader, steps) ->
            {
                reader.seek(300);
                steps.prune = () -> journal.prune(400);
                reader.seek(100);

                assertTrue(journal.firstSequence() > 300);
                assertEquals(100, reader.nextSequence());
                assertEquals(JournalReader.State.PRUNED, reader.state());
                assertThrows(RecordsGoneException.class, () -> poll(reader, 1));
                assertThrows(RecordsGoneException.class, () -> reader.pollBackwards(IGNORE, 1));
                reader.seek(400);
                assertNumbered(400, 600, poll(reader));
            });
    }

    @EachBackend
    void seekToAConcurrentlyTruncatedRecordReportsThat(final Backend backend)
    {
        final PruneOnOpen steps = new PruneOnOpen();
        final Path path = temp.resolve("journal");
        final StepStore store = new StepStore(backend.store(path), steps);
        try (Journal journal = builder(path, backend).store(store).backgroundThread(false).open();
            ReadOnlyJournal followed = Internals.openReadOnly(path, store);
            JournalReader reader = followed.openReader())
        {
            appendNumbered(journal, 600, 900);
            reader.seek(300);
            steps.prune = () -> journal.truncateAfter(200);
            reader.seek(400);

            assertEquals(400, reader.nextSequence());
            assertEquals(JournalReader.State.TRUNCATED, reader.state());
            assertThrows(RecordsGoneException.class, () -> poll(reader, 1));
            reader.seek(201);
            assertEquals(List.of(), poll(reader));
            reader.seek(150);
            assertNumbered(150, 200, poll(reader));
        }
    }

    @EachBackend
    void readerIsCorrectWhilePrunedSegmentsAreRecycled(final Backend backend)
    {
        final Journal journal = closing(open(backend, true));
        final JournalReader reader = closing(journal.openReader());
        // Checking 100 readers takes a while, during which this reader enters and leaves segments.
        final List<JournalReader> others = new ArrayList<>();
        for (int i = 0; i < 100; i++)
        {
            others.add(journal.openReader());
        }
        appendNumbered(journal, 6000, 900);
        reader.seek(5990);
        final CountDownLatch isReading = new CountDownLatch(1);
        final AtomicBoolean isDone = new AtomicBoolean();
        final Background reading = Background.start("reading", () ->
        {
            isReading.countDown();
            while (!isDone.get())
            {
                assertEquals(1, reader.poll((b, o, l, h) -> assertEquals(5990, h.sequence()), 1));
                assertEquals(1, reader.pollBackwards((b, o, l, h) -> assertEquals(5990, h.sequence()), 1));
            }
        });
        await(isReading);
        while (journal.firstSequence() < 5900)
        {
            // Prune one segment.
            journal.prune(journal.firstSequence() + 70);
        }
        isDone.set(true);
        reading.join();
        CloseHelper.closeAll(others);
    }
}
