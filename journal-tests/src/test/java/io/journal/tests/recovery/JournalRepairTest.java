// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.RecordModel;
import io.journal.verify.JournalRepair;
import io.journal.verify.JournalRepair.Rebuild;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.CONTROL_LENGTH;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Damaged metadata is rebuilt from the other files; if they do not suffice, that is reported and nothing is changed.
 */
class JournalRepairTest extends RecoveryFixture
{
    private static final int BLOCK = 4096;

    private static Map<String, Consumer<JournalDirectory>> damagesOfControl()
    {
        final Map<String, Consumer<JournalDirectory>> damages = new TreeMap<>();
        damages.put("absent", (directory) -> directory.delete(CONTROL));
        damages.put("empty", (directory) -> directory.cut(CONTROL, 0));
        damages.put("shorter", (directory) -> directory.cut(CONTROL, 2 * BLOCK));
        damages.put("longer", (directory) -> directory.overwrite(CONTROL, CONTROL_LENGTH, new byte[10]));
        damages.put("zeroed", (directory) -> directory.zero(CONTROL, 0, CONTROL_LENGTH));
        damages.put("identity", (directory) -> directory.flip(CONTROL, 40, 3));
        damages.put("magic", (directory) -> directory.flip(CONTROL, 0, 3));
        damages.put("segment length", (directory) -> directory.flip(CONTROL, 50, 1));
        damages.put("both slots", JournalRepairTest::spoilStates);
        return damages;
    }

    private static void spoilStates(final JournalDirectory directory)
    {
        directory.flip(CONTROL, STATE_SLOTS[0] + 50L, 0);
        directory.flip(CONTROL, STATE_SLOTS[1] + 50L, 0);
    }

    @EachBackend
    void damagedControlFileIsRebuiltFromTheSegments(final Backend backend)
    {
        crashAfterTruncationAndPruning(backend);
        final State state = crashed.state();
        final Map<String, byte[]> image = crashed.content();
        for (final Map.Entry<String, Consumer<JournalDirectory>> damage : damagesOfControl().entrySet())
        {
            crashed.restore(image);
            damage.getValue().accept(crashed);
            final Map<String, byte[]> damaged = crashed.content();
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend), damage.getKey());

            final List<Rebuild> rebuilds = JournalRepair.rebuildable(crashed.path);

            assertEquals(1, rebuilds.size(), damage.getKey());
            assertEquals(CONTROL, rebuilds.get(0).file());
            assertEquals(0, rebuilds.get(0).lost());
            crashed.assertHolds(damaged);

            rebuild();

