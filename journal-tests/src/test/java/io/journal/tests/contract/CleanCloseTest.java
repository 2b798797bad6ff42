package io.journal.tests.contract;

import java.util.List;
import java.util.Map;
import java.util.Random;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.MarkLoss;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;

import static io.journal.tests.support.JournalDirectory.CLOSE_LENGTH;
import static io.journal.tests.support.JournalDirectory.KIND_CLOSE;
import static io.journal.tests.support.JournalDirectory.MARK;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Opening after a clean close, and after changes to a cleanly closed journal.
 */
class CleanCloseTest extends RecoveryFixture
{
    @EachBackend
    void nothingIsScannedAfterACleanClose(final Backend backend)
    {
        final long endPosition = closeCleanly(backend);

        final Journal journal = closing(open(live, backend));
        final RecoveryReport report = journal.recoveryReport();
        assertTrue(report.isCleanlyClosed());
        assertEquals(report.endPosition(), report.scanStartPosition());
        assertEquals(endPosition + CLOSE_LENGTH, report.endPosition());
        assertEquals(model.size(), report.lastSequence());
        assertNothingCut(report);
        assertFalse(report.isRewritten());
        assertFalse(report.mayHaveLostAcknowledged());
        model.assertHolds(journal);
    }

    @EachBackend
    void watermarkFrameIsForcedAfterTheCloseFrameBeforeOpenReturns(final Backend backend)
    {
        closeCleanly(backend);
        final int closeEnd = live.end();

        final Journal journal = closing(open(live, backend));
        final List<Frame> frames = live.frames(live.newestUsed());
        final Frame last = frames.get(frames.size() - 1);
        assertTrue(last.isMark());
        assertEquals(closeEnd, last.offset());
        assertEquals(last.endPosition(), journal.counters().forcedPosition());
        assertEquals(last.endPosition(), live.forced().position());
    }

    @EachBackend
    void garbageAfterTheCloseFrameIsTruncatedByAScan(final Backend backend)
    {
        final long endPosition = closeCleanly(backend) + CLOSE_LENGTH;
        final long ordinal = live.newestUsed();
        final byte[] garbage = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
        live.overwrite(segmentName(ordinal), endPosition % SEGMENT_LENGTH, garbage);
        final byte[] before = live.read(segmentName(ordinal));

        final Journal journal = closing(open(live, backend));
        final RecoveryReport report = journal.recoveryReport();
        model.assertHolds(journal);
        assertFalse(report.isCleanlyClosed());
        assertEquals(endPosition, report.endPosition());
        assertQuarantined(report, live, ordinal, (int)(endPosition % SEGMENT_LENGTH), before);
    }

    @EachBackend
    void garbageFurtherAfterTheCloseFrameNeverBecomesARecord(final Backend backend)
    {
        closeCleanly(backend);
        final long ordinal = live.newestUsed();
        final int from = live.end() + 64;
        final byte[] garbage = new byte[SEGMENT_LENGTH - from];
        new Random(99).nextBytes(garbage);
        live.overwrite(segmentName(ordinal), from, garbage);

        JournalDirectory directory = live;
        for (int length = 0; length < 200; length += 13)
        {
            final JournalDirectory next = directory("crash-" + length);
            try (Journal journal = open(directory, backend))
            {
                model.append(journal, length);
                model.assertHolds(journal);
                directory.copyTo(next.path);
            }
            directory = next;
        }
        final Journal journal = closing(open(directory, backend));
        model.assertHolds(journal);
    }

    @EachBackend
    void damagedCloseFrameIsCorruptionOfDurableData(final Backend backend)
    {
        closeCleanly(backend);
        final Frame close = live.lastFrame();
        assertTrue(close.isControl());
        assertEquals(KIND_CLOSE, close.tag());

        assertRefusedUnchanged(live, backend, close, Damage.BODY);
        assertRefusedUnchanged(live, backend, close, Damage.ZEROED);
    }

