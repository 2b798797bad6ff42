// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import io.journal.tests.model.ControlModel.Variant;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * Random histories of the protocol of the core, see ADR 13, and of broken variants, which have to be detected.
 */
@Tag("slow")
class ControlModelTest
{
    private static final int LIVES = 8;

    /** Crash at every second step of a history, or at few steps, to run more histories in the same time. */
    private static final int DENSE = 2;
    private static final int SPARSE = 30;
    private static final int SEEDS_UNTIL_CAUGHT = 10_000;

    @Test
    void everyCrashLeavesWhatWasAcknowledgedAndNothingThatWasCut()
    {
        final long states = run(Variant.NONE, 0, 5, DENSE) + run(Variant.NONE, 5, 50, SPARSE);

        assertTrue(states > 10_000, () -> "states=" + states);
    }

    @ParameterizedTest
    @EnumSource(names = { "TORN_TAIL_OVERWRITTEN_WITH_TERM_IN_CHECKSUM", "PREVIOUS_TERM_WITHOUT_END" })
    void simplerProtocolIsAsSafe(final Variant variant)
    {
        run(variant, 0, 50, SPARSE);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE,
        names = { "NONE", "TORN_TAIL_OVERWRITTEN_WITH_TERM_IN_CHECKSUM", "PREVIOUS_TERM_WITHOUT_END" })
    void brokenProtocolIsCaught(final Variant variant)
    {
        // This variant is caught only after hundreds of histories; the soak test starts at random seeds.
        assertCaught(variant, Variant.CURRENT_SLOT_NOT_REWRITTEN == variant ? 600 : 0);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(names = { "NONE", "TORN_TAIL_OVERWRITTEN_WITH_TERM_IN_CHECKSUM", "PREVIOUS_TERM_WITHOUT_END" })
    void manyHistoriesLoseNothing(final Variant variant)
    {
        final int seeds = Integer.getInteger("journal.test.seeds", 1_000);
        final long first = Long.getLong("journal.test.seed", 1_000);

        final long states = run(variant, first, seeds, DENSE) + run(variant, first + seeds, 10 * seeds, SPARSE);

        System.out.printf("model: variant=%s, first seed=%d, seeds=%d, states=%d%n", variant, first, seeds, states);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE,
        names = { "NONE", "TORN_TAIL_OVERWRITTEN_WITH_TERM_IN_CHECKSUM", "PREVIOUS_TERM_WITHOUT_END" })
    void brokenProtocolIsCaughtFromAnySeed(final Variant variant)
    {
        final long first = Long.getLong("journal.test.seed", 100_000);
        for (int time = 0; time < 3; time++)
        {
            assertCaught(variant, first + (long)time * SEEDS_UNTIL_CAUGHT);
        }
    }

    private static long run(final Variant variant, final long first, final int seeds, final int stepsPerFork)
    {
        long states = 0;
        for (long seed = first; seed < first + seeds; seed++)
        {
            try
            {
                states += new ControlHistory(seed, variant, stepsPerFork).run(LIVES);
            }
            catch (final ControlHistory.Violation | RuntimeException ex)
            {
                throw new AssertionError("seed=" + seed + ", steps per fork=" + stepsPerFork + ", variant=" + variant +
                    ": " + ex.getMessage(), ex);
            }
        }
        return states;
    }

    private static void assertCaught(final Variant variant, final long first)
    {
        for (long seed = first; seed < first + SEEDS_UNTIL_CAUGHT; seed++)
        {
            try
            {
                new ControlHistory(seed, variant, SPARSE).run(LIVES);
            }
            catch (final ControlHistory.Violation ignore)
            {
                return;
            }
        }
        fail("not caught: variant=" + variant + ", first seed=" + first);
    }
}
