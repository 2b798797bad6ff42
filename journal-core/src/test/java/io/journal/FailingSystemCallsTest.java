package io.journal;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.store.Backend;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Each system call of each operation fails once: nothing that was acknowledged is lost, what is thrown says what has
 * failed, and once the error has passed the journal goes on or opens again, also from the files as a crash right after
 * the error leaves them. A library that is preloaded lets the calls fail.
 * <p>
 * A round that failed is repeated alone by {@code -Djournal.test.faults=OPERATION,index,errno}, with the
 * {@code soak} profile; {@code -Djournal.test.faults=OPERATION} fails each call of one operation, and
 * {@code -Djournal.test.faults.seed} chooses the sample of the default run.
 */
class FailingSystemCallsTest
{
    private static final int SAMPLES = 6;

    @TempDir
    private Path temp;

    @ParameterizedTest
    @EnumSource(Backend.class)
    void callThatFailsOnceLosesNothingAndIsNotTakenForAMissingFile(final Backend backend) throws Exception
    {
        final long seed = Long.getLong("journal.test.faults.seed", System.nanoTime());
        run(backend, SAMPLES, seed, List.of());
    }

    @Tag("soak")
    @ParameterizedTest
    @EnumSource(Backend.class)
    void eachCallThatFailsOnceInEachWayLosesNothing(final Backend backend) throws Exception
    {
        final String only = System.getProperty("journal.test.faults");
        run(backend, -1, 1, null == only ? List.of() : List.of(only.split(",")));
    }

    private void run(final Backend backend, final int samples, final long seed, final List<String> only)
        throws Exception
    {
        final Path report = temp.resolve("report");
        final List<Object> args = new ArrayList<>(List.of(
            Files.createDirectory(temp.resolve("files")), backend, samples, seed, report));
        args.addAll(only);
        try (ChildJvm child = new ChildJvm(temp, PreloadedFaults.command(temp), FaultRounds.class, args.toArray()))
        {
            final int exit = child.awaitEnd();
            final String said = "seed=" + seed + ", " + child + "\n" +
                (Files.exists(report) ? Files.readString(report) : "no report");
            assertEquals(0, exit, said);
            assertEquals(0, child.highest("failures"), said);
            assertTrue(child.highest("rounds") > 0, said);
            System.out.printf("failing system calls: backend=%s, rounds=%d%n", backend, child.highest("rounds"));
        }
    }
}
