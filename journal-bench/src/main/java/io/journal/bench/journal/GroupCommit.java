package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Child;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Spread;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Table;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Rate of durable appends by several threads with group commit, compared with a plain loop in one thread.
 */
@Command(
    name = "group-commit",
    description = "Threads append a record and wait until it is durable: records/s, and the ratio to a plain loop of " +
        "pwrite and fdatasync in one thread in the same round.",
    footer = {
        "%nAnswers: how many durable records/s are possible, by number of threads?",
        "Example: group-commit --dir=/on/the/disk --threads=1,8 --backends=MAPPED",
        "Takes: about 3 minutes." },
    sortOptions = false)
public final class GroupCommit extends TimedExperiment
{
    private static final String IN_C = "pwrite + fdatasync in C, 1 thread";
    private static final String IN_JAVA = "the same loop in Java";
    private static final int MAX_THREADS = 10_000;
    // Above any device seen so far, with group commit.
    private static final long MAX_RECORDS_PER_SECOND = 500_000;
    private static final long MAX_BYTES_PER_SECOND = 2_000_000_000;

    @Option(names = "--threads", split = ",", defaultValue = "1,16,64", description = "Numbers of threads. Default: " +
        "${DEFAULT-VALUE}")
    private List<Integer> threads;

    private String baseline = IN_JAVA;

    public GroupCommit()
    {
        super(1000, 1500, OVERHEAD_S);
        backends = List.of(Backend.values());
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_THREADS, "--threads", threads);
        super.check(checks);
    }

    /**
     * Bounded only by the rate of the device: assumes a very fast one.
     */
    @Override
    protected long neededBytes()
    {
        return neededBytes(Math.min(
            MAX_RECORDS_PER_SECOND, MAX_BYTES_PER_SECOND / JournalLengths.frameLength(recordLength)));
    }

    @Override
    protected Profile profile()
    {
        return Profile.DURABLE;
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%d rounds; records of %d B, in the loops %d B; segments of %d B; %d ms warm-up, %d ms measured, each " +
                "case in a process of its own, without JVM flags; %s",
            options.rounds, recordLength, JournalLengths.frameLength(recordLength), segmentLength, warmUpMs, ms(),
            IN_JAVA.equals(baseline) ? "no C compiler: the loop in Java is the baseline" : "cc -O2 for the loop in C");
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run) throws IOException, InterruptedException
    {
        final Path program = Overwrite.compile(run.path());
        baseline = null == program ? IN_JAVA : IN_C;
        final int frameLength = JournalLengths.frameLength(recordLength);
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        if (null != program)
        {
            benchmarks.add(BenchmarkCase.inOrder(
                IN_C, List.of(program.toString()), frameLength, segmentLength, warmUpMs, ms()).parameter("threads", 1));
        }
        benchmarks.add(BenchmarkCase.inOrder(
            IN_JAVA, Child.javaCommand(Overwrite.class), frameLength, segmentLength, warmUpMs, ms())
            .parameter("threads", 1));
        for (final Backend backend : backends)
        {
            if (BackendConfig.isUsable(backend, run.path()))
            {
                for (final int count : threads)
                {
                    benchmarks.add(timed(BenchmarkCase.of(label(backend, count), GroupCommitTrial.class))
                        .parameter("backend", backend).parameter("threads", count));
                }
            }
        }

        return benchmarks;
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.println();
        final Table table = new Table(
            "medians of " + results.roundCount() + " rounds", "records/s", "min", "max", "p50 us", "p99 us",
            "ratio to the first");
        for (final BenchmarkCase benchmark : benchmarks)
        {
            final String label = benchmark.label();
            final Spread rate = results.spread(label, Overwrite.RATE);
            final Spread ratio = results.ratio(label, baseline, Overwrite.RATE);
            table.row(
                label, number(rate.median()), number(rate.min()), number(rate.max()),
                number(results.spread(label, "p50Us").median()), number(results.spread(label, "p99Us").median()),
                String.format(Locale.ROOT, "%.3f [%.3f..%.3f]", ratio.median(), ratio.min(), ratio.max()));
        }
        table.print(out);
    }

    private static String number(final double value)
    {
        return String.format(Locale.ROOT, value < 1000 ? "%.1f" : "%,.0f", value);
    }

    private static String label(final Backend backend, final int count)
    {
        return backend.name() + ", " + count + (1 == count ? " thread" : " threads");
    }
}
