package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Child;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.MeasuredInterval;
import io.journal.store.Backend;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import org.agrona.collections.LongLongConsumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Latency of written and of durable appends at given rates.
 */
@Command(
    name = "latency",
    description = "Appends at fixed rates: microseconds from the time a record was due until it is written, or " +
        "durable. A stall counts for every record that it delays.",
    footer = {
        "%nAnswers: which latency can be promised at my rate, and which rate is too high?",
        "Example: latency --dir=/on/the/disk --backends=MAPPED --rates=1000,5000,20000 --hlog=latency.hlog",
        "Takes: about 11 minutes, with --rounds=1 two." },
    sortOptions = false)
public final class Latency extends JournalExperiment.Timed
{
    private static final String ACHIEVED = "achievedPerSecond";
    private static final String LATE = "lateUs";

    // One per nanosecond.
    private static final long MAX_RATE = 1_000_000_000;
    private static final double KEPT = 0.99;
    private static final double US_PER_MS = 1e3;
    private static final double NS_PER_MS = 1e6;

    @Option(names = { "--rates", "--rate" }, split = ",", defaultValue = "1000,10000", description = "Records/s. " +
        "Default: ${DEFAULT-VALUE}")
    private List<Long> rates;

    @Option(names = "--force", split = ",", defaultValue = "manual,every10ms,everyRecord", description = "Force " +
        "policies: manual, every10ms (any number), everyRecord. Default: ${DEFAULT-VALUE}")
    private List<String> policies;

    @Option(names = "--until", split = ",",
        description = "End of the measured time: ${COMPLETION-CANDIDATES}. Default: both.")
    private List<Until> untils = List.of(Until.values());

    @Option(names = "--hlog", description = "File for the histograms as an HdrHistogram log: one interval per case " +
        "and round, tagged with the case.")
    private Path log;

    /** Append has returned, or the record is durable: awaitForced has returned, or the listener was notified. */
    enum Until
    {
        WRITTEN, FORCED
    }

