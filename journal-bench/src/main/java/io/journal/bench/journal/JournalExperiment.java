package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;

import io.journal.JournalBuilder;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.store.Backend;
import picocli.CommandLine.Option;

/**
 * An experiment with one length of records and segments, the limits of such lengths, and the disk space that records
 * take. Constructors set defaults that differ.
 */
abstract class JournalExperiment extends Experiment
{
    // Start, open and check of a case.
    static final double OVERHEAD_S = 1;
    static final int MS_PER_S = 1000;
    static final double NS_PER_S = 1e9;
    static final double NS_PER_US = 1e3;
    // One allocated ahead, one kept for recycling, one just started.
    static final int SPARE_SEGMENTS = 3;

    // Direct I/O is for records that are forced: without a window, each append would be timed as a forced one.
    static final List<Backend> PAGE_CACHE = List.of(Backend.MAPPED, Backend.FILE_CHANNEL, Backend.RANDOM_ACCESS_FILE);

    private static final int FRAME_HEADER_LENGTH = 24;
    private static final int ALIGNMENT = 8;
    private static final int SEGMENT_HEADER_LENGTH = 4096;
    private static final int MARK_LENGTH = 64;
    private static final int MAX_RECORD_LENGTH = 16 * 1024 * 1024;

    @Option(names = "--backends", split = ",", description = "Backends. Default: ${DEFAULT-VALUE}")
    List<Backend> backends = PAGE_CACHE;

    @Option(names = "--record-length", description = "Record length in bytes. Default: ${DEFAULT-VALUE}")
    int recordLength = 256;

    @Option(names = "--segment-length", description = "Segment length in bytes. Default: ${DEFAULT-VALUE}")
    int segmentLength = 64 * 1024 * 1024;

    int leastRecordLength;

    @Override
    protected void check(final OptionChecks checks)
    {
        checkSegment(checks, "--segment-length", segmentLength);
        checks.within(leastRecordLength, largestRecord(segmentLength), "--record-length", recordLength);
    }

    /** A case with the arguments that all cases share. */
    BenchmarkCase benchmark(final String label, final Class<?> trial)
    {
        return BenchmarkCase.of(label, trial)
            .argument("recordLength", recordLength).argument("segmentLength", segmentLength);
    }

    static int frameLength(final int recordLength)
    {
        return recordLength + FRAME_HEADER_LENGTH + ALIGNMENT - 1 & -ALIGNMENT;
    }

    static int largestRecord(final int segmentLength)
    {
        return Math.min(
            MAX_RECORD_LENGTH, segmentLength - SEGMENT_HEADER_LENGTH - MARK_LENGTH - FRAME_HEADER_LENGTH);
    }

    /** Disk space of a number of records, including segments allocated ahead. */
    static double neededBytes(final double count, final int recordLength, final int segmentLength)
    {
        final int perSegment =
            Math.max(1, (segmentLength - SEGMENT_HEADER_LENGTH - MARK_LENGTH) / frameLength(recordLength));
        return (Math.floor(count / perSegment) + 1 + SPARE_SEGMENTS) * segmentLength;
    }

    static void checkSegment(final OptionChecks checks, final String option, final int segmentLength)
    {
        checks.within(JournalBuilder.MIN_SEGMENT_LENGTH, JournalBuilder.MAX_SEGMENT_LENGTH, option, segmentLength)
            .that(1 == Integer.bitCount(segmentLength), option + " must be a power of two");
    }

    static void checkPolicies(final OptionChecks checks, final List<String> policies)
    {
        policies.forEach((name) -> checks.that(
            JournalUnderTest.POLICY.matcher(name).matches(), "--force has no such policy: " + name));
    }

    /** An experiment whose cases run for a fixed time. */
    abstract static class Timed extends JournalExperiment
    {
        @Option(names = "--warm-up-ms", description = "Warm-up time. Default: ${DEFAULT-VALUE}")
        int warmUpMs = 1000;

        @Option(names = "--ms", description = "Measured time per case and round. Default: ${DEFAULT-VALUE}")
        int countedMs = 2000;

        double overheadS = OVERHEAD_S;

        @Override
        protected void check(final OptionChecks checks)
        {
            checks.atLeast(0, "--warm-up-ms", warmUpMs).atLeast(1, "--ms", countedMs);
            super.check(checks);
        }

        @Override
        protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
            throws IOException
        {
            out.println();
            Percentiles.table("microseconds, all rounds", results, benchmarks).print(out);
        }

        /** The measured time, scaled. */
        final int ms()
        {
            return (int)options.scaled(countedMs);
        }

        @Override
        final BenchmarkCase benchmark(final String label, final Class<?> trial)
        {
            return super.benchmark(label, trial).argument("warmUpMs", warmUpMs).argument("ms", ms());
        }

        /** Disk space for records at a rate. */
        final double neededBytes(final long recordsPerSecond)
        {
            final double count = (double)recordsPerSecond * (warmUpMs + options.scaled(countedMs)) / MS_PER_S + 1;
            return neededBytes(count, recordLength, segmentLength);
        }

        /** Estimate for a number of cases, each taking a multiple of its time. */
        final double seconds(final int cases, final int times)
        {
            return options.rounds * cases * (overheadS + times * ((double)warmUpMs + ms()) / MS_PER_S);
        }
    }
}
