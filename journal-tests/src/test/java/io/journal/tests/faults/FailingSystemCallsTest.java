// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Each system call of each operation fails once: no acknowledged record is lost, the exception names the cause, and
 * once the error has passed the journal continues or reopens, also from the file state of a crash right after the
 * error. Injected by a preloaded library.
 * <p>
 * A failed round is repeated with the {@code soak} profile and the option from its report,
 * {@code -Djournal.test.faults=BACKEND,OPERATION,index,errno}; without index and errno, each call of the operation
 * fails. {@code -Djournal.test.faults.seed} chooses the sample of the default run.
 */
@Tag("slow")
class FailingSystemCallsTest extends JournalFixture
{
    private static final int SAMPLES = 1;
    // The test creates and deletes thousands of small files, so they are kept in memory if possible.
    private static final Path MEMORY = Path.of("/dev/shm");

    @Test
    void callThatFailsOnceLosesNothingAndIsNotAMissingFile() throws Exception
    {
        final long seed = Long.getLong("journal.test.faults.seed", 1);
        final List<String> backends = UsableBackends.in(files()).stream().map(Backend::name).toList();
        run(String.join(",", backends), SAMPLES, seed, List.of());
    }

    private Path files()
    {
        return Files.isWritable(MEMORY) ? MEMORY : temp;
    }

    @Tag("soak")
    @EachBackend
    void eachCallThatFailsOnceInEachWayLosesNothing(final Backend backend) throws Exception
    {
        final String only = System.getProperty("journal.test.faults");
        final List<String> what = null == only ? List.of(backend.name()) : List.of(only.split(","));
        assumeTrue(backend.name().equals(what.get(0)), "another backend was asked for");
        run(backend.name(), -1, 1, what.subList(1, what.size()));
    }

    private void run(final String backends, final int samples, final long seed, final List<String> only)
        throws Exception
    {
        final Path report = temp.resolve("report");
        final List<String> command = PreloadedFaults.command(temp);
        final Path files = Files.createTempDirectory(files(), "journal-faults");
        final List<Object> args = new ArrayList<>(List.of(files, backends, samples, seed, report));
        args.addAll(only);
        try (ChildJvm child = new ChildJvm(temp, command, FaultRounds.class, args.toArray()))
        {
            final int exit = child.awaitEnd();
            final String said = "seed=" + seed + ", " + child + "\n" +
                (Files.exists(report) ? Files.readString(report) : "no report");
            assertEquals(0, exit, said);
            assertEquals(0, child.highest("failures"), said);
            assertTrue(child.highest("rounds") > 0, said);
            System.out.printf(
                "failing system calls: backends=%s, rounds=%d, seed=%d%n", backends, child.highest("rounds"), seed);
        }
        finally
        {
            deleteTree(files);
        }
    }
}
