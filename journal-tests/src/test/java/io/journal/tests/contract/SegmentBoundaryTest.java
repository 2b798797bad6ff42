// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.util.List;
import java.util.Map;
import java.util.Random;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.RecordModel;
import io.journal.verify.JournalVerifier;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Ends of a journal at and around the end of a segment, where one position can be expressed in several ways. */
class SegmentBoundaryTest extends RecoveryFixture
{
    /** Bytes left in the segment, around the lengths of a frame header and of a mark. */
    private static final int[] LEFT = { 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 96, 104, 112 };

    @Tag("slow")
    @EachBackend(and = { End.class, Next.class }, except = Backend.DIRECT)
    void endWithLittleLeftInTheSegmentLosesNothing(final Backend backend, final End end, final Next next)
        throws Exception
    {
        for (final int left : LEFT)
        {
            crashWithLeft(backend, left, end, next);
            assertContinues(backend, "left=" + left);
        }
    }

    /** How the journal was left. */
    private enum End
    {
        UNFORCED, FORCED, CLOSED
    }

    /** Whether the next segment is there. */
    private enum Next
    {
        ABSENT, PREPARED
    }

    /** Whole segments are cut, and the next term begins in one that is not there yet. */
    @EachBackend
    void truncationWithLittleLeftInTheSegmentIsNoDamage(final Backend backend) throws Exception
    {
        for (final int left : new int[]{ 0, 24, 56, 64 })
        {
            begin();
            try (Journal journal = openUnforced(live, backend))
            {
                model.append(journal, 2, 100);
                model.appendUpTo(journal, 0);
                final long last = journal.lastSequence();
                model.append(journal, 2, 100);
                model.appendUpTo(journal, left);
                journal.truncateAfter(last);
            }
            assertEquals(List.of(), JournalVerifier.verify(live.path).findings(), "left=" + left);
        }
    }

    /** Opens again and again, with a record between, small and large, and a crash each time. */
    private void assertContinues(final Backend backend, final String place)
    {
        final JournalDirectory start = directory("start");
        final JournalDirectory next = directory("next");
        final RecordModel all = model;
        for (final int length : new int[]{ 0, 13, 5000 })
        {
            model = all.copy();
            start.restore(crashed.content());
            try (Journal journal = openUnforced(start, backend))
            {
                assertHoldsAll(journal, place);
                model.append(journal, length);
                model.append(journal, 0);
                next.restore(Map.of());
                start.copyTo(next.path);
                model.assertHolds(journal);
            }
            try (Journal journal = openUnforced(next, backend))
            {
                assertHoldsAll(journal, place);
                model.append(journal, 2, 700);
                model.assertHolds(journal);
            }
        }
        model = all;
    }

    private void assertHoldsAll(final Journal journal, final String place)
    {
        model.assertHolds(journal);
        assertNothingCut(journal.recoveryReport());
        assertFalse(journal.recoveryReport().mayHaveLostAcknowledged(), place);
    }

    @EachBackend(and = Next.class, except = Backend.DIRECT)
    void damagedLastRecordOfAFullSegmentIsTruncated(final Backend backend, final Next next) throws Exception
    {
        for (final int left : LEFT)
        {
            crashWithLeft(backend, left, End.UNFORCED, next);
            final Frame last = crashed.lastRecord();
            Damage.BODY.apply(crashed, last);
            final byte[] before = crashed.read(segmentName(0));
            try (Journal journal = openUnforced(crashed, backend))
            {
                assertTorn(journal.recoveryReport(), crashed, 0, last.offset(), before);
                model.forgetAfter(model.size() - 1);
                model.assertHolds(journal);
                model.append(journal, last.body().length);
                model.append(journal, 2, 100);
                model.assertHolds(journal);
            }
        }
    }

    @EachBackend(and = Next.class, except = Backend.DIRECT)
    void damagedLastDurableRecordOfAFullSegmentIsReported(final Backend backend, final Next next) throws Exception
    {
        for (final int left : LEFT)
        {
            crashWithLeft(backend, left, End.FORCED, next);
            assertRefusedUnchanged(crashed, backend, crashed.lastRecord(), Damage.BODY);
            assertRefusedUnchanged(crashed, backend, crashed.lastRecord(), Damage.ZEROED);
        }
    }

    @EachBackend(except = Backend.DIRECT)
    void tornPaddingAboveTheWatermarkEndsTheJournal(final Backend backend)
    {
        for (final int left : new int[]{ 24, 32, 40, 48, 1000 })
        {
            for (final Damage damage : List.of(
                Damage.CHECKSUM, Damage.LENGTH, Damage.ZEROED_LENGTH, Damage.ZEROED))
            {
                final Frame padding = crashBehindPadding(backend, left, false);
                damage.apply(crashed, padding);
                final byte[] before = crashed.read(segmentName(1));
                assertEndsBefore(backend, padding, padding.sequence() - 1, 0);
                assertCut(crashed, 1, FIRST_OFFSET, contentEnd(before), before);
            }
        }
    }

    /** Opens the crashed journal, which ends with a record before a torn frame, and continues it. */
    private void assertEndsBefore(final Backend backend, final Frame torn, final long last, final int tornLength)
    {
        try (Journal journal = openUnforced(crashed, backend))
        {
            final RecoveryReport report = journal.recoveryReport();
            model.assertHolds(journal, last);
            assertEquals(torn.position(), report.endPosition());
            assertTrue(0 == tornLength || tornLength == report.tornLength(), report::toString);
            assertNames(report.tornReason(), torn);
            model.forgetAfter(last);
            model.append(journal, 3, 2000);
            model.assertHolds(journal);
        }
        try (Journal journal = openUnforced(crashed, backend))
        {
            model.assertHolds(journal);
        }
    }

