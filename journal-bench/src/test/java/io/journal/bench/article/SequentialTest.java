package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.journal.bench.Bench;
import io.journal.bench.run.Commands;
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

class SequentialTest
{
    private static final int PAGE_LENGTH = 4096;
    private static final int LENGTH = 3 * PAGE_LENGTH;

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();

    static Stream<Way> ways()
    {
        return Stream.concat(Stream.of(OriginalWay.values()), Stream.of(ArrayWay.values()));
    }

    @ParameterizedTest
    @MethodSource("ways")
    void everyWayWritesTheBytesOfTheirNumbersAndReadsThemBack(final Way way) throws IOException
    {
        final Path file = Files.write(directory.resolve("file"), new byte[LENGTH]);
        final byte[] expected = bytes(LENGTH);

        final int written = way.write(file, LENGTH, PAGE_LENGTH);

        assertArrayEquals(expected, Files.readAllBytes(file));
        assertEquals(sum(expected), written);
        assertEquals(sum(expected), way.read(file, PAGE_LENGTH));
    }

    @ParameterizedTest
    @EnumSource(ArrayWay.class)
    void aLastPageMayBeShort(final ArrayWay way) throws IOException
    {
        final Path file = directory.resolve("file");
        final byte[] expected = bytes(LENGTH + 5);

        assertEquals(sum(expected), way.write(file, expected.length, PAGE_LENGTH));

        assertArrayEquals(expected, Files.readAllBytes(file));
        assertEquals(sum(expected), way.read(file, PAGE_LENGTH));
    }

    @Test
    void theFaithfulProfilePrintsTheArticlesLines() throws IOException
    {
        run("--profile=faithful", "--scale=0.00001");

        final List<String> lines = out.toString().lines().toList();
        assertTrue(out.toString().contains("\n4096 B file (scaled: 1.0E-5)\n"), out.toString());
        assertTrue(out.toString().contains("\n81920 B file (scaled: 1.0E-5)\n"), out.toString());
        for (final OriginalWay way : OriginalWay.values())
        {
            assertEquals(
                10, lines.stream().filter((line) -> line.matches(
                    way + "\twrite=[\\d,]+\tread=[\\d,]+ bytes/sec")).count());
        }
    }

    @Test
    void theFairProfileMeasuresEachWayOnEachLayout() throws IOException
    {
        run("--sizes=100000", "--ways=CHANNEL_DIRECT", "--layouts=filled,extend,sparse");

        for (final String layout : List.of("filled", "extend", "sparse"))
        {
            assertTrue(
                out.toString().contains("CHANNEL_DIRECT, 98,304 B, pages of 4,096 B, " + layout), out.toString());
        }
    }

    @Test
    void theDurableProfileTellsBothRates() throws IOException
    {
        run("--profile=durable", "--sizes=100000", "--ways=MAPPED");

        assertTrue(out.toString().contains("write and force"), out.toString());
    }

    @ParameterizedTest
    @MethodSource("wrongOptions")
    void optionsThatMakeNoSenseAreRefused(final String option)
    {
        assertEquals(CommandLine.ExitCode.USAGE, execute(option));
    }

    static List<String> wrongOptions()
    {
        return List.of("--ways=CARRIER_PIGEON", "--scale=0", "--scale=2", "--profile=unfair", "--sizes=many");
    }

    @Test
    void aWayOfNoSuchNameIsTold()
    {
        assertThrows(IllegalArgumentException.class, () -> Sequential.way("CARRIER_PIGEON"));
        assertEquals(OriginalWay.RandomAccessFile, Sequential.way("RandomAccessFile"));
    }

    private void run(final String... args) throws IOException
    {
        assertEquals(CommandLine.ExitCode.OK, execute(args), out.toString());
        assertFalse(Files.exists(directory.resolve("files")));
    }

    private int execute(final String... args)
    {
        final PrintWriter writer = new PrintWriter(out);
        final Stream<String> common =
            Stream.of("sequential", "--dir=" + directory.resolve("files"), "--rounds=1", "--quiet");
        return Commands.of(new Bench()).setOut(writer).setErr(writer)
            .execute(Stream.concat(common, Stream.of(args)).toArray(String[]::new));
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
