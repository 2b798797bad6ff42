// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.recovery.MarkLoss;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.FORCING_OFFSET;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Opening after a clean close, and after changes to a cleanly closed journal. */
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
        assertEquals(endPosition, report.endPosition());
        assertEquals(model.size(), report.lastSequence());
        assertNothingCut(report);
        assertFalse(report.isRewritten());
        assertFalse(report.mayHaveLostAcknowledged());
        model.assertHolds(journal);
    }

    @EachBackend
    void watermarkFrameOfTheNextTermIsForcedBeforeOpenReturns(final Backend backend)
    {
        closeCleanly(backend);
        final int end = live.end();
        final long number = live.state().number();

        final Journal journal = closing(open(live, backend));
        final List<Frame> frames = live.frames(live.newestUsed());
        final Frame last = frames.get(frames.size() - 1);
        assertTrue(last.isMark());
        assertEquals(end, last.offset());
        assertEquals(number + 1, last.markedNumber());
        assertEquals(live.state().term(), last.markedTerm());
        assertEquals(last.endPosition(), journal.counters().forcedPosition());
        assertEquals(last.endPosition(), live.forced().position());
        assertFalse(live.state().isClosed());
    }

    @EachBackend
    void garbageBehindTheEndIsOverwrittenBeforeARecordIsAppended(final Backend backend)
    {
        final long endPosition = closeCleanly(backend);
        final long ordinal = live.newestUsed();
        final byte[] garbage = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
        live.overwrite(segmentName(ordinal), endPosition % SEGMENT_LENGTH, garbage);
        live.overwrite(segmentName(ordinal), SEGMENT_LENGTH - garbage.length, garbage);

        final Journal journal = closing(open(live, backend));
        final RecoveryReport report = journal.recoveryReport();
        assertTrue(report.isCleanlyClosed(), report::toString);
        assertEquals(0, report.tornLength(), report::toString);
        assertEquals(endPosition, report.endPosition());
        final byte[] bytes = live.read(segmentName(ordinal));
        final int end = (int)(journal.counters().appendedPosition() % SEGMENT_LENGTH);
        assertArrayEquals(new byte[SEGMENT_LENGTH - end], Arrays.copyOfRange(bytes, end, SEGMENT_LENGTH));
        model.assertHolds(journal);
        model.append(journal, 3, 100);
        model.assertHolds(journal);
    }

    @EachBackend
    void garbageFurtherBehindTheEndNeverBecomesARecord(final Backend backend)
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
    void recordsOtherThanAtTheCloseAreCorruption(final Backend backend)
    {
        closeCleanly(backend);
        final Map<String, byte[]> image = live.content();
        final State state = live.state();
        final long position = state.closedPosition();
        final long sequence = state.closedSequence();
        for (final State other : List.of(
            state.withClosed(position + 8, sequence), state.withClosed(position, sequence + 1),
            state.withClosed(position, sequence - 1), state.withClosed(live.lastRecord().position(), sequence - 1),
            state.withClosed(live.record(1).endPosition(), 2), state.withClosed(position + SEGMENT_LENGTH, sequence)))
        {
            live.restore(image);
            live.loseForced();
            live.writeStates(other.withGeneration(state.generation() + 1));
            assertRejected(backend, live, "");
        }
    }

    @EachBackend
    void lostWatermarkAfterACleanCloseLosesNothing(final Backend backend)
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
                assertTrue(journal.recoveryReport().isCleanlyClosed(), loss::toString);
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

    /** If the segment has less room than a frame, the next term begins in the next segment. */
    @EachBackend
    void stateOfTheCloseIsRejectedOnceTheNextTermHasBegun(final Backend backend)
    {
        for (final int left : new int[]{ 1000, 16 })
        {
            begin();
            try (Journal journal = open(live, backend))
            {
                model.appendUpTo(journal, left);
            }
            final byte[] earlier = live.read(CONTROL);
            try (Journal journal = open(live, backend))
            {
                if (left > 16)
                {
                    live.copyTo(crashed.path);
                    assertOlderStateIsRejected(backend, earlier);
                }
                model.append(journal, 3, 50);
                live.copyTo(crashed.path);
                assertOlderStateIsRejected(backend, earlier);
            }
        }
    }

    private void assertOlderStateIsRejected(final Backend backend, final byte[] earlier)
    {
        crashed.put(CONTROL, earlier);
        assertRejected(backend, crashed, "older copy");
    }

    private CorruptJournalException assertRejected(
        final Backend backend, final JournalDirectory directory, final String reason)
    {
        final Map<String, byte[]> before = directory.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(directory, backend).close());
        assertTrue(ex.getMessage().contains(reason), ex::getMessage);
        directory.assertHolds(before);
        return ex;
    }

    /** The watermark is not fsynced: after a power loss, the watermark of the earlier close may be back. */
    @EachBackend
    void zeroedSectorBehindTheEndOfAnEarlierSessionIsCorruption(final Backend backend)
    {
        closeCleanly(backend);
        final int end = live.end();
        final String segment = segmentName(live.newestUsed());
        final byte[] earlier = live.read(CONTROL, WATERMARKS[0], FORCING_OFFSET);
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
        crashed.overwrite(CONTROL, WATERMARKS[0], earlier);
        crashed.zero(segment, end, end + 512);
        assertEquals(end, assertRejected(backend, crashed, "below the durable watermark").offset());
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
    }
}