    @EachBackend
    void damagedCloseFrameAboveTheWatermarkIsTruncated(final Backend backend)
    {
        closeCleanly(backend);
        final Frame close = live.lastFrame();
        live.delete(MARK);
        Damage.BODY.apply(live, close);

        final Journal journal = closing(open(live, backend));
        model.assertHolds(journal);
        assertFalse(journal.recoveryReport().isCleanlyClosed());
        assertEquals(close.position(), journal.recoveryReport().endPosition());
        assertNames(journal.recoveryReport().tornReason(), close);
    }

    @EachBackend
    void missingMarkFileAfterACleanCloseLosesNothing(final Backend backend)
    {
        closeCleanly(backend);
        final Map<String, byte[]> image = live.content();
        for (final MarkLoss loss : MarkLoss.values())
        {
            live.restore(image);
            loss.apply(live);

            try (Journal journal = open(live, backend))
            {
                model.assertHolds(journal);
                assertFalse(journal.recoveryReport().isCleanlyClosed(), loss::toString);
                assertNothingCut(journal.recoveryReport());
            }
        }
    }

    @EachBackend
    void raisedForceFlagAfterACleanCloseLeadsToAScan(final Backend backend)
    {
        closeCleanly(backend);
        live.raiseForceFlag();

        final Journal journal = closing(open(live, backend));
        model.assertHolds(journal);
        assertFalse(journal.recoveryReport().isCleanlyClosed());
    }

    @EachBackend
    void closeFrameOfAnEarlierSessionIsNotTheEnd(final Backend backend)
    {
        closeCleanly(backend);
        final byte[] earlierMark = live.read(MARK);
        try (Journal journal = open(live, backend))
        {
            live.copyTo(crashed.path);
            crashed.put(MARK, earlierMark);
            try (Journal other = open(crashed, backend))
            {
                assertFalse(other.recoveryReport().isCleanlyClosed());
                model.assertHolds(other);
            }

            model.append(journal, 3, 50);
            live.copyTo(crashed.path);
            crashed.put(MARK, earlierMark);
        }

        final Journal journal = closing(open(crashed, backend));
        assertFalse(journal.recoveryReport().isCleanlyClosed());
        model.assertHolds(journal);
    }

    @EachBackend
    void closeFrameOfAnEarlierSessionIsNotTheEndIfASegmentFollows(final Backend backend)
    {
        // Less than a frame behind the close frame's mark: what follows lies in the next segment.
        try (Journal journal = open(live, backend))
        {
            model.appendUpTo(journal, CLOSE_LENGTH + MARK_LENGTH + 16);
        }
        final byte[] earlierMark = live.read(MARK);
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 3, 50);
            live.copyTo(crashed.path);
        }
        crashed.put(MARK, earlierMark);

        final Journal journal = closing(open(crashed, backend));
        assertFalse(journal.recoveryReport().isCleanlyClosed());
        model.assertHolds(journal);
    }

    /** The mark file is not fsynced: after a power loss it may be that of the close. */
    @EachBackend
    void zeroedSectorBehindACloseFrameOfAnEarlierSessionIsCorruption(final Backend backend)
    {
        closeCleanly(backend);
        final int closeEnd = live.end();
        final String segment = segmentName(live.newestUsed());
        final byte[] earlierMark = live.read(MARK);
        try (Journal journal = open(live, backend))
        {
            for (int i = 0; i < 3; i++)
            {
                model.append(journal, 3, 400);
                model.forceAndMark(journal);
            }
            model.append(journal, 400);
            journal.force();
            live.copyTo(crashed.path);
        }
        crashed.put(MARK, earlierMark);
        crashed.zero(segment, closeEnd, closeEnd + 512);
        final Map<String, byte[]> before = crashed.content();

        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("below the durable watermark"), ex::getMessage);
        assertEquals(closeEnd, ex.offset());
        crashed.assertHolds(before);
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
    }

    @EachBackend
    void damageBeforeACleanCloseIsReportedByTheReader(final Backend backend)
    {
        closeCleanly(backend);
        final Frame damaged = live.record(model.size() - 1);
        Damage.BODY.apply(live, damaged);

        final Journal journal = closing(open(live, backend));
        assertTrue(journal.recoveryReport().isCleanlyClosed());
        assertReaderStaysAt(journal, damaged);
    }
}
