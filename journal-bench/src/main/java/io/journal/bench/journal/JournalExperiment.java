package io.journal.bench.journal;

import java.util.List;

import io.journal.bench.run.Experiment;
import io.journal.bench.run.Subject;
import io.journal.store.Backend;
import picocli.CommandLine.Option;

/**
 * An experiment with the journal: the backends, and the lengths of a record and of a segment.
 */
abstract class JournalExperiment extends Experiment
{
    // What a process does besides: start, open, check.
    static final double OVERHEAD_S = 1;

    // Direct I/O is for records that are forced: without a window, each append would be timed as a forced one.
    static final List<Backend> PAGE_CACHE = List.of(Backend.MAPPED, Backend.FILE_CHANNEL, Backend.RANDOM_ACCESS_FILE);

    @Option(names = "--backends", split = ",", description = "Backends. Default: ${DEFAULT-VALUE}")
    List<Backend> backends = PAGE_CACHE;

    @Option(names = "--record-length", description = "Of each record, in bytes. Default: ${DEFAULT-VALUE}")
    int recordLength = 256;

    @Option(names = "--segment-length", description = "Of the journal. Default: ${DEFAULT-VALUE}")
    int segmentLength = 64 * 1024 * 1024;

    /** Tells a case the lengths that all have in common. */
    final Subject lengths(final Subject subject)
    {
        return subject.told("recordLength", recordLength).told("segmentLength", segmentLength);
    }
}
