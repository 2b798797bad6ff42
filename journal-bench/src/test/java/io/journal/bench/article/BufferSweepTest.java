package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.journal.bench.article.ArticleExperiment.Statistics;
import io.journal.bench.article.SweepTrial.Direction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BufferSweepTest
{
    private static final String NUMBER = "\\d+\\.\\d+(E-?\\d+)?";
    private static final int LENGTH = 10_000;

    @TempDir
    private Path directory;

    private CommandRun command;

    @BeforeEach
    void setUp()
    {
        command = new CommandRun(directory);
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void fileIsMovedWithAnyBufferLength(final Direction direction) throws IOException
    {
        final Path file = directory.resolve("file");
        direction.prepare(file, LENGTH);
        final long expectedSum = Content.unsignedSum(LENGTH);

        for (final int bufferLength : List.of(0, 1, 8192, LENGTH, 1 << 20))
        {
            final long sum = direction.move(file, LENGTH, bufferLength);

            direction.check(file, LENGTH, expectedSum, sum);
        }
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    void passThatMovesNothingIsRejected(final Direction direction) throws IOException
    {
        final Path empty = Files.createFile(directory.resolve("empty"));

        assertThrows(IllegalStateException.class, () -> direction.check(empty, LENGTH, 1, 1));
        assertThrows(IllegalStateException.class, () -> direction.check(empty, 0, 1, 0));
    }

    @Test
    void theFaithfulProfilePrintsTheArticlesColumns()
    {
        final List<String> lines =
            command.run("buffer-sweep", "--profile=faithful", "--length=2000", "--repeats=2", "--system=KVM on XFS");

        final int header = lines.indexOf(
            "BufferSize | minThroughput | maxThroughput | meanThroughput | sigmaThroughput |");
        assertEquals("KVM on XFS:", lines.get(header - 1));
        final List<Integer> buffers = List.of(0, 1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 128, 256);
        for (int i = 0; i < buffers.size(); i++)
        {
            final String line = lines.get(header + 1 + i);
            assertTrue(line.matches(buffers.get(i) + (" \\| " + NUMBER).repeat(4) + " \\|"), line);
        }
        assertTrue(lines.get(header + 1 + buffers.size()).startsWith("shortest that is not "), lines.toString());
    }

    @Test
    void fairProfileMeasuresBothDirectionsAndReportsTheBest() throws IOException
    {
        final Path output = directory.resolve("output.jsonl");

        final List<String> lines = command.run(
            "buffer-sweep", "--length=20000", "--buffers=0,8", "--ms=1", "--output=" + output);

        assertEquals(2, lines.stream().filter((line) -> line.matches(
            "shortest that is .*: [08] kB; .*; the JDK's own 8 kB: \\d+ % of it; no buffer: .*")).count(),
            lines.toString());
        final String raw = Files.readString(output);
        assertTrue(raw.contains("\"bufferLength\":8192"), raw);
        assertTrue(raw.contains("\"readBytesPerSecond\":"), raw);
        assertTrue(raw.contains("\"writeBytesPerSecond\":"), raw);
    }

    @Test
    void theDurableProfileWritesAndForces() throws IOException
    {
        final Path output = directory.resolve("output.jsonl");

        final List<String> lines = command.run(
            "buffer-sweep", "--profile=durable", "--length=20000", "--buffers=8", "--ms=1", "--output=" + output);

        assertTrue(lines.toString().contains("written and fsynced"), lines.toString());
        assertTrue(Files.readString(output).contains("\"durableBytesPerSecond\":"));
    }

    @Test
    void coldProfileReportsHowThePageCacheWasEvicted() throws Exception
    {
        CommandRun.assumeColdIsPossible(directory);

        final List<String> lines =
            command.run("buffer-sweep", "--profile=cold", "--length=20000", "--buffers=8", "--ms=1");

        assertTrue(lines.get(lines.size() - 1).startsWith("The page cache was evicted before each pass: "));
    }

    @ParameterizedTest
    @ValueSource(strings = { "--buffers=-1", "--length=0", "--repeats=0", "--profile=durable --direction=read",
        "--profile=cold --direction=both", "--length=1000000000000000" })
    void invalidOptionsAreRejected(final String options)
    {
        assertEquals(CommandLine.ExitCode.USAGE, command.execute("buffer-sweep", options.split(" ")));
    }

    @Test
    void sigmaIsThatOfThePopulation()
    {
        assertEquals(new Statistics(1, 5, 3, Math.sqrt(8.0 / 3)), Statistics.of(1, 3, 5));
        assertEquals(0, Statistics.of(7).sigma());
    }
}
