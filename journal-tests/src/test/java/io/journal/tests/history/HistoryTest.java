// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@InMemory
class HistoryTest extends JournalFixture
{
    private static final int RECORD_LENGTH = 1000;
    private static final int RECORDS_PER_SEGMENT = 59;
    private static final long YEARS_MS = Duration.ofDays(75 * 365).toMillis();

    private final TestClock clock = new TestClock();

    /** Otherwise pruning would never end if appends completed segments as fast as it fsyncs. */
    @EachBackend
    void pruningFsyncsNoSegmentThatItKeeps(final Backend backend)
    {
        final List<String> forced = new ArrayList<>();
        try (Journal journal = builder(backend,
            (step, name) -> StepStore.Step.FORCE != step || !JournalFiles.isSegment(name) || forced.add(name))
            .backgroundThread(false).open())
        {
            append(journal, 1, 300);
            forced.clear();
            journal.prune(130);
            assertEquals(List.of(JournalFiles.segment(0), JournalFiles.segment(1)), forced);
            assertRecords(journal, journal.firstSequence(), 300);
        }
    }

    @EachBackendAndWindow
    void rolledSegmentCanBePrunedWithTheNextRecord(final Backend backend, final int window)
    {
        final Journal journal = closing(builder(directory(), backend).writeWindow(window).open());
        journal.roll();
        append(journal, 1, 10);
        journal.roll();
        journal.roll();
        append(journal, 11, 11);
        assertEquals(11, journal.prune(11));
        assertRecords(journal, 11, 11);
    }

