// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordBatch;
import io.journal.RecoveryReport;
import io.journal.internal.format.FrameHeader;
import io.journal.store.Backend;
import io.journal.tests.format.FormatOracle;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Batches: several records, of which a crash keeps all or none. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InMemory
class RecordBatchTest extends JournalFixture
{
    private static final int OVERHEAD = FrameHeader.LENGTH;
    /** Longest record that fits as the only record of a batch. */
    private static final int LARGEST_ALONE = SEGMENT_LENGTH - SEGMENT_HEADER_LENGTH - MARK_LENGTH - OVERHEAD;

    private final RecordBatch batch = new RecordBatch();

    private Journal open(final Backend backend, final int window)
    {
        return repeatable(backend).writeWindow(window).open();
    }

    /**
     * Fills the batch with records of certain lengths that continue a journal by {@link JournalFixture#appendNumbered}.
     */
    private RecordBatch numbered(final long lastSequence, final int... lengths)
    {
        batch.clear();
        for (int i = 0; i < lengths.length; i++)
        {
            final long sequence = lastSequence + 1 + i;
            batch.add(-sequence, record(sequence, lengths[i]));
        }

        return batch;
    }

    @Test
    void allFormsOfAppendAddTheSame()
    {
        final byte[] bytes = record(7, 100);
        final ByteBuffer direct = ByteBuffer.allocateDirect(100).put(bytes).flip();
        batch.add(record(1, 30));
        batch.add(2, record(2, 30));
        batch.add(3, bytes, 10, 50);
        batch.add(4, ByteBuffer.wrap(bytes, 10, 50));
        batch.add(5, direct.position(10).limit(60));
        batch.add(6, JournalAppender.wrap(bytes), 10, 50);
        assertEquals(6, batch.count());
        assertEquals(10, direct.position());
        assertEquals(60, direct.limit());

        final Journal journal = closing(open(Backend.MAPPED, 0));
        journal.appender().append(batch);
        final List<Entry> entries = readAll(journal);
        final byte[] part = Arrays.copyOfRange(bytes, 10, 60);
        assertEquals(
            List.of(
                new Entry(1, 0, record(1, 30)), new Entry(2, 2, record(2, 30)), new Entry(3, 3, part),
                new Entry(4, 4, part), new Entry(5, 5, part), new Entry(6, 6, part)),
            entries);
    }

    @EachBackend
    void batchCanBeAppendedAgainAndRefilled(final Backend backend) throws IOException
    {
        final List<Entry> expected = new ArrayList<>();
        try (Journal journal = open(backend, 0))
        {
            // Start with the longest record, so that the batch's buffer holds stale bytes of it.
            for (final int length : new int[]{ 777, 13, 1, 0, 9 })
            {
                numbered(0, length, length / 2, length);
                for (int i = 0; i < 2; i++)
                {
                    for (int k = 0; k < 3; k++)
                    {
                        expected.add(new Entry(
                            expected.size() + 1L, -1 - k, record(1 + k, 1 == k ? length / 2 : length)));
                    }
                    assertEquals(expected.size(), journal.appender().append(batch));
                    assertEquals(3, batch.count());
                }
            }
            assertEquals(expected, readAll(journal));
        }
        // The oracle also checks that only zeros lie between and after the records.
        assertEquals(expected, FormatOracle.read(directory()).entries());
    }

    @EachBackend
    void tooLongBatchIsRejectedAndNothingIsWritten(final Backend backend)
    {
        try (Journal journal = repeatable(backend).maxRecordLength(100).open())
        {
            appendNumbered(journal, 1, 100);
            final JournalAppender appender = journal.appender();
            final long end = journal.counters().appendedPosition();
            assertRefused(appender, numbered(1, 5, 101, 5));
            // Each record is short enough, but their sum is too long.
            final int[] lengths = new int[LARGEST_RECORD / 100];
            Arrays.fill(lengths, 100);
            assertRefused(appender, numbered(1, lengths));
            numbered(1, 5).clear();
            assertRefused(appender, batch);

            assertEquals(end, journal.counters().appendedPosition());
            assertEquals(3, appender.append(numbered(1, 100, 100)));
        }
        assertNumbered(1, 3, readAll(directory(), backend));
    }

