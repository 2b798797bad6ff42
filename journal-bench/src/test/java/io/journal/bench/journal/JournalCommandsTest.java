package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.journal.bench.Bench;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.HistogramLogReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class JournalCommandsTest
{
    @TempDir
    private Path directory;

    @Test
    void durableAppendsAreComparedWithALoopWithoutAJournal() throws IOException
    {
        final String text = runTo(
            "raw.jsonl", "group-commit", "--ms=20", "--warm-up-ms=20", "--segment-length=65536", "--threads=2",
            "--backends=FILE_CHANNEL", "--rounds=1");

        assertTrue(text.contains("FILE_CHANNEL, 2 threads"), text);
        assertTrue(text.contains("the same loop in Java"), text);
        assertTrue(text.contains("in the loops 280 B"), text);
        assertTrue(text.lines().anyMatch((line) -> line.contains("1.000 [1.000..1.000]")), text);
        final List<String> lines = Files.readAllLines(directory.resolve("raw.jsonl"));
        assertTrue(lines.get(0).contains("\"file system\":"), lines.get(0));
        assertTrue(lines.stream().anyMatch((line) -> line.contains("\"case\":\"FILE_CHANNEL, 2 threads\"")));
    }

    @Test
    void followerPercentilesCoverAllMeasuredRecords() throws IOException
    {
        final String text = run(
            "follow", "--backends=MAPPED", "--idle=backoff", "--rate=10000", "--warm-up-ms=10", "--ms=50",
            "--segment-length=65536", "--rounds=2");

        // 500 records in each of two rounds.
        assertTrue(text.lines().anyMatch((line) -> line.matches("mapped, process, backoff +1,000 +.*")), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches("mapped, thread, backoff +1,000 +.*")), text);
    }

    @Test
    void seeksAreMeasuredForEachLengthOfTheHistory() throws IOException
    {
        final String text =
            run("seek", "--backends=FILE_CHANNEL", "--records=1000,3000", "--seeks=200", "--segment-length=65536",
                "--rounds=1");

        // Records of 88 bytes with their frame, in segments of 61,440 besides the header.
        assertTrue(text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, 1,000 records +2 .*")), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, 1,000 records +200 .*")), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, 3,000 records +5 .*")), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, 3,000 records +200 .*")), text);
    }

    @Test
    void sustainedAppendsAreMeasuredWithAndWithoutRecycling() throws IOException
    {
        final String text = run(
            "sustained", "--backends=FILE_CHANNEL", "--warm-up-bytes=300000", "--bytes=300000", "--kept=2",
            "--segment-length=65536", "--rounds=1");

        assertTrue(text.lines().anyMatch((line) -> line.startsWith("FILE_CHANNEL, filled ")), text);
        assertTrue(
            text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, recycled .*\\[.*\\].*\\[.*\\].*\\[.*")), text);
    }

    @Test
    void aJournalIsComparedWithAPlainFileForEverySetting() throws IOException
    {
        final String text = run(
            "journal", "--backends=FILE_CHANNEL,MAPPED", "--record-lengths=64", "--write-windows=65536",
            "--force=everyRecord", "--segments=FILLED,RECYCLED", "--bytes=6400", "--segment-lengths=65536",
            "--rounds=1");

        // A mapped journal has no window.
        assertEquals(2, text.lines().filter((line) -> line.matches(
            "FILE_CHANNEL, 64 B, window 65,536, segments of 65,536 B (filled|recycled), everyRecord .*")).count(),
            text);
        assertFalse(text.contains("MAPPED, 64 B, window"), text);
        assertTrue(text.lines().anyMatch((line) -> line.startsWith("CHANNEL_DIRECT, 6,400 B, pages of 64 B")), text);
    }

    @Test
    void latenciesAndLogCoverAllMeasuredRecords() throws IOException
    {
        final Path log = directory.resolve("latency.hlog");

        final String text = run(
            "latency", "--backends=RANDOM_ACCESS_FILE", "--rates=1000", "--force=manual,every1ms,everyRecord",
            "--warm-up-ms=20", "--ms=1000", "--scale=0.5", "--hlog=" + log, "--segment-length=65536", "--rounds=1");

        assertEquals(5, text.lines().filter((line) -> line.startsWith("RANDOM_ACCESS_FILE, ")).count(), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches(
            "RANDOM_ACCESS_FILE, every1ms, forced, 1,000/s +\\d\\d+ .*")), text);
        final HistogramLogReader reader = new HistogramLogReader(log.toFile());
        int intervals = 0;
        while (reader.hasNext())
        {
            final EncodableHistogram interval = reader.nextIntervalHistogram();
            assertTrue(interval.getTag().startsWith("RANDOM_ACCESS_FILE-"), interval.getTag());
            intervals++;
        }
        assertEquals(5, intervals);
        assertTrue(Files.readString(log).startsWith("#[scaled to 0.5 of the full size"), Files.readString(log));
    }

    @Test
    void unwritableHistogramLogIsAFailureThatNamesIt()
    {
        assumeTrue(Files.isWritable(Path.of("/dev/full")), "a device of Linux");
        final StringWriter out = new StringWriter();
        final PrintWriter writer = new PrintWriter(out);

        final int exitCode = Bench.commandLine().setOut(writer).setErr(writer).execute(
            "latency", "--backends=MAPPED", "--rates=1000", "--force=manual", "--until=written", "--warm-up-ms=10",
            "--ms=10", "--hlog=/dev/full", "--rounds=1", "--quiet", "--dir=" + directory);

        assertEquals(CommandLine.ExitCode.SOFTWARE, exitCode, out.toString());
        assertTrue(out.toString().contains("histograms cannot be written: /dev/full"), out.toString());
    }

    /** Also if the records of the warm-up take longer than there is time for all of them. */
    @ParameterizedTest
    @ValueSource(ints = { 0, 100 })
    void rateThatCannotBeSustainedIsReported(final int warmUpMs) throws IOException
    {
        final String text = run(
            "latency", "--backends=FILE_CHANNEL", "--rates=100000000", "--force=manual,every1ms", "--until=forced",
            "--warm-up-ms=" + warmUpMs, "--ms=100", "--segment-length=1048576", "--rounds=1");

        for (final String policy : List.of("manual", "every1ms"))
        {
            assertTrue(text.contains("RATE NOT SUSTAINED: FILE_CHANNEL, " + policy + ", forced, "), text);
        }
    }

    private String run(final String... args) throws IOException
    {
        final String text = runTo("raw.csv", args);
        final String values = Files.readString(directory.resolve("raw.csv"));
        assertTrue(values.contains(",p9999Us,") || values.contains("BytesPerSecond,"), values);
        return text;
    }

    private String runTo(final String raw, final String... args)
    {
        final Path files = directory.resolve("files");
        final StringWriter out = new StringWriter();
        final PrintWriter writer = new PrintWriter(out);
        final Stream<String> common = Stream.of("--dir=" + files, "--output=" + directory.resolve(raw), "--quiet");

        final int exitCode = Bench.commandLine().setOut(writer).setErr(writer)
            .execute(Stream.concat(Stream.of(args), common).toArray(String[]::new));

        assertEquals(CommandLine.ExitCode.OK, exitCode, out.toString());
        assertFalse(Files.exists(files));
        return out.toString();
    }
}
