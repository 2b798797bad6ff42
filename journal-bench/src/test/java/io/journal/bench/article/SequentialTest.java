package io.journal.bench.article;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.bench.Bench;
import io.journal.bench.article.ArticleProgram.Variant;
import io.journal.bench.article.ArticleProgram.WriteCase;
import io.journal.bench.article.SequentialTrial.Sync;
import io.journal.bench.run.Child;
import io.journal.bench.run.Machine;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class SequentialTest
{
    private static final int PAGE_LENGTH = 4096;
    private static final int LENGTH = 3 * PAGE_LENGTH;

    @TempDir
    private Path directory;

    private CommandRun command;

    @BeforeEach
    void setUp()
    {
        command = new CommandRun(directory);
    }

    @BeforeAll
    static void setLengths()
    {
        ArticleProgram.length = LENGTH;
        ArticleProgram.pageLength = PAGE_LENGTH;
    }

    @ParameterizedTest
    @EnumSource
    void everyCaseWritesAndReadsBackTheExpectedBytes(final ArticleCase each) throws IOException
    {
        final Path file = Files.write(directory.resolve("file"), new byte[LENGTH]);
        final byte[] expected = bytes(LENGTH);

        final int written = each.write(file.toString());

        assertArrayEquals(expected, Files.readAllBytes(file));
        assertEquals(sum(expected), written);
        assertEquals(sum(expected), each.read(file.toString()));
    }

    @ParameterizedTest
    @EnumSource
    void everyWriteCaseWritesTheWholeFile(final WriteCase each) throws IOException
    {
        final Path file = Files.write(directory.resolve("file"), new byte[LENGTH]);
        final byte[] expected = bytes(LENGTH);

        final int written = each.write(file.toString());

        assertArrayEquals(expected, Files.readAllBytes(file));
        assertEquals(sum(expected), written);
    }

    @ParameterizedTest
    @EnumSource
    void everyCopyStrategyCopies(final Copy.Strategy strategy) throws IOException
    {
        final Path file = Files.write(directory.resolve("file"), bytes(LENGTH + 5));
        final Path copy = directory.resolve("copy");

        strategy.copy(file, copy, PAGE_LENGTH);

        assertArrayEquals(bytes(LENGTH + 5), Files.readAllBytes(copy));
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfFsyncKeepsTheContent(final Sync sync) throws IOException
    {
        final Path file = Files.write(directory.resolve("file"), bytes(LENGTH));

        sync.force(file);

        assertArrayEquals(bytes(LENGTH), Files.readAllBytes(file));
    }

    @Test
    void sizesAreBytesOrMultiplesOfMemory()
    {
        assertEquals(4096, Sequential.length("4096", 1000));
        assertEquals(1500, Sequential.length("1.5x", 1000));
        assertEquals(Machine.memoryBytes(), Sequential.length("1x", Machine.memoryBytes()));
        assertThrows(IllegalArgumentException.class, () -> Sequential.length("0", 1000));
        assertThrows(NumberFormatException.class, () -> Sequential.length("1.5y", 1000));
    }

    @ParameterizedTest
    @EnumSource(FileStrategy.class)
    void aLastPageMayBeShort(final FileStrategy strategy) throws IOException
    {
        final Path file = directory.resolve("file");
        final byte[] expected = bytes(LENGTH + 5);

        assertEquals(sum(expected), strategy.write(file, expected.length, PAGE_LENGTH, null));

        assertArrayEquals(expected, Files.readAllBytes(file));
        assertEquals(sum(expected), strategy.read(file, PAGE_LENGTH));
    }

    @Test
    void theFaithfulProfilePrintsTheArticlesLines()
    {
        command.run("sequential", "--profile=faithful", "--scale=0.00001");

        final List<String> lines = command.printed().lines().toList();
        final String underline = "=".repeat("400MB file".length() + 1) + "\n";
        assertTrue(command.printed().contains("\n4096 B file (scaled: 1.0E-5)\n" + underline), command.printed());
        assertTrue(command.printed().contains("\n81920 B file (scaled: 1.0E-5)\n" + underline), command.printed());
        for (final ArticleCase each : Variant.ARTICLE.cases())
        {
            assertEquals(
                10, lines.stream().filter((line) -> line.matches(
                    each + "\twrite=[\\d,]+\tread=[\\d,]+ bytes/sec")).count());
        }
        assertFalse(command.printed().contains(ArticleProgram.RESULT), command.printed());
    }

    @ParameterizedTest
    @EnumSource
    void everyVariantPrintsItsLinesAndHasItsResults(final Variant variant) throws IOException
    {
        final Path raw = directory.resolve("raw.jsonl");

        command.run("sequential", "--profile=faithful", "--variant=" + variant, "--sizes=8192", "--output=" + raw);

        final int sections = Variant.PAGES == variant ? 3 : 1;
        assertEquals(
            1 + sections * variant.results(), Files.readAllLines(raw).size());
        assertEquals(variant.hasHeading() ? 1 : 0, count("=+"));
        if (Variant.PAGES == variant)
        {
            assertEquals(12, count("\\w+ write=[\\d,]+ read=[\\d,]+ \\(bytes/sec\\), CPUtime=\\d+ \\(millSec\\)"));
            assertEquals(1, count("Page size : 1 KBytes"));
        }
        else if (Variant.WRITES == variant)
        {
            assertEquals(1, count("File size 0mb"));
            assertEquals(1, count("Test\tbytes/second write speed"));
            assertEquals(3, count("RandomAccessFile\\.DirectByteBuffer-rw\t[\\d,]+"));
        }
    }

    private long count(final String line)
    {
        return command.printed().lines().filter((each) -> each.matches(line)).count();
    }

    @Test
    void flagsAreComparedWithNone()
    {
        command.run("sequential", "--sizes=8192", "--ways=STREAM", "--jvm-flags=-XX:FreqInlineSize=35 -Xint");

        assertTrue(command.printed().contains("filled, -XX:FreqInlineSize=35 -Xint "), command.printed());
        assertEquals(1, count("STREAM, 8,192 B, pages of 4,096 B, filled  +.*"));
    }

    @Test
    void copiesAreComparedWithALoop()
    {
        command.run("copy", "--size=100000");

        assertEquals(1, count("loop, buffer of 65,536 B .*"));
        assertEquals(1, count("Files.copy .*"));
    }

    @Test
    void fairProfileMeasuresEachStrategyOnEachLayout()
    {
        command.run("sequential", "--sizes=100000", "--ways=CHANNEL_DIRECT", "--layouts=filled,extend,sparse",
            "--stalls", "--latency");

        assertEquals(1, count("microseconds to write a page +samples +p50 .*"));

        for (final String layout : List.of("filled", "extend", "sparse"))
        {
            assertTrue(
                command.printed().contains("CHANNEL_DIRECT, 98,304 B, pages of 4,096 B, " + layout), command.printed());
        }
    }

    @Test
    void unsupportedLayoutIsSkippedUnlessItIsTheOnlyOne() throws Exception
    {
        assertTrue(withoutPrograms(CommandLine.ExitCode.OK, "FALLOCATE,EXTEND").contains("skipped: [FALLOCATE]"));
        assertTrue(withoutPrograms(CommandLine.ExitCode.USAGE, "FALLOCATE").contains("leaves nothing to measure"));
    }

    private String withoutPrograms(final int exitCode, final String layouts) throws Exception
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(Bench.class));
        command.addAll(List.of(
            "sequential", "--dir=" + directory.resolve("files"), "--rounds=1", "--quiet", "--sizes=8192",
            "--ways=STREAM", "--layouts=" + layouts));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", directory.toString());
        final Process bench = builder.start();
        final String printed = new String(bench.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(exitCode, bench.waitFor(), printed);
        return printed;
    }

    @Test
    void unwritableResultsAreAFailureThatNamesTheFile()
    {
        assumeTrue(Files.isWritable(Path.of("/dev/full")), "a device of Linux");

        assertEquals(CommandLine.ExitCode.SOFTWARE, command.execute("copy", "--size=1000", "--output=/dev/full"));

        assertTrue(command.printed().contains("failed: results cannot be written: /dev/full: No space"),
            command.printed());
        assertFalse(Files.exists(directory.resolve("files")));
    }

    @Test
    void durableProfileReportsBothRates()
    {
        command.run("sequential", "--profile=durable", "--sizes=100000", "--ways=MAPPED");

        assertTrue(command.printed().contains("write and fsync"), command.printed());
        assertTrue(command.printed().contains("filled, fsynced by descriptor"), command.printed());
    }

    @ParameterizedTest
    @MethodSource("wrongOptions")
    void invalidOptionsAreRejected(final String option)
    {
        assertEquals(CommandLine.ExitCode.USAGE, command.execute("sequential", option));
    }

    static List<String> wrongOptions()
    {
        return List.of("--ways=CARRIER_PIGEON", "--scale=0", "--scale=2", "--profile=unfair", "--sizes=many",
            "--sizes=1.5y", "--sizes=0", "--jvm-flags= ", "--jvm-flags=-XX:MaxInlineSize=35 -XX:+TieredCompilation");
    }

    private static byte[] bytes(final int length)
    {
        final byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
        {
            bytes[i] = (byte)i;
        }

        return bytes;
    }

    private static int sum(final byte[] bytes)
    {
        int sum = 0;
        for (final byte each : bytes)
        {
            sum += each;
        }

        return sum;
    }
}
