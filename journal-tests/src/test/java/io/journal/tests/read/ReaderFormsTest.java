// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;

import io.journal.RecordHandler.Action;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.CountingSteps;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.InMemory;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Forms of reading other than poll: controlled, backwards, by time, as a stream, up to the durable watermark. */
@InMemory
class ReaderFormsTest extends JournalFixture
{
    // Controlled.
    @EachBackend
    void abortedRecordIsDeliveredAgain(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 5, 50);
        final List<Entry> entries = new ArrayList<>();
        assertEquals(2, reader.controlledPoll(at(3, Action.ABORT, Action.CONTINUE, entries), 10));
        assertEquals(3, reader.nextSequence());
        assertNumbered(1, 3, entries);
        assertEquals(0, reader.controlledPoll(at(3, Action.ABORT, Action.CONTINUE, entries), 10));
        assertNumbered(3, 5, poll(reader));
    }

    @EachBackend
    void breakStopsAfterTheRecord(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 5, 50);
        final List<Entry> entries = new ArrayList<>();
        assertEquals(3, reader.controlledPoll(at(3, Action.BREAK, Action.COMMIT, entries), 10));
        assertEquals(4, reader.nextSequence());
        assertEquals(2, reader.controlledPoll(at(3, Action.BREAK, Action.CONTINUE, entries), 10));
        assertNumbered(1, 5, entries);
    }

    @EachBackend
    void commitPublishesTheReadersPosition(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 6, 50);
        final List<Long> seen = new ArrayList<>();
        final RecordHandler.Controlled handler = (buffer, offset, length, header) ->
        {
            final Background other = Background.start("other", () -> seen.add(reader.nextSequence()));
            other.join();
            return 0 == header.sequence() % 2 ? Action.COMMIT : Action.CONTINUE;
        };

        assertEquals(6, reader.controlledPoll(handler, 10));
        assertEquals(List.of(1L, 1L, 3L, 3L, 5L, 5L), seen);
        assertEquals(7, reader.nextSequence());
    }

    @EachBackend
    void controlledPollKeepsItsLimit(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 5, 50);
        final List<Entry> entries = new ArrayList<>();
        final RecordHandler.Controlled handler = at(0, Action.ABORT, Action.CONTINUE, entries);
        assertEquals(0, reader.controlledPoll(handler, 0));
        assertEquals(2, reader.controlledPoll(handler, 2));
        assertEquals(3, reader.controlledPoll(handler, 10));
        assertEquals(0, reader.controlledPoll(handler, 10));
        assertNumbered(1, 5, entries);
    }

    private static RecordHandler.Controlled at(
        final long sequence, final Action there, final Action elsewhere, final List<Entry> entries)
    {
        return (buffer, offset, length, header) ->
        {
            into(entries).onRecord(buffer, offset, length, header);
            return sequence == header.sequence() ? there : elsewhere;
        };
    }

    // Handlers that throw.

    @EachBackend
    void readerStaysAtARecordWhoseHandlerThrowsInEachForm(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 3, 50);
        journal.appender().append(new RecordBatch().add(-4, record(4, 9)).add(-5, record(5, 0)));
        appendNumbered(journal, 1, 50);
        for (int sequence = 1; sequence <= 6; sequence++)
        {
            final long failing = sequence;
            reader.seekToStart();
            assertThrows(
                UnsupportedOperationException.class,
                () -> reader.controlledPoll(
                    (buffer, offset, length, header) ->
                    {
                        check(failing, header);
                        return Action.COMMIT;
                    },
                    10));
            assertStays(reader, failing);

            reader.seekToStart();
            assertThrows(
                NullPointerException.class, () -> reader.controlledPoll(at(failing, null, Action.CONTINUE,
                    new ArrayList<>()), 10));
            assertStays(reader, failing);

            reader.seekToStart();
            assertThrows(
                UnsupportedOperationException.class,
                () -> reader.stream().forEach((found) -> check(failing, found.sequence())));
            assertStays(reader, failing);

            reader.seekToEnd();
            assertThrows(
                UnsupportedOperationException.class,
                () -> reader.pollBackwards((buffer, offset, length, header) -> check(failing, header), 10));
            assertStays(reader, failing + 1);
            assertEquals(failing, backwards(reader, 1).get(0).sequence());
        }
    }

    private static void check(final long failing, final RecordHandler.Header header)
    {
        check(failing, header.sequence());
    }

    private static void check(final long failing, final long sequence)
    {
        if (failing == sequence)
        {
            throw new UnsupportedOperationException("at " + sequence);
        }
    }

    private static void assertStays(final JournalReader reader, final long sequence)
    {
        assertEquals(sequence, reader.nextSequence());
        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        assertNumbered(sequence, 6, poll(reader));
        reader.seek(sequence);
    }

    @EachBackend
    void handlerMustNotUseItsReaderInAnyForm(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 5, 50);
        final RecordHandler handler = (buffer, offset, length, header) ->
        {
            assertThrows(IllegalStateException.class, () -> reader.pollBackwards((b, o, l, h) ->
            {
            }, 1));
            assertThrows(
                IllegalStateException.class, () -> reader.controlledPoll((b, o, l, h) -> Action.ABORT, 1));
            assertThrows(IllegalStateException.class, () -> reader.seekToTime(Instant.EPOCH));
            assertThrows(IllegalStateException.class, reader::state);
        };
        assertEquals(5, reader.poll(handler, 10));
        assertEquals(5, reader.pollBackwards(handler, 10));
        reader.poll(
            (buffer, offset, length, header) -> assertThrows(IllegalStateException.class,
                () -> reader.stream().count()),
            1);
    }

    // Backwards.

    @EachBackendAndWindow
    void everyRecordIsReadBackwardsFromTheEnd(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).open();
            JournalReader reader = journal.openReader())
        {
            assertEquals(List.of(), backwards(reader, 10));
            appendNumbered(journal, 700, 700);
            reader.seekToEnd();
            assertBackwards(700, 1, backwards(reader, Integer.MAX_VALUE));
            assertEquals(1, reader.nextSequence());
            assertEquals(List.of(), backwards(reader, 10));
            assertNumbered(1, 700, poll(reader));
            assertBackwards(700, 695, backwards(reader, 6));
            assertNumbered(695, 700, poll(reader));
        }
    }

    @EachBackend
    void readingToAndFroEqualsTheModel(final Backend backend)
    {
        final long seed = Long.getLong("journal.test.seed", 1);
        final SplittableRandom random = new SplittableRandom(seed);
        try (Journal journal = builder(directory(), backend).segmentLength(1024 * 1024).open();
            JournalReader reader = journal.openReader())
        {
            final long last = appendMixed(journal, random, 2_500_000);
            for (int i = 0; i < 150; i++)
            {
                long next = 1 + random.nextLong(last + 1);
                reader.seek(next);
                for (int j = random.nextInt(6); j >= 0; j--)
                {
                    final int limit = random.nextInt(1, random.nextInt(2, 2000));
                    final boolean isForward = random.nextBoolean();
                    final List<Entry> entries = isForward ? poll(reader, limit) : backwards(reader, limit);
                    final long end = isForward ? Math.min(last + 1, next + limit) : Math.max(1, next - limit);
                    assertEquals(end, reader.nextSequence(), "seed=" + seed);
                    if (isForward)
                    {
                        assertNumbered(next, end - 1, entries);
                    }
                    else
                    {
                        assertBackwards(next - 1, end, entries);
                    }
                    next = end;
                }
            }
        }
        catch (final JournalException ex)
        {
            throw new AssertionError("seed=" + seed, ex);
        }
    }

    private static long appendMixed(final Journal journal, final SplittableRandom random, final long length)
    {
        long next = 1;
        final RecordBatch batch = new RecordBatch();
        while (journal.counters().appendedPosition() < length)
        {
            batch.clear();
            for (int i = random.nextInt(4) > 0 ? 1 : random.nextInt(1, 2000); i > 0; i--)
            {
                final int recordLength = random.nextInt(0, random.nextInt(1, 60));
                batch.add(-next, record(next, recordLength));
                next++;
            }
            if (1 == batch.count())
            {
                next--;
                appendNumbered(journal, 1, 0 == random.nextInt(50) ? random.nextInt(200_000) : random.nextInt(300));
                next++;
            }
            else
            {
                journal.appender().append(batch);
            }
            if (0 == random.nextInt(200))
            {
                journal.force();
            }
        }

        return journal.lastSequence();
    }

    private static List<Entry> backwards(final JournalReader reader, final int limit)
    {
        final List<Entry> entries = new ArrayList<>();
        assertEquals(reader.pollBackwards(into(entries), limit), entries.size());
        return entries;
    }

    private static void assertBackwards(final long first, final long last, final List<Entry> entries)
    {
        Collections.reverse(entries);
        assertNumbered(last, first, entries);
    }

    @EachBackend
    void readingBackwardsReadsEachByteAFewTimes(final Backend backend)
    {
        final CountingSteps counted = new CountingSteps();
        try (Journal journal = builder(backend, counted).segmentLength(2 * 1024 * 1024).open();
            JournalReader reader = journal.openReader())
        {
            final int count = 10_000;
            appendNumbered(journal, count, 200);
            // A window that has grown for a large record must not be filled each time.
            appendNumbered(journal, 1, 1024 * 1024);
            reader.seekToEnd();
            counted.reset();
            for (int i = 0; i <= count; i++)
            {
                assertEquals(1, reader.pollBackwards((buffer, offset, length, header) ->
                {
                }, 1));
            }

            assertEquals(1, reader.nextSequence());
            final long end = journal.counters().appendedPosition();
            assertTrue(counted.bytesRead.get() < 6 * end, () -> "bytes=" + counted.bytesRead);
        }
    }

    // By time.

    @EachBackend
    void seekToTimeGoesAfterTheLastWatermarkFrameThatIsEarlier(final Backend backend)
    {
        final TestClock clock = new TestClock();
        try (Journal journal = builder(directory(), backend).clock(clock).backgroundThread(false).open();
            JournalReader reader = journal.openReader())
        {
            // A record every 10 ms, a mark at the beginning of each segment and after each force.
            for (int i = 0; i < 1500; i++)
            {
                appendNumbered(journal, 1, 500);
                clock.advance(10);
                if (0 == i % 100)
                {
                    journal.force();
                }
            }
            assertTrue(journal.counters().appendedPosition() > 10 * SEGMENT_LENGTH);

            for (int i = 0; i < 1500; i += 7)
            {
                reader.seekToTime(Instant.ofEpochMilli(TIME_MS + 10 * i));
                final long next = reader.nextSequence();
                // Marks are 101 records apart at most.
                assertTrue(next <= i + 1 && next > i - 130, "i=" + i + ", next=" + next);
                assertNumbered(next, next, poll(reader, 1));
            }
            reader.seekToTime(Instant.ofEpochMilli(TIME_MS - 1));
            assertEquals(1, reader.nextSequence());
            reader.seekToTime(Instant.MIN);
            assertEquals(1, reader.nextSequence());
            reader.seekToTime(Instant.MAX);
            assertTrue(reader.nextSequence() > 1370);
            assertNumbered(reader.nextSequence(), 1500, poll(reader));
        }
    }

    @EachBackend
    void seekToTimeInAnEmptyJournalGoesToTheEnd(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        reader.seekToTime(Instant.now());
        assertEquals(1, reader.nextSequence());
        appendNumbered(journal, 1, 10);
        assertNumbered(1, 1, poll(reader));
    }

    @EachBackend
    void seekToTimeToleratesAJumpingClock(final Backend backend)
    {
        final TestClock clock = new TestClock();
        try (Journal journal = builder(directory(), backend).clock(clock).backgroundThread(false).open();
            JournalReader reader = journal.openReader())
        {
            final long[] steps = { 1000, 1000, -5000, 1000, 1_000_000, -2_000_000, 1000, 3_000_000 };
            for (final long step : steps)
            {
                appendNumbered(journal, 200, 500);
                clock.advance(step);
            }
            for (long time = -10_000_000; time < 10_000_000; time += 77_777)
            {
                reader.seekToTime(Instant.ofEpochMilli(TIME_MS + time));
                final long next = reader.nextSequence();
                assertTrue(next >= 1 && next <= 1601);
                assertNumbered(next, 1600, poll(reader));
            }
        }
    }

    // Streams.

    @EachBackend
    void streamHoldsCopiesUpToTheEndAtItsCreation(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 300, 700);
        final List<JournalReader.Entry> records = new ArrayList<>();
        reader.seek(11);
        final var stream = reader.stream();
        appendNumbered(journal, 5, 700);
        stream.forEach(records::add);

        assertEquals(290, records.size());
        for (int i = 0; i < records.size(); i++)
        {
            final long sequence = 11 + i;
            assertEquals(new JournalReader.Entry(sequence, -sequence, record(sequence, 700)), records.get(i));
        }
        assertEquals(301, reader.nextSequence());
        assertEquals(5, reader.stream().count());
        assertEquals(List.of(), reader.stream().collect(Collectors.toList()));
        reader.seekToStart();
        assertEquals(3, reader.stream().limit(3).mapToLong(JournalReader.Entry::sequence).max().orElse(0));
        assertNumbered(4, 4, poll(reader, 1));
    }

    @EachBackend
    void recordsAreEqualByContent(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        appendNumbered(journal, 2, 10);
        final List<List<JournalReader.Entry>> read = new ArrayList<>();
        for (int i = 0; i < 2; i++)
        {
            try (JournalReader reader = journal.openReader())
            {
                read.add(reader.stream().collect(Collectors.toList()));
            }
        }
        assertEquals(read.get(0), read.get(1));
        assertEquals(read.get(0).hashCode(), read.get(1).hashCode());
        assertEquals("Entry{sequence=2, tag=-2, length=10}", read.get(0).get(1).toString());
    }

    // Limits and states.

    @EachBackendAndWindow
    void durableReaderSeesOnlyDurableRecords(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).backgroundThread(false).open();
            JournalReader reader = journal.openReader(JournalReader.Limit.FORCED))
        {
            for (int i = 0; i < 20; i++)
            {
                final long forced = journal.forcedSequence();
                appendNumbered(journal, 10, 800);
                assertEquals(List.of(), poll(reader));
                assertThrows(IllegalArgumentException.class, () -> reader.seek(forced + 2));
                reader.seekToEnd();
                assertEquals(forced + 1, reader.nextSequence());

                journal.force();
                assertNumbered(forced + 1, forced + 10, poll(reader));
            }
        }
    }

    @EachBackend
    void readerIsClosedOnceItHasReadAllOfAClosedJournal(final Backend backend)
    {
        final JournalReader reader;
        final JournalReader forced;
        try (Journal journal = builder(directory(), backend).writeWindow(4096).open())
        {
            reader = journal.openReader();
            forced = journal.openReader(JournalReader.Limit.FORCED);
            appendNumbered(journal, 10, 100);
            assertNumbered(1, 4, poll(reader, 4));
            assertEquals(JournalReader.State.FOLLOWING, reader.state());
        }

        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        assertNumbered(5, 10, poll(reader));
        assertEquals(JournalReader.State.CLOSED, reader.state());
        assertEquals(List.of(), poll(reader));
        reader.seek(3);
        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        assertNumbered(1, 10, poll(forced));
        assertEquals(JournalReader.State.CLOSED, forced.state());

        reader.close();
        forced.close();
        assertEquals(JournalReader.State.CLOSED, reader.state());
        assertThrows(IllegalStateException.class, () -> poll(reader));
        assertThrows(IllegalStateException.class, () -> reader.seek(1));
    }

    @EachBackend
    void readerFollowsWithAnIdleStrategyUntilTheJournalIsClosed(final Backend backend)
    {
        final List<Entry> entries = new ArrayList<>();
        final CountDownLatch isReading = new CountDownLatch(1);
        final Background following;
        try (Journal journal = open(backend))
        {
            following = Background.start(
                "following",
                () ->
                {
                    try (JournalReader reader = journal.openReader())
                    {
                        isReading.countDown();
                        final IdleStrategy idle = new BackoffIdleStrategy();
                        while (reader.state() != JournalReader.State.CLOSED)
                        {
                            idle.idle(reader.poll(into(entries), 64));
                        }
                    }
                });
            isReading.await();
            appendNumbered(journal, 1000, 300);
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
        following.join();
        assertNumbered(1, 1000, entries);
    }

    @EachBackend
    void seekOpensFewOfManySegments(final Backend backend)
    {
        final CountingSteps counted = new CountingSteps();
        final int count = 6_000;
        final Journal journal = closing(builder(backend, counted).backgroundThread(false).open());
        appendNumbered(journal, count, 3000);
        final int segments = (int)(journal.counters().appendedPosition() / SEGMENT_LENGTH);
        assertTrue(segments > 280);
        final SplittableRandom random = new SplittableRandom(1);
        final JournalReader first = closing(journal.openReader());
        final JournalReader second = closing(journal.openReader());
        for (final JournalReader reader : List.of(first, second))
        {
            final long sequence = 1 + random.nextInt(count);
            counted.reset();
            reader.seek(sequence);
            // Bisecting 300 segments takes nine steps, and the segment itself one more. Each step reads a header and a
            // frame.
            assertTrue(counted.opens.get() <= 10, () -> "opens=" + counted.opens);
            assertTrue(counted.bytesRead.get() <= 10 * 4200 + 2 * SEGMENT_LENGTH,
                () -> "bytes=" + counted.bytesRead);
            assertNumbered(sequence, sequence, poll(reader, 1));
        }

        for (int sequence = 1; sequence <= count; sequence += 10)
        {
            first.seek(sequence);
        }
        counted.reset();
        second.seek(count / 3);
        // The segment is opened unless it is open already.
        assertTrue(counted.opens.get() <= 1, () -> "opens=" + counted.opens);
        assertNumbered(count / 3, count / 3, poll(second, 1));
    }
}
