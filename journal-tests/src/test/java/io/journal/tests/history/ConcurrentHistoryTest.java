// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.JournalBuilder;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.MemoryDirectory;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Many threads append concurrently, with and without waiting for durability, while others read, roll and prune: the
 * result is a single history that agrees with the observations of each thread. A failure prints the seed, which
 * {@code -Djournal.stress.seed} repeats; {@code -Djournal.stress.rounds} sets the rounds of the long form.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ConcurrentHistoryTest
{
    private static final String SEED = "journal.stress.seed";
    private static final String ROUNDS = "journal.stress.rounds";
    private static final int[] THREADS = { 2, 4, 16, 64 };

    @TempDir(factory = MemoryDirectory.class)
    private Path memory;

    @TempDir
    private Path disk;

    static Stream<Arguments> backendsAndThreads()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Arrays.stream(THREADS).mapToObj((threads) -> Arguments.of(backend, threads)));
    }

    @Tag("slow")
    @ParameterizedTest
    @MethodSource("backendsAndThreads")
    void concurrentOperationsFormOneHistory(final Backend backend, final int threads) throws Exception
    {
        run(memory.resolve("journal"), backend, threads, Long.getLong(SEED, threads), 2500);
    }

    @Tag("soak")
    @Timeout(value = 3600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @EachBackend
    void concurrentOperationsFormOneHistoryForLong(final Backend backend) throws Exception
    {
        final long first = Long.getLong(SEED, System.nanoTime());
        final int rounds = Integer.getInteger(ROUNDS, 60);
        long records = 0;
        long pruned = 0;
        long gone = 0;
        for (long seed = first; seed < first + rounds; seed++)
        {
            final Path parent = 0 == seed % 4 ? disk : memory;
            final int threads = THREADS[(int)Math.floorMod(seed, (long)THREADS.length)];
            final ConcurrentHistory history =
                run(parent.resolve(backend + "-" + seed), backend, threads, seed, 20_000);
            records += history.records();
            pruned += history.pruned();
            gone += history.gone();
        }
        System.out.printf(
            "histories: backend=%s, seeds from %d, rounds=%d, records=%d, pruned=%d, readers whose records were " +
                "pruned=%d%n",
            backend, first, rounds, records, pruned, gone);
        assertTrue(rounds < 10 || pruned > records / 10, "pruned=" + pruned + ", records=" + records);
    }

    private static ConcurrentHistory run(
        final Path path, final Backend backend, final int threads, final long seed, final int records)
        throws Exception
    {
        final Random random = new Random(seed);
        final int window = new int[]{ 0, 0, 1001, 64 * 1024 }[random.nextInt(4)];
        final ForcePolicy policy = new ForcePolicy[]{ ForcePolicy.manual(), ForcePolicy.everyRecord(),
            ForcePolicy.every(Duration.ZERO), ForcePolicy.every(Duration.ofMillis(1)) }[random.nextInt(4)];
        final boolean isRetaining = 0 == random.nextInt(3);
        final boolean isRecycling = random.nextBoolean();
        final String facts = "again with -D" + SEED + "=" + seed + ": backend=" + backend + ", threads=" + threads +
            ", window=" + window + ", policy=" + policy + ", isRetaining=" + isRetaining + ", isRecycling=" +
            isRecycling;
        try
        {
            final ConcurrentHistory history =
                new ConcurrentHistory(threads, Math.max(1, records / threads), isRetaining, seed);
            final JournalBuilder builder = JournalFixture.builder(path, backend)
                .writeWindow(window)
                .force(policy)
                .recycleSegments(isRecycling)
                .retention(isRetaining ? Retention.bytes(2L * JournalFixture.SEGMENT_LENGTH) : Retention.none())
                .errorHandler(history::fail);
            history.run(builder);
            history.verify(path, UsableBackends.one(random.nextInt(12), path));
            return history;
        }
        catch (final Throwable ex)
        {
            throw new AssertionError(facts + "; " + ex.getMessage(), ex);
        }
    }
}
