package io.journal.tests.damage;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.RecordModel;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.KIND_BATCH;
import static io.journal.tests.support.JournalDirectory.KIND_CLOSE;
import static io.journal.tests.support.JournalDirectory.KIND_MARK;
import static io.journal.tests.support.JournalDirectory.KIND_PADDING;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Hand-written frames with a valid checksum that are invalid otherwise, or of an unknown kind.
 */
class ForgedFrameTest extends RecoveryFixture
{
    private static final long KIND_UNKNOWN = 99;
    private static final long KIND_UNKNOWN_CRITICAL = 99 | 1L << 62;

    @EachBackend
    void frameOutOfSequenceIsRejectedAboveAndBelowTheWatermark(final Backend backend)
    {
        crashWithUnforced(backend, 3, 3);
        final Map<String, byte[]> image = crashed.content();
        for (final long sequence : new long[]{ 2, 5, 6 })
        {
            for (final long forged : new long[]{ sequence - 1, sequence + 1, 0, -sequence, Long.MIN_VALUE,
                Long.MAX_VALUE })
            {
                crashed.restore(image);
                final Frame frame = crashed.record(sequence);
                crashed.writeFrame(0, frame.offset(), false, forged, frame.tag(), frame.body());
                final String message = assertRefused(backend);
                assertNames(message, frame);
                assertTrue(message.contains("found=sequence " + forged), message);
            }
        }
    }

    @EachBackend
    void frameOutOfSequenceAfterTheEndIsRejected(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        crashed.writeFrame(0, crashed.end(), false, 7, 0, new byte[]{ 1 });

        final String message = assertRefused(backend);
        assertTrue(message.contains("expected=sequence 4"), message);
    }

    @EachBackend
    void nextRecordAfterTheEndIsAccepted(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        crashed.writeFrame(0, crashed.end(), false, 4, 17, new byte[]{ 1, 2, 3 });

        final Journal journal = closing(open(crashed, backend));
        final Entry last = readAll(journal).get(3);
        assertEquals(4, last.sequence());
        assertEquals(17, last.tag());
        assertArrayEquals(new byte[]{ 1, 2, 3 }, last.bytes());
    }

