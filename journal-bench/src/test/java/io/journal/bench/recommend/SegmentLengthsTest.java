package io.journal.bench.recommend;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.journal.bench.journal.BackendConfig;
import io.journal.bench.journal.Sustained;
import io.journal.bench.recommend.Measurements.Comparison;
import io.journal.bench.run.Results;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.BenchmarkRun;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SegmentLengthsTest
{
    private static final int MIB = 1024 * 1024;
    private static final long PLENTY = 1L << 40;

    @TempDir
    private Path directory;

    @Test
    void defaultLengthIsChosenUnlessAnotherIsAhead()
    {
        final SegmentLengths lengths = new SegmentLengths(requirement(256), PLENTY);

        assertEquals(64 * MIB, lengths.best(results(100, 105, 90)));
        assertEquals(16 * MIB, lengths.best(results(100, 130, 90)));
        assertEquals(4 * MIB, lengths.best(results(100, 130, 170)));
        // Ahead of the default, but not of the one that is longer than it.
        assertEquals(16 * MIB, lengths.best(results(100, 130, 135)));
    }

    @Test
    void theReasonNamesTheLengthAndTheTableHasTheRates()
    {
        final SegmentLengths lengths = new SegmentLengths(requirement(256), PLENTY);

        assertEquals("Segments of 16 MiB append clearly faster than longer ones.",
            lengths.reason(results(100, 130, 90)));
        assertEquals("Shorter segments are not clearly faster: segments of 64 MiB.",
            lengths.reason(results(100, 105, 90)));
        assertEquals(
            List.of(
                "Append without a pause, no fsync: MB/s",
                "                                             median           of the default",
                "segments of 64 MiB                   100 [100..100]        1.00 [1.00..1.00]",
                "segments of 16 MiB                   130 [130..130]        1.30 [1.30..1.30]",
                "segments of 4 MiB                       90 [90..90]        0.90 [0.90..0.90]", ""),
            lengths.table(results(100, 130, 90)));
    }

    @Test
    void onlyLengthsThatFitRecordsAndSpaceAreMeasured()
    {
        assertEquals(64 * MIB, new SegmentLengths(requirement(256), PLENTY).first());
        assertEquals(16 * MIB, new SegmentLengths(requirement(256), 1L << 30).first());
        assertEquals(1,
            new SegmentLengths(requirement(4 * MIB), PLENTY).benchmarks(new BackendConfig(Backend.MAPPED, 0)).size());
        assertEquals(4 * MIB, new SegmentLengths(requirement(256), 1).first());
        assertEquals(32 * MIB, new SegmentLengths(requirement(4 * MIB), 1).first());
    }

    @Test
    void eachLengthAllocatesTheSameNumberOfBytesWhileItIsMeasured() throws Exception
    {
        final RunOptions options = new RunOptions();
        options.directory = directory;
        options.rounds = 1;
        options.scale = 1;
        options.isQuiet = true;
        final CommandSpec spec = CommandSpec.create().name("measuring");
        new CommandLine(spec);

        try (BenchmarkRun run = BenchmarkRun.open(spec, options, 0))
        {
            final Results results = run.measure(List.of(
                Sustained.benchmark("short", new BackendConfig(Backend.FILE_CHANNEL, 4096), 100, 64 * 1024, 400_000)));

            // As many bytes again as warm-up, and the headers of the segments.
            assertEquals(2.0 * 400_000 / (64 * 1024), results.of("short", Sustained.SEGMENTS)[0], 2);
            assertTrue(results.of("short", Sustained.APPENDED)[0] > 0);
        }
    }

    private static Requirement requirement(final int recordLength)
    {
        return new Requirement(Requirement.Durability.POWER, recordLength, 1000);
    }

    /** Of the three lengths, longest first. */
    private static Results results(final double... rates)
    {
        final int[] lengths = { 64 * MIB, 16 * MIB, 4 * MIB };
        final Results results = new Results();
        for (int round = 0; round < Comparison.MIN_ROUNDS; round++)
        {
            for (int i = 0; i < lengths.length; i++)
            {
                results.add(SegmentLengths.label(lengths[i]), Map.of(
                    Sustained.APPENDED, Double.toString(rates[i] * 1e6)));
            }
        }

        return results;
    }
}