    public Latency()
    {
        overheadS = 1.5;
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_RATE, "--rates", rates).writable("--hlog", log);
        super.check(checks);
        checkPolicies(checks, policies);
        checks.that(
            untils.contains(Until.FORCED) ||
                policies.stream().anyMatch((each) -> !JournalUnderTest.policy(each).isEveryRecord()),
            "nothing to measure: with everyRecord an append returns when the record is durable");
    }

    @Override
    protected double neededBytes()
    {
        return neededBytes(Collections.max(rates));
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        final String longest = BenchmarkRun.duration(seconds(benchmarks.size(), Trial.MAX_TIMES_LONGER));
        return Plan.of(
            seconds(benchmarks.size(), 1),
            "%d rounds in random order, each case in its own JVM without flags; records of %d B at a fixed rate by " +
                "one thread; segments of %d B; %d ms warm-up, %d ms measured; every record verified",
            options.rounds, recordLength, segmentLength, warmUpMs, ms())
            .unless(", up to " + longest + " if no rate is sustained");
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        return rates.stream().flatMap((rate) -> policies.stream().flatMap((policy) -> untils.stream()
            // With an fsync per record, written implies durable.
            .filter((until) -> Until.FORCED == until || !JournalUnderTest.policy(policy).isEveryRecord())
            .flatMap((until) -> backends.stream().map((backend) -> benchmark(backend, policy, until, rate)))))
            .toList();
    }

    private BenchmarkCase benchmark(final Backend backend, final String policy, final Until until, final long rate)
    {
        return benchmark(String.format(
            Locale.ROOT, "%s, %s, %s, %,d/s", backend, policy, until.name().toLowerCase(Locale.ROOT), rate),
            Trial.class)
            .parameter("backend", backend).parameter("forcePolicy", policy).parameter("until", until)
            .parameter("rate", rate).parameter("recordLength", recordLength);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
        throws IOException
    {
        super.print(out, results, benchmarks);
        for (final BenchmarkCase each : benchmarks)
        {
            final double achieved = results.spread(each.label(), ACHIEVED).min();
            if (achieved < KEPT * Long.parseLong(each.parameters().get("rate")))
            {
                out.printf(
                    Locale.ROOT, "RATE NOT SUSTAINED: %s: %,.0f/s, %,.0f ms late at the end%n", each.label(), achieved,
                    results.spread(each.label(), LATE).max() / US_PER_MS);
            }
        }
        if (null != log)
        {
            writeLog(results, benchmarks);
        }
    }

    private void writeLog(final Results results, final List<BenchmarkCase> benchmarks) throws IOException
    {
        try (PrintStream out = new PrintStream(Files.newOutputStream(log), false, StandardCharsets.UTF_8))
        {
            final HistogramLogWriter writer = new HistogramLogWriter(out);
            if (1 != options.scale)
            {
                writer.outputComment("[" + options.scaleText() + "]");
            }
            writer.outputLogFormatVersion();
            writer.outputLegend();
            for (final BenchmarkCase each : benchmarks)
            {
                final List<Histogram> histograms = Percentiles.histograms(results, each.label());
                final double[] starts = results.of(each.label(), "startMs");
                final double[] ends = results.of(each.label(), "endMs");
                for (int i = 0; i < histograms.size(); i++)
                {
                    // A tag must not contain commas or spaces.
                    histograms.get(i).setTag(each.label().replace(",", "").replace(' ', '-'));
                    writer.outputIntervalHistogram(
                        starts[i] / MS_PER_S, ends[i] / MS_PER_S, histograms.get(i), NS_PER_MS);
                }
            }
            if (out.checkError())
            {
                throw new IOException("histograms cannot be written: " + log);
            }
        }
    }

    /**
     * One thread appends at a fixed rate: latency from the time a record was due until it is written, or durable.
     * <p>
     * With a periodic force policy a listener is notified while the thread continues to append; otherwise the thread
     * waits for each record.
     */
    static final class Trial
    {
        // Bounds a run whose rate cannot be sustained.
        static final int MAX_TIMES_LONGER = 3;
        private static final int END_SECONDS = 600;

        private final JournalUnderTest measured;
        private final Until until;
        private final ForcePolicy policy;
        private final Pacer pacer;
        // Confined to the thread of the background agent.
        private long notifiedSequence;

        private Trial(final Arguments args)
        {
            measured = JournalUnderTest.of(args, "journal");
            until = args.one(Until.class, "until");
            policy = JournalUnderTest.policy(args.text("forcePolicy"));
            pacer = new Pacer(args);
        }

        public static void main(final String[] args) throws InterruptedException
        {
            final Trial trial = new Trial(Arguments.of(args));
            final long last;
            try (Journal journal = trial.measured.open())
            {
                trial.run(journal);
                last = journal.lastSequence();
            }
            trial.measured.check(last);
        }

        private void run(final Journal journal) throws InterruptedException
        {
            final long startMs = System.currentTimeMillis();
            final MeasuredInterval usage = MeasuredInterval.start();
            pacer.start();
            if (Until.WRITTEN == until || policy.isEveryRecord())
            {
                append(journal, (sequence, dueNs) -> pacer.record(sequence, System.nanoTime() - dueNs));
            }
            else if (policy.isPeriodic())
            {
                appendWithListener(journal);
            }
            else
            {
                append(journal, (sequence, dueNs) ->
                {
                    journal.awaitForced(sequence);
                    pacer.record(sequence, System.nanoTime() - dueNs);
                });
            }
            usage.print("");
            Child.print("startMs", startMs);
            Child.print("endMs", System.currentTimeMillis());
            Percentiles.print(pacer.latencies);
        }

        /** Appends while a listener receives the durable sequence. */
        private void appendWithListener(final Journal journal) throws InterruptedException
        {
            final CountDownLatch allNotified = new CountDownLatch(1);
            // Set when the last record is appended.
            final AtomicLong lastSequence = new AtomicLong(Long.MAX_VALUE);
            journal.onForced((forced) ->
            {
                final long now = System.nanoTime();
                while (notifiedSequence < forced)
                {
                    notifiedSequence++;
                    pacer.record(notifiedSequence, now - pacer.dueNs(notifiedSequence));
                }
                if (forced >= lastSequence.get())
                {
                    allNotified.countDown();
                }
            });
            append(journal, (sequence, dueNs) ->
            {
            });

            lastSequence.set(journal.lastSequence());
            // One more record, so that the listener is notified again after the last sequence is set.
            measured.records().append(journal.appender(), lastSequence.get() + 1);
            if (!allNotified.await(END_SECONDS, TimeUnit.SECONDS))
            {
                throw new IllegalStateException("listener not notified: last notified sequence=" + notifiedSequence);
            }
        }

        private void append(final Journal journal, final LongLongConsumer appended)
        {
            final JournalAppender appender = journal.appender();
            final Records records = measured.records();
            final long warmUpNs = mostNs(pacer.warmUpCount);
            final long mostNs = mostNs(pacer.count);
            final long startNs = System.nanoTime();
            long nowNs = startNs;
            long countedNs = startNs;
            long lateNs = 0;
            long sequence = 0;
            boolean isCounting = false;
            do
            {
                if (!isCounting && (sequence == pacer.warmUpCount || nowNs - startNs >= warmUpNs))
                {
                    // By time as well: otherwise a slow disk would leave nothing to measure.
                    isCounting = true;
                    pacer.warmUpCount = sequence;
                    countedNs = System.nanoTime();
                }
                final long dueNs = pacer.next();
                sequence = records.append(appender, sequence + 1);
                appended.accept(sequence, dueNs);
                nowNs = System.nanoTime();
                lateNs = nowNs - dueNs;
            }
            while (sequence < pacer.count && (!isCounting || nowNs - startNs < mostNs));

            Child.print(ACHIEVED, (sequence - pacer.warmUpCount) * NS_PER_S / (nowNs - countedNs));
            Child.print(LATE, lateNs / NS_PER_US);
        }

        /** Limit of the time for a number of records, which are due in a third of it. */
        private long mostNs(final long count)
        {
            return (long)(MAX_TIMES_LONGER * count * NS_PER_S / pacer.rate);
        }
    }
}