    @EachBackend
    void truncationInTheNewestSegmentKeepsThePreparedOne(final Backend backend) throws IOException
    {
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            append(journal, 1, 150);
            doWork(journal);
            assertEquals(1, journal.counters().preparedSegments());
            final Object file = fileKey(3);
            journal.truncateAfter(140);
            assertEquals(1, journal.counters().preparedSegments());
            assertEquals(file, fileKey(3));
            append(journal, 141, 400);
            assertRecords(journal, 1, 400);
            doWork(journal);
            journal.truncateAfter(140);
            // The log continues after the cut, and the segments within the cut are deleted.
            assertEquals(1, journal.counters().preparedSegments());
            assertFalse(Files.exists(segment(directory(), 3)));
            append(journal, 141, 160);
            doWork(journal);
            journal.truncateAfter(155);
        }
        final Journal journal = closing(builder(directory(), backend).open());
        append(journal, 156, 300);
        assertRecords(journal, 1, 300);
    }

    @EachBackend
    void truncationEndsTheRestraintOfAFullDisk(final Backend backend)
    {
        final FailingSteps device =
            new FailingSteps((step, name) -> StepStore.Step.CREATE == step && JournalFiles.isSpare(name));
        try (Journal journal = builder(backend, device).backgroundThread(false).open())
        {
            append(journal, 1, 400);
            device.beFull();
            runAgent(journal);
            device.work();
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
        try (Journal journal = builder(directory(), backend).recycleSegments(true).backgroundThread(false).open();
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
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            assertRecords(journal, journal.firstSequence(), 900);
            append(journal, 901, 1000);
            assertRecords(journal, journal.firstSequence(), 1000);
        }
        assertTrue(picture(directory()).keySet().stream().noneMatch(JournalFiles::isSpare));
    }

    @EachBackend
    void staleBytesWithPossibleSequencesAreNotQuarantined(final Backend backend)
    {
        final JournalDirectory image = new JournalDirectory(temp.resolve("image"));
        final long end;
        try (Journal journal = builder(directory(), backend).recycleSegments(true).backgroundThread(false).open())
        {
            append(journal, 1, 200);
            journal.prune(150);
            append(journal, 201, 350);
            end = journal.counters().appendedPosition();
            new JournalDirectory(directory()).copyTo(image.path);
        }
        final byte[] stale = new byte[16];
        JournalDirectory.littleEndian(stale).putLong(0, Integer.MAX_VALUE).putLong(8, 360);
        for (long offset = end % SEGMENT_LENGTH + 8; offset + 24 <= SEGMENT_LENGTH; offset += 24)
        {
            image.overwrite(JournalDirectory.segmentName(end / SEGMENT_LENGTH), offset, stale);
        }
        try (Journal journal = builder(image.path, backend).open())
        {
            assertEquals(end, journal.recoveryReport().endPosition());
            assertEquals(0, journal.recoveryReport().tornLength());
            assertRecords(journal, journal.firstSequence(), 350);
        }
    }

    @EachBackend
    void noMoreThanTheRetainedBytesAreKept(final Backend backend) throws IOException
    {
        final Journal journal = retaining(backend, Retention.bytes(4 * SEGMENT_LENGTH));
        for (int i = 0; i < 10; i++)
        {
            append(journal, i * 100L + 1, i * 100L + 100);
            runAgent(journal);
        }
        assertTrue(segmentKeys().size() <= 5, () -> "with the one that is prepared");
        assertRecords(journal, journal.firstSequence(), 1000);
        assertTrue(journal.firstSequence() > 1000 - 5 * RECORDS_PER_SEGMENT);
    }

    private Journal retaining(final Backend backend, final Retention retention)
    {
        return closing(builder(directory(), backend).backgroundThread(false).clock(clock).retention(retention).open());
    }

    @Test
    void segmentsArePrunedByBytesOrAgeWhicheverComesFirst()
    {
        final Retention retention = Retention.bytes(4 * SEGMENT_LENGTH).andAge(Duration.ofHours(1));
        assertEquals(4 * SEGMENT_LENGTH, retention.maxBytes());
        assertEquals(Duration.ofHours(1).toMillis(), retention.maxAgeMs());
        assertFalse(retention.ignoringCursors().andAge(Duration.ofHours(1)).isRespectingCursors());
        final Journal journal = retaining(Backend.FILE_CHANNEL, retention);
        append(journal, 1, 1000);
        journal.force();
        runAgent(journal);
        assertTrue(journal.firstSequence() > 1000 - 5 * RECORDS_PER_SEGMENT, "by bytes, however young");

        append(journal, 1001, 1001);
        for (long sequence = 1002; sequence <= 1004; sequence++)
        {
            clock.advance(Duration.ofHours(sequence <= 1003 ? 2 : 0).toMillis());
            journal.roll();
            append(journal, sequence, sequence);
            runAgent(journal);
        }
        assertEquals(1002, journal.firstSequence(), "by age, though the bytes are few");
    }

    @Test
    void clockInTheFutureForAMomentNeitherStopsRetentionByAgeNorDropsAllHistory()
    {
        final Journal journal = retaining(Backend.FILE_CHANNEL, Retention.age(Duration.ofMinutes(10)));
        appendMinutes(journal, 1, 10);
        assertEquals(1, journal.firstSequence());
        clock.advance(YEARS_MS);
        appendMinutes(journal, 11, 11);
        clock.advance(-YEARS_MS);
        final long first = journal.firstSequence();
        assertTrue(first <= 3, () -> "dropped at once up to " + first);
        appendMinutes(journal, 12, 40);
        final long last = journal.firstSequence();
        assertTrue(last >= 28 && last <= 31, () -> "the oldest is " + (40 - last) + " minutes old");
    }

    /** Each segment is dated by the clock when it was started. */
    @Test
    void clockInThePastForAMomentDropsNothingEarly()
    {
        clock.advance(YEARS_MS);
        final Journal journal = retaining(Backend.FILE_CHANNEL, Retention.age(Duration.ofMinutes(10)));
        append(journal, 1, 1);
        clock.advance(-YEARS_MS);
        appendMinutes(journal, 2, 2);
        clock.advance(YEARS_MS);
        for (long minute = 3; minute <= 9; minute++)
        {
            appendMinutes(journal, minute, minute);
            assertEquals(1, journal.firstSequence());
        }
        appendMinutes(journal, 10, 40);
        assertTrue(journal.firstSequence() >= 28);
    }

    @Test
    void clockInTheFutureForAMomentDoesNotMisleadTheSearchForATime()
    {
        final Journal journal = retaining(Backend.FILE_CHANNEL, Retention.none());
        final List<Long> times = new ArrayList<>();
        for (long minute = 1; minute <= 16; minute++)
        {
            final long wrongMs = minute >= 6 && minute <= 9 ? YEARS_MS : 0;
            clock.advance(wrongMs);
            appendMinutes(journal, minute, minute);
            clock.advance(-wrongMs);
            times.add(clock.time());
        }
        final JournalReader reader = closing(journal.openReader());
        for (int minute = 10; minute <= 16; minute++)
        {
            reader.seekToTime(Instant.ofEpochMilli(times.get(minute - 1) + 1));
            assertEquals(minute, reader.nextSequence());
        }
    }

    /** Appends a record every minute, each into a segment of its own. */
    private void appendMinutes(final Journal journal, final long from, final long to)
    {
        for (long sequence = from; sequence <= to; sequence++)
        {
            clock.advance(Duration.ofMinutes(1).toMillis());
            journal.roll();
            append(journal, sequence, sequence);
            journal.force();
            runAgent(journal);
        }
    }

    @Test
    void segmentsArePrunedByAge()
    {
        final Journal journal = retaining(Backend.FILE_CHANNEL, Retention.age(Duration.ofHours(1)));
        append(journal, 1, 100);
        clock.advance(Duration.ofMinutes(40).toMillis());
        appendAndRunAgent(journal, 101, 200);
        assertEquals(1, journal.firstSequence());
        clock.advance(Duration.ofMinutes(40).toMillis());
        appendAndRunAgent(journal, 201, 300);
        final long first = journal.firstSequence();
        assertTrue(first > 1 && first <= 101, () -> "first=" + first);

        clock.advance(-Duration.ofDays(300).toMillis());
        appendAndRunAgent(journal, 301, 400);
        assertEquals(first, journal.firstSequence(), "nothing is too old by a clock that was set back");
        clock.advance(Duration.ofDays(900).toMillis());
        appendAndRunAgent(journal, 401, 500);
        assertRecords(journal, journal.firstSequence(), 500);
        assertTrue(journal.firstSequence() > first);
    }

    private static void appendAndRunAgent(final Journal journal, final long from, final long to)
    {
        append(journal, from, to);
        runAgent(journal);
    }

    private static void append(final Journal journal, final long from, final long to)
    {
        assertEquals(from, journal.lastSequence() + 1);
        appendNumbered(journal, (int)(to - from + 1), RECORD_LENGTH);
    }

    private static void assertRecords(final Journal journal, final long from, final long to)
    {
        assertEquals(from, journal.firstSequence());
        assertEquals(to, journal.lastSequence());
        assertNumbered(from, to, readAll(journal));
    }

    private Object fileKey(final long ordinal) throws IOException
    {
        return Files.getAttribute(segment(directory(), ordinal), "fileKey");
    }

    private List<Object> segmentKeys() throws IOException
    {
        final List<Object> keys = new ArrayList<>();
        for (final long ordinal : new JournalDirectory(directory()).ordinals())
        {
            keys.add(fileKey(ordinal));
        }
        return keys;
    }
}
