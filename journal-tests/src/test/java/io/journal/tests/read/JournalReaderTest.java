// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.SynchronousQueue;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import org.agrona.DirectBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalReaderTest extends JournalFixture
{
    // Reading.
    @EachBackend
    void pollDeliversNoMoreThanItsLimit(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        appendNumbered(journal, 10, 50);
        final JournalReader reader = closing(journal.openReader());
        assertEquals(List.of(), poll(reader, 0));
        assertNumbered(1, 1, poll(reader, 1));
        assertNumbered(2, 8, poll(reader, 7));
        assertEquals(9, reader.nextSequence());
        assertNumbered(9, 10, poll(reader, 7));
        assertEquals(List.of(), poll(reader, 7));
        assertEquals(11, reader.nextSequence());
    }

    @EachBackend
    void headerHasSequenceTagAndPosition(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 200, 900);
        final long[] expected = { 1, -1 };
        reader.poll(
            (buffer, offset, length, header) ->
            {
                assertEquals(expected[0], header.sequence());
                assertEquals(-expected[0], header.tag());
                assertTrue(header.position() > expected[1]);
                assertEquals(0, header.position() % 8);
                assertEquals(900, length);
                expected[0]++;
                expected[1] = header.position();
            },
            Integer.MAX_VALUE);
        assertEquals(201, expected[0]);
    }

    @EachBackend
    void handlerMustNotUseItsReader(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 5, 50);
        final List<Entry> entries = new ArrayList<>();
        final RecordHandler handler = (buffer, offset, length, header) ->
        {
            assertThrows(IllegalStateException.class, () -> reader.poll(into(entries), 1));
            assertThrows(IllegalStateException.class, () -> reader.seek(1));
            assertThrows(IllegalStateException.class, reader::seekToEnd);
            assertThrows(IllegalStateException.class, reader::close);
            into(entries).onRecord(buffer, offset, length, header);
        };

        assertEquals(5, reader.poll(handler, 10));
        assertNumbered(1, 5, entries);
        reader.seek(2);
        assertNumbered(2, 5, poll(reader));
    }

    @EachBackend
    void handlerMayAppendAndForce(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 1, 50);
        final List<Entry> entries = new ArrayList<>();
        final RecordHandler handler = (buffer, offset, length, header) ->
        {
            into(entries).onRecord(buffer, offset, length, header);
            appendNumbered(journal, 1, 1000);
            journal.awaitForced(header.sequence());
        };

        assertEquals(120, reader.poll(handler, 120));
        assertNumbered(1, 120, entries);
    }

    @EachBackend
    void bufferOfARecordIsUnwrappedAfterTheCall(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 2, 50);
        final DirectBuffer[] kept = new DirectBuffer[1];
        reader.poll((buffer, offset, length, header) -> kept[0] = buffer, 1);

        assertEquals(0, kept[0].capacity());
        assertThrows(IndexOutOfBoundsException.class, () -> kept[0].getByte(0));

        assertThrows(
            IllegalStateException.class,
            () -> reader.poll(
                (buffer, offset, length, header) ->
                {
                    kept[0] = buffer;
                    throw new IllegalStateException("stay");
                },
                1));
        assertEquals(0, kept[0].capacity());
    }

    @EachBackend
    void readersDoNotDependOnEachOther(final Backend backend)
    {
        try (Journal journal = open(backend);
            JournalReader before = journal.openReader())
        {
            appendNumbered(journal, 100, 2000);
            try (JournalReader after = journal.openReader())
            {
                assertNumbered(1, 60, poll(before, 60));
                assertNumbered(1, 10, poll(after, 10));
                assertNumbered(61, 100, poll(before));
                assertNumbered(11, 20, poll(after, 10));
            }
            before.seekToStart();
            assertNumbered(1, 100, poll(before));
        }
    }

    @EachBackendAndWindow
    void readerFindsEverySequence(final Backend backend, final int window)
    {
        final int count = 800;
        try (Journal journal = builder(directory(), backend).writeWindow(window).open();
            JournalReader reader = journal.openReader())
        {
            appendWithForces(journal, count, 1000);
            assertTrue(journal.counters().appendedPosition() > 6 * SEGMENT_LENGTH);
            assertFindsAll(reader, 1, count, 1);
        }
        final Journal journal = closing(reopen(backend));
        final JournalReader reader = closing(journal.openReader());
        assertFindsAll(reader, 1, count, 1);
    }

    @EachBackend
    void readerFindsSequencesBetweenTheMarksOfALongSegment(final Backend backend)
    {
        final int count = 6000;
        try (Journal journal = builder(directory(), backend).segmentLength(1024 * 1024).open();
            JournalReader reader = journal.openReader())
        {
            appendWithForces(journal, count, 800);
            assertTrue(journal.counters().appendedPosition() > 2 * 1024 * 1024);
            assertFindsAll(reader, 1, count, 31);
        }
    }

    private static void appendWithForces(final Journal journal, final int count, final int length)
    {
        for (int i = 0; i < count; i++)
        {
            appendNumbered(journal, 1, i * 37 % length);
            if (0 == i % 50)
            {
                journal.force();
            }
        }
    }

    private static void assertFindsAll(final JournalReader reader, final int first, final int last, final int step)
    {
        for (int sequence = last; sequence >= first; sequence -= step)
        {
            reader.seek(sequence);
            assertEquals(sequence, reader.nextSequence());
            assertNumbered(sequence, Math.min(last, sequence + 1), poll(reader, 2));
        }
        for (int sequence = first; sequence <= last; sequence += step)
        {
            reader.seek(sequence);
            assertNumbered(sequence, sequence, poll(reader, 1));
        }
    }

    @EachBackend
    void readerAtTheEndReadsLaterRecords(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        for (int i = 0; i < 100; i++)
        {
            final long last = journal.lastSequence();
            reader.seekToEnd();
            assertEquals(last + 1, reader.nextSequence());
            assertEquals(List.of(), poll(reader));

            appendNumbered(journal, 2, 1500);
            assertNumbered(last + 1, last + 2, poll(reader));
        }
    }

    @EachBackend
    void sequenceOutsideTheJournalIsRejectedAndTheReaderStays(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        for (final long outside : new long[]{ Long.MIN_VALUE, -1, 0, 2, Long.MAX_VALUE })
        {
            assertThrows(IllegalArgumentException.class, () -> reader.seek(outside));
        }
        reader.seek(1);

        appendNumbered(journal, 100, 1500);
        assertNumbered(1, 40, poll(reader, 40));
        for (final long outside : new long[]{ Long.MIN_VALUE, 0, 102, Long.MAX_VALUE })
        {
            assertThrows(IllegalArgumentException.class, () -> reader.seek(outside));
        }
        assertNumbered(41, 100, poll(reader));
    }

    @EachBackendAndWindow
    void recordIsVisibleToOtherThreadsOnceItIsAppended(final Backend backend, final int window)
        throws InterruptedException
    {
        final SynchronousQueue<Long> appended = new SynchronousQueue<>();
        final SynchronousQueue<Long> read = new SynchronousQueue<>();
        final Journal journal = closing(builder(directory(), backend).writeWindow(window).open());
        final Background reading = Background.start(
            "reader",
            () ->
            {
                try (JournalReader reader = journal.openReader())
                {
                    for (long last = appended.take(); last > 0; last = appended.take())
                    {
                        assertNumbered(last, last, poll(reader));
                        read.put(last);
                    }
                }
                finally
                {
                    read.offer(-1L);
                }
            });

        for (int i = 0; i < 300; i++)
        {
            appendNumbered(journal, 1, 700);
            appended.put(journal.lastSequence());
            if (!Long.valueOf(journal.lastSequence()).equals(read.take()))
            {
                reading.join();
            }
        }
        appended.put(0L);
        reading.join();
    }

    @EachBackendAndWindow
    void readersFollowWhileAnotherThreadAppends(final Backend backend, final int window)
    {
        final int count = Backend.DIRECT == backend ? 1000 : 2000;
        final CountDownLatch isReading = new CountDownLatch(2);
        final Journal journal = closing(builder(directory(), backend).writeWindow(window).open());
        final Background appending = Background.start(
            "appender",
            () ->
            {
                isReading.await();
                for (int i = 0; i < count; i++)
                {
                    appendNumbered(journal, 1, (i * 31) % 500);
                }
            });
        final Background fromStart = Background.start(
            "from the start", () -> follow(journal, appending, isReading, count, false));
        final Background withSeeks = Background.start(
            "with seeks", () -> follow(journal, appending, isReading, count, true));

        fromStart.join();
        withSeeks.join();
        appending.join();
    }

    private static void follow(
        final Journal journal,
        final Background appending,
        final CountDownLatch isReading,
        final int count,
        final boolean isSeeking)
    {
        try (JournalReader reader = journal.openReader())
        {
            isReading.countDown();
            long expected = 1;
            while (expected <= count)
            {
                appending.check();
                final List<Entry> entries = poll(reader, 100);
                if (entries.isEmpty())
                {
                    Thread.onSpinWait();
                    continue;
                }

                assertNumbered(expected, expected + entries.size() - 1, entries);
                expected = reader.nextSequence();
                assertTrue(journal.lastSequence() >= expected - 1, "a record is read before it is appended");
                if (isSeeking)
                {
                    // Move back to a record that was read, and continue from there.
                    expected = Math.max(1, expected - 3);
                    reader.seek(expected);
                    assertNumbered(expected, expected, poll(reader, 1));
                    expected = Math.min(expected + 3, journal.lastSequence() + 1);
                    reader.seek(expected);
                }
            }
            assertEquals(List.of(), poll(reader));
        }
    }

    @EachBackendAndWindow
    void readerContinuesToTheLastRecordAfterClose(final Backend backend, final int window)
    {
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        try (JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 200, 1000);
            assertNumbered(1, 5, poll(reader, 5));

            journal.close();

            assertNumbered(6, 200, poll(reader));
            assertEquals(List.of(), poll(reader));
            reader.seek(77);
            assertNumbered(77, 200, poll(reader));
            reader.seekToEnd();
            assertEquals(List.of(), poll(reader));
        }
        finally
        {
            journal.close();
        }
    }

    @EachBackend
    void closedReaderRefuses(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        appendNumbered(journal, 1, 10);
        final JournalReader reader = journal.openReader();
        reader.close();
        reader.close();

        assertThrows(IllegalStateException.class, () -> poll(reader));
        assertThrows(IllegalStateException.class, () -> reader.seek(1));
        assertThrows(IllegalStateException.class, reader::seekToStart);
        assertThrows(IllegalStateException.class, reader::seekToEnd);
    }
}
