// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.RecordModel;
import io.journal.tests.support.StepStore.Step;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Missing, foreign, swapped and excess segments, and segments of a wrong length. */
class SegmentSetTest extends RecoveryFixture
{
    private static final byte[] GARBAGE = new byte[SEGMENT_LENGTH];

    static
    {
        new Random(77).nextBytes(GARBAGE);
    }

    /** Segments that do not fit together, the segment that the refusal names, and how. */
    private enum Misfit
    {
        GAP(4, 1, "", (files) -> delete(files, 1)),
        GAP_BEFORE_THE_NEWEST(4, 2, "", (files) -> delete(files, 2)),
        LOWEST_MISSING(3, 0, "", (files) -> delete(files, 0)),
        TWO_LOWEST_MISSING(3, 0, "", (files) -> delete(files, 0, 1)),
        NEWEST_MISSING(3, 2, "", (files) -> delete(files, 2)),
        TWO_NEWEST_MISSING(3, 1, "", (files) -> delete(files, 1, 2)),
        ALL_MISSING(3, 0, "", (files) -> delete(files, 0, 1, 2)),
        NEWEST_OF_ANOTHER_JOURNAL(3, 2, "uuid", (files) -> files.adopt(segmentName(2), new UUID(3, 4))),
        NEWEST_SWAPPED(3, 2, "expected=2, found=1", (files) -> swap(files, 1, 2)),
        NEWEST_OF_GARBAGE(3, 2, "", (files) -> files.put(segmentName(2), GARBAGE)),
        NEWEST_OF_ZEROS(3, 2, "", (files) -> files.put(segmentName(2), new byte[SEGMENT_LENGTH])),
        ONLY_ONE_OF_GARBAGE(1, 0, "", (files) -> files.put(segmentName(0), GARBAGE)),
        ONLY_ONE_EMPTY(1, 0, "", (files) -> files.put(segmentName(0), new byte[0])),
        LOWEST_ABOVE_THE_START(3, 1, "", (files) ->
        {
            moveStart(files);
            delete(files, 0, 1);
        });

        private final int count;
        private final long named;
        private final String reason;
        private final Consumer<JournalDirectory> change;

        Misfit(final int count, final long named, final String reason, final Consumer<JournalDirectory> change)
        {
            this.count = count;
            this.named = named;
            this.reason = reason;
            this.change = change;
        }
    }

    @EachBackend(and = Misfit.class)
    void misfitIsRejected(final Backend backend, final Misfit misfit)
    {
        crashWithSegments(backend, misfit.count);
        misfit.change.accept(crashed);
        final String message = assertRefused(backend, segmentName(misfit.named)).getMessage();
        assertTrue(message.contains(misfit.reason), message);
    }