    @EachBackend
    void watermarkFrameOutOfSequenceIsRejected(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 1, 3000);
            live.copyTo(crashed.path);
        }
        final Frame mark = crashed.frames(1).get(0);
        crashed.writeMark(1, FIRST_OFFSET, mark.sequence() + 1, mark.markedPosition());

        assertNames(assertRefused(backend), mark);
    }

    @EachBackend
    void olderFrameOutOfSequenceIsReportedByTheReader(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            journal.force();
            live.copyTo(crashed.path);
        }
        final Frame frame = crashed.records(1).get(2);
        crashed.writeFrame(1, frame.offset(), false, frame.sequence() + 1, frame.tag(), frame.body());

        final Journal journal = closing(open(crashed, backend));
        assertReaderStaysAt(journal, frame);
    }

    @EachBackend
    void unknownCriticalControlFrameIsRejected(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        crashed.writeFrame(0, crashed.end(), true, 4, KIND_UNKNOWN_CRITICAL, new byte[16]);
        final Map<String, byte[]> before = crashed.content();

        final UnsupportedFormatException ex =
            assertThrows(UnsupportedFormatException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("file=" + segmentName(0)), ex.getMessage());
        crashed.assertHolds(before);
    }

    @EachBackend
    void readerStaysAtAnUnknownCriticalControlFrame(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            journal.force();
            live.copyTo(crashed.path);
        }
        final Frame frame = crashed.records(1).get(2);
        crashed.writeFrame(1, frame.offset(), true, frame.sequence(), KIND_UNKNOWN_CRITICAL, frame.body());

        try (Journal journal = open(crashed, backend);
            JournalReader reader = journal.openReader())
        {
            final List<Entry> found = new ArrayList<>();
            assertThrows(UnsupportedFormatException.class, () -> readOn(reader, found));
            assertThrows(UnsupportedFormatException.class, () -> readOn(reader, found));
            model.assertHolds(found, frame.sequence() - 1);
        }
    }

    @EachBackend
    void followerReadsUpToAnUnknownCriticalControlFrame(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        try (ReadOnlyJournal follower = Journal.openReadOnly(crashed.path);
            JournalReader reader = follower.openReader())
        {
            final List<Entry> found = new ArrayList<>();
            readOn(reader, found);
            crashed.writeFrame(0, crashed.end(), false, 4, 17, new byte[]{ 1, 2, 3 });
            crashed.writeFrame(0, crashed.end(), true, 5, KIND_UNKNOWN_CRITICAL, new byte[16]);

            assertThrows(UnsupportedFormatException.class, () -> readOn(reader, found));
            assertThrows(UnsupportedFormatException.class, () -> readOn(reader, found));
            assertEquals(4, found.size());
            assertEquals(17, found.get(3).tag());
        }
    }

    @EachBackend
    void unknownControlFrameIsPassedOver(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        for (final int length : new int[]{ 0, 1, 8, 100 })
        {
            crashed.writeFrame(0, crashed.end(), true, 4, KIND_UNKNOWN, RecordModel.bytes(length, length));
        }

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertNothingCut(journal.recoveryReport());
        model.append(journal, 3, 100);
        model.assertHolds(journal);
    }

    @EachBackend
    void controlFrameOfAWrongLengthIsNoFrame(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        final int end = crashed.end();
        final Map<String, byte[]> image = crashed.content();
        for (final long kind : new long[]{ KIND_PADDING, KIND_MARK, KIND_CLOSE, KIND_BATCH })
        {
            for (final int length : new int[]{ 0, 1, 16, 256 })
            {
                crashed.restore(image);
                crashed.writeFrame(0, end, true, 4, kind, new byte[length]);
                final byte[] before = crashed.read(segmentName(0));
                if (KIND_BATCH != kind || length < 8)
                {
                    try (Journal journal = open(crashed, backend))
                    {
                        model.assertHolds(journal);
                        assertQuarantined(journal.recoveryReport(), crashed, 0, end, before);
                    }
                }
            }
        }
    }

    @EachBackend
    void batchIsReadAsItsRecords(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        crashed.writeFrame(0, crashed.end(), true, 4, KIND_BATCH, batch(3, 5, 0, 8));

        final Journal journal = closing(open(crashed, backend));
        assertEquals(6, journal.lastSequence());
        final List<Entry> found = readAll(journal);
        assertEquals(6, found.size());
        assertArrayEquals(RecordModel.bytes(0, 5), found.get(3).bytes());
        assertArrayEquals(RecordModel.bytes(1, 0), found.get(4).bytes());
        assertArrayEquals(RecordModel.bytes(2, 8), found.get(5).bytes());
        assertEquals(1002, found.get(5).tag());
        assertEquals(7, journal.appender().append(new byte[]{ 1 }));
        final JournalReader reader = closing(journal.openReader());
        reader.seek(5);
        final List<Entry> rest = new ArrayList<>();
        readOn(reader, rest);
        assertEquals(List.of(5L, 6L, 7L), rest.stream().map(Entry::sequence).toList());
    }

    @EachBackend
    void damagedBatchIsTruncatedAsAWhole(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        final int end = crashed.end();
        final byte[] body = batch(3, 5, 0, 8);
        crashed.writeFrame(0, end, true, 4, KIND_BATCH, body);
        final Map<String, byte[]> image = crashed.content();
        for (int i = 0; i < 24 + body.length; i++)
        {
            crashed.restore(image);
            crashed.flip(segmentName(0), end + i, i % 8);
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertTrue(journal.recoveryReport().tornLength() > 0);
            }
        }
    }

    @EachBackend
    void batchOfAnImpossibleCountNeverChangesTheSequence(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        final int end = crashed.end();
        final Map<String, byte[]> image = crashed.content();
        for (final int count : new int[]{ 0, -1, -3, Integer.MIN_VALUE, Integer.MAX_VALUE, 4 })
        {
            crashed.restore(image);
            crashed.writeFrame(0, end, true, 4, KIND_BATCH, batch(count, 5, 0, 8));
            assertRefusedOrCut(backend, "count=" + count);
        }
    }

    @EachBackend
    void batchWhoseEntriesDoNotFillItIsRejected(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        final int end = crashed.end();
        final Map<String, byte[]> image = crashed.content();
        for (final int length : new int[]{ -1, Integer.MIN_VALUE, Integer.MAX_VALUE, 1000, 48 })
        {
            crashed.restore(image);
            final byte[] body = batch(3, 5, 0, 8);
            JournalDirectory.littleEndian(body).putInt(8, length);
            crashed.writeFrame(0, end, true, 4, KIND_BATCH, body);
            assertRefusedOrCut(backend, "length=" + length);
        }
    }

    /**
     * A batch with inconsistent contents was never written by a journal: it may be rejected or, where nothing attests
     * it, cut, but its count must not be believed.
     */
    private void assertRefusedOrCut(final Backend backend, final String place)
    {
        final Map<String, byte[]> before = crashed.content();
        try (Journal journal = open(crashed, backend))
        {
            assertEquals(3, journal.lastSequence(), place);
            model.assertHolds(journal);
            assertTrue(journal.recoveryReport().tornLength() > 0, place);
        }
        catch (final CorruptJournalException ex)
        {
            assertTrue(ex.getMessage().contains("file=" + segmentName(0)), ex.getMessage());
            crashed.assertHolds(before);
        }
    }

    private static byte[] batch(final int count, final int... lengths)
    {
        int total = 8;
        for (final int length : lengths)
        {
            total += 16 + JournalDirectory.align(length);
        }
        final byte[] body = new byte[total];
        final ByteBuffer buffer = JournalDirectory.littleEndian(body);
        buffer.putInt(0, count);
        int offset = 8;
        for (int i = 0; i < lengths.length; i++)
        {
            buffer.putInt(offset, lengths[i]);
            buffer.putLong(offset + 8, 1000 + i);
            buffer.put(offset + 16, RecordModel.bytes(i, lengths[i]));
            offset += 16 + JournalDirectory.align(lengths[i]);
        }

        return body;
    }

    private String assertRefused(final Backend backend)
    {
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        crashed.assertHolds(before);
        return ex.getMessage();
    }
}
