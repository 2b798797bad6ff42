package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Random;

import io.journal.bench.article.ReaderStrategy.Point;
import io.journal.bench.run.Child;
import io.journal.bench.run.Flags;
import org.agrona.collections.LongArrayList;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ReadersTest
{
    private static final int LENGTH = 20_000;
    private static final int MIB = 1024 * 1024;

    @TempDir
    private Path directory;

    private CommandRun command;

    @BeforeEach
    void setUp()
    {
        command = new CommandRun(directory);
    }

    @ParameterizedTest
    @EnumSource(ReaderStrategy.class)
    void everyStrategySumsTheWholeFileForAllLengths(final ReaderStrategy strategy) throws IOException
    {
        final Path file = directory.resolve("file");
        Content.write(file, LENGTH);
        final long published = strategy.isPublishedUnsigned() ? Content.unsignedSum(LENGTH) : Content.sum(LENGTH);

        for (final int bufferLength : List.of(1, 100, 8192, 1 << 20))
        {
            for (final int arrayLength : List.of(1, 100, 8192, 1 << 20))
            {
                assertEquals(Content.sum(LENGTH), strategy.read(file, bufferLength, arrayLength));
                assertEquals(published, strategy.readAsPublished(file, bufferLength, arrayLength));
            }
        }
    }

    @Test
    void lengthsAreVariedAloneAndTogether()
    {
        final List<Point> points = ReaderStrategy.Lengths.BOTH.points("X", List.of(1, 2));

        assertEquals(
            List.of(
                new Point("X", "buffer", 1, 8192), new Point("X", "buffer", 2, 8192),
                new Point("X", "array", 8192, 1), new Point("X", "array", 8192, 2),
                new Point("X", "both", 1, 1), new Point("X", "both", 2, 2)),
            points);
        assertEquals(6, points.stream().map(Point::label).distinct().count());
        assertEquals(3, points.stream().map(Point::series).distinct().count());
    }

    @Test
    void passBeyondTheTimeLimitReadsLess() throws IOException
    {
        final ReaderTrial.Pass pass = trial(2 * MIB).run(1);

        assertEquals(MIB, pass.length());
        assertEquals(Content.sum(MIB), pass.sum());
        assertEquals(MIB, Files.size(pass.file()));
    }

    @Test
    void casesShareTheFilesOfTheirWarmUp() throws IOException
    {
        final Path first = trial(2 * MIB).run(1).file();
        final FileTime written = FileTime.fromMillis(0);
        Files.setLastModifiedTime(first, written);

        assertEquals(first, trial(2 * MIB).run(1).file());

        assertEquals(written, Files.getLastModifiedTime(first));
    }

    @Test
    void withoutALimitTheWholeFileIsRead() throws IOException
    {
        final ReaderTrial.Pass pass = trial(2 * MIB).run(0);

        assertEquals(2 * MIB, pass.length());
        assertEquals(Content.sum(2 * MIB), pass.sum());
    }

    @Test
    void faithfulProfileUsesTheArticlesStrategiesInItsOrder()
    {
        final List<String> lines =
            command.run("readers", "--profile=faithful", "--length=" + LENGTH, "--sizes=64,8192");

        int from = 0;
        for (final ReaderStrategy strategy : ReaderStrategy.values())
        {
            final long sum = strategy.isPublishedUnsigned() ? Content.unsignedSum(LENGTH) : Content.sum(LENGTH);
            final int points = strategy.lengths.points("", List.of(64, 8192)).size();
            final int first = lines.indexOf(lines.stream().skip(from).filter(
                (line) -> line.startsWith(strategy.title + "  ")).findFirst().orElseThrow());
            assertTrue(first >= from, strategy.title);
            for (final String line : lines.subList(first, first + points))
            {
                assertTrue(line.matches(strategy.title + " +(-|\\d+) +(-|\\d+) +\\d+\\.\\d{3} +" + sum), line);
            }
            from = first + points;
        }
    }

    @Test
    void fairProfileMarksReducedPassesAndReportsTheFastest() throws IOException
    {
        final Path output = directory.resolve("output.jsonl");

        final List<String> lines = command.run(
            "readers", "--length=" + 2 * MIB, "--sizes=8192", "--ways=CHANNEL_HEAP_BYTES,CHANNEL_HEAP_ARRAY",
            "--only=^CHANNEL.*(B|buffer varied)$", "--limit-ms=1", "--output=" + output);

        final String printed = String.join("\n", lines);
        assertTrue(printed.matches(
            "(?s).*\nCHANNEL_HEAP_BYTES, buffer of 8192 B +[\\d,.]+ \\[[\\d,.]+\\] \\*\n.*"), printed);
        assertTrue(printed.contains("limited by --limit-ms"), printed);
        assertTrue(printed.contains("flat from B"), printed);
        assertTrue(printed.matches("(?s).*arrays of 8192 B are [\\d.]+ times as fast as single bytes.*"), printed);
        final String raw = Files.readString(output);
        assertTrue(raw.contains("\"isReduced\":\"true\""), raw);
        assertTrue(raw.contains("\"bytesCount\":" + MIB), raw);
    }

    @Test
    void cIsMeasuredTooAndItsSumsAreVerified() throws Exception
    {
        Assumptions.assumeTrue(
            null != Child.compileC(Readers.class, "readers", Files.createDirectory(directory.resolve("c"))),
            "no C compiler");
        final Path output = directory.resolve("output.jsonl");

        command.run("readers", "--length=" + LENGTH, "--sizes=100,8192", "--only=^C ", "--output=" + output);

        final List<String> raw = Files.readAllLines(output);
        assertEquals(1 + 3 * 2, raw.size());
        assertEquals(
            6, raw.stream().filter((line) -> line.contains("\"sum\":" + Content.sum(LENGTH)) &&
                line.contains("\"elapsedNs\":")).count());
    }

    @ParameterizedTest
    @EnumSource(LineTrial.Strategy.class)
    void linesAreReadAllAndSingly(final LineTrial.Strategy strategy) throws IOException
    {
        final Path file = directory.resolve("lines");
        final int count = LineTrial.write(file, 100_000);
        final LineTrial trial = new LineTrial(file, strategy, new LongArrayList(), new Random(0), 0);

        assertEquals(Files.size(file) - count, trial.readAll());

        for (int number = 0; number < count; number++)
        {
            assertEquals(LineTrial.text(number), trial.line(number));
        }
    }

    @Test
    void linesAreMeasuredWithBothStrategies() throws IOException
    {
        final Path output = directory.resolve("output.jsonl");

        final List<String> lines = command.run(
            "readers", "--lines", "--length=" + 100 * LENGTH, "--scale=0.01", "--output=" + output);

        for (final LineTrial.Strategy strategy : LineTrial.Strategy.values())
        {
            assertTrue(lines.stream().anyMatch(
                (line) -> line.matches(strategy + ", lines +[\\d,.]+ +[\\d,]+ +[\\d,.]+")), lines.toString());
        }
        assertTrue(Files.readString(output).contains("\"lineUs\":"));
    }

    @Test
    void coldProfileReportsHowThePageCacheWasEvicted() throws Exception
    {
        CommandRun.assumeColdIsPossible(directory);

        final List<String> lines =
            command.run("readers", "--profile=cold", "--length=" + LENGTH, "--only=^MAPPED_BYTES");

        assertTrue(lines.get(lines.size() - 1).startsWith("The page cache was evicted before reading: "));
    }

    @Test
    void unsupportedFlagsAreReportedAndTheOthersMeasured()
    {
        final List<String> lines = command.run(
            "readers", "--length=" + LENGTH, "--only=^MAPPED_BYTES", "--flags=-XX:+AggressiveOpts,-Xmx1000m");

        final String printed = String.join("\n", lines);
        assertTrue(printed.contains("-XX:+AggressiveOpts is not supported: Unrecognized VM option"), printed);
        assertTrue(lines.stream().anyMatch((line) -> line.startsWith("MAPPED_BYTES, -Xmx1000m ")), printed);
    }

    @Test
    void flagsCanBeCombined() throws Exception
    {
        assertNull(Flags.refusal("-XX:-TieredCompilation -XX:CompileThreshold=2"));
        assertNotNull(Flags.refusal("-XX:-TieredCompilation -XX:+UseFastAccessorMethods"));
    }

    @ParameterizedTest
    @ValueSource(strings = { "--ways=CARRIER_PIGEON", "--sizes=0", "--length=0", "--length=4294967296",
        "--profile=durable", "--limit-ms=-1", "--lines --profile=faithful", "--only=nothing_of_that_name" })
    void invalidOptionsAreRejected(final String options)
    {
        assertEquals(CommandLine.ExitCode.USAGE, command.execute("readers", options.split(" ")));
    }

    private ReaderTrial trial(final int length) throws IOException
    {
        final Path file = directory.resolve("file");
        Content.write(file, length);
        return new ReaderTrial(
            new Point("MAPPED_ARRAY", "array", 0, 8192), ReaderStrategy.MAPPED_ARRAY::read, file, length);
    }
}
