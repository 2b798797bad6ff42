// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.Saved;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore;
import io.journal.verify.JournalVerifier;

import static io.journal.tests.support.JournalDirectory.CHANGING_OFFSET;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.MARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.STATE_SLOT_LENGTH;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Opening a journal whose last writer crashed, or that was damaged. A crash is a copy of the files of an open journal.
 */
class RecoveryTest extends RecoveryFixture
{
    // Unclean end.
    @EachBackend
    void replaysExactlyAfterAnUncleanEnd(final Backend backend)
    {
        final long seed = 4711;
        final Random random = new Random(seed);
        final long endPosition;
        final long forcedPosition;
        try (Journal journal = open(live, backend))
        {
            while (journal.counters().appendedPosition() < 4L * SEGMENT_LENGTH)
            {
                model.append(journal, random.nextInt(10) == 0 ? 0 : random.nextInt(3000));
                if (random.nextInt(20) == 0)
                {
                    model.forceAndMark(journal);
                }
            }
            endPosition = journal.counters().appendedPosition();
            forcedPosition = journal.counters().forcedPosition();
            live.copyTo(crashed.path);
        }

        try (Journal journal = open(crashed, backend))
        {
            model.assertHolds(journal);
            assertEquals(model.size(), journal.forcedSequence());
            final RecoveryReport report = journal.recoveryReport();
            assertFalse(report.isNew());
            assertFalse(report.isCleanlyClosed());
            assertEquals(endPosition, report.endPosition());
            assertEquals(model.size(), report.lastSequence());
            assertTrue(report.durablePosition() >= forcedPosition, report::toString);
            assertTrue(report.scanStartPosition() <= report.durablePosition(), report::toString);
            assertNothingCut(report);
            assertFalse(report.mayHaveLostAcknowledged());
            assertFalse(report.isRewritten());
            model.append(journal, 10, 500);
            model.assertHolds(journal);
        }
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
    }

    /** An fsync reads the sequence before the position, because records may be appended in between. */
    @EachBackend
    void watermarkAtTheEndMayHaveALowerSequence(final Backend backend)
    {
        final long endPosition;
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.force();
            endPosition = journal.counters().appendedPosition();
            live.copyTo(crashed.path);
        }