    @EachBackend
    void tornPaddingBelowTheWatermarkIsRejected(final Backend backend)
    {
        for (final int left : new int[]{ 24, 32, 40, 48, 1000 })
        {
            final Frame padding = crashBehindPadding(backend, left, true);
            // The mark of the next segment lies below the padding, so the scan begins before the padding.
            assertTrue(crashed.frames(1).get(0).markedPosition() <= padding.position());
            crashed.writeForced(SEGMENT_LENGTH + FIRST_OFFSET, padding.sequence());
            assertRefusedUnchanged(crashed, backend, padding, Damage.CHECKSUM);
            assertRefusedUnchanged(crashed, backend, padding, Damage.ZEROED);
        }
    }

    @EachBackend
    void bytesInsidePaddingAreIgnored(final Backend backend)
    {
        for (final int left : new int[]{ 8, 16, 32, 40, 1000 })
        {
            crashBehindPadding(backend, left, false);
            final int from = left < 24 ? SEGMENT_LENGTH - left : SEGMENT_LENGTH - left + 24;
            final byte[] garbage = new byte[SEGMENT_LENGTH - from];
            new Random(left).nextBytes(garbage);
            crashed.overwrite(segmentName(0), from, garbage);
            try (Journal journal = openUnforced(crashed, backend))
            {
                assertHoldsAll(journal, "left=" + left);
            }
        }
    }

    @EachBackend(and = Damage.class, except = Backend.DIRECT)
    void tornFirstFrameOfTheNextSegmentEndsTheJournal(final Backend backend, final Damage damage)
    {
        for (final int left : new int[]{ 0, 8, 16, 24, 32, 40, 1000 })
        {
            crashBehindPadding(backend, left, false);
            final long last = crashed.records(1).get(0).sequence() - 1;
            final Frame mark = crashed.frames(1).get(0);
            damage.apply(crashed, mark);
            final byte[] before = crashed.read(segmentName(1));
            assertEndsBefore(backend, mark, last, contentEnd(before) - FIRST_OFFSET);
            assertCut(crashed, 1, FIRST_OFFSET, contentEnd(before), before);
        }
    }

    @EachBackend(and = Next.class)
    void durablePositionAtASegmentBoundaryIsRecognised(final Backend backend, final Next next) throws Exception
    {
        for (final int left : new int[]{ 0, 8, 16 })
        {
            crashWithLeft(backend, left, End.FORCED, next);
            final Map<String, byte[]> image = crashed.content();
            for (final int position : new int[]{ SEGMENT_LENGTH - left, SEGMENT_LENGTH - 8, SEGMENT_LENGTH,
                SEGMENT_LENGTH + 8, SEGMENT_LENGTH + FIRST_OFFSET })
            {
                crashed.restore(image);
                crashed.writeForced(position, model.size() + 1);
                try (Journal journal = openUnforced(crashed, backend))
                {
                    assertHoldsAll(journal, "left=" + left + ", position=" + position);
                }
            }
            crashed.restore(image);
            crashed.writeForced(SEGMENT_LENGTH + FIRST_OFFSET + 8, model.size() + 1);
            assertThrows(CorruptJournalException.class, () -> openUnforced(crashed, backend).close());
        }
    }

    @EachBackend
    void recordsThatFillWholeSegmentsAreRecovered(final Backend backend)
    {
        try (Journal journal = openUnforced(live, backend))
        {
            model.append(journal, 3, journal.appender().maxRecordLength());
            journal.force();
            model.append(journal, 2, journal.appender().maxRecordLength());
            live.copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        assertContinues(backend, "whole segments");

        crashed.restore(image);
        final Frame last = crashed.record(5);
        Damage.BODY.apply(crashed, last);
        final byte[] before = crashed.read(segmentName(4));
        try (Journal journal = openUnforced(crashed, backend))
        {
            model.assertHolds(journal, 4);
            assertTorn(journal.recoveryReport(), crashed, 4, last.offset(), before);
            model.forgetAfter(4);
            model.append(journal, 3, journal.appender().maxRecordLength());
            model.assertHolds(journal);
        }

        crashed.restore(image);
        assertRefusedUnchanged(crashed, backend, crashed.record(3), Damage.BODY);
    }

    private static int contentEnd(final byte[] bytes)
    {
        int end = bytes.length;
        while (0 == bytes[end - 1])
        {
            end--;
        }
        return end;
    }

    private void crashWithLeft(final Backend backend, final int left, final End end, final Next next) throws Exception
    {
        begin();
        try (Journal journal = openUnforced(live, backend))
        {
            model.append(journal, 2, 100);
            journal.force();
            model.appendUpTo(journal, left);
            if (Next.PREPARED == next)
            {
                prepareNext(journal, live);
            }
            if (End.FORCED == end)
            {
                journal.force();
            }
            assertEquals(SEGMENT_LENGTH - left, live.end());
            crashed.restore(live.content());
        }
        if (End.CLOSED == end)
        {
            crashed.restore(live.content());
        }
    }

    private Frame crashBehindPadding(final Backend backend, final int left, final boolean isForced)
    {
        begin();
        try (Journal journal = openUnforced(live, backend))
        {
            model.append(journal, 2, 100);
            journal.force();
            model.appendUpTo(journal, left);
            model.append(journal, 3, 2000);
            if (isForced)
            {
                journal.force();
            }
            crashed.restore(live.content());
        }
        final List<Frame> frames = crashed.frames(0);
        return frames.get(frames.size() - 1);
    }
}
