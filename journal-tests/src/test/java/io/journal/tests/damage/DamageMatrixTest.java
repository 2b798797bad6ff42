// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.nio.file.Path;

import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.MemoryDirectory;
import io.journal.tests.support.SampleJournal;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Every bit of a journal is flipped, and every file is truncated and extended: no wrong record is delivered, nothing
 * but a {@link JournalException} is thrown, no opening hangs, no loss of acknowledged records is unreported, and the
 * verifier agrees with opening and reading. {@link DamageProbe} asserts it for each state.
 */
@Tag("slow")
class DamageMatrixTest
{
    private static final int RANDOM_FLIPS = 100_000;
    private static final int FULL_STRIDE = 61;

    @TempDir(factory = MemoryDirectory.class)
    private Path scratch;

    @EachBackend
    void damageIsDetectedOrHarmless(final Backend backend) throws InterruptedException
    {
        final DamageMatrix matrix = matrix(SampleJournal.RECYCLED, backend, true)
            .flipAll(40_009)
            .flipStructure(1, 613)
            .cutAndExtend(20_011)
            .run(3);

        assertTrue(matrix.count(DamagePlace.ATTESTED_FRAME, DamageProbe.Outcome.TOLD_BY_READER) > 5, matrix::toString);

        // Without a cut, opening reads the whole segment in which the watermark lies.
        final DamageMatrix uncut = matrix(SampleJournal.CRASHED, backend, true)
            .flipAll(40_009).flipStructure(2, 211).run(3);
        assertTrue(uncut.count(DamagePlace.ATTESTED_FRAME, DamageProbe.Outcome.TOLD_BY_OPEN) > 1, uncut::toString);
    }

    @ParameterizedTest
    @EnumSource(value = SampleJournal.class, mode = EnumSource.Mode.EXCLUDE, names = "CREATING")
    void damageToAnyJournalIsDetectedOrHarmless(final SampleJournal sample) throws InterruptedException
    {
        matrix(sample, Backend.MAPPED, true).flipStructure(1, 997).run(5);
    }

    @EachBackend
    void lossOfRecordsBelowALostWatermarkIsReported(final Backend backend) throws InterruptedException
    {
        for (final SampleJournal sample : new SampleJournal[]{ SampleJournal.CRASHED, SampleJournal.RECYCLED })
        {
            final DamageMatrix matrix = matrix(sample, backend, false).flipUnattested(61).run(5);
            assertTrue(matrix.count(DamagePlace.UNATTESTED_FRAME, DamageProbe.Outcome.CUT) > 10, matrix::toString);
        }
    }

    @Tag("soak")
    @Test
    void everyFlippedBitIsDetectedOrHarmless() throws InterruptedException
    {
        final DamageMatrix matrix = matrix(SampleJournal.RECYCLED, Backend.MAPPED, true).flipAll(1).run(FULL_STRIDE);

        assertEquals(matrix.bits(), matrix.states());
        System.out.println("every bit: " + matrix);
    }

    @Tag("soak")
    @Test
    void everyFileLengthIsDetectedOrHarmless() throws InterruptedException
    {
        System.out.println("every length: " +
            matrix(SampleJournal.RECYCLED, Backend.MAPPED, true).cutAndExtend(1).run(FULL_STRIDE));
    }

    @Tag("soak")
    @EachBackend(except = Backend.MAPPED)
    void everyFlippedBitOfHeadersAndControlFramesIsDetectedOrHarmless(final Backend backend)
        throws InterruptedException
    {
        final long seed = Long.getLong("journal.test.seed", System.nanoTime());
        System.out.println("structure: " +
            matrix(SampleJournal.RECYCLED, backend, true).flipStructure(2, 1).run(FULL_STRIDE));
        System.out.println("random, seed=" + seed + ": " +
            matrix(SampleJournal.RECYCLED, backend, true).flipRandom(RANDOM_FLIPS, seed).run(FULL_STRIDE));
        System.out.println("lengths: " +
            matrix(SampleJournal.RECYCLED, backend, true).cutAndExtend(101).run(FULL_STRIDE));
    }

    @Tag("soak")
    @EachBackend
    void everyFlippedBitOfRecordsBelowALostWatermarkIsReported(final Backend backend) throws InterruptedException
    {
        for (final SampleJournal sample : new SampleJournal[]{ SampleJournal.CRASHED, SampleJournal.RECYCLED })
        {
            System.out.println("unattested: " + matrix(sample, backend, false).flipUnattested(1).run(FULL_STRIDE));
        }
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(value = SampleJournal.class, mode = EnumSource.Mode.EXCLUDE, names = { "RECYCLED", "CREATING" })
    void damageAnywhereInAnyJournalIsDetectedOrHarmless(final SampleJournal sample) throws InterruptedException
    {
        for (final Backend backend : UsableBackends.in(scratch))
        {
            System.out.println("structure: " +
                matrix(sample, backend, true).flipStructure(2, 7).flipUsed(CONTROL, 1).run(FULL_STRIDE));
        }
    }

    private DamageMatrix matrix(final SampleJournal sample, final Backend backend, final boolean isMarkThere)
    {
        return new DamageMatrix(scratch, sample, backend, isMarkThere);
    }
}
