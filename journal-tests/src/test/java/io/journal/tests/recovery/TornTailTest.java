// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ObjIntConsumer;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.RecordModel;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The newest segment ends at every byte of its last frames, with zeros, garbage or the end of the file.
 * {@link JournalDirectory}, which shares no code with the journal, computes the expected result from the damaged bytes.
 */
@Tag("slow")
class TornTailTest extends RecoveryFixture
{
    private static final long SEED = 20_240_607;
    private static final int[] LENGTHS = { 17, 0, 8, 40, 1 };

    /** Kinds of loss at the end. */
    private enum Loss
    {
        ZEROS((segment, from) -> Arrays.fill(segment, from, segment.length, (byte)0)),
        GARBAGE((segment, from) ->
        {
            final byte[] garbage = new byte[segment.length - from];
            new Random(SEED + from).nextBytes(garbage);
            System.arraycopy(garbage, 0, segment, from, garbage.length);
        }),

        GARBAGE_OF_ONE_BLOCK((segment, from) ->
        {
            final byte[] garbage = new byte[Math.min(512, segment.length - from)];
            new Random(SEED - from).nextBytes(garbage);
            System.arraycopy(garbage, 0, segment, from, garbage.length);
        }),

        ONE_BYTE((segment, from) -> segment[from] ^= (byte)0xFF);

        final ObjIntConsumer<byte[]> loss;

        Loss(final ObjIntConsumer<byte[]> loss)
        {
            this.loss = loss;
        }
    }

    /** Each byte is tested on one of the backends: they share the code that opens. */
    @EachBackend
    void tailTornAtAnyByteIsTruncatedOrCorruption(final Backend backend)
    {
        crashWithMarkedTail(backend);
        assertTrue(assertShareIsCutOrTold(backend, Loss.ZEROS, 1) > 25);
        assertTrue(assertShareIsCutOrTold(backend, Loss.ONE_BYTE, 1) > 25);
        assertTrue(assertShareIsCutOrTold(backend, Loss.GARBAGE, 5) > 5);
        assertTrue(assertShareIsCutOrTold(backend, Loss.GARBAGE_OF_ONE_BLOCK, 5) > 5);
    }

    @EachBackend
    void tailTornAtAnyByteIsTruncatedOrCorruptionWithoutAWatermark(final Backend backend)
    {
        crashWithMarkedTail(backend);
        crashed.loseForced();
        // If the lost part includes the watermark frames, nothing shows what is gone. If it is one byte, later
        // watermark frames show it.
        assertEquals(0, assertShareIsCutOrTold(backend, Loss.ZEROS, 3));
        assertTrue(assertShareIsCutOrTold(backend, Loss.ONE_BYTE, 3) > 5);
    }

    @Tag("soak")
    @EachBackend
    void tailTornAtAnyByteInAnyWayIsTruncatedOrCorruption(final Backend backend)
    {
        crashWithMarkedTail(backend);
        final Map<String, byte[]> image = crashed.content();
        for (final Loss loss : Loss.values())
        {
            assertLossIsCutOrTold(backend, loss, 0, 1);
            crashed.loseForced();
            assertLossIsCutOrTold(backend, loss, 0, 1);
            crashed.restore(image);
        }
    }

    @EachBackend
    void truncatedRecordsNeverReturnAfterTheNextCrash(final Backend backend)
    {
        assertDoubleCrashes(backend, 11 * backend.ordinal(), 11 * Backend.values().length);
    }

    @Tag("soak")
    @EachBackend
    void recordsTruncatedAtAnyByteNeverReturnAfterTheNextCrash(final Backend backend)
    {
        assertDoubleCrashes(backend, 0, 1);
    }

