// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.MarkLoss;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.FORCING_OFFSET;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Truncations are cuts: the removed records stay in place, and the log continues after them. */
class TruncationTest extends RecoveryFixture
{
    @EachBackend
    void whatIsTruncatedIsKeptInPlace(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        model.append(journal, 20, 500);
        journal.force();
        final Frame first = live.record(13);
        final int end = live.end();
        final byte[] before = live.read(segmentName(0));

        journal.truncateAfter(12);

        final Cut cut = live.state().newest();
        assertEquals(new Cut(
            live.state().number(), live.state().term(), first.position(), end, 13, live.frames(0).get(0).markedTerm()),
            cut);
        model.forgetAfter(12);
        model.append(journal, 3, 700);
        journal.force();
        assertCut(live, 0, first.offset(), end, before);
        final Frame mark = JournalDirectory.frameAt(live.read(segmentName(0)), 0, end);
        assertTrue(mark.isMark());
        assertEquals(cut.number(), mark.markedNumber());
        assertEquals(cut.term(), mark.markedTerm());
        assertEquals(cut.previousTerm(), mark.markedPreviousTerm());
        model.assertHolds(journal);
    }

    @EachBackend
    void truncationIsOneCutWhereverItsRecordsLie(final Backend backend)
    {
        crashWithSegments(backend);
        final Map<String, byte[]> image = crashed.content();
        for (long last = 0; last < model.size(); last += last < 5 ? 1 : 3)
        {
            crashed.restore(image);
            try (Journal journal = openUnforced(crashed, backend))
            {
                journal.truncateAfter(last);
                model.assertHolds(journal, last);
                assertEquals(1, crashed.state().cuts().size());
                final List<Long> kept = crashed.ordinals();
                assertTrue(
                    kept.stream().noneMatch((ordinal) -> isDead(crashed.state().newest(), ordinal)),
                    () -> kept + ", " + crashed.state());
            }
            assertHoldsAndContinues(backend, last);
        }
    }

    private static boolean isDead(final Cut cut, final long ordinal)
    {
        return ordinal > 0 && cut.from() <= ordinal * SEGMENT_LENGTH + FIRST_OFFSET &&
            cut.to() >= (ordinal + 1) * SEGMENT_LENGTH;
    }

    private void assertHoldsAndContinues(final Backend backend, final long last)
    {
        final RecordModel all = model;
        model = model.copy();
        model.forgetAfter(last);
        for (int opening = 0; opening < 2; opening++)
        {
            try (Journal journal = openUnforced(crashed, backend))
            {
                model.assertHolds(journal);
                assertNothingCut(journal.recoveryReport());
                model.append(journal, 3, 2500);
            }
        }
        model = all;
    }

    @EachBackend
    void truncatingAndAppendingTheSameNumberStaysOneCutAndTakesNoSpace(final Backend backend)
    {
        final Journal journal = closing(openUnforced(live, backend));
        model.append(journal, 5, 1000);
        for (int i = 0; i < 1000; i++)
        {
            model.append(journal, 10, 100);
            journal.truncateAfter(5);
            model.forgetAfter(5);
        }
        assertEquals(1, live.state().cuts().size());
        assertTrue(live.ordinals().size() <= 3, () -> live.ordinals().toString());
        assertTrue(live.newest() > 10, () -> live.ordinals().toString());
        model.append(journal, 10, 100);
        model.assertHolds(journal);

        live.copyTo(crashed.path);
        try (Journal next = openUnforced(crashed, backend))
        {
            model.assertHolds(next);
        }
    }

    @EachBackend
    void deadSegmentsDoNotCountForRetention(final Backend backend) throws Exception
    {
        for (final boolean isRecycling : new boolean[]{ false, true })
        {
            begin();
            truncateAndRetain(backend, isRecycling);
        }
    }

