package io.journal.bench.journal;

import java.util.List;

import io.journal.bench.run.Experiment;
import io.journal.bench.run.BenchmarkCase;
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
}