    /**
     * Segments 0 and 1 are durable. Of segment 2, some records are below the watermark of a mark in it, some below that
     * of the control file only, and some below none.
     *
     * @return offset of the first small record.
     */
    private int crashWithMarkedTail(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 2, 3000);
            final long first = model.size() + 1;
            model.append(journal, 2, 20);
            model.forceAndMark(journal);
            model.append(journal, 2, 9);
            journal.force();
            for (final int length : LENGTHS)
            {
                model.append(journal, length);
            }
            live.copyTo(crashed.path);
            return crashed.record(first).offset();
        }
    }

    /** Of every {@code stride} bytes, tests those assigned to this backend. */
    private int assertShareIsCutOrTold(final Backend backend, final Loss loss, final int stride)
    {
        return assertLossIsCutOrTold(backend, loss, backend.ordinal() * stride, Backend.values().length * stride);
    }

    /**
     * @return how many times the journal was refused.
     */
    private int assertLossIsCutOrTold(final Backend backend, final Loss loss, final int start, final int stride)
    {
        final Map<String, byte[]> image = crashed.content();
        final int first = crashed.records(2).get(1).offset();
        final int end = crashed.end();
        final byte[] intact = image.get(segmentName(2));
        int cut = 0;
        int refused = 0;
        for (int from = first + start; from <= end + 16; from += stride)
        {
            final byte[] segment = intact.clone();
            loss.loss.accept(segment, from);
            crashed.restore(image);
            crashed.put(segmentName(2), segment);
            if (assertCutOrTold(backend, loss + " from " + from))
            {
                cut++;
            }
            else
            {
                refused++;
            }
        }

        crashed.restore(image);
        assertTrue(cut > 100 / stride, "cut=" + cut);
        return refused;
    }

    /**
     * @return whether the journal was to be opened, and was.
     */
    private boolean assertCutOrTold(final Backend backend, final String place)
    {
        final List<Frame> left = crashed.frames(2);
        final long end = left.get(left.size() - 1).endPosition();
        final long lastSequence =
            left.stream().filter((frame) -> !frame.isControl()).mapToLong(Frame::sequence).max().orElseThrow();
        final long attested = attestedPosition();
        if (attested > end)
        {
            final Map<String, byte[]> before = crashed.content();
            final CorruptJournalException ex =
                assertThrows(CorruptJournalException.class, () -> openUnforced(crashed, backend).close(), place);
            assertNamesPlace(ex.getMessage(), 2, (int)(end - 2 * SEGMENT_LENGTH));
            crashed.assertHolds(before);
            return false;
        }

        final byte[] damaged = crashed.read(segmentName(2));
        try (Journal journal = openUnforced(crashed, backend))
        {
            final RecoveryReport report = journal.recoveryReport();
            model.assertHolds(journal, lastSequence);
            assertEquals(end, report.endPosition(), place);
            assertEquals(lastSequence, report.lastSequence(), place);
            int contentEnd = SEGMENT_LENGTH;
            while (0 == damaged[contentEnd - 1])
            {
                contentEnd--;
            }
            final int endOffset = (int)(end - 2 * SEGMENT_LENGTH);
            if (contentEnd > endOffset)
            {
                assertEquals(contentEnd - endOffset, report.tornLength(), place);
                assertTorn(report, crashed, 2, endOffset, damaged);
            }
            else
            {
                assertNothingCut(report);
            }
        }

        return true;
    }

    private long attestedPosition()
    {
        long attested = null == crashed.forced() ? 0 : crashed.forced().position();
        for (final Frame mark : crashed.marks(2))
        {
            attested = Math.max(attested, mark.markedPosition());
        }

        return attested;
    }

    private void assertDoubleCrashes(final Backend backend, final int start, final int stride)
    {
        final Random random = new Random(SEED);
        crashWithMarkedTail(backend);
        final Map<String, byte[]> image = crashed.content();
        final RecordModel all = model;
        final int forced = (int)(crashed.forced().position() - 2 * SEGMENT_LENGTH);
        final int end = crashed.end();
        int crashes = 0;
        for (int from = forced + start; from < end; from += stride)
        {
            for (final Loss loss : Loss.values())
            {
                final byte[] segment = image.get(segmentName(2)).clone();
                loss.loss.accept(segment, from);
                crashed.restore(image);
                crashed.put(segmentName(2), segment);
                model = all.copy();
                final String place = loss + " from " + from + ", seed=" + SEED;
                JournalDirectory directory = crashed;
                for (int life = 1; life <= 3; life++)
                {
                    directory = crashAgain(backend, directory, random, 0 == crashes % 2, place + ", life " + life);
                    crashes++;
                }
            }
        }

        assertTrue(crashes > 300 / stride, "crashes=" + crashes);
    }

    /**
     * Opens the journal, appends after the cut, crashes, and loses some of the new records.
     *
     * @return the crashed journal.
     */
    private JournalDirectory crashAgain(
        final Backend backend, final JournalDirectory directory, final Random random, final boolean isSameLengths,
        final String place)
    {
        final JournalDirectory next = directory == crashed ? directory("again") : crashed;
        final Map<String, byte[]> image;
        try (Journal journal = openUnforced(directory, backend))
        {
            final List<Entry> found = readAll(journal);
            model.assertHolds(found, journal.lastSequence());
            model.forgetAfter(journal.lastSequence());
            for (final int length : LENGTHS)
            {
                model.append(journal, isSameLengths ? length : random.nextInt(60));
                if (random.nextInt(8) == 0)
                {
                    model.forceAndMark(journal);
                }
            }
            image = directory.content();
        }
        catch (final CorruptJournalException ex)
        {
            throw new AssertionError(place, ex);
        }

        next.restore(image);
        // The torn bytes stay in place, because the log may have continued in the next segment.
        final long ordinal = next.newestUsed();
        final int forced = (int)Math.max(FIRST_OFFSET, next.forced().position() - ordinal * SEGMENT_LENGTH);
        final byte[] segment = image.get(segmentName(ordinal)).clone();
        final int from = forced + random.nextInt(next.end() + 1 - forced);
        Loss.values()[random.nextInt(Loss.values().length)].loss.accept(segment, from);
        next.put(segmentName(ordinal), segment);
        return next;
    }
}
