// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("slow")
class BenchmarkRunTest
{
    @TempDir
    private Path directory;

    private final RunOptions options = new RunOptions();
    private final CommandSpec spec = CommandSpec.create().name("measuring");

    @BeforeEach
    void setUp()
    {
        new CommandLine(spec).setOut(new PrintWriter(Writer.nullWriter())).parseArgs();
        options.directory = directory;
        options.rounds = 2;
        options.isQuiet = true;
    }

    @Test
    void everyCaseIsMeasuredInEveryRoundInItsOwnDirectory() throws Exception
    {
        try (BenchmarkRun run = open())
        {
            final List<RawFile.Line> results = run.measure(
                List.of(benchmark("a", "1"), benchmark("b", "2")), 2, () -> false);

            assertEquals(
                List.of("1 a", "1 b", "2 a", "2 b"),
                results.stream().map((line) -> line.round() + " " + line.label()).sorted().toList());
            results.forEach((line) ->
            {
                assertEquals("a".equals(line.label()) ? "1" : "2", line.values().get("argument"));
                assertEquals("0", line.values().get("files"));
            });
        }

        assertIsEmpty();
    }

    @Test
    void oneCaseIsMeasuredThoughTheTimeIsUp() throws Exception
    {
        try (BenchmarkRun run = open())
        {
            run.measure(List.of(benchmark("a", "1"), benchmark("b", "2")), 2, () -> true);

            assertEquals(1, run.lines().size());
        }
    }

    @Test
    void roundNumbersContinueAcrossCalls() throws Exception
    {
        options.output = directory.resolve("results.jsonl");
        try (BenchmarkRun run = open())
        {
            run.begin("kind", Profile.FAIR, 0.01, "none", List.of());
            run.measure(List.of(benchmark("a", "1")), 1, () -> false);

            assertEquals(2, run.measure(List.of(benchmark("a", "2")), 2, () -> false).size());
        }

        final List<String> lines = Files.readAllLines(options.output);
        assertEquals(4, lines.size());
        assertTrue(lines.get(3).contains("\"round\":3"), lines.get(3));
    }

    @Test
    void failingCaseEndsTheRunAndReportsItsErrorOutput() throws IOException
    {
        try (BenchmarkRun run = open())
        {
            final IllegalStateException ex = assertThrows(
                IllegalStateException.class, () -> run.measure(List.of(benchmark("a", "fail")), 1, () -> false));

            assertTrue(ex.getMessage().contains("failed on purpose"), ex.getMessage());
        }

        assertIsEmpty();
    }

    @Test
    void runGoesOnAfterAFailedCaseWhoseResultIsTheCause() throws Exception
    {
        final List<String> failures = new ArrayList<>();
        try (BenchmarkRun run = open())
        {
            final List<RawFile.Line> results = run.measure(
                List.of(benchmark("a", "fail"), benchmark("b", "2")), 2, () -> false,
                (failure) -> failures.add(failure.getMessage()));

            assertEquals(2, failures.size());
            assertTrue(failures.get(0).startsWith("a, round 1: a case failed: exit code=1\n"), failures.get(0));
            assertEquals(4, results.size());
            results.forEach((line) -> assertEquals(
                "a".equals(line.label()),
                line.values().getOrDefault(RawFile.FAILED, "").contains("failed on purpose"), line::toString));
        }
        assertIsEmpty();
    }

    @Test
    void caseThatDoesNotEndFails() throws Exception
    {
        try (BenchmarkRun run = open())
        {
            final BenchmarkCase hanging = benchmark("a", "hang").endingWithin(1, TimeUnit.SECONDS);

            final IllegalStateException ex =
                assertThrows(IllegalStateException.class, () -> run.measure(List.of(hanging), 1, () -> false));

            assertTrue(ex.getMessage().contains("a case did not end and was killed"), ex.getMessage());
        }
        assertIsEmpty();
    }

