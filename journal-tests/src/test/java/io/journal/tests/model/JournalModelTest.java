// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import java.io.IOException;
import java.nio.file.Path;

import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.LogRecords;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random use of a journal, with faults, kills and power losses, compared with a model. A failure prints the seed, which
 * {@code -Djournal.test.seed} repeats, and the sequence of operations.
 */
class JournalModelTest extends JournalFixture
{
    private static final String SEED = "journal.test.seed";
    private static final int SEEDS = 12;
    private static final int SOAK_SEEDS = 2_000;
    /** In one of so many sequences the files are in a directory, where no power is lost. */
    private static final int SEEDS_PER_FILES = 4;

    @TempDir(factory = MemoryDirectory.class)
    private Path locks;

    @EachBackend
    void journalMatchesAModelThroughFaultsAndCrashes(final Backend backend) throws IOException
    {
        final Long only = Long.getLong(SEED);
        // Only on files does DIRECT differ from FILE_CHANNEL.
        final int step = Backend.DIRECT == backend ? SEEDS_PER_FILES : 1;
        for (long seed = null == only ? 0 : only; seed < (null == only ? SEEDS : only + 1); seed += step)
        {
            run(backend, seed);
        }
    }

    @Tag("soak")
    @EachBackend
    void journalMatchesAModelThroughManyFaultsAndCrashes(final Backend backend) throws IOException
    {
        final long first = Long.getLong(SEED, System.currentTimeMillis());
        final int seeds = Integer.getInteger("journal.test.seeds", SOAK_SEEDS);
        for (long seed = first; seed < first + seeds; seed++)
        {
            run(backend, seed);
        }
        System.out.printf("model: backend=%s, first seed=%d, seeds=%d%n", backend, first, seeds);
    }

    private void run(final Backend backend, final long seed) throws IOException
    {
        final boolean isOnFiles = 0 == seed % SEEDS_PER_FILES;
        final Path directory = (isOnFiles ? temp : locks).resolve(backend + "-" + seed);
        // What a journal logs about failing calls is not shown.
        try (LogRecords log = new LogRecords();
            RandomJournal journal = new RandomJournal(directory, backend, isOnFiles, seed))
        {
            try
            {
                journal.run();
            }
            catch (final Throwable ex)
            {
                throw new AssertionError(
                    "again with -D" + SEED + "=" + seed + ": " + ex + "; " + journal + "\n  log: " + log.messages(),
                    ex);
            }
        }
    }
}
