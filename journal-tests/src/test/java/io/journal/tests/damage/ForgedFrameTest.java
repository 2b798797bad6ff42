// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

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
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.RecordModel;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Hand-written frames with a valid checksum that are invalid otherwise, or of an unknown kind. */
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
        crashWithForcedSegments(backend, 2, 3000);
        final Frame frame = crashed.records(1).get(2);
        crashed.writeFrame(1, frame.offset(), false, frame.sequence() + 1, frame.tag(), frame.body());

        final Journal journal = closing(open(crashed, backend));
        assertReaderStaysAt(journal, frame);
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
    void batchThatContinuesWithAnotherSequenceIsCorruption(final Backend backend)
    {
        crashWithUnforced(backend, 3, 0);
        writeMore(2);
        crashed.writeFrame(0, crashed.end(), false, 7, 1002, new byte[8]);
        assertTrue(assertRefused(backend).contains("sequence 6"));
    }

    /** Appends the first records of a batch without its last one. */
    private void writeMore(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final Frame last = crashed.lastFrame();
            final long sequence = last.isControl() ? last.sequence() : last.sequence() + 1;
            crashed.writeMore(0, last.end(), sequence, 1000 + i, RecordModel.bytes(i, 1 == i ? 0 : 5));
        }
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