    @Test
    void tooLittleSpaceIsRejectedWithNumbers() throws IOException
    {
        final ParameterException ex =
            assertThrows(ParameterException.class, this::requireTooMuch);

        assertTrue(ex.getMessage().contains("needed=1,125,899,906 MB, free="), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void unwritableResultFileIsRejected() throws IOException
    {
        options.output = directory.resolve("not/there");

        final ParameterException ex = assertThrows(ParameterException.class, () -> open());

        assertTrue(ex.getMessage().contains("--output cannot be written"), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void runThatFailsToStartKeepsEarlierResults() throws IOException
    {
        options.output = Files.writeString(directory.resolve("earlier.jsonl"), "earlier");
        assertThrows(ParameterException.class, this::requireTooMuch);
        open().close();
        assertEquals("earlier", Files.readString(options.output));

        options.output = directory.resolve("none.jsonl");
        open().close();
        assertFalse(Files.exists(options.output));
    }

    @Test
    void flagsOfMeasuredProcessesAreAmongTheFacts() throws IOException
    {
        options.output = directory.resolve("raw.jsonl");
        try (BenchmarkRun run = open())
        {
            run.begin("kind", Profile.FAIR, 0.01, "none", List.of(
                BenchmarkCase.of("a", ArgumentsPrinter.class),
                BenchmarkCase.of("b", ArgumentsPrinter.class, "-Xint"),
                BenchmarkCase.of("c", ArgumentsPrinter.class, "-Xint"),
                BenchmarkCase.of("c", ArgumentsPrinter.class, "-Xmx1g -server")));
        }

        final String facts = Files.readString(options.output);
        assertTrue(facts.contains("of measured processes none, and -Xint, and -Xmx1g -server\""), facts);
    }

    @Test
    void noDirectoryIsLeftDuringShutdown() throws Exception
    {
        final Process ending = new ProcessBuilder(
            BenchmarkCase.inOrder("ending", Child.javaCommand(Ending.class, List.of())).command(
                directory, directory, ""))
            .redirectErrorStream(true).start();

        final String printed = new String(ending.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, ending.waitFor(), printed);
        assertTrue(printed.contains("java.lang.IllegalStateException: Shutdown in progress"), printed);
        assertIsEmpty();
    }

    @Test
    void roundsAreOneOrMore()
    {
        options.rounds = 0;

        assertThrows(ParameterException.class, () -> open());
    }

    @Test
    void whatAProgramPrintsIsShownAndParsed() throws Exception
    {
        final StringWriter out = new StringWriter();
        spec.commandLine().setOut(new PrintWriter(out)).parseArgs();
        try (BenchmarkRun run = open())
        {
            run.measure(List.of(benchmark("a", "7").parsedBy((printed) -> List.of(new RawFile.Line(
                3, "parsed", Map.of("way", "w"), Map.of("recordsCount", printed.get(1).substring(9)))))), 1,
                () -> false);

            assertEquals("parsed", run.lines().get(0).label());
            assertEquals(3, run.lines().get(0).round());
            assertEquals("7", run.lines().get(0).values().get("recordsCount"));
        }
        assertTrue(out.toString().contains("argument=7"), out.toString());
    }

    @Test
    void aProgramThatKillsItselfFirstIsRunAgain() throws Exception
    {
        try (BenchmarkRun run = open())
        {
            run.measure(List.of(BenchmarkCase.of("killed", Killed.class).killedFirst()), 1, () -> false);

            assertEquals("1", run.lines().get(0).values().get("leftCount"));
        }
    }

    /** Leaves a file, then says that it is there. */
    static final class Killed
    {
        private Killed()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            final Path left = Path.of(args[0]).resolve("left");
            if (List.of(args).contains("step=fill"))
            {
                Files.createFile(left);
                new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
            }
            System.out.println("leftCount=" + (Files.exists(left) ? 1 : 0));
        }
    }

    private BenchmarkRun open()
    {
        return BenchmarkRun.open(spec, options, "measuring");
    }

    private void requireTooMuch() throws IOException
    {
        try (BenchmarkRun run = open())
        {
            run.require(1_000_799_917_193_244L);
        }
    }

    /** Opens a session too late. */
    static final class Ending
    {
        private Ending()
        {
        }

        public static void main(final String[] args)
        {
            final RunOptions options = new RunOptions();
            options.directory = Path.of(args[0]);
            options.rounds = 1;
            final CommandSpec spec = CommandSpec.create();
            new CommandLine(spec);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> BenchmarkRun.open(spec, options, "ending")));
        }
    }

    /** A case. */
    static final class ArgumentsPrinter
    {
        private ArgumentsPrinter()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            if ("fail".equals(args[1]))
            {
                throw new IllegalStateException("failed on purpose");
            }
            if ("hang".equals(args[1]))
            {
                Thread.sleep(Long.MAX_VALUE);
            }
            try (Stream<Path> files = Files.list(Path.of(args[0])))
            {
                System.out.println("files=" + files.count());
            }
            Files.createFile(Path.of(args[0]).resolve("leftover"));
            System.out.println("argument=" + args[1]);
        }
    }

    private static BenchmarkCase benchmark(final String label, final String argument)
    {
        return BenchmarkCase.inOrder(label, Child.javaCommand(ArgumentsPrinter.class, List.of()), argument);
    }

    private void assertIsEmpty()
    {
        assertEquals("[]", Arrays.toString(directory.toFile().list()));
    }
}
