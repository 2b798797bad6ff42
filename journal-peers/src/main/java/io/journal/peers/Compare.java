package io.journal.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * Runs the peers on the same workloads.
 */
@Command(
    name = "compare",
    description = "Runs the journal, other journals and plain I/O of the JDK on the same workloads, each case in a " +
        "JVM of its own, in interleaved rounds. Every case replays what it appended, and fails if the number of " +
        "records differs or, of one thread, their order or content.",
    sortOptions = false)
final class Compare implements Callable<Integer>
{
    private static final int MIB = 1024 * 1024;
    private static final int SEGMENT_LENGTH = 64 * MIB;
    // A prepared segment also holds frame headers and the warm-up.
    private static final int FACTOR = 4;
    private static final List<Integer> THREADS = List.of(2, 4);
    private static final List<Integer> LOOKUP_THREADS = List.of(1, 4);
    private static final List<Integer> IN_FLIGHT = List.of(1, 16);

    @Option(names = "--peers", split = ",", description = "Default: all: ${COMPLETION-CANDIDATES}.")
    private List<PeerKind> peers = List.of(PeerKind.values());

    @Option(names = "--workloads", split = ",", description = "Default: all: ${COMPLETION-CANDIDATES}.")
    private List<Workload> workloads = List.of(Workload.values());

    @Option(
        names = "--record-lengths", split = ",",
        description = "Only these of a workload's lengths: 64, 256, 1024 and 4096 of appends by one thread and of " +
            "replays, 1024 of single records and of opening, 256 of the others. Default: all.")
    private List<Integer> recordLengths = List.of();

    @Option(
        names = "--size", defaultValue = "64",
        description = "MiB of records appended inside a segment, a power of two up to 256. Default: " +
            "${DEFAULT-VALUE}. Four times as many are appended over several segments, and replayed.")
    private int size;

    @Option(
        names = "--open-size", defaultValue = "1024",
        description = "MiB of records that a killed process leaves. Default: ${DEFAULT-VALUE}.")
    private int openSize;

    @Option(
        names = "--threads", split = ",", defaultValue = "1,16,64",
        description = "Threads that append durably. Default: ${DEFAULT-VALUE}.")
    private List<Integer> threads;

    @Option(
        names = "--ms", defaultValue = "2000",
        description = "Measured time of workloads without a fixed number of records. Default: ${DEFAULT-VALUE}.")
    private int ms;

    @Mixin
    private Rounds rounds;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelpRequested;

    @Override
    public Integer call() throws Exception
    {
        final List<Rounds.Step> steps = new ArrayList<>();
        for (final PeerKind peer : peers)
        {
            for (final Workload workload : workloads)
            {
                if (peer.measures(workload))
                {
                    workload.recordLengths().stream()
                        .filter((length) -> recordLengths.isEmpty() || recordLengths.contains(length))
                        .forEach((length) -> add(steps, peer, workload, length));
                }
            }
        }
        return rounds.run(steps);
    }

    private void add(
        final List<Rounds.Step> steps, final PeerKind peer, final Workload workload, final int recordLength)
    {
        final long bytes = (long)size * MIB;
        switch (workload)
        {
            case SHARED -> THREADS.forEach((count) -> steps.add(new Rounds.Step(
                "", new Case(peer, workload, recordLength, (int)(FACTOR * bytes), bytes, count))));
            case PIPELINED -> IN_FLIGHT.forEach((count) -> steps.add(new Rounds.Step(
                "", new Case(peer, workload, recordLength, SEGMENT_LENGTH, ms, count))));
            case LOOKUP -> LOOKUP_THREADS.forEach((count) -> steps.add(new Rounds.Step(
                "", new Case(peer, workload, recordLength, SEGMENT_LENGTH, ms, count))));
            case PREPARED -> steps.add(step(peer, workload, recordLength, (int)(FACTOR * bytes), bytes));
            case SUSTAINED, REPLAY -> steps.add(step(peer, workload, recordLength, SEGMENT_LENGTH, FACTOR * bytes));
            case PACED, FOLLOWED -> steps.add(step(peer, workload, recordLength, SEGMENT_LENGTH, ms));
            case OPEN, OPEN_DURABLE -> steps.add(
                step(peer, workload, recordLength, SEGMENT_LENGTH, (long)openSize * MIB));
            case DURABLE -> threads.forEach((count) -> steps.add(new Rounds.Step(
                "", new Case(peer, workload, recordLength, SEGMENT_LENGTH, ms, count))));
            default -> throw new IllegalArgumentException("unknown workload: " + workload);
        }
    }

    private static Rounds.Step step(
        final PeerKind peer, final Workload workload, final int recordLength, final int segmentLength,
        final long amount)
    {
        return new Rounds.Step("", new Case(peer, workload, recordLength, segmentLength, amount, 1));
    }
}
