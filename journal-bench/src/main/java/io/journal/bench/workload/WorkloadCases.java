// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.journal.bench.experiment.Scope;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.SubjectKind;

/**
 * Makes the cases of a workload on a subject, with the sizes of a scope.
 */
record WorkloadCases(Scope scope)
{
    static final int MIB = 1024 * 1024;
    static final int SEGMENT_LENGTH = 64 * MIB;
    /** One second, for cases in which the warm-up does not matter much. */
    static final int WARM_UP_MS = 1000;
    private static final int MAX_SEGMENT_LENGTH = 256 * MIB;
    private static final int TIMED_MS = 2000;
    private static final int REPLAY_MS = 700;
    private static final int RATE = 100_000;
    // Some subjects wait for ever once a part of them has failed.
    private static final int LIMIT_MINUTES = 10;
    // As many records as a consensus library keeps.
    private static final int RECORDS = 100_000;
    // A prepared segment also holds frame headers and the warm-up.
    private static final int SEGMENTS_OF_A_BURST = 4;

    Stream<BenchmarkCase> all(final SubjectKind kind, final Workload workload)
    {
        final List<Integer> lengths = scope.numbers("record-lengths", some(workload.recordLengths));
        final List<Integer> threads = workload.threads.isEmpty() ? List.of(1) :
            scope.numbers("threads", some(workload.threads));
        return lengths.stream().flatMap((length) -> threads.stream().map((count) -> of(kind, workload, length, count)));
    }

    /** All numbers, or only the second in a quick look. */
    private Integer[] some(final List<Integer> numbers)
    {
        return (scope.isFull() ? numbers : List.of(numbers.get(Math.min(1, numbers.size() - 1))))
            .toArray(new Integer[0]);
    }

    BenchmarkCase of(final SubjectKind kind, final Workload workload, final int recordLength, final int threads)
    {
        return of(kind, workload, recordLength, segmentLength(workload), threads, workload.fullLength);
    }

    /** @param full bytes of records at full size, of workloads that are not timed. */
    BenchmarkCase of(
        final SubjectKind kind, final Workload workload, final int recordLength, final int segmentLength,
        final int threads, final long full)
    {
        final String number = Workload.PIPELINED == workload ? "inFlight" : Workload.IDLE == workload ? "journals" :
            "threads";
        final BenchmarkCase made = of(
            kind, workload, workload + ", " + Unit.bytes(recordLength) + ", segments of " + Unit.bytes(segmentLength) +
                (workload.threads.isEmpty() ? "" : ", " + threads + ' ' +
                    (1 == threads ? number.replace("threads", "thread") : number).replace("inFlight", "in flight")),
            recordLength, segmentLength);
        if (!workload.threads.isEmpty())
        {
            made.argument("threads", threads).noted(number, threads);
        }
        if (0 == workload.fullLength)
        {
            made.argument("ms", scope.ms(TIMED_MS)).argument("warmUpMs", scope.ms(WARM_UP_MS));
        }
        else
        {
            made.parameter("length", scope.bytes(full)).argument("ms", scope.ms(
                Workload.REPLAY == workload ? REPLAY_MS : Integer.MAX_VALUE));
        }
        switch (workload)
        {
            case PACED, FOLLOWED -> made.parameter("rate", scope.number("rates", RATE));
            case LOOKUP, FIRST_LOOKUP -> made.parameter("records", scope.count(RECORDS));
            // Twice the length, which includes the warm-up.
            case PREPARED, SHARED, SUSTAINED -> made.writing(2 * scope.bytes(full));
            default ->
            {
                // Other workloads need none of these.
            }
        }
        return made;
    }

    static BenchmarkCase of(
        final SubjectKind kind, final Workload workload, final String words, final int recordLength,
        final int segmentLength)
    {
        final BenchmarkCase made =
            BenchmarkCase.withFlags(kind.title() + ", " + words, WorkloadTrial.class, kind.flags)
                .parameter("subject", kind).parameter("workload", workload).parameter("recordLength", recordLength)
                .parameter("segmentLength", segmentLength).endingWithin(LIMIT_MINUTES, TimeUnit.MINUTES);
        kind.options.forEach(made::argument);
        return Workload.OPEN == workload || Workload.OPEN_DURABLE == workload ? made.killedFirst() : made;
    }

    /** Segments are short in a quick look, so that there are several of them. */
    int segmentLength(final Workload workload)
    {
        if (scope.chosen().containsKey("segment-length"))
        {
            return scope.number("segment-length", 0);
        }
        if (Workload.PREPARED == workload || Workload.SHARED == workload)
        {
            final long wanted = SEGMENTS_OF_A_BURST * scope.bytes(workload.fullLength);
            return (int)Math.min(MAX_SEGMENT_LENGTH, Math.max(MIB, 2 * Long.highestOneBit(wanted - 1)));
        }
        return scope.isFull() ? SEGMENT_LENGTH : 4 * MIB;
    }
}