    private void truncateAndRetain(final Backend backend, final boolean isRecycling) throws Exception
    {
        final long seed = Long.getLong("journal.test.seed", 1);
        final Random random = new Random(seed);
        final Retention retention = Retention.bytes(6L * SEGMENT_LENGTH);
        final StepStore store = StepStore.unforced(backend.store(live.path));
        long kept = 1;
        try (Journal journal = model.builder(live, backend).store(store).retention(retention)
            .recycleSegments(isRecycling).open())
        {
            for (int round = 0; round < 200; round++)
            {
                model.append(journal, 1 + random.nextInt(30), 1 + random.nextInt(3000));
                journal.force();
                runAgent(journal);
                // If the journal is below the limit, this round must have dropped nothing; otherwise it dropped too
                // much.
                final long used = usedBytes(journal);
                if (used < 5L * SEGMENT_LENGTH)
                {
                    assertEquals(kept, journal.firstSequence(), () -> "seed=" + seed + ", bytes=" + used);
                }
                kept = journal.firstSequence();
                if (random.nextBoolean())
                {
                    final long last = Math.max(kept - 1, journal.lastSequence() - random.nextInt(100));
                    journal.truncateAfter(last);
                    model.forgetAfter(last);
                }
                assertHolds(journal, seed);
            }
            crashed.restore(live.content());
        }
        try (Journal journal = openUnforced(crashed, backend))
        {
            assertHolds(journal, seed);
        }
    }

    private void assertHolds(final Journal journal, final long seed)
    {
        final long first = journal.firstSequence();
        assertEquals(model.size(), journal.lastSequence(), () -> "seed=" + seed);
        final List<Entry> found = readAll(journal);
        assertEquals(model.size() - first + 1, found.size(), () -> "seed=" + seed);
        for (final Entry entry : found)
        {
            assertEquals(model.entry(entry.sequence()), entry, () -> "seed=" + seed);
        }
    }

    /** Bytes of segments that are there. */
    private long usedBytes(final Journal journal)
    {
        return (long)SEGMENT_LENGTH * live.ordinals().stream()
            .filter((ordinal) -> ordinal * SEGMENT_LENGTH < journal.counters().appendedPosition()).count();
    }

    @Tag("slow")
    @EachBackend
    void tooManyCutsAreRefusedAndPruningMakesRoom(final Backend backend)
    {
        final StepStore store = StepStore.unforced(backend.store(live.path));
        try (Journal journal = model.builder(live, backend).store(store).open())
        {
            model.append(journal, 2, 10);
            final IllegalStateException ex = assertThrows(IllegalStateException.class, () ->
            {
                for (int i = 0; i < 2000; i++)
                {
                    model.append(journal, 2, 10);
                    journal.truncateAfter(model.size() - 1);
                    model.forgetAfter(model.size() - 1);
                }
            });
            assertTrue(ex.getMessage().contains("prune"), ex::getMessage);
            final int cuts = live.state().cuts().size();
            assertTrue(cuts > 1000, () -> "cuts=" + cuts);
            // Nothing was changed.
            model.assertHolds(journal);
            model.append(journal, 3, 100);
            final long last = model.size();
            assertThrows(IllegalStateException.class, () -> journal.truncateAfter(last - 1));
            model.assertHolds(journal);
            // A cut that is merged with the newest cut needs no room.
            live.copyTo(crashed.path);

            journal.prune(journal.lastSequence());
            assertTrue(live.state().cuts().size() < cuts);
            journal.truncateAfter(last - 1);
            model.forgetAfter(last - 1);
            model.append(journal, 2, 100);
            assertHolds(journal, 0);
        }
        try (Journal journal = openUnforced(live, backend))
        {
            assertHolds(journal, 0);
        }
        // Nor does an opening, which then begins its term without a cut of its own.
        final JournalDirectory next = directory("next");
        model = model.copy();
        try (Journal journal = openUnforced(crashed, backend))
        {
            assertNothingCut(journal.recoveryReport());
            crashed.copyTo(next.path);
        }
        final Frame end = next.lastFrame();
        next.overwrite(end.file(), end.end(), new byte[]{ 1, 2, 3 });
        try (Journal journal = openUnforced(next, backend))
        {
            assertEquals(3, journal.recoveryReport().tornLength());
            appendNumbered(journal, 3, 100);
        }
        try (Journal journal = openUnforced(next, backend))
        {
            assertNothingCut(journal.recoveryReport());
        }
    }

