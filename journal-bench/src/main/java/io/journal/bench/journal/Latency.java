package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.MeasuredInterval;
import io.journal.store.Backend;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
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
    static final String ACHIEVED = "achievedPerSecond";
    static final String LATE = "lateUs";

    // One per nanosecond.
    private static final long MAX_RATE = 1_000_000_000;
    private static final double KEPT = 0.99;
    private static final double MS_PER_S = 1e3;
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

    /** End of the measured time. */
    enum Until
    {
        /** append has returned. */
        WRITTEN,

        /** The record is durable: awaitForced has returned, or the listener was notified. */
        FORCED
    }

    public Latency()
    {
        super(1000, 2000, 1.5);
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_RATE, "--rates", rates).writable("--hlog", log);
        super.check(checks);
        Forcing.check(checks, "--force", policies);
        checks.that(!benchmarks().isEmpty(),
            "nothing to measure: with everyRecord an append returns when the record is " +
                "durable");
    }

    @Override
    protected long neededBytes()
    {
        return neededBytes(rates.stream().mapToLong(Long::longValue).max().orElseThrow());
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        return benchmarks();
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

    private List<BenchmarkCase> benchmarks()
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final long rate : rates)
        {
            for (final String policy : policies)
            {
                for (final Until until : untils)
                {
                    // With an fsync per record, written implies durable.
                    if (Until.FORCED == until || Forcing.EVERY_RECORD != Forcing.of(policy))
                    {
                        backends.forEach((backend) -> benchmarks.add(benchmark(backend, policy, until, rate)));
                    }
                }
            }
        }

        return benchmarks;
    }

    private BenchmarkCase benchmark(final Backend backend, final String policy, final Until until, final long rate)
    {
        final String label = String.format(
            Locale.ROOT, "%s, %s, %s, %,d/s", backend, policy, until.name().toLowerCase(Locale.ROOT), rate);
        return timed(BenchmarkCase.of(label, Trial.class))
            .parameter("backend", backend).parameter("forcePolicy", policy).parameter("until", until)
            .parameter("rate", rate).parameter("recordLength", recordLength);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
        throws IOException
    {
        out.println();
        Percentiles.table("microseconds, all rounds", results, benchmarks).print(out);
        for (final BenchmarkCase each : benchmarks)
        {
            final double achieved = results.spread(each.label(), ACHIEVED).min();
            if (achieved < KEPT * Long.parseLong(each.parameters().get("rate")))
            {
                out.printf(
                    Locale.ROOT, "RATE NOT SUSTAINED: %s: %,.0f/s, %,.0f ms late at the end%n", each.label(), achieved,
                    results.spread(each.label(), LATE).max() / MS_PER_S);
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
            write(out, results, benchmarks);
            if (out.checkError())
            {
                throw new IOException("histograms cannot be written: " + log);
            }
        }
    }

    private void write(final PrintStream out, final Results results, final List<BenchmarkCase> benchmarks)
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
                final Histogram histogram = histograms.get(i);
                // A tag must not contain commas or spaces.
                histogram.setTag(each.label().replace(",", "").replace(' ', '-'));
                writer.outputIntervalHistogram(starts[i] / MS_PER_S, ends[i] / MS_PER_S, histogram, NS_PER_MS);
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
        private static final int END_SECONDS = 60;
        private static final int MS_PER_S = 1000;
        private static final double NS_PER_S = 1e9;
        private static final double NS_PER_US = 1e3;

        private final Histogram latencies = new Histogram(3);
        private final JournalUnderTest measured;
        private final Latency.Until until;
        private final Forcing forcing;
        private final long rate;
        private final long warmUpCount;
        private final long count;
        // Confined to the thread of the background agent.
        private long notifiedSequence;

        private Trial(final Arguments args)
        {
            measured = JournalUnderTest.of(args, "journal");
            until = args.one(Latency.Until.class, "until");
            forcing = Forcing.of(args.text("forcePolicy"));
            rate = args.number("rate");
            warmUpCount = args.number("warmUpMs") * rate / MS_PER_S;
            count = warmUpCount + Math.max(1, args.number("ms") * rate / MS_PER_S);
        }

        public static void main(final String[] args) throws InterruptedException
        {
            final Arguments arguments = Arguments.of(args);
            final Trial trial = new Trial(arguments);
            final long last;
            try (Journal journal = trial.measured.builder().force(Forcing.policy(arguments.text("forcePolicy"))).open())
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
            final Pacer pacer = new Pacer(rate);
            if (Latency.Until.FORCED == until && Forcing.PERIODIC == forcing)
            {
                runWithListener(journal, pacer);
            }
            else
            {
                append(journal, pacer);
            }
            usage.print("");
            System.out.println("startMs=" + startMs);
            System.out.println("endMs=" + System.currentTimeMillis());
            Percentiles.print(latencies);
        }

        /**
         * Appends, and waits for durability if that is measured.
         */
        private void append(final Journal journal, final Pacer pacer)
        {
            final boolean isForcing = Latency.Until.FORCED == until && Forcing.MANUAL == forcing;
            append(journal, pacer, (sequence, dueNs) ->
            {
                if (isForcing)
                {
                    journal.awaitForced(sequence);
                }
                record(sequence, System.nanoTime() - dueNs);
            });
        }

        /**
         * Appends while a listener receives the durable sequence.
         */
        private void runWithListener(final Journal journal, final Pacer pacer) throws InterruptedException
        {
            final CountDownLatch allNotified = new CountDownLatch(1);
            // Set when the last record is appended.
            final long[] lastSequence = { Long.MAX_VALUE };
            journal.onForced((forced) ->
            {
                final long now = System.nanoTime();
                while (notifiedSequence < forced)
                {
                    notifiedSequence++;
                    record(notifiedSequence, now - pacer.dueNs(notifiedSequence));
                }
                synchronized (lastSequence)
                {
                    if (forced >= lastSequence[0])
                    {
                        allNotified.countDown();
                    }
                }
            });
            append(journal, pacer, (sequence, dueNs) ->
            {
            });

            synchronized (lastSequence)
            {
                lastSequence[0] = journal.lastSequence();
            }
            // One more record, so that the listener is notified again after the last sequence is set.
            measured.records().append(journal.appender(), lastSequence[0] + 1);
            if (!allNotified.await(END_SECONDS, TimeUnit.SECONDS))
            {
                throw new IllegalStateException("listener not notified: last notified sequence=" + notifiedSequence);
            }
        }

        private void append(final Journal journal, final Pacer pacer, final Step step)
        {
            final JournalAppender appender = journal.appender();
            final Records records = measured.records();
            final long mostNs = (long)(MAX_TIMES_LONGER * count * NS_PER_S / rate);
            final long startNs = System.nanoTime();
            long countedNs = startNs;
            long lateNs = 0;
            long sequence = 0;
            while (sequence < count && System.nanoTime() - startNs < mostNs)
            {
                if (sequence == warmUpCount)
                {
                    countedNs = System.nanoTime();
                }
                final long dueNs = pacer.next();
                sequence = records.append(appender, sequence + 1);
                step.appended(sequence, dueNs);
                lateNs = System.nanoTime() - dueNs;
            }

            final long counted = sequence - warmUpCount;
            if (counted <= 0)
            {
                throw new IllegalStateException("no time left after the warm-up, lower the rate: rate=" + rate);
            }
            System.out.println(Latency.ACHIEVED + '=' + counted * NS_PER_S / (System.nanoTime() - countedNs));
            System.out.println(Latency.LATE + '=' + lateNs / NS_PER_US);
        }

        private void record(final long sequence, final long latencyNs)
        {
            if (sequence > warmUpCount && sequence <= count)
            {
                latencies.recordValue(Math.max(0, latencyNs));
            }
        }

        /** Called after an append. */
        private interface Step
        {
            void appended(long sequence, long dueNs);
        }
    }
}
