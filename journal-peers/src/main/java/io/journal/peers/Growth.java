package io.journal.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * How the journal's figures grow with record length, segment length, history and threads.
 */
@Command(
    name = "growth",
    description = "Measures how the journal's figures grow with the length of records, of segments and of the " +
        "history, and with the number of threads, one at a time.",
    sortOptions = false)
final class Growth implements Callable<Integer>
{
    static final String RECORD_LENGTH = "record length";
    static final String SEGMENT_LENGTH = "segment length";
    static final String HISTORY = "history";
    static final String THREADS = "threads";
    private static final int MIB = 1024 * 1024;
    private static final List<Integer> RECORD_LENGTHS = List.of(16, 64, 256, 1024, 4096, 16_384, 65_536);
    private static final List<Integer> SEGMENT_LENGTHS = List.of(MIB, 4 * MIB, 16 * MIB, 64 * MIB, 256 * MIB);
    private static final List<Long> HISTORIES = List.of(64L * MIB, 256L * MIB, 1024L * MIB, 4096L * MIB);
    private static final List<Integer> THREAD_COUNTS = List.of(1, 2, 4, 8, 16, 32, 64);
    private static final int DEFAULT_RECORD_LENGTH = 256;
    private static final int LONG_RECORD_LENGTH = 1024;
    private static final int DEFAULT_SEGMENT_LENGTH = 64 * MIB;

    @Option(names = "--peers", split = ",", description = "Default: JOURNAL_MAPPED,JOURNAL_FILE_CHANNEL.")
    private List<PeerKind> peers = List.of(PeerKind.JOURNAL_MAPPED, PeerKind.JOURNAL_FILE_CHANNEL);

    @Option(
        names = "--axes", split = ",",
        description = "What to vary, by the first word. Default: record,segment,history,threads.")
    private List<String> axes = List.of("record", "segment", "history", "threads");

    @Option(
        names = "--size", defaultValue = "256",
        description = "MiB of records appended or replayed. Default: ${DEFAULT-VALUE}.")
    private int size;

    @Option(
        names = "--ms", defaultValue = "1000",
        description = "Measured time of durable appends. Default: ${DEFAULT-VALUE}.")
    private int ms;

    @Mixin
    private Rounds rounds;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelpRequested;

    @Override
    public Integer call() throws Exception
    {
        final List<Rounds.Step> steps = new ArrayList<>();
        peers.forEach((peer) -> addAll(steps, peer));
        steps.removeIf((step) -> axes.stream().noneMatch((axis) -> step.axis().startsWith(axis)));
        return rounds.run(steps);
    }

    private void addAll(final List<Rounds.Step> steps, final PeerKind peer)
    {
        final long bytes = (long)size * MIB;
        for (final int length : RECORD_LENGTHS)
        {
            steps.add(step(RECORD_LENGTH, peer, Workload.SUSTAINED, length, DEFAULT_SEGMENT_LENGTH, bytes));
            steps.add(step(RECORD_LENGTH, peer, Workload.REPLAY, length, DEFAULT_SEGMENT_LENGTH, bytes));
        }
        for (final int length : SEGMENT_LENGTHS)
        {
            steps.add(step(SEGMENT_LENGTH, peer, Workload.SUSTAINED, DEFAULT_RECORD_LENGTH, length, bytes));
            steps.add(step(SEGMENT_LENGTH, peer, Workload.OPEN, LONG_RECORD_LENGTH, length, bytes));
            steps.add(step(SEGMENT_LENGTH, peer, Workload.OPEN_DURABLE, LONG_RECORD_LENGTH, length, bytes));
        }
        for (final long history : HISTORIES)
        {
            steps.add(step(HISTORY, peer, Workload.OPEN, LONG_RECORD_LENGTH, DEFAULT_SEGMENT_LENGTH, history));
            steps.add(
                step(HISTORY, peer, Workload.OPEN_DURABLE, LONG_RECORD_LENGTH, DEFAULT_SEGMENT_LENGTH, history));
            steps.add(step(HISTORY, peer, Workload.REPLAY, DEFAULT_RECORD_LENGTH, DEFAULT_SEGMENT_LENGTH, history));
        }
        for (final int threads : THREAD_COUNTS)
        {
            steps.add(new Rounds.Step(THREADS, new Case(
                peer, Workload.DURABLE, DEFAULT_RECORD_LENGTH, DEFAULT_SEGMENT_LENGTH, ms, threads)));
        }
    }

    private static Rounds.Step step(
        final String axis, final PeerKind peer, final Workload workload, final int recordLength,
        final int segmentLength, final long amount)
    {
        return new Rounds.Step(axis, new Case(peer, workload, recordLength, segmentLength, amount, 1));
    }
}
