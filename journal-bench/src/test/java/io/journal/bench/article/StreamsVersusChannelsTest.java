package io.journal.bench.article;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.journal.bench.article.ArticleExperiment.Statistics;
import io.journal.bench.article.StreamsProgram.Case;
import io.journal.bench.article.StreamsTrial.LineFile;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StreamsVersusChannelsTest
{
    private static final int BUFFER_LENGTH = 64;
    private static final int LENGTH = 10 * BUFFER_LENGTH;
    private static final String TIME = "\\d+\\.\\d{6} (micros|millis) \\d+\\.\\d{3} \\(MB/s\\)";

    @TempDir
    private Path directory;

    private CommandRun command;
    private Path file;
    private LineFile lines;
    private LineFile oddLines;

    @BeforeEach
    void setUp()
    {
        command = new CommandRun(directory);
        file = directory.resolve("1.txt");
        lines = new LineFile(file, LENGTH, BUFFER_LENGTH);
        oddLines = new LineFile(file, LENGTH + 7, BUFFER_LENGTH);
    }

    @ParameterizedTest
    @EnumSource(Case.class)
    void everyCaseOfTheOriginalMovesTheWholeFile(final Case each) throws IOException
    {
        lines.write();
        if (each.isGenerator())
        {
            Files.write(file, new byte[2 * LENGTH]);
        }

        final StreamsProgram program = each.program.apply(lines);
        for (int i = 0; i < 2; i++)
        {
            program.init();
            assertEquals(LENGTH, program.run());
            program.close();
        }

        lines.verify();
    }

    @ParameterizedTest
    @EnumSource(FileStrategy.class)
    void everyStrategyWritesAnyLengthByBytesAndByArrays(final FileStrategy strategy) throws IOException
    {
        final byte[] line = lines.line();
        final int length = (int)oddLines.length();

        try (OutputStream output = strategy.output(file, length, BUFFER_LENGTH))
        {
            for (int offset = 0; offset < length; offset += line.length)
            {
                final int count = Math.min(line.length, length - offset);
                final int first = count / 3;
                output.write(line, 0, first);
                output.write(line, first, count - first);
            }
            FileStrategy.force(output, file);
        }
        oddLines.verify();

        Files.delete(file);
        try (OutputStream output = strategy.output(file, length, BUFFER_LENGTH))
        {
            for (int offset = 0; offset < length; offset++)
            {
                output.write(line[offset % line.length]);
            }
        }
        oddLines.verify();
    }

    @ParameterizedTest
    @EnumSource(FileStrategy.class)
    void everyStrategyReadsAnyLengthByBytesAndByArrays(final FileStrategy strategy) throws IOException
    {
        oddLines.write();

        final byte[] array = new byte[BUFFER_LENGTH];
        long sum = 0;
        try (InputStream input = strategy.input(file, BUFFER_LENGTH))
        {
            for (int count = input.read(array); count >= 0; count = input.read(array))
            {
                for (int i = 0; i < count; i++)
                {
                    sum += array[i];
                }
            }
        }
        assertEquals(oddLines.sum(), sum);

        sum = 0;
        try (InputStream input = strategy.input(file, BUFFER_LENGTH))
        {
            for (int next = input.read(); next >= 0; next = input.read())
            {
                sum += next;
            }
        }
        assertEquals(oddLines.sum(), sum);
    }

    @Test
    void aFileHoldsLinesOfOneByteAsLongAsTheBuffer() throws IOException
    {
        lines.write();

        final List<String> read = Files.readAllLines(file);

        assertEquals(10, read.size());
        final String expected = "{".repeat(BUFFER_LENGTH - System.lineSeparator().length());
        assertTrue(read.stream().allMatch(expected::equals), read.toString());
    }

    @Test
    void wrongByteAndWrongLengthAreDetected() throws IOException
    {
        lines.write();
        assertThrows(IllegalStateException.class, oddLines::verify);

        final byte[] bytes = Files.readAllBytes(file);
        bytes[LENGTH - 1]++;
        Files.write(file, bytes);

        assertThrows(IllegalStateException.class, lines::verify);
    }

    @Test
    void theFaithfulProfilePrintsTheOriginalsLinesInItsOrder() throws IOException
    {
        final Path output = directory.resolve("output.jsonl");

        final String printed = String.join("\n", command.run(
            "streams-vs-channels", "--profile=faithful", "--length=65536", "--repeats=3", "--output=" + output));

        for (final int bufferLength : List.of(1024, 8192))
        {
            assertTrue(printed.contains(
                "TestParams{filePath='1.txt', fileSizeInBytes=65536, bufferSizeInBytes=" + bufferLength +
                    ", repeats=3}\n-------------------\nDirectByteBufferGenerator:\navg:"),
                printed);
        }
        int from = 0;
        for (final String name : List.of(
            "DirectByteBufferGenerator", "DirectByteBufferInput", "StreamsBasedGenerator", "StreamsBasedInput",
            "IndirectByteBufferGenerator", "IndirectByteBufferInput", "MemoryMappedGenerator", "MemoryMappedInput"))
        {
            final int at = printed.indexOf(name + ":\n", from);
            assertTrue(at >= from, name);
            final int end = printed.indexOf("--------------------------", at);
            final String block = printed.substring(at, end);
            assertTrue(block.matches(
                name + ":\navg:" + TIME + "\nmin:" + TIME + "\nmax:" + TIME + "\nsygma:" + TIME +
                    "\\(\\d+\\.\\d{6}%\\)\nruns \\(millis\\):(\\d+, ){3}\n\n"),
                block);
            from = end;
        }
        // The run, and each repeat of each case with each buffer.
        final List<String> raw = Files.readAllLines(output);
        assertEquals(1 + 8 * 2 * 3, raw.size());
        assertTrue(raw.get(raw.size() - 1).startsWith("{\"round\":3,"), raw.get(raw.size() - 1));
    }

    @Test
    void theFairProfileTakesAnyLength() throws IOException
    {
        final Path output = directory.resolve("output.jsonl");

        final List<String> printed = command.run(
            "streams-vs-channels", "--length=100003", "--buffers=1000", "--ways=DirectGen,MmapIn",
            "--granularity=array,byte", "--output=" + output);

        for (final String label : List.of(
            "DirectGen, buffer of 1000 B, by array", "DirectGen, buffer of 1000 B, by byte",
            "MmapIn, buffer of 1000 B, by array", "MmapIn, buffer of 1000 B, by byte"))
        {
            assertTrue(printed.stream().anyMatch((line) -> line.startsWith(label + " ")), printed.toString());
        }
        assertTrue(Files.readString(output).contains("\"firstAllocationNs\":"));
    }

    @Test
    void durableProfileReportsBothRatesOfGenerators()
    {
        final List<String> printed = command.run(
            "streams-vs-channels", "--profile=durable", "--length=100000", "--buffers=1024", "--ways=MmapGen,MmapIn");

        assertTrue(printed.stream().anyMatch((line) -> line.startsWith("MmapGen, ")), printed.toString());
        assertTrue(printed.stream().noneMatch((line) -> line.startsWith("MmapIn, ")), printed.toString());
        assertTrue(printed.toString().contains(" fsynced "), printed.toString());
    }

    @Test
    void coldProfileReportsHowThePageCacheWasEvicted() throws Exception
    {
        CommandRun.assumeColdIsPossible(directory);

        final List<String> printed = command.run(
            "streams-vs-channels", "--profile=cold", "--length=100000", "--buffers=1024", "--ways=StreamsIn");

        assertTrue(
            printed.toString().contains("The page cache was evicted before reading: "), printed.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = { "%s 65536 1024 2", "1024 65536 %s 2" })
    void positionalArgumentsAreAcceptedInBothOriginalOrders(final String form)
    {
        final String[] arguments = String.format("--profile=faithful --ways=StreamsGen " + form, file).split(" ");

        final List<String> printed = command.run("streams-vs-channels", arguments);

        assertTrue(printed.contains(
            "TestParams{filePath='1.txt', fileSizeInBytes=65536, bufferSizeInBytes=1024, repeats=2}"),
            printed.toString());
        assertTrue(printed.stream().anyMatch(
            (line) -> line.startsWith("files") && line.contains(directory.toString())), printed.toString());
        assertFalse(Files.exists(file));
    }

    @ParameterizedTest
    @ValueSource(strings = { "--profile=faithful --length=1000", "--profile=faithful --length=4294967296", "--length=0",
        "--buffers=1", "--profile=durable --ways=MmapIn", "1.txt 1024", "1.txt many 1024 50",
        "--length=1000000000000000" })
    void invalidOptionsAreRejected(final String options)
    {
        assertEquals(CommandLine.ExitCode.USAGE, command.execute("streams-vs-channels", options.split(" ")));
    }

    @Test
    void statisticsAreThoseOfTheOriginal()
    {
        final double[] times = { 2e6, 4e6, 6e6 };
        final Statistics statistics = Statistics.of(times);

        assertEquals(4e6, statistics.mean());
        assertEquals(2e6, statistics.min());
        assertEquals(6e6, statistics.max());
        assertEquals(Math.sqrt(8.0 / 3) * 1e6, statistics.sigma(), 1e-3);
        assertEquals(100 * Math.sqrt(8.0 / 3) / 4, statistics.sigmaPercentOfRange(), 1e-9);
        assertEquals(100 * Math.sqrt(8.0 / 3) / 4, statistics.sigmaPercentOfMean(), 1e-9);
        assertEquals(-60, StreamsVersusChannels.firstRunPercent(times), 1e-9);
        assertEquals(
            List.of(
                "X:", "avg:4.000000 millis 250.000 (MB/s)", "min:2.000000 millis 500.000 (MB/s)",
                "max:6.000000 millis 166.667 (MB/s)", "sygma:1.632993 millis 612.372 (MB/s)(40.824829%)",
                "runs (millis):2, 4, 6, ", "", "--------------------------"),
            Arrays.asList(StreamsVersusChannels.originalText("X", 1024 * 1024, times).split("\n")));
    }

    @Test
    void sigmaOfRunsSecondsApartDoesNotOverflow()
    {
        assertEquals(1e10, Statistics.of(0, 20_000_000_000L).sigma());
        assertEquals(0, Statistics.of(5, 5).sigmaPercentOfRange());
    }
}
