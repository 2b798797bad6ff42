// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.RecoveryReport;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter;
import io.journal.tests.crash.Promises;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * System calls of a journal in use fail: fsyncs and writes, once or permanently, at the first call or the fiftieth.
 * Injected with strace; without it these tests are skipped.
 */
@Tag("slow")
class FailingCallsTest extends JournalFixture
{
    private static final String FORCES = "fdatasync,fsync,msync";
    private static final int LONG_SEGMENT = 4 * 1024 * 1024;
    private static final int FILLED_LENGTH = 1024 * 1024;
    private static final int[] CALLS = { 1, 2, 3, 5, 8, 13, 21, 34, 55 };
    private static final int RECORDS = 300;

    private int runs;

    @EachBackend
    void failedFsyncIsNeverRetried(final Backend backend) throws Exception
    {
        run(backend, 1, inject(FORCES, "error=EIO:when=25"));
    }

    @Tag("soak")
    @EachBackend
    void failedFsyncsAreReported(final Backend backend) throws Exception
    {
        int failed = 0;
        for (final int call : CALLS)
        {
            failed += run(backend, 1, inject(FORCES, "error=EIO:when=" + call)) ? 1 : 0;
            failed += run(backend, 4, inject(FORCES, "error=EIO:when=" + call + "+")) ? 1 : 0;
            failed += run(backend, 1, inject("fdatasync,msync", "error=ENOSPC:when=" + call + "+")) ? 1 : 0;
        }

        System.out.printf("failing forces: backend=%s, runs=%d, failed journals=%d%n", backend, runs, failed);
        assertTrue(failed > 0);
    }

    @Tag("soak")
    @EachBackend
    void failedWritesAreReported(final Backend backend) throws Exception
    {
        int failed = 0;
        for (final int call : CALLS)
        {
            failed += run(backend, 1, inject("pwrite64,write", "error=EIO:when=" + call)) ? 1 : 0;
            failed += run(backend, 4, inject("pwrite64,write", "error=EIO:when=" + call + "+")) ? 1 : 0;
            failed += run(backend, 1, inject("pwrite64,write", "error=ENOSPC:when=" + call + "+")) ? 1 : 0;
        }

        System.out.printf("failing writes: backend=%s, runs=%d, failed journals=%d%n", backend, runs, failed);
    }

    /** Files may not grow, nor be written, beyond a length: the write across it comes up short, the next one fails. */
    @EachBackend
    void shortWritesAreContinuedOrReported(final Backend backend) throws Exception
    {
        assumeTrue(Files.isExecutable(Path.of("/bin/sh")), "needs a shell, to limit the length of files");
        final Path directory = temp.resolve("journal");
        try (Journal journal =
            KilledWriter.builder(directory, backend).segmentLength(LONG_SEGMENT).backgroundThread(false).open())
        {
            // To where an opening fills the segment, and journal.control is shorter.
            while (journal.counters().appendedPosition() < FILLED_LENGTH - 100_000)
            {
                journal.appender().append(1, KilledWriter.record(1, journal.lastSequence() + 1, 5000));
            }
            journal.cursor(FaultedWriter.CURSOR).save(0);
        }
        try (ChildJvm child = child(
            directory, backend, 1, List.of("/bin/sh", "-c", "ulimit -f 2100; exec \"$0\" \"$@\"")))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
            assertTrue(child.hasSaid("failed") || child.hasSaid("refused"), child::toString);
            assertTrue(child.highest("forced") > 0, child::toString);
            verify(directory, child);
        }
    }

    /**
     * What a tracer needs to let calls fail that are made on the journal's files, as opposed to the process's output.
     */
    private List<String> inject(final String calls, final String how)
    {
        final Path strace = Path.of("/usr/bin/strace");
        assumeTrue(Files.isExecutable(strace), "needs strace, to let calls fail");
        final List<String> command = new ArrayList<>(List.of(
            strace.toString(), "-f", "--seccomp-bpf", "-qq", "-y", "-o", temp.resolve("calls-" + runs).toString(),
            "-e", "trace=" + calls, "-e", "inject=" + calls + ":" + how));
        if (calls.contains("write"))
        {
            final Path directory = journal();
            for (int ordinal = 0; ordinal < 8; ordinal++)
            {
                command.addAll(List.of("-P", directory.resolve(JournalFiles.segment(ordinal)).toString()));
                command.addAll(List.of("-P", directory.resolve(JournalFiles.spare(ordinal)).toString()));
            }
            command.addAll(List.of("-P", directory.resolve(JournalFiles.CONTROL).toString()));
        }
        return command;
    }

    private Path journal()
    {
        return temp.resolve("journal-" + runs);
    }

    private ChildJvm child(
        final Path directory, final Backend backend, final int threads, final List<String> around)
    {
        return new ChildJvm(
            temp, around, FaultedWriter.class, directory, backend, threads, RECORDS, temp);
    }

    /**
     * @return whether the journal has failed.
     */
    private boolean run(final Backend backend, final int threads, final List<String> around) throws Exception
    {
        final Path directory = journal();
        final Path calls = temp.resolve("calls-" + runs);
        runs++;
        try (ChildJvm child = child(directory, backend, threads, around))
        {
            final int exit = child.awaitEnd();
            assumeTrue(
                Files.exists(calls) && !child.toString().contains("ptrace"), () -> "cannot trace here: " + child);
            final String place = String.join(" ", around);
            assertEquals(0, exit, () -> place + ": " + child);
            if (isInjected(calls, ""))
            {
                assertTrue(child.hasSaid("failed") || child.hasSaid("unopened"), () -> place + ": " + child);
            }
            final RecoveryReport report = verify(directory, child);
            if (child.hasSaid("failed") && (isInjected(calls, ".journal>") || isInjected(calls, "msync(")) &&
                !isInjected(calls, "write"))
            {
                // An fsync of zeros alone leaves nothing to rewrite.
                assertTrue(
                    report.isRewritten() || report.durablePosition() >= report.endPosition(),
                    () -> place + ": " + report);
            }
            return child.hasSaid("failed");
        }
    }

    /**
     * Whether a call failed on a file that the journal continues to use; one that is being prepared is discarded.
     * Interleaved lines are ignored.
     */
    private static boolean isInjected(final Path calls, final String call) throws IOException
    {
        return Files.readAllLines(calls).stream().anyMatch((line) -> line.contains("(INJECTED)") &&
            line.contains(call) && !line.contains("resumed>") && !line.contains(JournalFiles.SPARE_PREFIX));
    }

    private static RecoveryReport verify(final Path directory, final ChildJvm child)
    {
        try (Journal journal =
            FaultedWriter.builder(directory, Backend.FILE_CHANNEL).backgroundThread(false).open())
        {
            Promises.readAll(journal);
            assertTrue(journal.lastSequence() >= child.highest("forced"), () -> journal + ", " + child);
            assertTrue(journal.cursor(FaultedWriter.CURSOR).sequence() >= child.highest("saved"), child::toString);
            return journal.recoveryReport();
        }
    }
}
