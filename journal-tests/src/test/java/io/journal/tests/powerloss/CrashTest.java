// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.nio.file.Path;

import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The operating system crashes at every step of a workload, and every resulting disk state is opened: acknowledged
 * records are there, the records are a prefix of those appended, and the journal continues, also through a second
 * crash.
 */
@Tag("slow")
class CrashTest
{
    private static final int SOAK_STATES = 15_000;

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    @TempDir(factory = MemoryDirectory.class)
    private Path otherDirectory;

    /** Two backends are enough, because the others write like the second. */
    @ParameterizedTest
    @EnumSource(names = { "MAPPED", "FILE_CHANNEL" })
    void everyDiskAfterACrashOpensWithAllAcknowledgedRecords(final Backend backend)
    {
        final Crashes crashes = new Crashes(backend, directory, otherDirectory, Variant.NONE);
        for (final Workload workload : Workload.values())
        {
            crashes.run(workload, 1, 2, 2);
        }

        assertTrue(crashes.states() > 500 && crashes.doubleStates() > 100, crashes::toString);
    }

    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void randomHistoryKeepsItsPromisesThroughTwoCrashes(final Backend backend)
    {
        final Crashes crashes = new Crashes(backend, directory, otherDirectory, Variant.NONE);
        for (int seed = 1; seed <= 4; seed++)
        {
            crashes.run(Workload.RANDOM, seed, 2, 3);
        }

        assertTrue(crashes.states() > 500 && crashes.doubleStates() > 100, crashes::toString);
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(names = { "MAPPED", "FILE_CHANNEL" })
    void millionStatesOfRandomHistoriesKeepTheirPromises(final Backend backend)
    {
        final long start = System.nanoTime();
        final long first = Long.getLong("journal.test.seed", System.nanoTime());
        final long wanted = Long.getLong("journal.test.states", 1_000_000) / 2;
        final Crashes crashes = new Crashes(backend, directory, otherDirectory, Variant.NONE);
        long seed = first;
        while (crashes.states() + crashes.doubleStates() < wanted)
        {
            crashes.run(Workload.RANDOM, seed++, 6, 3);
        }
        System.out.printf(
            "random histories on %s: first seed=%d, seeds=%d, %s, seconds=%d%n",
            backend, first, seed - first, crashes, (System.nanoTime() - start) / 1_000_000_000);
    }

    @Tag("soak")
    @EachBackend(except = Backend.DIRECT)
    void tensOfThousandsOfCrashesLoseNothing(final Backend backend)
    {
        final long start = System.nanoTime();
        final long first = Long.getLong("journal.test.seed", System.nanoTime());
        final Crashes crashes = new Crashes(backend, directory, otherDirectory, Variant.NONE);
        long seed = first;
        while (crashes.states() < SOAK_STATES || crashes.doubleStates() < SOAK_STATES)
        {
            for (final Workload workload : Workload.values())
            {
                crashes.run(workload, seed, 6, 3);
            }
            seed++;
        }
        System.out.printf(
            "crashes on %s: first seed=%d, seeds=%d, %s, seconds=%d%n",
            backend, first, seed - first, crashes, (System.nanoTime() - start) / 1_000_000_000);
    }
}
