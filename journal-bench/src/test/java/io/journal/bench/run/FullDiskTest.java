// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;

import io.journal.bench.Bench;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** On a small file system of its own, which only root can mount. */
class FullDiskTest
{
    private static final int MIB = 1024 * 1024;

    @TempDir
    private Path disk;

    private final StringWriter out = new StringWriter();
    private boolean isMounted;

    @BeforeEach
    void mount() throws IOException, InterruptedException
    {
        isMounted = 0 == execute("mount", "-t", "tmpfs", "-o", "size=48m", "bench-test", disk.toString());
        assumeTrue(isMounted, "only root can mount a small file system");
    }

    @AfterEach
    void unmount() throws IOException, InterruptedException
    {
        if (isMounted)
        {
            assertEquals(0, execute("umount", disk.toString()));
        }
    }

    @Test
    void sizeBeyondTheDiskIsRejectedBeforeStart() throws IOException
    {
        assertEquals(CommandLine.ExitCode.USAGE, run(new Filling(64L * MIB, 0)));

        assertTrue(out.toString().contains("--dir has too little space: needed=75 MB, free=50 MB"), out.toString());
        assertIsEmpty();
    }

    @Test
    void diskFullDuringARunIsReportedAndLeavesNothing() throws IOException
    {
        assertEquals(CommandLine.ExitCode.SOFTWARE, run(new Filling(0, 64L * MIB)));

        assertTrue(out.toString().contains("No space left on device"), out.toString());
        assertFalse(out.toString().contains(BenchmarkRun.class.getName()), out.toString());
        assertIsEmpty();
    }

    @Test
    void aDirectoryThatCannotBeWrittenIsRefused() throws IOException, InterruptedException
    {
        assertEquals(0, execute("mount", "-o", "remount,ro", disk.toString()));

        assertEquals(CommandLine.ExitCode.USAGE, run(new Filling(0, 0)));

        assertTrue(out.toString().contains("--dir cannot be written"), out.toString());
    }

    @Test
    void warnsOfAFileSystemInMemory() throws IOException
    {
        assertEquals(CommandLine.ExitCode.OK, run(new Filling(0, MIB)), out.toString());

        assertTrue(out.toString().contains("this file system is in memory"), out.toString());
        assertIsEmpty();
    }

    /** Declares and uses some space. */
    @Command(name = "filling")
    static final class Filling implements Callable<Integer>
    {
        private final long needed;
        private final long taken;

        @Spec
        private CommandSpec spec;

        @Mixin
        private RunOptions options;

        Filling(final long needed, final long taken)
        {
            this.needed = needed;
            this.taken = taken;
        }

        @Override
        public Integer call() throws IOException, InterruptedException
        {
            try (BenchmarkRun run = BenchmarkRun.open(spec, options, "filling"))
            {
                run.require(needed);
                run.begin("filling", Profile.FAIR, 0.01, "fills the disk", List.of());
                run.measure(List.of(
                    BenchmarkCase.inOrder("filler", Child.javaCommand(Filler.class, List.of()), taken)), 1,
                    () -> false);
                return CommandLine.ExitCode.OK;
            }
        }
    }

    /** Takes space. */
    static final class Filler
    {
        private Filler()
        {
        }

        public static void main(final String[] args) throws IOException
        {
            Files.write(Path.of(args[0]).resolve("filler"), new byte[Integer.parseInt(args[1])]);
        }
    }

    private int run(final Filling command)
    {
        final PrintWriter writer = new PrintWriter(out);
        return Bench.commandLine(command).setOut(writer).setErr(writer)
            .execute("--dir=" + disk, "--rounds=1", "--quiet");
    }

    private void assertIsEmpty()
    {
        assertEquals("[]", Arrays.toString(disk.toFile().list()));
    }

    private static int execute(final String... command) throws IOException, InterruptedException
    {
        return new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    }
}
