package io.journal.bench.jmh;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.bench.Bench;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JmhRatiosTest
{
    @TempDir
    private Path directory;

    @Test
    void runsBaselinesAndPrintsRatios() throws Exception
    {
        // Elsewhere on the machine JMH may be measuring: what this test checks does not depend on it.
        System.setProperty("jmh.ignoreLock", "true");
        final StringWriter out = new StringWriter();
        final Path raw = directory.resolve("raw.json");
        final Path journals = directory.resolve("journals");

        final int exitCode = Bench.commandLine(new JmhRatios()).setOut(new PrintWriter(out)).execute(
            "--dir", journals.toString(), "--only", "replay", "--quick", "--rounds", "1", "--quiet",
            "--jmh-output", raw.toString());

        assertEquals(CommandLine.ExitCode.OK, exitCode, out.toString());
        assertEquals(3, out.toString().lines().filter((line) -> line.startsWith("replay 256 B")).count(),
            out.toString());
        assertTrue(Files.readString(raw).contains("ReplayBenchmark.baseline"));
        assertFalse(Files.exists(journals));
    }

    @Test
    void emptySelectionIsRejected()
    {
        final StringWriter err = new StringWriter();

        final int exitCode = Bench.commandLine(new JmhRatios()).setErr(new PrintWriter(err)).execute(
            "--dir", directory.toString(), "--only", "nothing of this name");

        assertEquals(CommandLine.ExitCode.USAGE, exitCode);
    }
}