    private static void assertRefused(final JournalAppender appender, final RecordBatch batch)
    {
        assertThrows(IllegalArgumentException.class, () -> appender.append(batch), batch::toString);
        assertThrows(IllegalArgumentException.class, () -> appender.appendIf(0, batch), batch::toString);
    }

    @EachBackend
    void largestBatchFillsASegment(final Backend backend)
    {
        try (Journal journal = open(backend, 64 * 1024))
        {
            appendNumbered(journal, 1, 10);
            final JournalAppender appender = journal.appender();
            assertRefused(appender, numbered(1, LARGEST_ALONE + 1));
            assertEquals(2, appender.append(numbered(1, LARGEST_ALONE)));
            assertEquals(2L * SEGMENT_LENGTH, journal.counters().appendedPosition());
            assertEquals(5, appender.append(numbered(2, 8, LARGEST_ALONE - 2 * OVERHEAD - 16, 8)));
            assertEquals(3L * SEGMENT_LENGTH, journal.counters().appendedPosition());
            assertRefused(appender, numbered(5, 8, LARGEST_ALONE - 2 * OVERHEAD - 16, 9));
            assertNumbered(1, 5, readAll(journal));
        }
        assertNumbered(1, 5, readAll(directory(), backend));
    }

    @Test
    void batchTakesSixteenMebibytesAtMost()
    {
        final int most = FrameHeader.MAX_RECORD_LENGTH;
        final byte[] quarter = new byte[most / 4 - OVERHEAD];
        for (int i = 0; i < 3; i++)
        {
            batch.add(i, quarter);
        }
        assertThrows(IllegalArgumentException.class, () -> batch.add(0, new byte[most / 4 + 64]));
        assertEquals(3, batch.count());
        batch.add(3, new byte[most / 4 - OVERHEAD - 64]);
        assertEquals(4, batch.count());
        assertThrows(IllegalArgumentException.class, () -> batch.add(0, new byte[64]));
        batch.clear();
        assertThrows(IllegalArgumentException.class, () -> batch.add(0, new byte[most + 1]));
        assertThrows(IllegalArgumentException.class, () -> batch.add(0, new byte[most - OVERHEAD + 1]));
        assertEquals(0, batch.count());
        batch.add(0, new byte[most - OVERHEAD]);
        assertEquals(1, batch.count());
    }

    @Tag("soak")
    @EachBackend
    void largestBatchOfAllIsWrittenAndRead(final Backend backend)
    {
        try (Journal journal =
            Journal.builder(directory()).backend(backend).writeWindow(0).segmentLength(32 * 1024 * 1024).open())
        {
            final int length = (FrameHeader.MAX_RECORD_LENGTH - 64) / 1000 - OVERHEAD - 8;
            final int[] lengths = new int[1000];
            Arrays.fill(lengths, length);
            assertEquals(1000, journal.appender().append(numbered(0, lengths)));
            assertEquals(2000, journal.appender().append(numbered(1000, lengths)));
            assertNumbered(1, 2000, readAll(journal));
        }
        assertNumbered(1, 2000, readAll(directory(), backend));
    }

    @EachBackend
    void batchGoesToTheNextSegmentAsAWhole(final Backend backend) throws IOException
    {
        for (int leftover = 0; leftover <= 160; leftover += 8)
        {
            final Path path = temp.resolve("leftover-" + leftover);
            try (Journal journal = repeatable(path, backend, 1).writeWindow(leftover / 40 * 1001).open())
            {
                fillSegment(journal, leftover);
                // 40 + 40 + 24 bytes.
                assertEquals(6, journal.appender().append(numbered(3, 16, 9, 0)));
                final boolean isFitting = leftover >= 3 * OVERHEAD + 32;
                assertEquals(
                    isFitting, journal.counters().appendedPosition() <= SEGMENT_LENGTH, "leftover=" + leftover);
            }
            assertNumbered(1, 6, FormatOracle.read(path).entries());
        }
    }

