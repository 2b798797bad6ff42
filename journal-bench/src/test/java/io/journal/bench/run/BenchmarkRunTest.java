package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BenchmarkRunTest
{
    @TempDir
    private Path directory;

    private final RunOptions options = new RunOptions();
    private final CommandSpec spec = CommandSpec.create().name("measuring");

    @BeforeEach
    void setUp()
    {
        new CommandLine(spec);
        options.directory = directory;
        options.rounds = 2;
        options.scale = 1;
        options.isQuiet = true;
    }

    @Test
    void everyCaseIsMeasuredInEveryRoundInItsOwnDirectory() throws Exception
    {
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
        {
            final Results results = run.measure(List.of(benchmark("a", "1"), benchmark("b", "2")));

            assertEquals(2, results.roundCount());
            assertEquals(List.of("1", "1"), results.texts("a", "argument"));
            assertEquals(List.of("0", "0"), results.texts("b", "files"));
        }

        assertIsEmpty();
    }

    @Test
    void roundNumbersContinueAcrossCalls() throws Exception
    {
        options.output = directory.resolve("results.jsonl");
        spec.commandLine().setOut(new PrintWriter(Writer.nullWriter())).parseArgs();
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
        {
            run.begin(Profile.FAIR, Experiment.Plan.of(1, "none"), List.of());
            run.measure(List.of(benchmark("a", "1")), 1, () -> false);

            assertEquals(2, run.measure(List.of(benchmark("a", "2")), 2, () -> false).roundCount());
        }

        final List<String> lines = Files.readAllLines(options.output);
        assertEquals(4, lines.size());
        assertTrue(lines.get(3).contains("\"round\":3"), lines.get(3));
    }

    @Test
    void failingCaseEndsTheRunAndReportsItsErrorOutput() throws IOException
    {
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
        {
            final IllegalStateException ex = assertThrows(
                IllegalStateException.class, () -> run.measure(List.of(benchmark("a", "fail"))));

            assertTrue(ex.getMessage().contains("failed on purpose"), ex.getMessage());
        }

        assertIsEmpty();
    }

    @Test
    void tooLittleSpaceIsRejectedWithNumbers() throws IOException
    {
        final ParameterException ex =
            assertThrows(ParameterException.class, () -> BenchmarkRun.open(spec, options, Long.MAX_VALUE));

        assertTrue(ex.getMessage().contains("needed=9,223,372,036,854 MB, free="), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void unwritableResultFileIsRejected() throws IOException
    {
        options.output = directory.resolve("not/there");

        final ParameterException ex = assertThrows(ParameterException.class, () -> BenchmarkRun.open(spec, options, 0));

        assertTrue(ex.getMessage().contains("--output cannot be written"), ex.getMessage());
        assertIsEmpty();
    }

    @Test
    void runThatFailsToStartKeepsEarlierResults() throws IOException
    {
        options.output = Files.writeString(directory.resolve("earlier.jsonl"), "earlier");
        assertThrows(ParameterException.class, () -> BenchmarkRun.open(spec, options, Long.MAX_VALUE));
        BenchmarkRun.open(spec, options, 0).close();
        assertEquals("earlier", Files.readString(options.output));

        options.output = directory.resolve("none.jsonl");
        BenchmarkRun.open(spec, options, 0).close();
        assertFalse(Files.exists(options.output));
    }

    @Test
    void resultsOfOtherCommandsAreKeptAndOwnOnesReplaced() throws IOException
    {
        options.scale = 0.01;
        options.report = directory.resolve("report");
        spec.addOption(OptionSpec.builder("--of").type(String.class).build());
        spec.commandLine().setOut(new PrintWriter(Writer.nullWriter()));
        for (final String of : List.of("one", "two", "one", "three", "two"))
        {
            spec.commandLine().parseArgs("--of=" + of);
            try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
            {
                run.begin(Profile.FAIR, Experiment.Plan.of(1, "none"), List.of());
            }
        }

        try (Stream<Path> files = Files.list(options.report))
        {
            assertEquals(
                Set.of("measuring-fair.jsonl", "measuring-fair.csv", "measuring-fair-2.jsonl", "measuring-fair-2.csv",
                    "measuring-fair-3.jsonl", "measuring-fair-3.csv"),
                files.map((file) -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
        assertEquals("--of=two", RawFile.commandOf(options.report.resolve("measuring-fair-2.jsonl")));
    }

    @Test
    void flagsOfMeasuredProcessesAreAmongTheFacts() throws IOException
    {
        options.output = directory.resolve("raw.jsonl");
        spec.commandLine().setOut(new PrintWriter(Writer.nullWriter())).parseArgs();
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
        {
            run.begin(Profile.FAIR, Experiment.Plan.of(1, "none"), List.of(
                BenchmarkCase.of("a", ArgumentsPrinter.class),
                BenchmarkCase.of("b", ArgumentsPrinter.class, List.of("-Xint")),
                BenchmarkCase.of("c", ArgumentsPrinter.class, List.of("-Xint")),
                BenchmarkCase.of("c", ArgumentsPrinter.class, List.of("-Xmx1g", "-server"))));
        }

        final String facts = Files.readString(options.output);
        assertTrue(facts.contains("of measured children none, and -Xint, and -Xmx1g -server\""), facts);
    }

    @Test
    void noDirectoryIsLeftDuringShutdown() throws Exception
    {
        final Process ending = new ProcessBuilder(
            BenchmarkCase.inOrder("ending", Child.javaCommand(Ending.class)).command(directory))
            .redirectErrorStream(true).start();

        final String printed = new String(ending.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, ending.waitFor(), printed);
        assertTrue(printed.contains("java.lang.IllegalStateException: Shutdown in progress"), printed);
        assertIsEmpty();
    }

    @Test
    void ratesAboveTheDeviceAreMarkedWithAWarning() throws IOException
    {
        options.output = directory.resolve("raw.jsonl");
        options.scale = 0.01;
        final StringWriter out = new StringWriter();
        spec.commandLine().setOut(new PrintWriter(out));
        spec.commandLine().parseArgs();

        try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
        {
            run.begin(Profile.FAIR, Experiment.Plan.of(1, "none"), List.of());
            run.add(1, "a", Map.of(), Map.of("writeBytesPerSecond", "1e15"));
            run.add(1, "b", Map.of(), Map.of("writeBytesPerSecond", "1"));
        }

        final List<String> raw = Files.readAllLines(options.output);
        assertTrue(raw.get(0).contains("\"device\":\"writes with fsync "), raw.get(0));
        assertTrue(raw.get(1).contains("\"aboveDevice\":\"writeBytesPerSecond\""), raw.get(1));
        assertFalse(raw.get(2).contains("aboveDevice"), raw.get(2));
        assertTrue(out.toString().contains("writeBytesPerSecond exceeded the device's rate 1 times"));
    }

    @Test
    void ratesAboveTheDeviceAreOnlyMarkedIfWarningsAreSuppressed() throws IOException
    {
        options.output = directory.resolve("raw.jsonl");
        options.scale = 0.01;
        final StringWriter out = new StringWriter();
        spec.commandLine().setOut(new PrintWriter(out));
        spec.commandLine().parseArgs();

        try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
        {
            run.suppressDeviceWarnings();
            run.begin(Profile.FAIR, Experiment.Plan.of(1, "none"), List.of());
            run.add(1, "a", Map.of(), Map.of("writeBytesPerSecond", "1e15"));
        }

        assertTrue(Files.readAllLines(options.output).get(1).contains("\"aboveDevice\":\"writeBytesPerSecond\""));
        assertFalse(out.toString().contains("exceeded the device"), out.toString());
    }

    @Test
    void roundsAreOneOrMore()
    {
        options.rounds = 0;

        assertThrows(ParameterException.class, () -> BenchmarkRun.open(spec, options, 0));
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
            options.scale = 1;
            final CommandSpec spec = CommandSpec.create();
            new CommandLine(spec);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> BenchmarkRun.open(spec, options, 0)));
        }
    }

    /** A case. */
    static final class ArgumentsPrinter
    {
        private ArgumentsPrinter()
        {
        }

        public static void main(final String[] args) throws IOException
        {
            if ("fail".equals(args[1]))
            {
                throw new IllegalStateException("failed on purpose");
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
        return BenchmarkCase.inOrder(label, Child.javaCommand(ArgumentsPrinter.class), argument);
    }

    private void assertIsEmpty() throws IOException
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            assertEquals(0, entries.count());
        }
    }
}
