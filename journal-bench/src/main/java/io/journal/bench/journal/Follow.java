package io.journal.bench.journal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.BenchmarkCase;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Latency from append to follower.
 */
@Command(
    name = "follow",
    description = "One thread appends at a fixed rate, another one follows the end of the journal: microseconds from " +
        "the time a record was due to be appended to its delivery to the follower.",
    footer = {
        "%nAnswers: how long after an append does a reader see the record, in the same process and in another one?",
        "Example: follow --dir=/on/the/disk --where=THREAD --rate=50000",
        "Takes: about 5 minutes." },
    sortOptions = false)
public final class Follow extends TimedExperiment
{
    // One per nanosecond.
    private static final int MAX_RATE = 1_000_000_000;

    private static final double MS_PER_S = 1e3;

    @Option(names = "--where", split = ",", description = "Where the follower runs: ${COMPLETION-CANDIDATES}. " +
        "Default: both.")
    private List<Where> wheres = List.of(Where.values());

    @Option(names = "--idle", split = ",", description = "Idle strategy of the follower: ${COMPLETION-CANDIDATES}. " +
        "Default: all.")
    private List<Idle> idles = List.of(Idle.values());

    @Option(names = "--rate", defaultValue = "10000", description = "Records/s. Default: ${DEFAULT-VALUE}")
    private int rate;

    /** Where the follower runs. */
    enum Where
    {
        /** In the appending process. */
        THREAD,

        /** In another process, on a journal opened read-only. */
        PROCESS
    }

    /** Idle strategy of the follower. */
    enum Idle
    {
        /** Busy-spins. */
        SPIN,

        /** Spins, yields, then parks for up to a millisecond: Agrona's default. */
        BACKOFF
    }

    public Follow()
    {
        super(1500, 2000, OVERHEAD_S);
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_RATE, "--rate", rate);
        super.check(checks);
        checks.that((long)rate * ms() >= MS_PER_S, "--rate and --ms leave no record to measure");
    }

    /**
     * A record holds the time at which it was due.
     */
    @Override
    int leastRecordLength()
    {
        return Long.BYTES;
    }

    @Override
    protected long neededBytes()
    {
        return neededBytes(rate);
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%d rounds; %,d records/s of %d B at a fixed rate by a spinning thread; the follower is another thread " +
                "or process; segments of %d B; %d ms warm-up, %d ms measured",
            options.rounds, rate, recordLength, segmentLength, warmUpMs, ms());
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final Backend backend : backends)
        {
            for (final Where where : wheres)
            {
                for (final Idle idle : idles)
                {
                    final String label = (backend + ", " + where + ", " + idle).toLowerCase(Locale.ROOT);
                    benchmarks.add(timed(BenchmarkCase.of(label, FollowTrial.class).argument("rate", rate))
                        .parameter("backend", backend).parameter("idle", idle).parameter("where", where));
                }
            }
        }

        return benchmarks;
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.println();
        Percentiles.table("microseconds, all rounds", results, benchmarks).print(out);
    }
}