    @EachBackend
    void batchWithoutSpaceForTheNextSegmentIsNotWritten(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(StepStore.Step.CREATE);
        try (Journal journal = builder(backend, device).backgroundThread(false).open())
        {
            fillSegment(journal, 96);
            final long end = journal.counters().appendedPosition();
            device.beFull();
            assertThrows(JournalFullException.class, () -> journal.appender().append(numbered(3, 40, 40)));
            assertEquals(end, journal.counters().appendedPosition());
            assertEquals(3, journal.lastSequence());

            // A shorter batch still fits.
            assertEquals(4, journal.appender().append(numbered(3, 8)));
            device.work();
            assertEquals(6, journal.appender().append(numbered(4, 40, 40)));
            assertNumbered(1, 6, readAll(journal));
        }
        assertNumbered(1, 6, readAll(directory(), backend));
    }

    @EachBackend
    void readersSeeABatchAtOnce(final Backend backend)
    {
        final int batches = 2000;
        final int count = 7;
        try (Journal journal = open(backend, 1001); JournalReader reader = journal.openReader())
        {
            final Background appending = Background.start("appending", () ->
            {
                final RecordBatch batch = new RecordBatch();
                for (int i = 0; i < batches; i++)
                {
                    batch.clear();
                    for (int k = 0; k < count; k++)
                    {
                        batch.add(i, record(k, k));
                    }
                    assertEquals((i + 1L) * count, journal.appender().append(batch));
                }
            });
            while (reader.nextSequence() <= batches * count)
            {
                appending.check();
                final long next = reader.nextSequence();
                final boolean isMiddle = 1 != next % count;
                final int found = reader.poll((buffer, offset, length, header) ->
                {
                    // All records of the batch are published before the first is delivered.
                    final long end = (header.tag() + 1) * count;
                    assertTrue(journal.lastSequence() >= end, () -> "sequence=" + header.sequence());
                }, 1);
                assertTrue(found > 0 || !isMiddle, () -> "sequence=" + next);
            }
            appending.join();
        }
    }

    @EachBackend(except = Backend.DIRECT)
    void batchTornAtAnyByteIsLostAsAWhole(final Backend backend)
    {
        assertAllOrNone(
            backend,
            (segment, from, end) -> Arrays.fill(segment, from, segment.length, (byte)0),
            // Blocks reach the device in any order, so the beginning of the batch may be what is lost.
            (segment, from, end) -> Arrays.fill(segment, end - SMALL_BATCH, from + 1, (byte)0));
    }

    private static final int SMALL_BATCH = 4 * OVERHEAD + 8 + 16 + 24;

    private interface Loss
    {
        void apply(byte[] segment, int from, int end);
    }

