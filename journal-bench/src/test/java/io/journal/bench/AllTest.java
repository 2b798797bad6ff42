package io.journal.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class AllTest
{
    // These measure nothing.
    private static final Set<String> OTHERS = Set.of("all", "report", "compare");

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    @Test
    void allContainsEveryExperiment() throws IOException
    {
        final Set<String> measuring = new TreeSet<>();
        Bench.commandLine().getSubcommands().values()
            .forEach((command) -> measuring.add(command.getCommandName()));
        measuring.removeAll(OTHERS);

        assertEquals(
            measuring,
            All.experiments().values().stream().map((arguments) -> arguments.get(0))
                .collect(Collectors.toCollection(TreeSet::new)));
    }

    @Test
    void planPrintsEstimatesAndRunsNothing() throws IOException
    {
        assertEquals(CommandLine.ExitCode.OK, execute("--plan", "--scale=0.01"), out.toString());

        for (final String name : All.experiments().keySet())
        {
            assertTrue(("\n" + out).contains("\n" + name + " "), out.toString());
        }
        assertTrue(out.toString().lines().anyMatch((line) -> line.matches("all +about .*")), out.toString());
        assertFalse(Files.exists(directory.resolve("results")));
    }

    @Test
    void fewRoundsEliminateNone()
    {
        assertEquals(CommandLine.ExitCode.OK, execute("--plan", "--scale=0.01", "--rounds=1"), out.toString());

        assertFalse(out.toString().contains("must be"), out.toString());
        assertTrue(out.toString().lines().anyMatch((line) -> line.matches("recommend +about .*")), out.toString());
    }

    @Test
    void eachExperimentHasAResultFileAndAllAReport() throws IOException
    {
        assertEquals(
            CommandLine.ExitCode.OK, execute("--only=copy,sequential-faithful-bytes", "--scale=0.001", "--rounds=1"),
            out.toString());

        assertTrue(out.toString().contains("2 of 2 experiments done"), out.toString());
        assertTrue(Files.readString(directory.resolve("results/report.html")).contains("Files.copy"));
        try (Stream<Path> files = Files.list(directory.resolve("results")))
        {
            assertEquals(
                Set.of("copy.jsonl", "sequential-faithful-bytes.jsonl", "report.html"),
                files.map((file) -> file.getFileName().toString()).collect(Collectors.toSet()));
        }
    }

    @Test
    void failingExperimentDoesNotStopTheOthers() throws IOException
    {
        // Where a result file should be is something else.
        Files.createDirectories(directory.resolve("results/copy.jsonl"));

        assertEquals(
            CommandLine.ExitCode.SOFTWARE,
            execute("--only=copy,sequential-faithful-bytes", "--scale=0.001", "--rounds=1"),
            out.toString());

        assertTrue(out.toString().contains("1 of 2 experiments done"), out.toString());
        assertTrue(out.toString().contains("failed: copy"), out.toString());
        assertTrue(Files.isRegularFile(directory.resolve("results/sequential-faithful-bytes.jsonl")));
    }

    private int execute(final String... args)
    {
        final PrintWriter writer = new PrintWriter(out);
        final Stream<String> common = Stream.of(
            "all", "--dir=" + directory.resolve("files"), "--results=" + directory.resolve("results"), "--quiet");
        return Bench.commandLine().setOut(writer).setErr(writer)
            .execute(Stream.concat(common, Stream.of(args)).toArray(String[]::new));
    }
}
