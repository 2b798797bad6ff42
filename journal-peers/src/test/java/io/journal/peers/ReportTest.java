package io.journal.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportTest
{
    private static final int SEGMENT_LENGTH = 1024 * 1024;

    @TempDir
    private Path directory;

    @Test
    void roundsOfSeveralFilesArePutTogether() throws Exception
    {
        final Path first = file("first.jsonl", result("", 1, 3_000_000), result("", 2, 1_000_000));
        final Path second = file("second.jsonl", result("", 1, 2_000_000));

        final StringBuilder text = new StringBuilder();
        new ComparisonTables(
            List.of(ResultFile.read(first), ResultFile.read(second)).stream().flatMap(List::stream).toList())
            .print(text);

        assertTrue(text.toString().contains("| Journal, MAPPED | 2 M [1 M..3 M] |"), text.toString());
        assertTrue(text.toString().contains("CRC32C of each record"), text.toString());
    }

    @Test
    void growthHasARowForEachPosition() throws Exception
    {
        final StringBuilder text = new StringBuilder();

        new GrowthTables(ResultFile.read(file("growth.jsonl", result(Growth.RECORD_LENGTH, 1, 500)))).print(text);

        assertTrue(text.toString().contains("| 256 B | 500 |"), text.toString());
    }

    @Test
    void failedCaseHasNoValue() throws Exception
    {
        final Result failed = new Result(result("", 1, 0).measured(), "", 1, Map.of(), "no space");
        final Path file = file("failed.jsonl", failed);

        assertEquals(List.of(failed), ResultFile.read(file));
        final StringBuilder text = new StringBuilder();
        new ComparisonTables(ResultFile.read(file)).print(text);
        assertTrue(text.toString().contains("| Journal, MAPPED | – |"), text.toString());
    }

    private Path file(final String name, final Result... results) throws Exception
    {
        final Path file = directory.resolve(name);
        ResultFile.writeHeader(file, directory, List.of("compare"));
        for (final Result result : results)
        {
            ResultFile.append(file, result);
        }
        assertTrue(Files.readString(file).contains("\"command\":\"compare\""));
        return file;
    }

    private static Result result(final String axis, final int round, final double rate)
    {
        return new Result(
            new Case(PeerKind.JOURNAL_MAPPED, Workload.SUSTAINED, 256, SEGMENT_LENGTH, SEGMENT_LENGTH, 1), axis, round,
            Map.of(Trial.RATE, rate), "");
    }
}
