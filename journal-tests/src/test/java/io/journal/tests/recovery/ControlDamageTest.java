// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.LongFunction;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.Saved;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.StepStore;
import io.journal.verify.JournalVerifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.littleEndian;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Damage to {@code journal.control}: a slot that rots loses one change, and never a change that must not come back.
 */
class ControlDamageTest extends RecoveryFixture
{
    @EachBackend
    void slotThatRotsLosesOneChangeOfACursorThatWasRaised(final Backend backend)
    {
        assertAfterRot(backend, List.of(4L, 7L), (cursor) -> cursor.save(4), (cursor) -> cursor.save(7));
    }

    @EachBackend
    void loweredCursorDoesNotComeBack(final Backend backend)
    {
        assertAfterRot(backend, List.of(3L), (cursor) -> cursor.save(9), (cursor) -> cursor.save(3));
    }

    @EachBackend
    void deletedCursorDoesNotComeBack(final Backend backend)
    {
        assertAfterRot(backend, List.of(), (cursor) -> cursor.save(9), JournalCursor::delete);
    }

    @EachBackend
    void cursorThatATruncationHasLoweredDoesNotComeBack(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(9);
            journal.truncateAfter(6);
            model.forgetAfter(6);
            live.copyTo(crashed.path);
        }
        assertAfterRot(backend, List.of(6L));
    }

    private interface Change
    {
        void apply(JournalCursor cursor);
    }

    private void assertAfterRot(final Backend backend, final List<Long> sequences, final Change... changes)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            final JournalCursor cursor = journal.cursor("a");
            for (final Change change : changes)
            {
                change.apply(cursor);
            }
            live.copyTo(crashed.path);
        }
        assertAfterRot(backend, sequences);
    }

    private void assertAfterRot(final Backend backend, final List<Long> sequences)
    {
        final Map<String, byte[]> image = crashed.content();
        for (final int slot : STATE_SLOTS)
        {
            crashed.restore(image);
            crashed.flip(CONTROL, slot + 50L, 3);
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                final List<Long> found = journal.cursorNames().stream()
                    .map((name) -> journal.cursor(name).sequence()).toList();
                assertTrue(sequences.containsAll(found) && found.isEmpty() == sequences.isEmpty(), found::toString);
            }
        }
    }

    /** Flips each bit in use, in either slot. */
    @Tag("slow")
    @Test
    void flippedBitOfAStateLosesNoConsumerARecord()
    {
        final Backend backend = Backend.FILE_CHANNEL;
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(9);
            journal.cursor("a").save(8);
            journal.cursor("b").save(9);
            journal.cursor("b").save(10);
            live.copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        for (int slot = 0; slot < 2; slot++)
        {
            final int length = littleEndian(image.get(CONTROL)).getInt(STATE_SLOTS[slot] + 8);
            for (int bit = 0; bit < 8 * length; bit++)
            {
                crashed.flip(CONTROL, STATE_SLOTS[slot] + bit / 8, bit % 8);
                final State state = crashed.state();
                assertNotNull(state);
                assertEquals(8, state.cursors().get("a").sequence());
                if (0 == bit % 37)
                {
                    crashed.put(segmentName(0), image.get(segmentName(0)));
                    try (Journal journal = openUnforced(crashed, backend))
                    {
                        model.assertHolds(journal);
                        assertEquals(8, journal.cursor("a").sequence());
                        assertTrue(List.of(9L, 10L).contains(journal.cursor("b").sequence()));
                    }
                }
                crashed.put(CONTROL, image.get(CONTROL));
            }
        }
    }

    /** The checksum is valid, so this is no rot but a mistake of the writer. */
    @EachBackend
    void impossibleStateIsRejectedInEitherSlot(final Backend backend)
    {
        crashWithUnforced(backend, 5, 0);
        final Map<String, byte[]> image = crashed.content();
        final State state = crashed.state();
        for (final State impossible : impossible(state))
        {
            for (final long generation : new long[]{ state.generation() + 1, state.generation() - 1 })
            {
                crashed.restore(image);
                crashed.writeState(impossible.withGeneration(generation));
                assertRefused(backend, "impossible state");
            }
        }
        for (final int slot : STATE_SLOTS)
        {
            // A valid state whose generation belongs into the other slot.
            crashed.restore(image);
            crashed.overwrite(
                CONTROL, slot, JournalDirectory.encoded(state.withGeneration(slot == STATE_SLOTS[0] ? 11 : 12)));
            assertRefused(backend, "impossible state");
        }
    }

    private static List<State> impossible(final State state)
    {
        final List<State> states = new ArrayList<>();
        final Cut newest = state.newest();
        final LongFunction<Cut> at = (position) -> new Cut(
            newest.number(), newest.term(), position, position, newest.sequence(), newest.previousTerm());
        states.add(state.withStart(1, 1));
        states.add(state.withStart(-SEGMENT_LENGTH, 1));
        states.add(state.withStart(1L << 62, 1));
        states.add(state.withStart(0, 0));
        states.add(state.withClosed(-1, 1));
        states.add(state.withClosed(1L << 62, 1));
        states.add(state.withClosed(8192, -1));
        states.add(cut(state, at.apply(4100)));
        states.add(cut(state, at.apply(SEGMENT_LENGTH)));
        states.add(cut(state, at.apply(-8)));
        states.add(cut(state, new Cut(newest.number() + 1, newest.term(), 4096, 4096, 1, 0)));
        states.add(cut(state, new Cut(newest.number(), newest.term() + 1, 4096, 4096, 1, 0)));
        states.add(cut(state, new Cut(newest.number(), newest.term(), 4104, 4096, 1, 0)));
        states.add(cut(state, new Cut(newest.number(), newest.term(), 4096, 4096, 0, 0)));
        states.add(cut(state, new Cut(newest.number(), newest.term(), 4096, 4096, 1, -1)));
        states.add(cut(state, new Cut(0, 5, 4096, 5000, 1, 0), at.apply(5000)));
        states.add(cut(state, new Cut(0, 5, 5000, 6000, 1, 0), new Cut(
            newest.number(), newest.term(), 5000, 6000, 2, 0)));
        states.add(state.withCursors(new TreeMap<>(Map.of(".a", new Saved(1, 0)))));
        states.add(state.withCursors(new TreeMap<>(Map.of("a b", new Saved(1, 0)))));
        states.add(state.withCursors(new TreeMap<>(Map.of("a".repeat(101), new Saved(1, 0)))));
        states.add(state.withCursors(new TreeMap<>(Map.of("a", new Saved(-1, 0)))));
        states.add(state.withCursors(new TreeMap<>(Map.of("a", new Saved(1, -1)))));
        return states;
    }

    private static State cut(final State state, final Cut... cuts)
    {
        return new State(
            state.generation(), state.number(), state.term(), state.startPosition(), state.startSequence(),
            state.startTerm(), state.prunedNumber(), 0, 0, List.of(cuts), state.cursors());
    }

    @EachBackend
    void cursorOfPrunedRecordsKeepsItsSequence(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            model.appendInto(journal, 2, 3000);
            journal.force();
            live.copyTo(crashed.path);
        }
        final State state = crashed.state();
        final long first = crashed.records(1).get(0).sequence();
        crashed.writeStates(state.withStart(SEGMENT_LENGTH, first).withGeneration(state.generation() + 1));

        final Journal journal = closing(open(crashed, backend));
        final JournalCursor cursor = journal.cursor("a");
        assertEquals(first, journal.firstSequence());
        assertEquals(5, cursor.sequence());
        assertEquals(model.size() - first + 1, cursor.lag());
        assertThrows(IllegalArgumentException.class, () -> cursor.save(first - 2));
        cursor.save(first - 1);
        assertEquals(model.size() - first + 1, cursor.lag());
        assertEquals(first - 1, journal.cursor("new").sequence());
    }

    private void assertRefused(final Backend backend, final String reason)
    {
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains(reason), ex.getMessage());
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
        assertTrue(isDamaged(), reason);
        crashed.assertHolds(before);
    }

    private boolean isDamaged()
    {
        try
        {
            return JournalVerifier.verify(crashed.path).isDamaged();
        }
        catch (final CorruptJournalException ex)
        {
            return true;
        }
    }

    /** The pages of a failed fsync may be clean, so the system never writes them again unless opening does. */
    @EachBackend
    void stateOfAnUnfinishedFsyncIsWrittenAgainBeforeTheNextOne(final Backend backend)
    {
        final FailingSteps failing =
            new FailingSteps((step, name) -> StepStore.Step.FORCE == step && CONTROL.equals(name));
        final Journal journal = open(live, backend, failing);
        model.append(journal, 10, 100);
        journal.cursor("a").save(4);
        failing.fail();
        assertThrows(JournalException.class, () -> journal.cursor("a").save(7));
        live.copyTo(crashed.path);
        assertThrows(JournalException.class, journal::close);

        final int slot = STATE_SLOTS[(int)(crashed.state().generation() % 2)];
        final List<String> steps = new ArrayList<>();
        open(crashed, backend, new StepStore.Steps()
        {
            @Override
            public boolean before(final StepStore.Step step, final String name)
            {
                if (StepStore.Step.FORCE == step && CONTROL.equals(name))
                {
                    steps.add("force");
                }
                return true;
            }

            @Override
            public boolean beforeWrite(final String name, final long offset, final int length)
            {
                if (CONTROL.equals(name) && offset >= STATE_SLOTS[0] && offset < WATERMARKS[0])
                {
                    steps.add("write " + offset);
                }
                return true;
            }
        }).close();
        assertEquals(List.of("write " + slot, "force"), steps.subList(0, 2));
    }
}