    @EachBackend
    void truncationIsKeptWithoutAWatermarkAndWithThatOfAnEarlierTerm(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        final byte[][] stale = new byte[1][];
        try (Journal journal = open(crashed, backend))
        {
            stale[0] = crashed.read(CONTROL, WATERMARKS[0], FORCING_OFFSET);
            journal.truncateAfter(last);
            crashed.copyTo(directory("next").path);
        }
        crashed = directory("next");
        final Map<String, byte[]> image = crashed.content();
        for (final MarkLoss loss : MarkLoss.values())
        {
            crashed.restore(image);
            loss.apply(crashed);
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal, last);
            }
        }
        crashed.restore(image);
        crashed.overwrite(CONTROL, WATERMARKS[0], stale[0]);
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal, last);
        assertTrue(journal.recoveryReport().mayHaveLostAcknowledged());
    }

    @EachBackend
    void damageToOneSlotDoesNotUndoATruncation(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        try (Journal journal = open(crashed, backend))
        {
            journal.truncateAfter(last);
            model.forgetAfter(last);
            crashed.copyTo(directory("at-once").path);
            model.appendInto(journal, 6, 3000);
            model.append(journal, 2, 100);
            journal.force();
            crashed.copyTo(directory("later").path);
        }
        for (final String name : List.of("at-once", "later"))
        {
            final JournalDirectory found = directory(name);
            final Map<String, byte[]> image = found.content();
            for (final int slot : STATE_SLOTS)
            {
                found.restore(image);
                found.flip(CONTROL, slot + 60L, 1);
                try (Journal journal = open(found, backend))
                {
                    model.assertHolds(journal, "later".equals(name) ? model.size() : last);
                    assertNothingCut(journal.recoveryReport());
                }
            }
        }
    }

    @EachBackend
    void eachOpeningAndEachTruncationBeginsATerm(final Backend backend)
    {
        JournalDirectory directory = crashed;
        crashWithUnforced(backend, 5, 3);
        long number = directory.state().number();
        long term = directory.state().term();
        for (int i = 1; i <= 5; i++)
        {
            final JournalDirectory next = directory("cut-" + i);
            Damage.BODY.apply(directory, directory.lastRecord());
            model.forgetAfter(model.size() - 1);
            try (Journal journal = open(directory, backend))
            {
                model.assertHolds(journal);
                term = assertNextTerm(directory, ++number, term);
                model.append(journal, 3, 100);
                journal.truncateAfter(model.size() - 1);
                model.forgetAfter(model.size() - 1);
                term = assertNextTerm(directory, ++number, term);
                journal.truncateAfter(model.size());
                assertEquals(number, directory.state().number(), "nothing was truncated");
                model.append(journal, 1, 100);
                directory.copyTo(next.path);
            }
            directory = next;
        }
    }

    private static long assertNextTerm(final JournalDirectory directory, final long number, final long before)
    {
        final State state = directory.state();
        assertEquals(number, state.number());
        assertEquals(number, state.newest().number());
        assertEquals(state.term(), state.newest().term());
        assertEquals(state.term(), directory.forced().term());
        assertTrue(before != state.term());
        return state.term();
    }

    /** The crash comes before the segment is made in which the term begins. */
    @EachBackend
    void termThatBeginsInAnAbsentSegmentContinuesThere(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 1, 3000);
            model.appendUpTo(journal, 32);
            final List<Frame> records = live.records(0);
            final long last = records.get(records.size() - 1).sequence();
            journal.truncateAfter(last);
            model.forgetAfter(last);
            live.copyTo(crashed.path);
        }
        for (int opening = 0; opening < 2; opening++)
        {
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                model.append(journal, 3, 100);
                model.assertHolds(journal);
            }
        }
    }

    /** After a power loss, the directory may contain the names of deleted segments again. */
    @EachBackend
    void deadSegmentsThatComeBackAreDeleted(final Backend backend)
    {
        crashWithSegments(backend);
        final Map<String, byte[]> segments = crashed.content();
        segments.keySet().removeIf((name) -> !name.endsWith(".journal"));
        final long last = crashed.records(0).get(4).sequence();
        try (Journal journal = open(crashed, backend))
        {
            journal.truncateAfter(last);
            model.forgetAfter(last);
            model.append(journal, 3, 100);
            journal.force();
            crashed.copyTo(directory("next").path);
        }
        crashed = directory("next");
        final List<Long> ordinals = crashed.ordinals();
        assertFalse(ordinals.contains(1L), ordinals::toString);
        segments.forEach((name, bytes) ->
        {
            if (!crashed.exists(name))
            {
                crashed.put(name, bytes);
            }
        });
        try (Journal journal = open(crashed, backend))
        {
            model.assertHolds(journal);
            assertNothingCut(journal.recoveryReport());
            assertEquals(ordinals, crashed.ordinals());
        }
    }

    @EachBackend
    void damagedOrForeignFilesAroundACutAreRejected(final Backend backend)
    {
        crashWithSegments(backend);
        final long last = crashed.records(1).get(4).sequence();
        try (Journal journal = open(crashed, backend))
        {
            journal.truncateAfter(last);
            model.forgetAfter(last);
            model.append(journal, 3, 100);
            journal.force();
            crashed.copyTo(directory("next").path);
        }
        crashed = directory("next");
        final Map<String, byte[]> image = crashed.content();
        final long newest = crashed.newestUsed();
        assertTrue(newest > 1);
        for (final String name : List.of(segmentName(newest), segmentName(0)))
        {
            for (final Runnable harm : List.<Runnable>of(
                () -> crashed.adopt(name, new UUID(1, 1)), () -> crashed.cut(name, 20_000),
                () -> crashed.flip(name, 200, 1), () -> crashed.delete(name)))
            {
                crashed.restore(image);
                harm.run();
                assertNotSilentlyAccepted(backend);
            }
        }
    }

    /** Opening does not scan segments below the segment of the durable watermark; readers report their damage. */
    private void assertNotSilentlyAccepted(final Backend backend)
    {
        final Map<String, byte[]> before = crashed.content();
        final List<Entry> found = new ArrayList<>();
        final boolean[] isOpened = { false };
        assertThrows(JournalException.class, () ->
        {
            try (Journal journal = open(crashed, backend))
            {
                isOpened[0] = true;
                try (JournalReader reader = journal.openReader())
                {
                    readOn(reader, found);
                }
            }
        });
        if (!isOpened[0])
        {
            crashed.assertHolds(before);
        }
        model.assertHolds(found, found.size());
    }

    @EachBackend
    void handlerMayTruncateItsOwnJournal(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        model.append(journal, 30, 1000);
        try (JournalReader reader = journal.openReader())
        {
            final List<Long> seen = new ArrayList<>();
            reader.poll((buffer, offset, length, header) ->
            {
                seen.add(header.sequence());
                if (10 == header.sequence())
                {
                    journal.truncateAfter(20);
                    model.forgetAfter(20);
                }
            }, 10);
            assertEquals(10, seen.size());
            assertTrue(JournalReader.State.TRUNCATED != reader.state());
            model.append(journal, 5, 2000);
            final List<Entry> rest = poll(reader);
            assertEquals(15, rest.size());
            rest.forEach((entry) -> assertEquals(model.entry(entry.sequence()), entry));

            // The handler truncates after the record that it receives.
            reader.seek(1);
            reader.poll((buffer, offset, length, header) ->
            {
                if (10 == header.sequence())
                {
                    journal.truncateAfter(5);
                    model.forgetAfter(5);
                }
            }, 10);
            assertEquals(JournalReader.State.TRUNCATED, reader.state());
        }
        model.append(journal, 5, 100);
        model.assertHolds(journal);
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
}
