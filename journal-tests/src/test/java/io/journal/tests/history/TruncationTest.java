package io.journal.tests.history;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.MarkLoss;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.MARK;
import static io.journal.tests.support.JournalDirectory.META;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The next opening completes a pending truncation. The intent is written by hand.
 */
class TruncationTest extends RecoveryFixture
{
    @EachBackend
    void pendingTruncationIsCompletedOnOpen(final Backend backend)
    {
        crashWithSegments(backend);
        final Map<String, byte[]> image = crashed.content();
        for (long last = 0; last < model.size(); last += last < 5 ? 1 : 3)
        {
            crashed.restore(image);
            writeIntent(last);
            assertFinished(backend, last);
        }
    }

    @EachBackend
    void corruptionAfterACompletedTruncationIsReportedWithTheChanges(final Backend backend)
    {
        crashWithSegments(backend);
        final List<Frame> records = crashed.records(1);
        writeIntent(records.get(4).sequence());
        Damage.BODY.apply(crashed, records.get(2));
        final Map<String, byte[]> image = crashed.content();

        final CorruptJournalException followed =
            assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path));
        assertTrue(followed.getMessage().contains("nothing was changed"), followed::getMessage);
        crashed.assertHolds(image);

        final CorruptJournalException first =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend));
        assertNames(first.getMessage(), records.get(2));
        assertTrue(
            first.getMessage().contains("a pending truncation was completed, nothing else was changed"),
            first::getMessage);
        assertFalse(crashed.state().isPending());

        final CorruptJournalException second =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend));
        assertTrue(second.getMessage().contains("nothing was changed"), second::getMessage);
    }

    @EachBackend
    void truncationIsCompletedFromAnyOfItsSteps(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        writeIntent(last);
        final State state = crashed.state();
        final Map<String, byte[]> image = crashed.content();

        crashed.writeForced(state.epoch(), state.cutPosition(), last + 1);
        assertFinished(backend, last);

        crashed.restore(image);
        crashed.delete(segmentName(3));
        assertFinished(backend, last);

        crashed.restore(image);
        crashed.writeForced(state.epoch(), state.cutPosition(), last + 1);
        crashed.delete(segmentName(3));
        crashed.delete(segmentName(2));
        assertFinished(backend, last);

        final int from = (int)(state.cutPosition() % SEGMENT_LENGTH);
        for (int to = from; to <= SEGMENT_LENGTH; to += 4096)
        {
            crashed.restore(image);
            crashed.writeForced(state.epoch(), state.cutPosition(), last + 1);
            crashed.delete(segmentName(3));
            crashed.delete(segmentName(2));
            crashed.zero(segmentName(1), from, to);
            assertFinished(backend, last);

            // The device is free to do the last page first.
            crashed.restore(image);
            crashed.delete(segmentName(3));
            crashed.delete(segmentName(2));
            crashed.zero(segmentName(1), from + SEGMENT_LENGTH - to, SEGMENT_LENGTH);
            assertFinished(backend, last);
        }
    }

    @EachBackend
    void completionInterruptedAtAnyStepIsContinued(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        writeIntent(last);
        final List<Map<String, byte[]>> ends = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(crashed.path), (step, name) -> ends.add(crashed.content()));
        final State intent = crashed.state();
        model.builder(crashed, backend).store(store).open().close();

        assertTrue(ends.size() > 8, () -> "steps=" + ends.size());
        for (final Map<String, byte[]> end : ends)
        {
            crashed.restore(end);
            assertFinished(backend, last, intent);
        }
    }

    @EachBackend
    void completionWithAFailedStepIsContinued(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        writeIntent(last);
        final State intent = crashed.state();
        final Map<String, byte[]> image = crashed.content();
        int failures = 0;
        boolean isFailed;
        do
        {
            crashed.restore(image);
            final int failing = failures;
            final AtomicInteger count = new AtomicInteger();
            final StepStore store = new StepStore(backend.store(crashed.path), (step, name) ->
            {
                if (Step.MAKE_DIRECTORY != step && count.getAndIncrement() == failing)
                {
                    throw new IOException("injected");
                }
                return true;
            });
            isFailed = isFailing(model.builder(crashed, backend).store(store));
            failures++;
            assertFinished(backend, last, intent);
        }
        while (isFailed);

        assertTrue(failures > 8, "failures=" + failures);
    }

    private static boolean isFailing(final JournalBuilder builder)
    {
        try
        {
            builder.open().close();
            return false;
        }
        catch (final JournalException ex)
        {
            assertTrue(ex.getMessage().contains("injected"), ex.getMessage());
            return true;
        }
    }

    @EachBackend
    void truncationAtASegmentBoundaryIsCompleted(final Backend backend)
    {
        crashWithSegments(backend);
        final Map<String, byte[]> image = crashed.content();
        final Frame first = crashed.records(2).get(0);
        final long last = first.sequence() - 1;
        final List<Frame> frames = crashed.frames(1);
        final long lastEnd = frames.get(frames.size() - 1).position();
        for (final long position : new long[]{ lastEnd, 2L * SEGMENT_LENGTH + FIRST_OFFSET, first.position() })
        {
            crashed.restore(image);
            final State state = crashed.state();
            final long zeroEnd = (position / SEGMENT_LENGTH + 1) * SEGMENT_LENGTH;
            crashed.writeState(new State(
                state.generation() + 1, state.epoch() + 1, 0, 1, true, position, last + 1, zeroEnd));
            assertFinished(backend, last);
        }
    }

    @EachBackend
    void truncationIsCompletedWithoutAUsableMarkFile(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        writeIntent(last);
        final Map<String, byte[]> image = crashed.content();
        for (final MarkLoss loss : MarkLoss.values())
        {
            crashed.restore(image);
            loss.apply(crashed);
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal, last);
                if (MarkLoss.OF_A_STALE_EPOCH != loss)
                {
                    assertTrue(journal.recoveryReport().isRewritten(), loss::toString);
                }
            }
        }
    }

    @EachBackend
    void markFileFromBeforeAPendingTruncationStillAttests(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        writeIntent(7);
        Damage.BODY.apply(crashed, crashed.record(6));
        model.forgetAfter(5);

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        final RecoveryReport report = journal.recoveryReport();
        assertTrue(report.tornLength() > 0, report::toString);
        assertFalse(report.mayHaveLostAcknowledged(), report::toString);
    }

    @EachBackend
    void forceFlagSurvivesTheCompletionOfATruncation(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = model.size() - 1;
        writeIntent(last);
        crashed.raiseForceFlag();

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal, last);
        assertTrue(journal.recoveryReport().isRewritten());
    }

    @EachBackend
    void recordsThatReplaceTruncatedOnesSurviveTheNextCrash(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        writeIntent(last);
        final JournalDirectory next = directory("next");
        model.forgetAfter(last);

        try (Journal journal = open(crashed, backend))
        {
            // As long as the ones that lay there.
            model.append(journal, 1, 3000);
            crashed.copyTo(next.path);
            model.assertHolds(journal);
        }
        final Journal journal = closing(open(next, backend));
        model.assertHolds(journal);
        assertNothingCut(journal.recoveryReport());
        model.appendInto(journal, 4, 3000);
        model.assertHolds(journal);
    }

    @EachBackend
    void markFileFromBeforeATruncationIsIgnoredAfterIt(final Backend backend)
    {
        crashWithSegments(backend);
        final byte[] stale = crashed.read(MARK);
        final long last = crashed.records(1).get(4).sequence();
        writeIntent(last);
        open(crashed, backend).close();

        crashed.put(MARK, stale);
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal, last);
        assertFalse(journal.recoveryReport().isCleanlyClosed());
    }

    @EachBackend
    void damageToOneSlotDoesNotRepeatACompletedTruncation(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        writeIntent(last);
        model.forgetAfter(last);
        try (Journal journal = open(crashed, backend))
        {
            model.appendInto(journal, 3, 3000);
            model.append(journal, 2, 100);
        }
        final Map<String, byte[]> image = crashed.content();
        for (final int slot : new int[]{ 1, 2 })
        {
            crashed.restore(image);
            crashed.flip(META, (long)slot * BLOCK_LENGTH + 1000, 1);
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertNothingCut(journal.recoveryReport());
            }
        }
    }

    @EachBackend
    void damageToOneSlotDoesNotRepeatTheTruncationOfARecovery(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        Damage.BODY.apply(crashed, crashed.record(7));
        model.forgetAfter(6);
        try (Journal journal = open(crashed, backend))
        {
            model.append(journal, 10, 100);
        }
        final Map<String, byte[]> image = crashed.content();
        for (final int slot : new int[]{ 1, 2 })
        {
            crashed.restore(image);
            crashed.flip(META, (long)slot * BLOCK_LENGTH, 0);
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertNothingCut(journal.recoveryReport());
            }
        }
    }

    @EachBackend
    void epochGrowsWithEveryTruncation(final Backend backend)
    {
        JournalDirectory directory = crashed;
        crashWithUnforced(backend, 5, 3);
        final long first = directory.state().epoch();
        for (int cut = 1; cut <= 5; cut++)
        {
            final JournalDirectory next = directory("cut-" + cut);
            Damage.BODY.apply(directory, directory.lastRecord());
            model.forgetAfter(model.size() - 1);
            try (Journal journal = open(directory, backend))
            {
                model.assertHolds(journal);
                assertEquals(first + cut, directory.state().epoch());
                assertEquals(first + cut, directory.forced().epoch());
                model.append(journal, 1, 100);
                directory.copyTo(next.path);
            }
            directory = next;
        }
    }

    @EachBackend
    void foreignSegmentAtATruncationIsRejected(final Backend backend)
    {
        crashWithSegments(backend);
        writeIntent(crashed.records(1).get(4).sequence());
        final Map<String, byte[]> image = crashed.content();

        crashed.adopt(segmentName(1), new UUID(1, 1));
        assertRefused(backend);

        crashed.restore(image);
        crashed.cut(segmentName(1), 20_000);
        assertRefused(backend);

        crashed.restore(image);
        crashed.flip(segmentName(1), 200, 1);
        assertRefused(backend);

        crashed.restore(image);
        crashed.delete(segmentName(1));
        assertRefused(backend);
    }

    @EachBackend
    void impossibleIntentIsRejected(final Backend backend)
    {
        crashWithSegments(backend);
        final Map<String, byte[]> image = crashed.content();
        final State state = crashed.state();
        final long cut = crashed.records(1).get(4).position();
        final long end = 2L * SEGMENT_LENGTH;
        final long[][] impossible = {
            { -1, 5, end }, { 0, 1, SEGMENT_LENGTH }, { 100, 1, SEGMENT_LENGTH }, { SEGMENT_LENGTH, 5, end },
            { cut + 1, 5, end }, { Long.MAX_VALUE, 5, Long.MAX_VALUE },
            { 9L * SEGMENT_LENGTH + 5000, 5, 10L * SEGMENT_LENGTH },
            { cut, 0, end }, { cut, -7, end }, { cut, 5, cut - 8 }, { cut, 5, 0 }, { cut, 5, end + 8 },
            { cut, 5, Long.MAX_VALUE },
            { cut, 5, Long.MIN_VALUE } };
        for (final long[] intent : impossible)
        {
            crashed.restore(image);
            crashed.writeState(new State(
                state.generation() + 1, state.epoch() + 1, 0, 1, true, intent[0], intent[1], intent[2]));
            final Map<String, byte[]> before = crashed.content();
            assertThrows(
                JournalException.class, () -> open(crashed, backend).close(), () -> Arrays.toString(intent));
            crashed.assertHolds(before);
        }
    }

    @EachBackend
    void intentOfAnUnknownKindIsRejected(final Backend backend)
    {
        crashWithSegments(backend);
        writeIntent(5);
        final State state = crashed.state();
        final long offset = (1 + state.generation() % 2) * BLOCK_LENGTH;
        final byte[] slot = crashed.read(META, offset, offset + BLOCK_LENGTH);
        slot[32] = 2;
        crashed.overwrite(META, offset, JournalDirectory.sealed(slot));

        assertRefused(backend);
    }

    private void crashWithSegments(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 3, 100);
            model.forceAndMark(journal);
            model.appendInto(journal, 3, 3000);
            model.forceAndMark(journal);
            model.append(journal, 3, 100);
            live.copyTo(crashed.path);
        }
    }

    /**
     * Writes down that everything behind a record is to go.
     */
    private void writeIntent(final long lastSequence)
    {
        final State state = crashed.state();
        final long position = 0 == lastSequence ? FIRST_OFFSET : crashed.record(lastSequence).endPosition();
        final long zeroEnd = (position / SEGMENT_LENGTH + 1) * SEGMENT_LENGTH;
        crashed.writeState(new State(
            state.generation() + 1, state.epoch() + 1, state.startPosition(), state.startSequence(), true, position,
            lastSequence + 1, zeroEnd));
    }

    private void assertFinished(final Backend backend, final long lastSequence)
    {
        assertFinished(backend, lastSequence, crashed.state());
    }

    private void assertFinished(final Backend backend, final long lastSequence, final State intent)
    {
        final long ordinal = intent.cutPosition() / SEGMENT_LENGTH;
        final int offset = (int)(intent.cutPosition() % SEGMENT_LENGTH);
        try (Journal journal = open(crashed, backend))
        {
            model.assertHolds(journal, lastSequence);
            final State state = crashed.state();
            assertFalse(state.isPending());
            assertEquals(intent.epoch(), state.epoch());
            assertEquals(intent.epoch(), crashed.forced().epoch());
            assertEquals(ordinal, crashed.newest());
            // Nothing lies behind but what an opening puts there.
            assertTrue(crashed.records(ordinal).stream().allMatch((frame) -> frame.end() <= offset));
            final int from = Math.max(offset, crashed.end());
            final byte[] behind = crashed.read(segmentName(ordinal), from, SEGMENT_LENGTH);
            assertArrayEquals(new byte[SEGMENT_LENGTH - from], behind);
        }
    }

    private void assertRefused(final Backend backend)
    {
        final Map<String, byte[]> before = crashed.content();
        assertThrows(JournalException.class, () -> open(crashed, backend).close());
        crashed.assertHolds(before);
    }
}