    @EachBackend
    void startSequenceMustMatchTheLowestSegment(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 1, 3000);
            live.copyTo(crashed.path);
        }
        final State state = crashed.state();
        crashed.writeStates(state.withStart(0, 5).withGeneration(state.generation() + 1));
        assertRefused(backend, segmentName(0));
    }

    private static void delete(final JournalDirectory files, final long... ordinals)
    {
        for (final long ordinal : ordinals)
        {
            files.delete(segmentName(ordinal));
        }
    }

    private static void swap(final JournalDirectory files, final long one, final long other)
    {
        final byte[] bytes = files.read(segmentName(one));
        files.put(segmentName(one), files.read(segmentName(other)));
        files.put(segmentName(other), bytes);
    }

    /** Prunes the first segment, and leaves its file. */
    private static long moveStart(final JournalDirectory files)
    {
        final long first = files.frames(1).get(0).sequence();
        final State state = files.state();
        files.writeStates(state.withStart(SEGMENT_LENGTH, first).withGeneration(state.generation() + 1));
        return first;
    }

    @EachBackend
    void missingNewestSegmentIsRejectedAfterACleanClose(final Backend backend)
    {
        closeCleanly(backend);
        live.copyTo(crashed.path);
        crashed.delete(segmentName(crashed.newest()));
        assertRefused(backend, segmentName(1));
    }

    @EachBackend
    void missingNewestSegmentAboveTheWatermarkIsAccepted(final Backend backend)
    {
        final long last;
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 1, 3000);
            journal.force();
            model.appendInto(journal, 2, 3000);
            last = model.size() - 1;
            live.copyTo(crashed.path);
        }
        crashed.delete(segmentName(2));
        model.forgetAfter(last);

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertNothingCut(journal.recoveryReport());
        model.appendInto(journal, 3, 3000);
        model.assertHolds(journal);
    }

    @EachBackend
    void olderSegmentOfAnotherJournalIsReportedByTheReader(final Backend backend)
    {
        crashWithSegments(backend, 3);
        final long first = crashed.records(1).get(0).sequence();
        crashed.adopt(segmentName(1), new UUID(3, 4));

        final Journal journal = closing(open(crashed, backend));
        assertReaderStays(journal, first, 1, 0);
    }

    @EachBackend
    void swappedOlderSegmentsAreReportedByTheReader(final Backend backend)
    {
        crashWithSegments(backend, 4);
        final long first = crashed.records(1).get(0).sequence();
        swap(crashed, 1, 2);

        final Journal journal = closing(open(crashed, backend));
        assertReaderStays(journal, first, 1, 0);
    }

    @EachBackend
    void newestSegmentOfAWrongLengthIsRejected(final Backend backend)
    {
        crashWithSegments(backend, 3);
        final byte[] intact = crashed.read(segmentName(2));
        for (final int length : new int[]{ 0, 1, FIRST_OFFSET - 1, FIRST_OFFSET, SEGMENT_LENGTH / 2, SEGMENT_LENGTH - 1,
            SEGMENT_LENGTH + 1, 2 * SEGMENT_LENGTH })
        {
            crashed.put(segmentName(2), Arrays.copyOf(intact, length));
            final CorruptJournalException ex = assertRefused(backend, segmentName(2));
            assertTrue(ex.getMessage().contains("expected=" + SEGMENT_LENGTH), ex.getMessage());
            assertTrue(ex.getMessage().contains("found=" + length), ex.getMessage());
        }
    }

    @EachBackend
    void unusedNextSegmentIsKeptAndUsed(final Backend backend) throws Exception
    {
        crashWithPrepared(backend);
        final byte[] prepared = crashed.read(segmentName(1));

        final Journal journal = closing(open(crashed, backend));
        assertNothingCut(journal.recoveryReport());
        model.assertHolds(journal);
        assertArrayEquals(prepared, crashed.read(segmentName(1)));
        model.appendInto(journal, 1, 3000);
        assertArrayEquals(
            Arrays.copyOf(prepared, FIRST_OFFSET), crashed.read(segmentName(1), 0, FIRST_OFFSET));
        model.assertHolds(journal);
    }

    @EachBackend
    void contentOfAnUnusedNextSegmentIsTruncated(final Backend backend) throws Exception
    {
        crashWithPrepared(backend);
        final Map<String, byte[]> image = crashed.content();
        for (final int offset : new int[]{ FIRST_OFFSET, FIRST_OFFSET + 4, FIRST_OFFSET + 8, 30_000,
            SEGMENT_LENGTH - 5 })
        {
            crashed.restore(image);
            crashed.overwrite(segmentName(1), offset, new byte[]{ 5, 4, 3, 2, 1 });
            final byte[] before = crashed.read(segmentName(1));
            final JournalDirectory next = directory("next-" + offset);
            final RecordModel all = model.copy();

            try (Journal journal = open(crashed, backend))
            {
                model.assertHolds(journal);
                assertTorn(journal.recoveryReport(), crashed, 1, FIRST_OFFSET, before);
                model.appendInto(journal, 1, 3000);
                model.assertHolds(journal);
                crashed.copyTo(next.path);
            }
            try (Journal journal = open(next, backend))
            {
                model.assertHolds(journal);
            }
            model = all;
        }
    }

    /** A segment is read in pieces of 256 KiB. */
    @EachBackend
    void singleByteBehindTheEndIsFoundInAnyPieceOfASegment(final Backend backend) throws Exception
    {
        final int segmentLength = 1024 * 1024;
        final int piece = 256 * 1024;
        try (Journal journal = model.builder(live, backend).segmentLength(segmentLength).open())
        {
            model.append(journal, 5, 100);
            prepareNext(journal, live);
            live.copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        for (int ordinal = 0; ordinal <= 1; ordinal++)
        {
            for (final int offset : new int[]{ FIRST_OFFSET + piece - 1, FIRST_OFFSET + piece, 2 * piece - 1,
                2 * piece + 3, segmentLength - 1 })
            {
                crashed.restore(image);
                crashed.overwrite(segmentName(ordinal), offset, (byte)1);
                try (Journal journal = model.builder(crashed, backend).segmentLength(segmentLength).open())
                {
                    assertTrue(journal.recoveryReport().tornLength() > 0);
                    final long torn = (long)ordinal * segmentLength + offset;
                    final Cut cut = crashed.state().newest();
                    assertTrue(cut.from() <= torn && torn < cut.to(), cut::toString);
                    assertEquals(1, crashed.read(segmentName(ordinal))[offset]);
                    model.assertHolds(journal);
                }
            }
        }
    }

    @EachBackend
    void unusedNextSegmentWithADamagedHeaderIsRejected(final Backend backend) throws Exception
    {
        crashWithPrepared(backend);
        crashed.flip(segmentName(1), 70, 1);
        assertRefused(backend, segmentName(1));
    }

    @EachBackend
    void unusedSegmentsAtTheEndLoseNothing(final Backend backend) throws Exception
    {
        crashWithPrepared(backend);
        for (int ordinal = 2; ordinal <= 3; ordinal++)
        {
            final byte[] header = crashed.read(segmentName(1), 0, FIRST_OFFSET);
            JournalDirectory.littleEndian(header).putLong(48, ordinal).putLong(64, 0x1234567890ABCDEFL + ordinal);
            crashed.put(segmentName(ordinal), Arrays.copyOf(JournalDirectory.sealed(header), SEGMENT_LENGTH));
        }
        final JournalDirectory next = directory("next");
        final List<String> steps = new ArrayList<>();

        try (Journal journal = open(crashed, backend, (step, name) -> steps.add(step + " " + name)))
        {
            // A power loss must not leave a gap.
            final int first = steps.indexOf(Step.DELETE + " " + segmentName(3));
            final List<String> removal = List.of(
                Step.DELETE + " " + segmentName(3), Step.FORCE_DIRECTORY + " ", Step.DELETE + " " + segmentName(2),
                Step.FORCE_DIRECTORY + " ");
            assertEquals(removal, steps.subList(first, first + removal.size()));
            assertNothingCut(journal.recoveryReport());
            model.assertHolds(journal);
            model.appendInto(journal, 3, 3000);
            model.assertHolds(journal);
            crashed.copyTo(next.path);
        }
        final Journal journal = closing(open(next, backend));
        model.assertHolds(journal);
    }

    @EachBackend
    void incompleteSegmentIsDeleted(final Backend backend)
    {
        crashWithUnforced(backend, 3, 3);
        crashed.put("spare-00000000000000000001", new byte[100]);
        crashed.put("spare-00000000000000000009", GARBAGE);
        crashed.put("spare-", new byte[0]);
        crashed.put("spare-control", new byte[4096]);

        final Journal journal = closing(open(crashed, backend));
        assertNothingCut(journal.recoveryReport());
        assertEquals(List.of(), crashed.content().keySet().stream().filter(JournalFiles::isSpare).toList());
        model.appendInto(journal, 1, 3000);
        model.assertHolds(journal);
    }

    @EachBackend
    void rejectedJournalKeepsIncompleteSegments(final Backend backend)
    {
        crashWithUnforced(backend, 3, 3);
        crashed.put("spare-00000000000000000001", new byte[100]);
        Damage.BODY.apply(crashed, crashed.record(2));

        assertRefused(backend, segmentName(0));
    }

    @EachBackend
    void linkNamedLikeASegmentIsRejected(final Backend backend) throws IOException
    {
        crashWithSegments(backend, 2);
        crashed.rename(segmentName(1), "aside");
        Files.createSymbolicLink(crashed.segment(1), crashed.file("aside"));
        assertRefusedUnread(backend, segmentName(1));

        Files.delete(crashed.segment(1));
        Files.createSymbolicLink(crashed.segment(1), crashed.file("nowhere"));
        assertRefusedUnread(backend, segmentName(1));
    }

    @EachBackend
    void segmentsBelowTheStartAreRemoved(final Backend backend)
    {
        crashWithSegments(backend, 3);
        final long first = moveStart(crashed);
        assertEquals(3, crashed.ordinals().size());

        final List<String> steps = new ArrayList<>();
        final Journal journal = closing(open(crashed, backend, (step, name) -> steps.add(step + " " + name)));
        assertEquals(List.of(1L, 2L), crashed.ordinals());
        // The new state is durable in both slots before that, because the previous state may need the segments.
        final int removal = steps.indexOf(Step.DELETE + " " + segmentName(0));
        assertTrue(removal > steps.lastIndexOf(Step.FORCE + " " + CONTROL), steps::toString);
        assertEquals(first, journal.firstSequence());
        final List<Entry> found = readAll(journal);
        assertEquals(model.size() - first + 1, found.size());
        RecordModel.assertEntry(model.entry(first), found.get(0));
    }

    private void crashWithSegments(final Backend backend, final int count)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, count - 1, 3000);
            model.append(journal, 3, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
    }

    private void crashWithPrepared(final Backend backend) throws Exception
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 5, 100);
            prepareNext(journal, live);
            live.copyTo(crashed.path);
        }
        assertEquals(List.of(0L, 1L), crashed.ordinals());
    }

    private CorruptJournalException assertRefused(final Backend backend, final String file)
    {
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("file=" + file), ex.getMessage());
        assertTrue(ex.getMessage().contains("expected="), ex.getMessage());
        crashed.assertHolds(before);
        return ex;
    }

    private void assertRefusedUnread(final Backend backend, final String file)
    {
        final Map<String, byte[]> before = crashed.content();
        final JournalException ex = assertThrows(JournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains(file), ex.getMessage());
        crashed.assertHolds(before);
    }
}