        crashed.writeForced(endPosition, model.size() + 2);
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("the durable watermark has a later sequence"), ex.getMessage());
        assertTrue(JournalVerifier.verify(crashed.path).isDamaged());

        crashed.writeForced(endPosition, model.size() - 3);
        assertFalse(JournalVerifier.verify(crashed.path).isDamaged());
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertNothingCut(journal.recoveryReport());
        model.append(journal, 3, 100);
        model.assertHolds(journal);
    }

    @EachBackend
    void scanBeginsInTheSegmentOfTheHighestForcedPosition(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            model.append(journal, 3, 100);
            journal.force();
            model.appendInto(journal, 3, 3000);
            live.copyTo(crashed.path);
        }

        final Journal journal = closing(open(crashed, backend));
        assertEquals(2L * SEGMENT_LENGTH + FIRST_OFFSET, journal.recoveryReport().scanStartPosition());
        model.assertHolds(journal);
    }

    // Torn tail.

    @EachBackend
    void tornTailStaysInPlaceAndIsReported(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        final Map<String, byte[]> image = crashed.content();
        for (final Damage damage : Damage.values())
        {
            crashed.restore(image);
            final Frame damaged = crashed.record(7);
            damage.apply(crashed, damaged);
            final byte[] before = crashed.read(segmentName(0));

            try (Journal journal = open(crashed, backend))
            {
                final RecoveryReport report = journal.recoveryReport();
                model.assertHolds(journal, 6);
                assertEquals(damaged.position(), report.endPosition());
                assertEquals(6, report.lastSequence());
                assertNames(report.tornReason(), damaged);
                assertFalse(report.mayHaveLostAcknowledged());
                assertTorn(report, crashed, 0, damaged.offset(), before);
                assertCut(crashed, damaged.offset(), before);
            }
        }
    }

    @EachBackend
    void tornTailsOfAProcessThatCrashesAgainAndAgainStayInPlace(final Backend backend)
    {
        final Map<Integer, byte[]> torn = new TreeMap<>();
        JournalDirectory next = live;
        for (int i = 0; i < 13; i++)
        {
            try (Journal journal = open(next, backend))
            {
                model.assertHolds(journal);
                assertEquals(0 == i, 0 == journal.recoveryReport().tornLength());
                model.append(journal, 1, 100);
                journal.force();
                next = next.copyTo(temp.resolve("crash-" + i));
            }
            final int offset = next.end() + 16;
            torn.put(offset, RecordModel.bytes(i, 100));
            next.overwrite(segmentName(0), offset, torn.get(offset));
        }
        try (Journal journal = open(next, backend))
        {
            model.assertHolds(journal);
        }
        assertEquals(13, next.state().cuts().size());
        for (final Map.Entry<Integer, byte[]> tail : torn.entrySet())
        {
            assertArrayEquals(tail.getValue(), next.read(segmentName(0), tail.getKey(), tail.getKey() + 100));
        }
    }

    /** The torn tail is zeroed only as long as cursors fill the state. */
    @EachBackend
    void tornTailIsZeroedIfTheStateHasNoRoomForAnotherCut(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        final State state = crashed.state();
        final TreeMap<String, Saved> cursors = new TreeMap<>();
        while (JournalDirectory.encoded(state.withCursors(cursors)).length <= STATE_SLOT_LENGTH)
        {
            cursors.put(String.format("%04d", cursors.size()), new Saved(5, state.term()));
        }
        cursors.remove(cursors.lastKey());
        crashed.writeStates(state.withCursors(cursors).withGeneration(state.generation() + 1));
        final Frame damaged = crashed.record(7);
        Damage.BODY.apply(crashed, damaged);
        final int end = crashed.record(6).end();

        final List<String> steps = new ArrayList<>();
        try (Journal journal = open(crashed, backend, (step, name) -> steps.add(step + " " + name)))
        {
            // The zeros are durable before the state names their place as the end.
            final int zeros = Collections.indexOfSubList(
                steps, List.of("WRITE " + segmentName(0), "FORCE " + segmentName(0)));
            assertTrue(zeros >= 0 && zeros < steps.indexOf("FORCE " + CONTROL), steps::toString);
            model.assertHolds(journal, 6);
            model.forgetAfter(6);
            assertTrue(journal.recoveryReport().tornLength() > 0);
            assertTrue(crashed.state().newest().isEmpty());
            assertEquals(end, crashed.state().newest().to());
            model.append(journal, 3, 50);
        }
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertEquals(cursors.size(), journal.cursorNames().size());
    }

    @EachBackend
    void tornTailOverSeveralSegmentsStaysInEach(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 2, 100);
            journal.force();
            model.appendInto(journal, 2, 3000);
            model.append(journal, 4, 3000);
            live.copyTo(crashed.path);
        }
        final Frame damaged = crashed.record(4);
        Damage.BODY.apply(crashed, damaged);
        final long end = 2L * SEGMENT_LENGTH + crashed.frames(2).get(crashed.frames(2).size() - 1).end();
        final Map<String, byte[]> before = crashed.content();

        try (Journal journal = open(crashed, backend))
        {
            final RecoveryReport report = journal.recoveryReport();
            model.assertHolds(journal, 3);
            long length = 0;
            for (int ordinal = 0; ordinal <= 2; ordinal++)
            {
                int to = SEGMENT_LENGTH;
                while (0 == before.get(segmentName(ordinal))[to - 1])
                {
                    to--;
                }
                length += to - (0 == ordinal ? damaged.offset() : FIRST_OFFSET);
            }
            assertEquals(length, report.tornLength());
            final Cut cut = crashed.state().newest();
            assertEquals(damaged.position(), cut.from());
            assertEquals(end, cut.to());
            for (int ordinal = 0; ordinal <= 1; ordinal++)
            {
                assertArrayEquals(before.get(segmentName(ordinal)), crashed.read(segmentName(ordinal)));
            }

            model.forgetAfter(3);
            model.appendInto(journal, 3, 3000);
            model.assertHolds(journal);
        }
        // The whole segment lies within the cut.
        final Journal journal = closing(open(crashed, backend));
        assertEquals(List.of(0L, 2L, 3L), crashed.ordinals());
        model.assertHolds(journal);
    }

    @EachBackend
    void garbageAfterTheEndIsTruncated(final Backend backend)
    {
        crashWithUnforced(backend, 5, 2);
        final int end = crashed.end();
        final Map<String, byte[]> image = crashed.content();
        for (final int distance : new int[]{ 0, 3, 4, 8, 100, 4096, SEGMENT_LENGTH - 1 - end })
        {
            crashed.restore(image);
            crashed.overwrite(segmentName(0), end + distance, (byte)0xA5);
            final byte[] before = crashed.read(segmentName(0));

            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertTorn(journal.recoveryReport(), crashed, 0, end, before);
                assertCut(crashed, end, before);
            }
        }
    }

    // Damage to durable records.

    /** What shows an opening that records are durable. */
    private enum Proof
    {
        WATERMARK_FRAME(true, (model, journal) ->
        {
            model.append(journal, 5, 100);
            model.forceAndMark(journal);
        }),
        /** The first mark of the newest segment records less, and a later one in the same segment records more. */
        WATERMARK_FRAME_OF_A_LATER_SEGMENT(true, (model, journal) ->
        {
            model.appendInto(journal, 1, 3000);
            journal.force();
            model.append(journal, 1, 100);
            model.appendInto(journal, 2, 3000);
            model.append(journal, 3, 100);
            model.forceAndMark(journal);
        }),
        /** No mark records more than the first mark of the newest segment does. */
        FIRST_FRAME_OF_A_LATER_SEGMENT(true, (model, journal) ->
        {
            model.appendInto(journal, 1, 3000);
            journal.force();
        })
        {
            @Override
            void appendMore(final RecordModel model, final Journal journal)
            {
                model.appendInto(journal, 2, 3000);
            }
        },
        STORED_WATERMARK(false, (model, journal) ->
        {
            model.append(journal, 2, 100);
            model.forceAndMark(journal);
            model.append(journal, 3, 100);
            journal.force();
        }),
        STORED_WATERMARK_OF_MANY_SEGMENTS(false, (model, journal) ->
        {
            model.appendInto(journal, 2, 3000);
            journal.force();
        }),
        CURSOR(true, (model, journal) ->
        {
            model.append(journal, 5, 100);
            journal.cursor("a").save(5);
        }),
        CLOSED(true, (model, journal) ->
        {
            model.append(journal, 5, 100);
            journal.close();
        })
        {
            @Override
            void appendMore(final RecordModel model, final Journal journal)
            {
                // Nothing follows the end.
            }
        };

        private final boolean isWatermarkLost;
        private final BiConsumer<RecordModel, Journal> work;

        Proof(final boolean isWatermarkLost, final BiConsumer<RecordModel, Journal> work)
        {
            this.isWatermarkLost = isWatermarkLost;
            this.work = work;
        }

        void appendMore(final RecordModel model, final Journal journal)
        {
            model.append(journal, 3, 100);
        }
    }

    /** Returns the last record that is durable. */
    private long crash(final Backend backend, final Proof proof)
    {
        final long durable;
        try (Journal journal = open(live, backend))
        {
            proof.work.accept(model, journal);
            durable = model.size();
            proof.appendMore(model, journal);
            live.copyTo(crashed.path);
        }
        if (proof.isWatermarkLost)
        {
            crashed.loseForced();
        }
        return durable;
    }

    /** Two backends test each kind of damage, with one segment; each backend tests some kinds with several. */
    private List<Damage> damages(final Backend backend)
    {
        return crashed.ordinals().size() > 1 ? List.of(Damage.BODY, Damage.LENGTH, Damage.ZEROED) :
            Stream.of(Damage.values()).filter((each) -> 0 == (each.ordinal() + backend.ordinal()) % 2).toList();
    }

    @EachBackend(and = Proof.class)
    void damageToDurableFramesIsRejected(final Backend backend, final Proof proof)
    {
        final Frame last = crashed.record(crash(backend, proof));
        final List<Frame> durable = crashed.frames(last.ordinal()).stream()
            .filter((frame) -> frame.position() <= last.position()).toList();
        for (final Damage damage : damages(backend))
        {
            for (final int index : new TreeSet<>(List.of(1, durable.size() / 2, durable.size() - 1)))
            {
                assertRefusedUnchanged(crashed, backend, durable.get(index), damage);
            }
        }
        // The refused openings have left no lock.
        model.assertHolds(closing(open(crashed, backend)));
    }

    @EachBackend(and = Proof.class)
    void damageToOtherFramesIsATornTail(final Backend backend, final Proof proof)
    {
        final long durable = crash(backend, proof);
        final Map<String, byte[]> image = crashed.content();
        for (final Damage damage : damages(backend))
        {
            for (final long sequence : durable < model.size() ? List.of(durable + 1, model.size()) : List.<Long>of())
            {
                crashed.restore(image);
                final Frame frame = crashed.record(sequence);
                damage.apply(crashed, frame);
                final boolean isAnythingLeft = crashed.isContentBehind(frame);
                try (Journal journal = open(crashed, backend))
                {
                    final RecoveryReport report = journal.recoveryReport();
                    model.assertHolds(journal, sequence - 1);
                    assertEquals(frame.position(), report.endPosition());
                    assertEquals(isAnythingLeft, report.tornLength() > 0);
                    if (isAnythingLeft)
                    {
                        assertNames(report.tornReason(), frame);
                    }
                }
            }
        }
    }

    @EachBackend
    void damagedFirstFrameOfTheNewestSegmentIsRejectedIfDurable(final Backend backend)
    {
        crashWithForcedSegments(backend, 1, 3000);
        final Frame first = crashed.frames(1).get(0);
        final Map<String, byte[]> image = crashed.content();

        for (final Damage damage : Damage.values())
        {
            crashed.restore(image);
            damage.apply(crashed, first);
            final Map<String, byte[]> before = crashed.content();
            final CorruptJournalException ex =
                assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
            // The watermark frame contained the sequence, which otherwise follows only from the previous segment.
            assertNamesPlace(ex.getMessage(), 1, FIRST_OFFSET);
            assertFalse(ex.getMessage().contains("sequence=-1"), ex.getMessage());
            crashed.assertHolds(before);
        }
    }

    @EachBackend
    void watermarkBeyondTheEndIsRejected(final Backend backend)
    {
        crashWithUnforced(backend, 5, 0);
        final int end = crashed.end();
        final long[] claims =
            { end + 8, SEGMENT_LENGTH, SEGMENT_LENGTH + FIRST_OFFSET + MARK_LENGTH, 7L * SEGMENT_LENGTH + 5000 };
        for (final long claim : claims)
        {
            crashed.writeForced(claim, 7);
            final Map<String, byte[]> before = crashed.content();

            final CorruptJournalException ex =
                assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close(),
                    () -> "claim=" + claim);
            assertNamesPlace(ex.getMessage(), 0, end);
            assertTrue(ex.getMessage().contains("sequence=6"), ex.getMessage());
            crashed.assertHolds(before);
        }
    }

    @EachBackend
    void watermarkOfAnotherSequenceIsRejected(final Backend backend)
    {
        crashWithUnforced(backend, 5, 0);
        crashed.writeForced(crashed.end(), 7);

        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("sequence=6"), ex.getMessage());
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
    }

    /** The record was durable before its cursor was saved, whatever else is lost. */
    @EachBackend
    void damageBelowACursorIsRejected(final Backend backend)
    {
        crash(backend, Proof.CURSOR);
        assertTrue(crashed.marks(0).stream().allMatch((mark) -> mark.markedPosition() <= FIRST_OFFSET + MARK_LENGTH));
        Damage.BODY.apply(crashed, crashed.record(5));
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("cursor=a"), ex.getMessage());
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
    }

    // The watermark in the control file.

    @EachBackend
    void missingWatermarkLosesNoRecord(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        final Map<String, byte[]> image = crashed.content();
        for (final MarkLoss loss : MarkLoss.values())
        {
            crashed.restore(image);
            loss.apply(crashed);

            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertNothingCut(journal.recoveryReport());
                assertTrue(journal.recoveryReport().mayHaveLostAcknowledged(), loss::toString);
            }
        }
    }

    /** The rest ends with a whole segment, as if nothing had ever followed. */
    @EachBackend
    void missingWatermarkAndNewestSegmentsMayHaveLostAcknowledged(final Backend backend) throws Exception
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 1000);
            prepareNext(journal, live);
            journal.force();
            live.copyTo(crashed.path);
        }
        final long lost = crashed.records(2).size();
        crashed.loseForced();
        List.of(segmentName(2), segmentName(3)).forEach(crashed::delete);

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal, model.size() - lost);
        assertNothingCut(journal.recoveryReport());
        assertTrue(journal.recoveryReport().mayHaveLostAcknowledged());
    }

    @EachBackend
    void truncationWithoutAWatermarkMayHaveLostAcknowledged(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        Damage.BODY.apply(crashed, crashed.record(5));
        final Map<String, byte[]> image = crashed.content();
        for (final MarkLoss loss : MarkLoss.values())
        {
            crashed.restore(image);
            loss.apply(crashed);

            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal, 4);
                assertTrue(journal.recoveryReport().tornLength() > 0);
                assertTrue(journal.recoveryReport().mayHaveLostAcknowledged(), loss::toString);
            }
        }
    }

    @EachBackend
    void missingWatermarkIsStoredAgainAndUsedFromThenOn(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        final Map<String, byte[]> image = crashed.content();
        for (final MarkLoss loss : MarkLoss.values())
        {
            crashed.restore(image);
            loss.apply(crashed);
            final JournalDirectory next = directory("next-" + loss);

            try (Journal journal = open(crashed, backend))
            {
                crashed.copyTo(next.path);
                assertEquals(model.size(), journal.lastSequence());
            }

            final Frame last = next.record(model.size());
            next.zero(segmentName(0), last.offset(), SEGMENT_LENGTH);
            assertThrows(CorruptJournalException.class, () -> open(next, backend).close(), loss::toString);
        }
    }

    @EachBackend
    void unforcedTailIsRewrittenIfAnFsyncHadNotReturned(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        crashed.raiseForceFlag();

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertTrue(journal.recoveryReport().isRewritten());
        assertNothingCut(journal.recoveryReport());
        assertFalse(journal.recoveryReport().mayHaveLostAcknowledged());
        assertFalse(crashed.isForceFlagRaised());
    }

    @EachBackend
    void rewriteWritesTheUnforcedTailBeforeForcingIt(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        crashed.raiseForceFlag();
        final List<StepStore.Step> steps = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(crashed.path), (step, name) ->
        {
            if (segmentName(0).equals(name) && steps.size() < 2)
            {
                steps.add(step);
                assertTrue(crashed.isForceFlagRaised());
            }
            return true;
        });

        model.builder(crashed, backend).store(store).open().close();

        assertEquals(List.of(StepStore.Step.WRITE, StepStore.Step.FORCE), steps);
    }

    /** After a failed fsync the system may drop bytes of the page cache that the device does not have. */
    @EachBackend
    void bytesThatAreGoneWhenTheyAreRewrittenAreNotAcknowledged(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        crashed.raiseForceFlag();
        try (Journal journal = openDroppingTheLastRecord(backend))
        {
            assertEquals(7, journal.lastSequence());
            model.forgetAfter(7);
            model.assertHolds(journal);
            model.append(journal, 3, 100);
            journal.force();
        }
        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
    }

    /** The opening starts over when it has rewritten the records, and reports what it finds then. */
    @EachBackend
    void lossIsReportedAlsoIfBytesAreGoneWhenTheyAreRewritten(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        crashed.loseForced();
        crashed.raiseForceFlag();
        crashed.overwrite(segmentName(0), crashed.end(), RecordModel.bytes(1, 100));
        final Journal journal = closing(openDroppingTheLastRecord(backend));
        final RecoveryReport report = journal.recoveryReport();
        assertEquals(7, report.lastSequence());
        assertTrue(report.mayHaveLostAcknowledged(), report::toString);
        assertTrue(report.tornLength() > 0, report::toString);
    }

    /** Opens the journal and loses the last record meanwhile, when it is about to be rewritten. */
    private Journal openDroppingTheLastRecord(final Backend backend)
    {
        final Map<String, byte[]> image = crashed.content();
        final Openings openings = new Openings();
        open(crashed, backend, openings).close();

        crashed.restore(image);
        final Openings dropping = new Openings();
        dropping.dropAt = openings.ofFirstWrite;
        return open(crashed, backend, dropping);
    }

    /** Counts how often the segment is opened, and zeroes its last record before a chosen opening. */
    private final class Openings implements StepStore.Steps
    {
        private int count;
        private int ofFirstWrite;
        private int dropAt;

        @Override
        public void beforeOpen(final String name)
        {
            if (segmentName(0).equals(name) && ++count == dropAt)
            {
                final Frame last = crashed.record(8);
                crashed.zero(segmentName(0), last.offset(), last.end());
            }
        }

        @Override
        public boolean before(final StepStore.Step step, final String name)
        {
            if (segmentName(0).equals(name) && StepStore.Step.WRITE == step && 0 == ofFirstWrite)
            {
                ofFirstWrite = count;
            }
            return true;
        }
    }

    /** Written to both slots, so that damage to one slot does not bring back the previous state. */
    @EachBackend
    void openingWritesItsStateToBothSlots(final Backend backend)
    {
        closeCleanly(backend);
        assertTrue(live.state().isClosed());
        final long number = live.state().number();

        final Journal journal = closing(open(live, backend));
        for (int slot = 0; slot < 2; slot++)
        {
            assertFalse(live.state(slot).isClosed());
            assertEquals(number + 1, live.state(slot).number());
        }
        model.assertHolds(journal);
    }

    /** Otherwise the next opening would take the content of the page cache for the durable state. */
    @EachBackend
    void openingThatFailsToConfirmTheStateLeavesTheFlag(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        crashed.overwrite(CONTROL, CHANGING_OFFSET, (byte)1);
        final State state = crashed.state();
        final FailingSteps device =
            new FailingSteps((step, name) -> StepStore.Step.FORCE == step && CONTROL.equals(name));
        device.fail();
        assertThrows(JournalException.class, () -> open(crashed, backend, device).close());
        assertEquals(1, crashed.read(CONTROL)[CHANGING_OFFSET]);
        assertEquals(state, crashed.state());

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertEquals(0, crashed.read(CONTROL)[CHANGING_OFFSET]);
    }

    /** A failed fsync may have left the state in the page cache only. */
    @EachBackend
    void unconfirmedStateIsWrittenBeforeTheOtherSlotIs(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        crashed.overwrite(CONTROL, CHANGING_OFFSET, (byte)1);
        final int current = (int)(crashed.state().generation() % 2);
        final List<Long> offsets = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(crashed.path), new StepStore.AllSteps()
        {
            @Override
            public boolean beforeWrite(final String name, final long offset, final int length)
            {
                return !CONTROL.equals(name) || offset > WATERMARKS[0] - 1 || offsets.add(offset);
            }
        });
        model.builder(crashed, backend).store(store).open().close();

        assertEquals(STATE_SLOTS[current], offsets.get(0));
        assertEquals(STATE_SLOTS[1 - current], offsets.get(1));
        assertEquals(STATE_SLOTS[current], offsets.get(2));
    }

    /** Opening stores the watermark of its term before the state that names it. */
    @EachBackend
    void openingsKilledBeforeTheirTermBeginsKeepTheWatermark(final Backend backend)
    {
        crashWithUnforced(backend, 5, 0);
        for (int i = 0; i < 3; i++)
        {
            final FailingSteps device =
                new FailingSteps((step, name) -> StepStore.Step.WRITE == step && CONTROL.equals(name) &&
                    null != crashed.forced() && crashed.forced().term() != crashed.state().term());
            device.fail();
            assertThrows(JournalException.class, () -> open(crashed, backend, device).close());
        }
        Damage.BODY.apply(crashed, crashed.record(5));
        assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
    }

    @EachBackend
    void preparedSegmentIsDeletedIfItsNameMayNotBeDurable(final Backend backend) throws Exception
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 5, 100);
            prepareNext(journal, live);
            live.copyTo(crashed.path);
        }
        final FailingSteps device =
            new FailingSteps((step, name) -> StepStore.Step.FORCE_DIRECTORY == step && name.isEmpty());
        device.fail();
        assertThrows(JournalException.class, () -> open(crashed, backend, device).close());
        assertEquals(List.of(0L), crashed.ordinals());

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
    }

    @EachBackend
    void failedFsyncOfARecoveryIsHandledByTheNext(final Backend backend)
    {
        crashWithUnforced(backend, 5, 3);
        final FailingSteps device =
            new FailingSteps((step, name) -> StepStore.Step.FORCE == step && segmentName(0).equals(name));
        device.fail();
        assertThrows(JournalException.class, () -> open(crashed, backend, device).close());

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertTrue(journal.recoveryReport().isRewritten());
    }

    @EachBackend
    void failedFsyncOfTheWriterIsHandledByRecovery(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(StepStore.Step.FORCE);
        try (Journal journal = open(live, backend, device))
        {
            model.append(journal, 5, 100);
            journal.force();
            model.append(journal, 5, 100);
            device.fail();
            assertThrows(JournalException.class, journal::force);
            assertThrows(JournalException.class, journal::force);
            assertThrows(JournalException.class, () -> journal.awaitForced(7));
            assertEquals(5, journal.forcedSequence());
            assertThrows(JournalException.class, journal::close);
        }

        final Journal journal = closing(open(live, backend));
        model.assertHolds(journal);
        assertTrue(journal.recoveryReport().isRewritten());
    }

    // Interrupted recovery.

    @EachBackend
    void recoveryInterruptedAtAnyStepStillRewrites(final Backend backend)
    {
        crashWithUnforced(backend, 5, 4);
        Damage.BODY.apply(crashed, crashed.record(9));
        crashed.loseForced();
        crashed.raiseForceFlag();
        final List<Map<String, byte[]>> ends = new ArrayList<>();
        final AtomicBoolean isForcing = new AtomicBoolean();
        final StepStore store = new StepStore(backend.store(crashed.path), (step, name) ->
        {
            if (!isForcing.get())
            {
                ends.add(crashed.content());
                isForcing.set(StepStore.Step.FORCE == step && segmentName(0).equals(name));
            }
            return true;
        });
        model.builder(crashed, backend).store(store).open().close();

        assertTrue(isForcing.get());
        assertTrue(ends.size() > 1, () -> "steps=" + ends.size());
        for (int step = 0; step < ends.size(); step++)
        {
            crashed.restore(ends.get(step));
            final String place = "step " + step + " of " + ends.size();
            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal, 8);
                assertTrue(journal.recoveryReport().isRewritten(), place);
            }
        }
    }
}
