// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.List;

import io.journal.JournalBuilder;
import io.journal.bench.run.RunOptions;
import io.journal.bench.subject.SubjectKind;
import io.journal.store.Backend;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/**
 * Options that replace the lengths and numbers of an experiment. An experiment that does not have a given option
 * ignores it.
 */
final class WorkloadOptions
{
    private static final int MAX_THREADS = 10_000;

    @Option(names = "--backends", split = ",", description = "Backends of the journal: ${COMPLETION-CANDIDATES}.")
    private List<Backend> backends;

    @Option(names = "--subjects", split = ",", description = "Subjects of a comparison: ${COMPLETION-CANDIDATES}.")
    private List<SubjectKind> subjects;

    @Option(names = "--record-lengths", split = ",", description = "Record lengths in bytes.")
    private List<Integer> recordLengths = List.of();

    @Option(names = "--segment-length", description = "Segment length in bytes, a power of two.")
    private Integer segmentLength;

    @Option(names = "--threads", split = ",", description = "Numbers of threads, of records in flight, or of journals.")
    private List<Integer> threads = List.of();

    @Option(names = "--rates", split = ",", description = "Records/s, where they are appended at a fixed rate.")
    private List<Integer> rates = List.of();

    @Option(names = "--ms", description = "Measured time of a case in milliseconds, where it has one.")
    private Integer ms;

    @Option(names = "--length", description = "Bytes of records of a case, where it has such a number.")
    private Long length;

    void check(final CommandSpec spec)
    {
        RunOptions.require(spec, recordLengths.stream().allMatch((each) -> each >= 2 * Long.BYTES),
            "--record-lengths must be 16 or more");
        RunOptions.require(spec, null == segmentLength || 1 == Integer.bitCount(segmentLength) &&
            segmentLength >= JournalBuilder.MIN_SEGMENT_LENGTH && segmentLength <= JournalBuilder.MAX_SEGMENT_LENGTH,
            "--segment-length must be a power of two that a segment may have");
        RunOptions.require(spec, threads.stream().allMatch((each) -> each >= 1 && each <= MAX_THREADS),
            "--threads must be from 1 to 10,000");
        RunOptions.require(spec, rates.stream().allMatch((each) -> each >= 1), "--rates must be 1 or more");
        RunOptions.require(spec, null == ms || ms >= 1, "--ms must be 1 or more");
        RunOptions.require(spec, null == length || length >= 1, "--length must be 1 or more");
    }
}
