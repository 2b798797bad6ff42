package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import io.journal.bench.Bench;
import io.journal.bench.run.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalCommandsTest
{
    @TempDir
    private Path directory;

    @Test
    void aFollowersPercentilesAreThoseOfAllCountedRecords() throws IOException
    {
        final String text = run(
            "follow", "--backends=MAPPED", "--idle=backoff", "--rate=10000", "--warm-up-ms=10", "--ms=50");

        // 500 records in each of two rounds.
        assertTrue(text.lines().anyMatch((line) -> line.matches("mapped, process, backoff +1,000 +.*")), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches("mapped, thread, backoff +1,000 +.*")), text);
    }

    @Test
    void seeksAreMeasuredForEachLengthOfTheHistory() throws IOException
    {
        final String text = run("seek", "--backends=FILE_CHANNEL", "--records=1000,3000", "--seeks=200");

        // Records of 88 bytes with their frame, in segments of 61,440 besides the header.
        assertTrue(text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, 1,000 records +2 .* 400 .*")), text);
        assertTrue(text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, 3,000 records +5 .* 400 .*")), text);
    }

    @Test
    void sustainedAppendsAreMeasuredWithAndWithoutRecycling() throws IOException
    {
        final String text = run(
            "sustained", "--backends=FILE_CHANNEL", "--warm-up-bytes=300000", "--bytes=300000", "--kept=2");

        assertTrue(text.lines().anyMatch((line) -> line.startsWith("FILE_CHANNEL, filled ")), text);
        assertTrue(
            text.lines().anyMatch((line) -> line.matches("FILE_CHANNEL, recycled .*\\[.*\\].*\\[.*\\].*\\[.*")), text);
    }

    private String run(final String... args) throws IOException
    {
        final Path raw = directory.resolve("raw.csv");
        final Path files = directory.resolve("files");
        final StringWriter out = new StringWriter();
        final PrintWriter writer = new PrintWriter(out);
        final Stream<String> common = Stream.of(
            "--dir=" + files, "--output=" + raw, "--rounds=2", "--segment-length=65536", "--quiet");

        final int exitCode = Commands.of(new Bench()).setOut(writer).setErr(writer)
            .execute(Stream.concat(Stream.of(args), common).toArray(String[]::new));

        assertEquals(CommandLine.ExitCode.OK, exitCode, out.toString());
        final String values = Files.readString(raw);
        assertTrue(values.contains(",p9999Us,") || values.contains(",forcedBytesPerSecond,"), values);
        assertFalse(Files.exists(files));
        return out.toString();
    }
}
