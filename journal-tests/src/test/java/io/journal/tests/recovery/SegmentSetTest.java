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

    @EachBackend
    void gapInTheOrdinalsIsRejected(final Backend backend)
    {
        crashWithSegments(backend, 4);
        for (final long ordinal : new long[]{ 1, 2 })
        {
            final Map<String, byte[]> image = crashed.content();
            crashed.delete(segmentName(ordinal));
            assertRefused(backend, segmentName(ordinal));
            crashed.restore(image);
        }
    }

    @EachBackend
    void missingLowestSegmentIsRejected(final Backend backend)
    {
        crashWithSegments(backend, 3);
        crashed.delete(segmentName(0));
        assertRefused(backend, segmentName(0));

        crashed.delete(segmentName(1));
        assertRefused(backend, segmentName(0));

        crashed.delete(segmentName(2));
        assertRefused(backend, segmentName(0));
    }

    @EachBackend
    void missingNewestSegmentIsRejectedIfItWasForced(final Backend backend)
    {
        crashWithSegments(backend, 3);
        crashed.delete(segmentName(2));
        final CorruptJournalException ex = assertRefused(backend, segmentName(2));
        assertNamesPlace(ex.getMessage(), 2, ex.getMessage().contains("offset=0") ? 0 : FIRST_OFFSET);

        crashed.delete(segmentName(1));
        assertRefused(backend, segmentName(1));
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
    void newestSegmentOfAnotherJournalIsRejected(final Backend backend)
    {
        crashWithSegments(backend, 3);
        final JournalDirectory other = directory("other");
        final RecordModel otherModel = new RecordModel();
        try (Journal journal = otherModel.builder(other, backend).open())
        {
            otherModel.appendInto(journal, 3, 3000);
        }
        crashed.put(segmentName(2), other.read(segmentName(2)));

        final CorruptJournalException ex = assertRefused(backend, segmentName(2));
        assertTrue(ex.getMessage().contains("uuid"), ex.getMessage());
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
    void swappedSegmentsAreRejectedWhereOneIsRead(final Backend backend)
    {
        crashWithSegments(backend, 3);
        swap(1, 2);
        final CorruptJournalException ex = assertRefused(backend, segmentName(2));
        assertTrue(ex.getMessage().contains("expected=2"), ex.getMessage());
        assertTrue(ex.getMessage().contains("found=1"), ex.getMessage());
    }

    @EachBackend
    void swappedOlderSegmentsAreReportedByTheReader(final Backend backend)
    {
        crashWithSegments(backend, 4);
        final long first = crashed.records(1).get(0).sequence();
        swap(1, 2);

        final Journal journal = closing(open(crashed, backend));
        assertReaderStays(journal, first, 1, 0);
    }

    private void swap(final long one, final long other)
    {
        crashed.rename(segmentName(one), "swapped");
        crashed.rename(segmentName(other), segmentName(one));
        crashed.rename("swapped", segmentName(other));
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
    void newestSegmentOfGarbageIsRejected(final Backend backend)
    {
        crashWithSegments(backend, 3);
        crashed.put(segmentName(2), GARBAGE);
        assertRefused(backend, segmentName(2));

        crashed.put(segmentName(2), new byte[SEGMENT_LENGTH]);
        assertRefused(backend, segmentName(2));
    }

    @EachBackend
    void garbageOrMissingOnlySegmentIsRejected(final Backend backend)
    {
        crashWithUnforced(backend, 3, 3);
        crashed.put(segmentName(0), GARBAGE);
        assertRefused(backend, segmentName(0));

        crashed.put(segmentName(0), new byte[0]);
        assertRefused(backend, segmentName(0));

        crashed.delete(segmentName(0));
        assertRefused(backend, segmentName(0));
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
        final long first = crashPruned(backend);
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

    @EachBackend
    void lowestSegmentAboveTheStartIsRejected(final Backend backend)
    {
        crashPruned(backend);
        crashed.delete(segmentName(0));
        crashed.delete(segmentName(1));
        assertRefused(backend, segmentName(1));
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

    /**
     * @return the first sequence.
     */
    private long crashPruned(final Backend backend)
    {
        crashWithSegments(backend, 3);
        final long first = crashed.frames(1).get(0).sequence();
        final State state = crashed.state();
        crashed.writeStates(state.withStart(SEGMENT_LENGTH, first).withGeneration(state.generation() + 1));
        return first;
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
