// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.experiment;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.journal.bench.Bench;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Profile;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
class ExperimentCommandTest
{
    @TempDir
    private Path directory;

    @Test
    void failedCaseDoesNotEndARunWhoseExitCodeSaysSo() throws Exception
    {
        final StringWriter out = new StringWriter();
        final StringWriter err = new StringWriter();
        final Path report = directory.resolve("report");

        final int exitCode = Bench.commandLine(new Failing()).setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err)).execute(
                "--dir=" + directory, "--report=" + report, "--rounds=3", "--quiet");

        assertEquals(CommandLine.ExitCode.SOFTWARE, exitCode, err.toString());
        assertTrue(err.toString().contains("bad, round 3: a case failed: exit code=1"), err.toString());
        assertTrue(err.toString().contains("failed: failing: bad, round 3"), err.toString());
        assertTrue(out.toString().contains("– (3 failed)"), out.toString());
        assertTrue(Files.readString(report.resolve("failing.md")).contains("– (3 failed)"));
        assertTrue(Files.exists(report.resolve("report.html")));
    }

    @Command(name = "failing")
    static final class Failing extends ExperimentCommand
    {
        @Override
        protected List<Experiment> experiments()
        {
            return List.of(new Experiment("failing", "failing", Profile.FAIR, 3, "Does it go on?", (scope) -> List.of(
                BenchmarkCase.of("good", Checking.class).parameter("isGood", true),
                BenchmarkCase.of("bad", Checking.class).parameter("isGood", false))));
        }
    }

    static final class Checking
    {
        private Checking()
        {
        }

        public static void main(final String[] args)
        {
            System.out.println("writeBytesPerSecond=1");
            if (List.of(args).contains("isGood=false"))
            {
                throw new IllegalStateException("records are missing");
            }
        }
    }
}
