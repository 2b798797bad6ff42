// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static io.journal.tests.support.JournalFixture.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalFixture.builder;
import static io.journal.tests.support.JournalFixture.record;
import static io.journal.tests.support.JournalFixture.runAgent;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HistoryTest
{
    private static final int RECORD_LENGTH = 1000;
    private static final int RECORDS_PER_SEGMENT = 59;

    @TempDir
    Path directory;

    @EachBackend
    void pruningFsyncsNoSegmentThatItKeeps(final Backend backend) throws IOException
    {
        final List<String> forced = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(directory), (step, name) ->
        {
            if (StepStore.Step.FORCE == step && JournalFiles.isSegment(name))
            {
                forced.add(name);
            }
            return true;
        });
        try (Journal journal = builder(directory, backend).store(store).backgroundThread(false).open())
        {
            append(journal, 1, 300);
            forced.clear();

            // Pruning must not fsync all complete segments: it would never end if appends complete segments as fast as
            // it fsyncs.
            journal.prune(130);

            assertEquals(List.of(JournalFiles.segment(0), JournalFiles.segment(1)), forced);
            assertRecords(journal, journal.firstSequence(), 300);
        }
    }

    @EachBackend
    void segmentsBelowARecordArePruned(final Backend backend) throws IOException
    {
        try (Journal journal = builder(directory, backend).open())
        {
            append(journal, 1, 300);

            final long first = journal.prune(130);

            assertTrue(first <= 130 && first > 130 - RECORDS_PER_SEGMENT - 1, () -> "first=" + first);
            assertEquals(first, journal.firstSequence());
            assertRecords(journal, first, 300);
            append(journal, 301, 400);
            assertRecords(journal, first, 400);
        }

        try (Journal journal = builder(directory, backend).open())
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            assertRecords(journal, journal.firstSequence(), 400);
            assertTrue(journal.firstSequence() > 1);
        }
    }

    @EachBackend
    void newestSegmentIsNeverPruned(final Backend backend)
    {
        try (Journal journal = builder(directory, backend).open())
        {
            assertEquals(1, journal.prune(1));
            append(journal, 1, 10);
            assertEquals(1, journal.prune(11));
            append(journal, 11, 200);

            final long first = journal.prune(201);

            assertTrue(first > 100 && first <= 200, () -> "first=" + first);
            assertRecords(journal, first, 200);
            assertEquals(first, journal.prune(5), "a lower one is no change");
        }
    }

    @EachBackendAndWindow
    void rolledSegmentCanBePrunedWithTheNextRecord(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory, backend).writeWindow(window).open())
        {
            journal.roll();
            append(journal, 1, 10);
            journal.roll();
            journal.roll();
            append(journal, 11, 11);

            assertEquals(11, journal.prune(11));

            assertRecords(journal, 11, 11);
        }
    }

    @EachBackendAndWindow
    void recordsAfterASequenceAreTruncated(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory, backend).writeWindow(window).open();
            JournalReader reader = journal.openReader())
        {
            append(journal, 1, 10);
            assertEquals(7, reader.poll((buffer, offset, length, header) ->
            {
            }, 7));

            journal.truncateAfter(7);

            assertEquals(7, journal.lastSequence());
            assertEquals(7, journal.forcedSequence());
            assertEquals(JournalReader.State.FOLLOWING, reader.state(), "it has read no more than what is left");
            assertEquals(8, journal.appender().append(8, record(80, 100)));
            assertEquals(1, reader.poll((buffer, offset, length, header) -> assertEquals(100, length), 7));
            assertRecords(journal, 1, 7);
        }

        try (Journal journal = builder(directory, backend).open())
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            assertEquals(8, journal.lastSequence());
            journal.truncateAfter(7);
            assertRecords(journal, 1, 7);
        }
    }

    @EachBackend
    void everythingCanBeTruncated(final Backend backend)
    {
        try (Journal journal = builder(directory, backend).open())
        {
            append(journal, 1, 300);
            final long first = journal.prune(100);

            journal.truncateAfter(first - 1);

            assertEquals(first - 1, journal.lastSequence());
            append(journal, first, first + 200);
            assertRecords(journal, first, first + 200);
        }
    }

    @EachBackend
    void truncationInTheNewestSegmentKeepsThePreparedOne(final Backend backend) throws Exception
    {
        final Path next = JournalFixture.segment(directory, 3);
        try (Journal journal = builder(directory, backend).backgroundThread(false).open())
        {
            append(journal, 1, 150);
            journal.backgroundAgent().doWork();
            assertEquals(1, journal.counters().preparedSegments());
            final Object file = Files.readAttributes(next, BasicFileAttributes.class).fileKey();

            journal.truncateAfter(140);

            assertEquals(1, journal.counters().preparedSegments());
            assertEquals(file, Files.readAttributes(next, BasicFileAttributes.class).fileKey());
            append(journal, 141, 400);
            assertRecords(journal, 1, 400);

            journal.backgroundAgent().doWork();
            journal.truncateAfter(140);

            // The log continues after the cut, and the segments within the cut are deleted.
            assertEquals(1, journal.counters().preparedSegments());
            assertFalse(Files.exists(next));
            append(journal, 141, 160);
            journal.backgroundAgent().doWork();
            journal.truncateAfter(155);
        }

        try (Journal journal = builder(directory, backend).open())
        {
            assertRecords(journal, 1, 155);
            append(journal, 156, 300);
            assertRecords(journal, 1, 300);
        }
    }

    @EachBackend
    void batchIsNotTruncatedInTheMiddle(final Backend backend)
    {
        try (Journal journal = builder(directory, backend).open())
        {
            append(journal, 1, 3);
            final RecordBatch batch = new RecordBatch().add(4, record(4, RECORD_LENGTH))
                .add(5, record(5, RECORD_LENGTH)).add(6, record(6, RECORD_LENGTH));
            assertEquals(6, journal.appender().append(batch));

            assertThrows(IllegalArgumentException.class, () -> journal.truncateAfter(4));
            assertThrows(IllegalArgumentException.class, () -> journal.truncateAfter(5));
            assertRecords(journal, 1, 6);
            journal.truncateAfter(6);
            assertRecords(journal, 1, 6);

            journal.truncateAfter(3);

            assertRecords(journal, 1, 3);
        }
    }

    @EachBackend
    void claimPreventsTruncationAndRoll(final Backend backend)
    {
        try (Journal journal = builder(directory, backend).open())
        {
            append(journal, 1, 3);
            try (RecordClaim claim = journal.appender().claim(RECORD_LENGTH))
            {
                assertThrows(IllegalStateException.class, () -> journal.truncateAfter(1));
                assertThrows(IllegalStateException.class, journal::roll);
                claim.tag(4).buffer().putBytes(0, record(4, RECORD_LENGTH));
                claim.commit();
            }
            assertRecords(journal, 1, 4);
        }
    }

    @EachBackend
    void truncationEndsTheRestraintOfAFullDisk(final Backend backend) throws Exception
    {
        final AtomicBoolean isFull = new AtomicBoolean();
        final AtomicBoolean isRefused = new AtomicBoolean();
        final StepStore store = new StepStore(backend.store(directory), (step, name) ->
        {
            if (isFull.get() && StepStore.Step.CREATE == step && name.startsWith("spare-"))
            {
                isRefused.set(true);
                throw new NoSpaceException("on purpose", null);
            }
            return true;
        });
        try (Journal journal = builder(directory, backend).store(store).backgroundThread(false).open())
        {
            append(journal, 1, 400);
            isFull.set(true);
            runAgent(journal);
            assertTrue(isRefused.get());
            isFull.set(false);
            runAgent(journal);
            assertEquals(0, journal.counters().preparedSegments());

            // Whole segments are deleted.
            journal.truncateAfter(10);
            runAgent(journal);
            assertEquals(1, journal.counters().preparedSegments());
            append(journal, 11, 400);
            assertRecords(journal, 1, 400);
        }
    }

    @EachBackend
    void filesOfPrunedSegmentsAreUsedAgain(final Backend backend) throws IOException
    {
        try (Journal journal = builder(directory, backend).recycleSegments(true).backgroundThread(false).open();
            JournalReader reader = journal.openReader())
        {
            final Object file = fileKey(0);
            append(journal, 1, 200);
            journal.prune(150);
            append(journal, 201, 400);

            assertTrue(segmentKeys().contains(file), "the first file lives on");
            assertEquals(JournalReader.State.PRUNED, reader.state());
            assertRecords(journal, journal.firstSequence(), 400);
            journal.truncateAfter(390);
            append(journal, 391, 900);
            assertRecords(journal, journal.firstSequence(), 900);
        }

        try (Journal journal = builder(directory, backend).open())
        {
            assertRecords(journal, journal.firstSequence(), 900);
            append(journal, 901, 1000);
            assertRecords(journal, journal.firstSequence(), 1000);
        }
        assertFalse(Files.list(directory).anyMatch((path) -> path.getFileName().toString().startsWith("spare-")));
    }

    @EachBackend
    void staleBytesWithPossibleSequencesAreNotQuarantined(final Backend backend, @TempDir final Path image)
        throws IOException
    {
        final long end;
        try (Journal journal = builder(directory, backend).recycleSegments(true).backgroundThread(false).open())
        {
            append(journal, 1, 200);
            journal.prune(150);
            append(journal, 201, 350);
            end = journal.counters().appendedPosition();
            JournalFixture.copy(directory, image);
        }
        final ByteBuffer stale = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
        final Path segment = JournalFixture.segment(image, end / SEGMENT_LENGTH);
        try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE))
        {
            for (long offset = end % SEGMENT_LENGTH + 8; offset + 24 <= SEGMENT_LENGTH; offset += 24)
            {
                stale.clear().putLong(0, Integer.MAX_VALUE).putLong(8, 360);
                file.write(stale, offset);
            }
        }

        try (Journal journal = builder(image, backend).open())
        {
            assertEquals(end, journal.recoveryReport().endPosition());
            assertEquals(0, journal.recoveryReport().tornLength());
            assertRecords(journal, journal.firstSequence(), 350);
        }
    }

    @EachBackend
    void noMoreThanTheRetainedBytesAreKept(final Backend backend) throws Exception
    {
        try (Journal journal = builder(directory, backend).backgroundThread(false)
            .retention(Retention.bytes(4 * SEGMENT_LENGTH)).open())
        {
            for (int i = 0; i < 10; i++)
            {
                append(journal, i * 100L + 1, i * 100L + 100);
                doAllWork(journal);
            }

            assertTrue(segmentKeys().size() <= 5, () -> "with the one that is prepared");
            assertRecords(journal, journal.firstSequence(), 1000);
            assertTrue(journal.firstSequence() > 1000 - 5 * RECORDS_PER_SEGMENT);
        }
    }

    @Test
    void segmentsArePrunedByBytesOrAgeWhicheverComesFirst() throws Exception
    {
        final JournalFixture.TestClock clock = new JournalFixture.TestClock();
        final Retention retention = Retention.bytes(4 * SEGMENT_LENGTH).andAge(Duration.ofHours(1));
        assertEquals(4 * SEGMENT_LENGTH, retention.maxBytes());
        assertEquals(Duration.ofHours(1).toMillis(), retention.maxAgeMs());
        assertFalse(retention.ignoringCursors().andAge(Duration.ofHours(1)).isRespectingCursors());
        try (Journal journal = builder(directory, Backend.FILE_CHANNEL).backgroundThread(false).clock(clock)
            .retention(retention).open())
        {
            append(journal, 1, 1000);
            journal.force();
            doAllWork(journal);
            assertTrue(journal.firstSequence() > 1000 - 5 * RECORDS_PER_SEGMENT, "by bytes, however young");
            append(journal, 1001, 1001);

            clock.advance(Duration.ofHours(2).toMillis());
            journal.roll();
            append(journal, 1002, 1002);
            doAllWork(journal);
            clock.advance(Duration.ofHours(2).toMillis());
            for (long sequence = 1003; sequence <= 1004; sequence++)
            {
                journal.roll();
                append(journal, sequence, sequence);
                doAllWork(journal);
            }
            assertEquals(1002, journal.firstSequence(), "by age, though the bytes are few");
        }
    }

    @Test
    void clockInTheFutureForAMomentNeitherStopsRetentionByAgeNorDropsAllHistory() throws Exception
    {
        final JournalFixture.TestClock clock = new JournalFixture.TestClock();
        try (Journal journal = builder(directory, Backend.FILE_CHANNEL).backgroundThread(false).clock(clock)
            .retention(Retention.age(Duration.ofMinutes(10))).open())
        {
            // Roll to a new segment every minute.
            for (long minute = 1; minute <= 10; minute++)
            {
                appendMinute(journal, clock, minute);
            }
            assertEquals(1, journal.firstSequence());

            final long years = Duration.ofDays(75 * 365).toMillis();
            clock.advance(years);
            appendMinute(journal, clock, 11);
            clock.advance(-years);
            final long first = journal.firstSequence();
            assertTrue(first <= 3, () -> "dropped at once up to " + first);

            for (long minute = 12; minute <= 40; minute++)
            {
                appendMinute(journal, clock, minute);
            }
            final long last = journal.firstSequence();
            assertTrue(last >= 28 && last <= 31, () -> "the oldest is " + (40 - last) + " minutes old");
        }
    }

    /** Each segment is dated by the clock when it was started. */
    @Test
    void clockInThePastForAMomentDropsNothingEarly() throws Exception
    {
        final JournalFixture.TestClock clock = new JournalFixture.TestClock();
        final long years = Duration.ofDays(20 * 365).toMillis();
        clock.advance(years);
        try (Journal journal = builder(directory, Backend.FILE_CHANNEL).backgroundThread(false).clock(clock)
            .retention(Retention.age(Duration.ofMinutes(10))).open())
        {
            append(journal, 1, 1);
            clock.advance(-years);
            appendMinute(journal, clock, 2);
            clock.advance(years);
            for (long minute = 3; minute <= 9; minute++)
            {
                appendMinute(journal, clock, minute);
                assertEquals(1, journal.firstSequence());
            }
            for (long minute = 10; minute <= 40; minute++)
            {
                appendMinute(journal, clock, minute);
            }
            assertTrue(journal.firstSequence() >= 28);
        }
    }

    @Test
    void clockInTheFutureForAMomentDoesNotMisleadTheSearchForATime()
    {
        final JournalFixture.TestClock clock = new JournalFixture.TestClock();
        try (Journal journal = builder(directory, Backend.FILE_CHANNEL).clock(clock).open())
        {
            final long years = Duration.ofDays(75 * 365).toMillis();
            final List<Long> times = new ArrayList<>();
            for (long minute = 1; minute <= 16; minute++)
            {
                final boolean isWrong = minute >= 6 && minute <= 9;
                clock.advance(Duration.ofMinutes(1).toMillis() + (isWrong ? years : 0));
                times.add(clock.time() - (isWrong ? years : 0));
                journal.roll();
                append(journal, minute, minute);
                clock.advance(isWrong ? -years : 0);
            }
            try (JournalReader reader = journal.openReader())
            {
                for (int minute = 10; minute <= 16; minute++)
                {
                    reader.seekToTime(Instant.ofEpochMilli(times.get(minute - 1) + 1));
                    assertEquals(minute, reader.nextSequence());
                }
            }
        }
    }

    private static void appendMinute(
        final Journal journal, final JournalFixture.TestClock clock, final long sequence) throws Exception
    {
        clock.advance(Duration.ofMinutes(1).toMillis());
        journal.roll();
        append(journal, sequence, sequence);
        journal.force();
        doAllWork(journal);
    }

    @Test
    void segmentsArePrunedByAge() throws Exception
    {
        final JournalFixture.TestClock clock = new JournalFixture.TestClock();
        try (Journal journal = builder(directory, Backend.FILE_CHANNEL).backgroundThread(false).clock(clock)
            .retention(Retention.age(Duration.ofHours(1))).open())
        {
            append(journal, 1, 100);
            clock.advance(Duration.ofMinutes(40).toMillis());
            append(journal, 101, 200);
            doAllWork(journal);
            assertEquals(1, journal.firstSequence());

            clock.advance(Duration.ofMinutes(40).toMillis());
            append(journal, 201, 300);
            doAllWork(journal);
            final long first = journal.firstSequence();
            assertTrue(first > 1 && first <= 101, () -> "first=" + first);

            clock.advance(-Duration.ofDays(300).toMillis());
            append(journal, 301, 400);
            doAllWork(journal);
            assertEquals(first, journal.firstSequence(), "nothing is too old by a clock that was set back");

            clock.advance(Duration.ofDays(900).toMillis());
            append(journal, 401, 500);
            doAllWork(journal);
            assertRecords(journal, journal.firstSequence(), 500);
            assertTrue(journal.firstSequence() > first);
        }
    }

    private static void doAllWork(final Journal journal) throws Exception
    {
        while (0 != journal.backgroundAgent().doWork())
        {
            assertFalse(journal.isClosed());
        }
    }

    private static void append(final Journal journal, final long from, final long to)
    {
        for (long sequence = from; sequence <= to; sequence++)
        {
            assertEquals(sequence, journal.appender().append(sequence, record(sequence, RECORD_LENGTH)));
        }
    }

    private static void assertRecords(final Journal journal, final long from, final long to)
    {
        assertEquals(from, journal.firstSequence());
        final List<Long> sequences = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            while (sequences.size() < to - from + 1)
            {
                final int count = reader.poll((buffer, offset, length, header) ->
                {
                    assertEquals(from + sequences.size(), header.sequence());
                    assertEquals(header.sequence(), header.tag());
                    assertArrayEquals(
                        record(header.sequence(), RECORD_LENGTH), JournalFixture.bytes(buffer, offset, length));
                    sequences.add(header.sequence());
                }, (int)(to - from + 1 - sequences.size()));
                assertTrue(count > 0, () -> "ends at " + reader.nextSequence());
            }
        }
    }

    private Object fileKey(final long ordinal) throws IOException
    {
        return Files.getAttribute(directory.resolve(JournalFiles.segment(ordinal)), "fileKey");
    }

    private List<Object> segmentKeys() throws IOException
    {
        final List<Object> keys = new ArrayList<>();
        try (Stream<Path> files = Files.list(directory))
        {
            for (final Path file : (Iterable<Path>)files::iterator)
            {
                if (JournalFiles.isSegment(file.getFileName().toString()))
                {
                    keys.add(Files.getAttribute(file, "fileKey"));
                }
            }
        }

        return keys;
    }
}
