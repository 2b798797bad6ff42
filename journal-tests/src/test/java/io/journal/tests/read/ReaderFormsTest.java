// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordHandler;
import io.journal.RecordHandler.Action;
import io.journal.store.Backend;
import io.journal.tests.support.CountingSteps;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Forms of reading other than poll: controlled, backwards, by time, as a stream, up to the durable watermark. */
@InMemory
class ReaderFormsTest extends JournalFixture
{
    // Handlers that throw.
    @EachBackend
    void readerStaysAtARecordWhoseHandlerThrowsInEachForm(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 3, 50);
        journal.appender().append(new RecordBatch().add(-4, record(4, 9)).add(-5, record(5, 0)));
        appendNumbered(journal, 1, 50);
        final Consumer<Long> throwing = (sequence) ->
        {
            throw new UnsupportedOperationException("at " + sequence);
        };
        for (long sequence = 1; sequence <= 6; sequence++)
        {
            final long failing = sequence;
            final RecordHandler handler = (buffer, offset, length, header) -> Optional.of(header.sequence())
                .filter((found) -> failing == found).ifPresent(throwing);
            final List<Executable> forms = List.of(
                () -> reader.poll(handler, 10),
                () -> reader.controlledPoll((buffer, offset, length, header) ->
                {
                    handler.onRecord(buffer, offset, length, header);
                    return Action.COMMIT;
                }, 10),
                () -> reader.stream().map(JournalReader.Entry::sequence).filter((found) -> failing == found)
                    .forEach(throwing));
            for (final Executable form : forms)
            {
                reader.seekToStart();
                assertThrows(UnsupportedOperationException.class, form);
                assertStays(reader, failing);
            }
            reader.seekToStart();
            assertThrows(NullPointerException.class, () -> reader.controlledPoll(
                (buffer, offset, length, header) -> failing == header.sequence() ? null : Action.CONTINUE, 10));
            assertStays(reader, failing);

            reader.seekToEnd();
            assertThrows(UnsupportedOperationException.class, () -> reader.pollBackwards(handler, 10));
            assertStays(reader, failing + 1);
            assertEquals(failing, backwards(reader, 1).get(0).sequence());
        }
    }

    private static void assertStays(final JournalReader reader, final long sequence)
    {
        assertEquals(sequence, reader.nextSequence());
        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        assertNumbered(sequence, 6, poll(reader));
        reader.seek(sequence);
    }

    // Backwards.

    private static List<Entry> backwards(final JournalReader reader, final int limit)
    {
        final List<Entry> entries = new ArrayList<>();
        assertEquals(reader.pollBackwards(into(entries), limit), entries.size());
        return entries;
    }

    @EachBackend
    void readingBackwardsReadsEachByteAFewTimes(final Backend backend)
    {
        final CountingSteps counted = new CountingSteps();
        final Journal journal = closing(builder(backend, counted).segmentLength(2 * 1024 * 1024).open());
        final JournalReader reader = closing(journal.openReader());
        final int count = 10_000;
        appendNumbered(journal, count, 200);
        // A window that has grown for a large record must not be filled each time.
        appendNumbered(journal, 1, 1024 * 1024);
        reader.seekToEnd();
        counted.reset();
        for (int i = 0; i <= count; i++)
        {
            assertEquals(1, reader.pollBackwards(IGNORE, 1));
        }
        assertEquals(1, reader.nextSequence());
        final long end = journal.counters().appendedPosition();
        assertTrue(counted.bytesRead.get() < 6 * end, () -> "bytes=" + counted.bytesRead);
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
        reader.seek(11);
        final Stream<JournalReader.Entry> stream = reader.stream();
        appendNumbered(journal, 5, 700);
        final List<JournalReader.Entry> records = stream.toList();
        // Entries are equal by content.
        assertEquals(
            LongStream.rangeClosed(11, 300).mapToObj((sequence) -> entry(sequence, 700)).toList(), records);
        assertEquals(entry(11, 700).hashCode(), records.get(0).hashCode());
        assertEquals("Entry{sequence=11, tag=-11, length=700}", records.get(0).toString());
        assertEquals(301, reader.nextSequence());
        assertEquals(5, reader.stream().count());
        assertEquals(List.of(), reader.stream().toList());
        reader.seekToStart();
        assertEquals(3, reader.stream().limit(3).mapToLong(JournalReader.Entry::sequence).max().orElse(0));
        assertNumbered(4, 4, poll(reader, 1));
    }

    private static JournalReader.Entry entry(final long sequence, final int length)
    {
        return new JournalReader.Entry(sequence, -sequence, record(sequence, length));
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
        final Journal journal = builder(directory(), backend).writeWindow(4096).open();
        final JournalReader reader = closing(journal.openReader());
        final JournalReader forced = closing(journal.openReader(JournalReader.Limit.FORCED));
        appendNumbered(journal, 200, 1000);
        assertNumbered(1, 4, poll(reader, 4));
        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        journal.close();

        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        assertNumbered(5, 200, poll(reader));
        assertEquals(JournalReader.State.CLOSED, reader.state());
        assertEquals(List.of(), poll(reader));
        reader.seek(77);
        assertEquals(JournalReader.State.FOLLOWING, reader.state());
        assertNumbered(77, 200, poll(reader));
        assertNumbered(1, 200, poll(forced));
        assertEquals(JournalReader.State.CLOSED, forced.state());

        reader.close();
        reader.close();
        assertEquals(JournalReader.State.CLOSED, reader.state());
        for (final Executable call : List.<Executable>of(
            () -> poll(reader), () -> reader.seek(1), reader::seekToStart, reader::seekToEnd))
        {
            assertThrows(IllegalStateException.class, call);
        }
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