    /** Crashes after an unforced batch, with a loss that begins at each byte of the batch in turn. */
    private void assertAllOrNone(final Backend backend, final Loss... losses)
    {
        final JournalDirectory crashed = new JournalDirectory(temp.resolve("crashed"));
        try (Journal journal = open(backend, 0))
        {
            appendNumbered(journal, 3, 20);
            journal.force();
            appendNumbered(journal, 1, 20);
            journal.appender().append(numbered(4, 5, 0, 16, 20));
            new JournalDirectory(directory()).copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        final String name = JournalDirectory.segmentName(0);
        final List<Frame> frames = crashed.records(0).subList(4, 8);
        final int start = frames.get(0).offset();
        final int end = crashed.end();
        assertEquals(SMALL_BATCH, end - start);

        assertEquals(8, lastSequence(crashed, backend, 0));
        for (int from = start; from < end; from++)
        {
            for (final Loss loss : losses)
            {
                final byte[] segment = image.get(name).clone();
                loss.apply(segment, from, end);
                // The batch is intact if the lost bytes were zero, or lay between frames.
                final boolean isWhole =
                    Arrays.equals(segment, image.get(name)) || isLossBetween(frames, segment, image);
                crashed.restore(image);
                crashed.put(name, segment);
                final long last = lastSequence(crashed, backend, isWhole ? 0 : start);
                assertEquals(isWhole ? 8 : 4, last, "from=" + (from - start));
            }
        }
    }

    private static boolean isLossBetween(
        final List<Frame> frames, final byte[] segment, final Map<String, byte[]> image)
    {
        final byte[] whole = image.get(JournalDirectory.segmentName(0));
        return frames.stream().allMatch((frame) -> Arrays.equals(
            segment, frame.offset(), frame.offset() + frame.length(), whole, frame.offset(),
            frame.offset() + frame.length()));
    }

    @Tag("slow")
    @Test
    void batchWithAnyBitFlippedIsLostAsAWhole()
    {
        assertAllOrNone(Backend.FILE_CHANNEL, IntStream.range(0, 8).mapToObj(
            (bit) -> (Loss)(segment, from, end) -> segment[from] ^= (byte)(1 << bit)).toArray(Loss[]::new));
    }

    @EachBackend
    void batchTornInARecycledSegmentIsLostAsAWhole(final Backend backend) throws Exception
    {
        final JournalDirectory crashed = new JournalDirectory(temp.resolve("crashed"));
        try (Journal journal = repeatable(backend).writeWindow(0).recycleSegments(true).open())
        {
            // Fill the segments with batches, so that recycled files hold frames of batches as stale bytes.
            while (journal.counters().appendedPosition() < 5L * SEGMENT_LENGTH)
            {
                journal.appender().append(numbered(journal.lastSequence(), 5, 0, 16, 20));
                journal.force();
                journal.prune(journal.lastSequence());
                journal.backgroundAgent().doWork();
            }
            journal.appender().append(numbered(journal.lastSequence(), 5, 0, 16, 20));
            new JournalDirectory(directory()).copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        final long ordinal = crashed.newestUsed();
        final String name = JournalDirectory.segmentName(ordinal);
        final List<Frame> records = crashed.records(ordinal);
        final List<Frame> frames = records.subList(records.size() - 4, records.size());
        final long before = frames.get(0).sequence() - 1;
        // Zeroes frames only: the stale bytes after the end are as a power loss leaves blocks that were not written.
        final byte[] zeroed = new byte[64];
        for (final Frame frame : frames)
        {
            crashed.restore(image);
            crashed.overwrite(name, frame.offset(), Arrays.copyOf(zeroed, frame.length()));
            try (Journal journal = repeatable(crashed.path, backend, 2)
                .store(StepStore.unforced(backend.store(crashed.path))).open())
            {
                assertEquals(before, journal.lastSequence());
                assertEquals(frames.get(0).position(), journal.recoveryReport().endPosition());
                journal.appender().append(numbered(before, 3, 3));
                assertEquals(before + 2, journal.lastSequence());
            }
            try (Journal journal = repeatable(crashed.path, backend, 3).open())
            {
                assertEquals(before + 2, journal.lastSequence());
                assertNumbered(journal.firstSequence(), before + 2, readAll(journal));
            }
        }
    }

    @EachBackend
    void recordsOfABatchFollowEachOtherAndAllButTheLastSayThatMoreFollows(final Backend backend) throws IOException
    {
        try (Journal journal = open(backend, 1001))
        {
            appendNumbered(journal, 2, 30);
            final JournalAppender appender = journal.appender();
            assertEquals(5, appender.append(numbered(2, 7, 0, 5000)));
            assertEquals(6, appender.append(numbered(5, 1)));
            appendNumbered(journal, 1, 30);
            assertEquals(9, appender.append(numbered(7, 0, 0)));
            assertNumbered(1, 9, readAll(journal));
            journal.awaitForced(4);
            assertEquals(9, journal.forcedSequence());
        }
        assertNumbered(1, 9, FormatOracle.read(directory()).entries());
        assertEquals(
            List.of(false, false, true, true, false, false, false, true, false),
            new JournalDirectory(directory()).records(0).stream().map(Frame::isMore).toList());
    }

    @EachBackend
    void followerSeesABatchOnceItsLastFrameIsThere(final Backend backend)
    {
        final JournalDirectory written = new JournalDirectory(temp.resolve("written"));
        try (Journal journal = open(backend, 0))
        {
            appendNumbered(journal, 4, 20);
            journal.force();
            journal.appender().append(numbered(4, 5, 0, 16, 20));
            appendNumbered(journal, 1, 20);
            new JournalDirectory(directory()).copyTo(written.path);
        }
        final String name = JournalDirectory.segmentName(0);
        final byte[] whole = written.read(name);
        final List<Frame> frames = written.records(0).subList(4, 8);
        final int start = frames.get(0).offset();
        final Frame last = frames.get(3);
        written.overwrite(name, start, new byte[SEGMENT_LENGTH - start]);
        try (ReadOnlyJournal journal = Journal.openReadOnly(written.path); JournalReader reader = journal.openReader())
        {
            assertNumbered(1, 4, poll(reader));
            for (int end = start; end < last.offset() + last.length(); end++)
            {
                assertEquals(4, journal.lastSequence());
                assertEquals(List.of(), poll(reader));
                written.overwrite(name, end, whole[end]);
            }
            assertEquals(8, journal.lastSequence());
            assertNumbered(5, 8, poll(reader));
            written.overwrite(name, start, Arrays.copyOfRange(whole, start, SEGMENT_LENGTH));
            assertNumbered(9, 9, poll(reader));
        }
    }

    /**
     * Opens a crashed journal, which must hold all records up to a position.
     *
     * @param cut offset where something is expected to be cut, or 0.
     */
    private long lastSequence(final JournalDirectory crashed, final Backend backend, final int cut)
    {
        try (Journal journal = repeatable(crashed.path, backend, 2)
            .store(StepStore.unforced(backend.store(crashed.path))).open())
        {
            final RecoveryReport report = journal.recoveryReport();
            assertEquals(cut > 0, report.tornLength() > 0 || report.endPosition() == cut, report::toString);
            assertNumbered(1, journal.lastSequence(), readAll(journal));
            // What comes next takes the batch's place.
            final long last = journal.lastSequence();
            journal.appender().append(numbered(last, 3, 3));
            assertNumbered(1, last + 2, readAll(journal));
            return last;
        }
    }

    @EachBackend(except = Backend.DIRECT)
    void durableBatchIsNeverTruncated(final Backend backend)
    {
        final JournalDirectory crashed = new JournalDirectory(temp.resolve("crashed"));
        try (Journal journal = open(backend, 0))
        {
            appendNumbered(journal, 3, 20);
            journal.appender().append(numbered(3, 5, 0, 16, 20));
            journal.force();
            new JournalDirectory(directory()).copyTo(crashed.path);
        }
        for (final Frame frame : crashed.records(0).subList(3, 7))
        {
            for (int offset = frame.offset(); offset < frame.offset() + frame.length(); offset++)
            {
                crashed.flip(frame.file(), offset, offset % 8);
                final Map<String, byte[]> before = crashed.content();
                assertThrows(
                    CorruptJournalException.class,
                    () -> Journal.builder(crashed.path).backend(backend).writeWindow(0)
                        .store(StepStore.unforced(backend.store(crashed.path))).open().close());
                crashed.assertHolds(before);
                crashed.flip(frame.file(), offset, offset % 8);
            }
        }
        assertNumbered(1, 7, readAll(crashed.path, backend));
    }
}
