// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;

import io.journal.store.Backend;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Tests of the tests: {@link Crashes} detects a journal that violates a guarantee. */
@Tag("slow")
class BrokenTest
{
    private static final int LIVES = 10;
    private static final int SOAK_TIMES = 20;

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    @TempDir(factory = MemoryDirectory.class)
    private Path otherDirectory;

    @ParameterizedTest
    @MethodSource("brokenJournalsOfTwoBackends")
    void brokenJournalIsCaught(final Backend backend, final Broken broken)
    {
        assertCaught(backend, broken, 1);
    }

    @Tag("soak")
    @ParameterizedTest
    @MethodSource("brokenJournals")
    void brokenJournalIsCaughtEachTime(final Backend backend, final Broken broken)
    {
        final long first = Long.getLong("journal.test.seed", System.nanoTime());
        for (int time = 0; time < SOAK_TIMES; time++)
        {
            assertCaught(backend, broken, first + time * LIVES);
        }
    }

    private void assertCaught(final Backend backend, final Broken broken, final long seed)
    {
        final Crashes crashes = new Crashes(backend, directory, otherDirectory, broken);
        boolean isCaught = false;
        for (int life = 0; life < LIVES && !isCaught; life++)
        {
            isCaught = isCaught(crashes, broken, seed + life);
        }
        assertTrue(isCaught, () -> "not caught: seed=" + seed + ", " + crashes);
    }

    private static boolean isCaught(final Crashes crashes, final Broken broken, final long seed)
    {
        try
        {
            crashes.run(broken.workload(), seed, 8, 0);
            return false;
        }
        catch (final AssertionError ignore)
        {
            return true;
        }
    }

    static Stream<Arguments> brokenJournalsOfTwoBackends()
    {
        return brokenJournals().filter((arguments) -> Backend.RANDOM_ACCESS_FILE != arguments.get()[0]);
    }

    static Stream<Arguments> brokenJournals()
    {
        return Arrays.stream(Broken.values())
            .flatMap((broken) -> Arrays.stream(Backend.values())
                // In memory it is the same as FILE_CHANNEL.
                .filter((backend) -> Backend.DIRECT != backend)
                .map((backend) -> Arguments.of(backend, broken)));
    }
}
