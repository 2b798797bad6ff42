package io.journal.bench.journal;

import java.util.List;

import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.OptionChecks;
import io.journal.store.Backend;
import picocli.CommandLine.Option;

/**
 * Options of an experiment with the journal.
 */
abstract class JournalExperiment extends Experiment
{
    // Start, open and check of a case.
    static final double OVERHEAD_S = 1;

    // Direct I/O is for records that are forced: without a window, each append would be timed as a forced one.
    static final List<Backend> PAGE_CACHE = List.of(Backend.MAPPED, Backend.FILE_CHANNEL, Backend.RANDOM_ACCESS_FILE);

    @Option(names = "--backends", split = ",", description = "Backends. Default: ${DEFAULT-VALUE}")
    List<Backend> backends = PAGE_CACHE;

    @Option(names = "--record-length", description = "Record length in bytes. Default: ${DEFAULT-VALUE}")
    int recordLength = 256;

    @Option(names = "--segment-length", description = "Segment length in bytes. Default: ${DEFAULT-VALUE}")
    int segmentLength = 64 * 1024 * 1024;

    /** Passes the lengths that all cases share. */
    final BenchmarkCase lengths(final BenchmarkCase benchmark)
    {
        return benchmark.argument("recordLength", recordLength).argument("segmentLength", segmentLength);
    }

    /**
     * An experiment whose cases run for a fixed time.
     */
    abstract static class Timed extends JournalExperiment
    {
        private static final double MS_PER_S = 1e3;

        @Option(names = "--warm-up-ms", description = "Warm-up time. Default: ${DEFAULT-VALUE}")
        int warmUpMs;

        @Option(names = "--ms", description = "Measured time per case and round. Default: ${DEFAULT-VALUE}")
        int countedMs;

        private final double overheadSeconds;

        Timed(final int warmUpMs, final int countedMs, final double overheadSeconds)
        {
            this.overheadSeconds = overheadSeconds;
            this.warmUpMs = warmUpMs;
            this.countedMs = countedMs;
        }

        @Override
        protected void check(final OptionChecks checks)
        {
            checks.atLeast(0, "--warm-up-ms", warmUpMs).atLeast(1, "--ms", countedMs);
            JournalLengths.check(checks, leastRecordLength(), recordLength, segmentLength);
        }

        /** Length that a record needs. */
        int leastRecordLength()
        {
            return 0;
        }

        /** The measured time, scaled. */
        final int ms()
        {
            return (int)options.scaled(countedMs);
        }

        /** Passes the arguments that all cases share. */
        final BenchmarkCase timed(final BenchmarkCase benchmark)
        {
            return lengths(benchmark).argument("warmUpMs", warmUpMs).argument("ms", ms());
        }

        /** Disk space for records at a rate. */
        final long neededBytes(final long recordsPerSecond)
        {
            return JournalLengths.neededBytes(
                JournalLengths.count(recordsPerSecond, warmUpMs + options.scaled(countedMs)), recordLength,
                segmentLength);
        }

        /** Estimate for a number of cases, each taking a multiple of its time. */
        final double seconds(final int cases, final int times)
        {
            return options.rounds * cases * (overheadSeconds + times * ((double)warmUpMs + ms()) / MS_PER_S);
        }
    }
}