            assertEquals(List.of(), JournalRepair.rebuildable(crashed.path));
            assertEquals(state.number(), crashed.state().number(), damage.getKey());
            assertEquals(state.term(), crashed.state().term(), damage.getKey());
            assertEquals(state.startPosition(), crashed.state().startPosition());
            assertFalse(verify().isDamaged(), damage.getKey());
            assertOpensWhole(backend, state.startSequence());
        }
    }

    @EachBackend
    void rebuiltControlFileStillRefusesDamageToDurableRecords(final Backend backend)
    {
        crashAfterTruncationAndPruning(backend);
        // Zero everything but the durable watermark.
        crashed.zero(CONTROL, 0, WATERMARKS[0]);
        Damage.BODY.apply(crashed, crashed.record(model.size()));

        rebuild();

        assertThrows(CorruptJournalException.class, () -> open(crashed, backend));
        assertTrue(verify().isDamaged());
    }

    @EachBackend
    void damagedHeadersOfAllSegmentsAreRebuilt(final Backend backend)
    {
        crashWithForcedSegments(backend, 2, 3000);
        final Map<String, byte[]> image = crashed.content();
        for (final int offset : new int[]{ 0, 40, 50, 57, 64, 71, 100, BLOCK - 1 })
        {
            crashed.restore(image);
            for (final long ordinal : crashed.ordinals())
            {
                crashed.flip(segmentName(ordinal), offset, 5);
            }
            final int count = crashed.ordinals().size();

            assertEquals(count, JournalRepair.rebuildable(crashed.path).size(), () -> "offset=" + offset);
            assertEquals(count, rebuild().size());
            for (final long ordinal : crashed.ordinals())
            {
                // The creation time is stored nowhere else, and was not damaged.
                assertArrayEquals(
                    image.get(segmentName(ordinal)), crashed.read(segmentName(ordinal)), () -> "offset=" + offset);
            }
            assertOpensWhole(backend, 1);
        }
    }

    @EachBackend
    void journalBeginsAfterAnUnreadableFirstSegment(final Backend backend)
    {
        crashWithForcedSegments(backend, 2, 3000);
        final long first = crashed.records(1).get(0).sequence();
        final Map<String, byte[]> image = crashed.content();
        final Map<String, Consumer<JournalDirectory>> damages = Map.of(
            "header and first mark", (directory) -> directory.zero(segmentName(0), 0, 2 * BLOCK),
            "shorter", (directory) -> directory.cut(segmentName(0), 10_000),
            "gone", (directory) -> directory.delete(segmentName(0)));
        for (final Map.Entry<String, Consumer<JournalDirectory>> damage : damages.entrySet())
        {
            crashed.restore(image);
            damage.getValue().accept(crashed);
            final Map<String, byte[]> damaged = crashed.content();

            final List<Rebuild> rebuilds = JournalRepair.rebuildable(crashed.path);

            assertEquals(List.of(CONTROL), rebuilds.stream().map(Rebuild::file).toList(), damage.getKey());
            assertEquals(first - 1, rebuilds.get(0).lost());
            crashed.assertHolds(damaged);
            rebuild();
            if (damaged.containsKey(segmentName(0)))
            {
                assertArrayEquals(damaged.get(segmentName(0)), crashed.read(segmentName(0) + ".unreadable"));
            }
            assertOpensWhole(backend, first);
        }
    }

    /** Pruning writes it to both slots. */
    @EachBackend
    void prunedJournalOpensWithEitherSlot(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            journal.prune(model.size());
            live.copyTo(crashed.path);
        }
        final State state = crashed.state();
        final Map<String, byte[]> image = crashed.content();
        for (final int slot : STATE_SLOTS)
        {
            crashed.restore(image);
            crashed.flip(CONTROL, slot + 50L, 1);
            assertOpensWhole(backend, state.startSequence());
        }
    }

    @EachBackend
    void missingInformationIsReportedWithoutChanges(final Backend backend)
    {
        crashWithForcedSegments(backend, 2, 3000);
        final Map<String, byte[]> image = crashed.content();

        crashed.zero(CONTROL, 0, CONTROL_LENGTH);
        crashed.ordinals().forEach((ordinal) -> crashed.delete(segmentName(ordinal)));
        assertNotRebuilt("missing=the UUID and the segment length");

        crashed.restore(image);
        crashed.ordinals().forEach((ordinal) -> crashed.zero(segmentName(ordinal), 0, 2 * BLOCK));
        assertNotRebuilt("missing=the beginning of the journal");

        crashed.restore(image);
        crashed.zero(CONTROL, 0, CONTROL_LENGTH);
        try (Journal other = Journal.builder(directory("other").path).segmentLength(SEGMENT_LENGTH).open())
        {
            other.appender().append(new byte[10]);
        }
        crashed.put(segmentName(1), directory("other").read(segmentName(0)));
        assertNotRebuilt("segments of more than one journal");
    }

    private void assertNotRebuilt(final String missing)
    {
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> JournalRepair.rebuildable(crashed.path));
        assertTrue(ex.getMessage().contains(missing), ex::getMessage);
        assertThrows(CorruptJournalException.class, this::rebuild);
        crashed.assertHolds(before);
    }

    @EachBackend
    void truncationBeforeASegmentMovesReadersAndCursorsBack(final Backend backend)
    {
        crashWithCursors(backend);
        final State state = crashed.state();
        final long kept = crashed.records(1).get(0).sequence() - 1;
        try (ReadOnlyJournal follower = Journal.openReadOnly(crashed.path);
            JournalReader ahead = follower.openReader();
            JournalReader behind = follower.openReader())
        {
            readOn(ahead, new ArrayList<>());
            assertEquals(model.size() + 1, ahead.nextSequence());
            behind.seek(kept);
            crashed.zero(segmentName(1), 0, 2 * BLOCK);

            try (JournalRepair repair = JournalRepair.open(crashed.path))
            {
                assertEquals(List.of(), repair.rebuild());
                final Verdict verdict = verify();
                assertEquals(1, verdict.endPosition() / SEGMENT_LENGTH);
                repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
            }

            assertEquals(state.number() + 1, crashed.state().number());
            assertEquals(JournalReader.State.TRUNCATED, ahead.state());
            assertEquals(JournalReader.State.FOLLOWING, behind.state());
            model.forgetAfter(kept);
            try (Journal journal = open(crashed, backend))
            {
                assertEquals(3, journal.cursor("behind").sequence());
                assertEquals(kept, journal.cursor("ahead").sequence());
                model.assertHolds(journal);
                model.append(journal, 5, 100);
                journal.force();
                assertEquals(kept + 5, follower.lastSequence());
            }
            final List<Entry> read = new ArrayList<>();
            readOn(behind, read);
            assertEquals(6, read.size());
            RecordModel.assertEntry(model.entry(kept + 5), read.get(5));
        }
    }

    @EachBackend
    void nothingIsTruncatedIfNoRecordWouldBeLeft(final Backend backend)
    {
        crashWithForcedSegments(backend, 1, 3000);
        final Frame first = crashed.records(0).get(0);
        Damage.BODY.apply(crashed, first);
        final Map<String, byte[]> before = crashed.content();

        assertFalse(verify().isRepairableByTruncation());
        try (JournalRepair repair = JournalRepair.open(crashed.path))
        {
            assertThrows(IllegalArgumentException.class, () -> repair.truncate(first.position(), 1));
        }
        crashed.assertHolds(before);
    }

    @EachBackend
    void truncationWithinASegmentMovesCursorsBack(final Backend backend)
    {
        crashWithCursors(backend);
        final Frame damaged = crashed.records(1).get(3);
        Damage.CHECKSUM.apply(crashed, damaged);

        assertCursorsMoveBack(backend, damaged.sequence() - 1);
    }

    private void crashWithCursors(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            journal.cursor("behind").save(3);
            journal.cursor("ahead").save(model.size());
            live.copyTo(crashed.path);
        }
    }

    @EachBackend
    void damagedBatchIsTruncatedAsAWhole(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 5, 100);
            model.appendBatch(journal, 30, 0, 200, 7);
            model.append(journal, 5, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        final List<Frame> frames = crashed.records(0).subList(5, 9);
        model.forgetAfter(5);
        for (final Frame frame : frames)
        {
            crashed.restore(image);
            crashed.flip(frame.file(), frame.offset() + 10, 3);
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());

            final Verdict verdict = verify();
            assertEquals(frames.get(0).position(), verdict.endPosition());
            assertEquals(5, verdict.lastSequence());
            try (JournalRepair repair = JournalRepair.open(crashed.path))
            {
                repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
            }
            try (Journal journal = open(crashed, backend))
            {
                assertEquals(0, journal.recoveryReport().tornLength());
                model.assertHolds(journal);
            }
        }
    }

    private void assertCursorsMoveBack(final Backend backend, final long kept)
    {
        try (JournalRepair repair = JournalRepair.open(crashed.path))
        {
            assertEquals(List.of(), repair.rebuild());
            final Verdict verdict = verify();
            assertTrue(verdict.isRepairableByTruncation(), verdict::toString);
            assertEquals(kept, verdict.lastSequence());
            repair.truncate(verdict.endPosition(), kept + 1);
        }

        model.forgetAfter(kept);
        try (Journal journal = open(crashed, backend))
        {
            assertEquals(3, journal.cursor("behind").sequence());
            assertEquals(kept, journal.cursor("ahead").sequence());
            model.assertHolds(journal);
        }
    }

    @EachBackend
    void followerContinuesWhenTheControlFileIsRebuiltInPlace(final Backend backend)
    {
        crashAfterTruncationAndPruning(backend);
        final ReadOnlyJournal follower = closing(Journal.openReadOnly(crashed.path));
        final long last = follower.lastSequence();
        spoilStates(crashed);

        rebuild();

        assertEquals(last, follower.lastSequence());
        final Journal journal = closing(open(crashed, backend));
        journal.truncateAfter(last - 2);
        assertEquals(last - 2, follower.lastSequence());
    }

    @Tag("soak")
    @EachBackend
    void zeroedHeaderIsRebuilt(final Backend backend)
    {
        crashWithForcedSegments(backend, 2, 3000);
        final byte[] before = crashed.read(segmentName(0));
        crashed.zero(segmentName(0), 0, BLOCK);

        final long start = System.nanoTime();
        assertEquals(1, JournalRepair.rebuildable(crashed.path).size());
        final long searched = System.nanoTime();
        rebuild();

        // The search for the salt is not repeated.
        final long rebuiltNs = System.nanoTime() - searched;
        // A search that ends soon shows nothing.
        assertTrue(searched - start < TimeUnit.SECONDS.toNanos(1) || rebuiltNs < (searched - start) / 4);
        // Everything but the creation time and the checksum that covers it is as before.
        assertArrayEquals(Arrays.copyOf(before, 72), crashed.read(segmentName(0), 0, 72));
        assertOpensWhole(backend, 1);
    }

    @EachBackend
    void whatIsNotDurableIsRewrittenAfterARepair(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 5, 100);
            journal.force();
            model.append(journal, 3, 100);
            live.copyTo(crashed.path);
        }
        assertFalse(crashed.isForceFlagRaised());
        final Map<String, byte[]> image = crashed.content();
        for (final String name : List.of(segmentName(0), CONTROL))
        {
            crashed.restore(image);
            crashed.zero(name, 0, 16);
            rebuild();
            assertTrue(crashed.isForceFlagRaised(), name);

            try (Journal journal = open(crashed, backend))
            {
                assertTrue(journal.recoveryReport().isRewritten(), name);
                model.assertHolds(journal);
            }
        }
    }

    private void crashAfterTruncationAndPruning(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            journal.cursor("consumer").save(model.size());
            model.forgetAfter(model.size() - 3);
            journal.truncateAfter(model.size());
            journal.prune(live.records(1).get(0).sequence());
            model.append(journal, 5, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
    }

    private List<Rebuild> rebuild()
    {
        try (JournalRepair repair = JournalRepair.open(crashed.path))
        {
            return repair.rebuild();
        }
    }

    private Verdict verify()
    {
        return JournalVerifier.verify(crashed.path);
    }

    private void assertOpensWhole(final Backend backend, final long firstSequence)
    {
        try (Journal journal = open(crashed, backend))
        {
            assertNothingCut(journal.recoveryReport());
            assertEquals(firstSequence, journal.firstSequence());
            assertEquals(model.size(), journal.lastSequence());
            final List<Entry> read = readAll(journal);
            assertEquals(model.size() - firstSequence + 1, read.size());
            for (final Entry entry : read)
            {
                RecordModel.assertEntry(model.entry(entry.sequence()), entry);
            }
            for (final String name : journal.cursorNames())
            {
                assertTrue(journal.cursor(name).sequence() <= journal.lastSequence());
            }
        }
    }
}
