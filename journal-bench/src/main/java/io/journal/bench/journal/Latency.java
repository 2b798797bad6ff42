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
import java.util.concurrent.Callable;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Session;
import io.journal.bench.run.Subject;
import io.journal.store.Backend;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * How long a record takes to be written, and to be forced, at given rates.
 */
@Command(
    name = "latency",
    description = "Appends at fixed rates: microseconds from the moment a record was due to the moment it is " +
        "written, or forced. A record that waits behind a stall counts the stall too.",
    footer = {
        "%nAnswers: which latency can I promise at my rate, and which rate is too much?",
        "Example: latency --dir=/on/the/disk --backends=MAPPED --rates=1000,5000,20000 --hlog=latency.hlog",
        "Takes: about 11 minutes, with --rounds=1 two." },
    sortOptions = false)
public final class Latency implements Callable<Integer>
{
    static final String ACHIEVED = "achievedPerSecond";
    static final String LATE = "lateUs";

    // One in each nanosecond.
    private static final long MOST_RATE = 1_000_000_000;
    private static final double KEPT = 0.99;
    private static final double MS_PER_S = 1e3;
    private static final double NS_PER_MS = 1e6;
    // What a process does besides: start, open, check.
    private static final double OVERHEAD_S = 1.5;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--backends", split = ",", description = "Backends; all unless named.")
    private List<Backend> backends = List.of(Backend.values());

    @Option(names = { "--rates", "--rate" }, split = ",", defaultValue = "1000,10000", description = "Records a " +
        "second. Default: ${DEFAULT-VALUE}")
    private List<Long> rates;

    @Option(names = "--force", split = ",", defaultValue = "manual,every10ms,everyRecord", description = "When the " +
        "journal is forced: manual, every10ms (any number), everyRecord. Default: ${DEFAULT-VALUE}")
    private List<String> policies;

    @Option(names = "--until", split = ",",
        description = "Until when a record counts: ${COMPLETION-CANDIDATES}; both " +
            "unless named.")
    private List<Until> untils = List.of(Until.values());

    @Option(names = "--record-length", defaultValue = "256", description = "Of each record, in bytes. Default: " +
        "${DEFAULT-VALUE}")
    private int recordLength;

    @Option(names = "--segment-length", defaultValue = "67108864", description = "Of the journal. Default: " +
        "${DEFAULT-VALUE}")
    private int segmentLength;

    @Option(names = "--warm-up-ms", defaultValue = "1000", description = "Before counting. Default: ${DEFAULT-VALUE}")
    private int warmUpMs;

    @Option(names = "--ms", defaultValue = "2000", description = "That count, of each case in each round. Default: " +
        "${DEFAULT-VALUE}")
    private int countedMs;

    @Option(names = "--hlog", description = "File for the histograms as a log of HdrHistogram: one interval for each " +
        "case in each round, tagged with the case.")
    private Path log;

    /** What a record waits for. */
    enum Until
    {
        /** append has returned. */
        WRITTEN,

        /** The record is forced: awaitForced has returned, or the listener was told. */
        FORCED
    }

    private record Point(Backend backend, String policy, Until until, long rate)
    {
        String label()
        {
            return String.format(
                Locale.ROOT, "%s, %s, %s, %,d/s", backend, policy, until.name().toLowerCase(Locale.ROOT), rate);
        }
    }

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        checkOptions();
        final List<Point> points = points();
        try (Session session = Session.open(spec, options, neededBytes()))
        {
            final int ms = (int)options.scaled(countedMs);
            final List<Subject> subjects = new ArrayList<>();
            points.forEach((point) -> subjects.add(subject(point, ms)));
            session.begin(Profile.FAIR, String.format(
                Locale.ROOT,
                "%d rounds in random order, each case in a JVM of its own without flags; records of %d B, due at " +
                    "fixed times, by one thread; segments of %d B; %d ms warm-up, %d ms counted; every record verified",
                options.rounds, recordLength, segmentLength, warmUpMs, ms),
                seconds(1, ms), ", up to " + Session.duration(seconds(LatencyTrial.MOST_TIMES_LONGER, ms)) +
                    " if no rate is kept");
            final Results results = session.measure(subjects);
            print(session.out(), results, points);
            if (null != log)
            {
                writeLog(results, points);
            }
            return CommandLine.ExitCode.OK;
        }
    }

    /**
     * Of the case with most records.
     */
    private long neededBytes()
    {
        final long most = rates.stream().mapToLong(Long::longValue).max().orElseThrow();
        return JournalLengths.neededBytes(
            JournalLengths.count(most, warmUpMs + options.scaled(countedMs)), recordLength, segmentLength);
    }

    /**
     * What all takes if the time of each case is so many times longer.
     */
    private double seconds(final int times, final int ms)
    {
        return options.rounds * points().size() * (OVERHEAD_S + times * ((double)warmUpMs + ms) / MS_PER_S);
    }

    private List<Point> points()
    {
        final List<Point> points = new ArrayList<>();
        for (final long rate : rates)
        {
            for (final String policy : policies)
            {
                for (final Until until : untils)
                {
                    // With a force for each record, written is forced.
                    if (Until.FORCED == until || Forcing.EVERY_RECORD != Forcing.of(policy))
                    {
                        backends.forEach((backend) -> points.add(new Point(backend, policy, until, rate)));
                    }
                }
            }
        }

        if (points.isEmpty())
        {
            throw new ParameterException(
                spec.commandLine(), "nothing to measure: with everyRecord a record counts until it is forced");
        }
        return points;
    }

    private Subject subject(final Point point, final int ms)
    {
        return Subject.ofClass(
            point.label(), LatencyTrial.class, point.backend(), point.policy(), point.until(), point.rate(),
            recordLength, segmentLength, warmUpMs, ms)
            .with("backend", point.backend()).with("forcePolicy", point.policy()).with("until", point.until())
            .with("rate", point.rate()).with("recordLength", recordLength);
    }

    private static void print(final PrintWriter out, final Results results, final List<Point> points)
    {
        out.printf(Locale.ROOT, "%n%-46s %s%n", "microseconds, all rounds", Percentiles.header());
        for (final Point point : points)
        {
            final double achieved = results.spread(point.label(), ACHIEVED).min();
            out.printf(
                Locale.ROOT, "%-46s %s%s%n", point.label(), Percentiles.line(results, point.label()),
                achieved >= KEPT * point.rate() ? "" : String.format(
                    Locale.ROOT, "  RATE NOT KEPT: %,.0f/s, %,.0f ms late at the end", achieved,
                    results.spread(point.label(), LATE).max() / MS_PER_S));
        }
        out.flush();
    }

    private void writeLog(final Results results, final List<Point> points) throws IOException
    {
        try (PrintStream out = new PrintStream(Files.newOutputStream(log), false, StandardCharsets.UTF_8))
        {
            write(out, results, points);
            if (out.checkError())
            {
                throw new IOException("histograms cannot be written: " + log);
            }
        }
    }

    private void write(final PrintStream out, final Results results, final List<Point> points)
    {
        final HistogramLogWriter writer = new HistogramLogWriter(out);
        if (1 != options.scale)
        {
            writer.outputComment("[" + options.scaleText() + "]");
        }
        writer.outputLogFormatVersion();
        writer.outputLegend();
        for (final Point point : points)
        {
            final List<Histogram> histograms = Percentiles.histograms(results, point.label());
            final double[] starts = results.of(point.label(), "startMs");
            final double[] ends = results.of(point.label(), "endMs");
            for (int i = 0; i < histograms.size(); i++)
            {
                final Histogram histogram = histograms.get(i);
                // A tag ends at a comma or a space.
                histogram.setTag(point.label().replace(",", "").replace(' ', '-'));
                writer.outputIntervalHistogram(starts[i] / MS_PER_S, ends[i] / MS_PER_S, histogram, NS_PER_MS);
            }
        }
    }

    private void checkOptions()
    {
        final Checks checks = new Checks(spec)
            .within(1, MOST_RATE, "--rates", rates)
            .atLeast(0, "--warm-up-ms", warmUpMs)
            .atLeast(1, "--ms", countedMs)
            .writable("--hlog", log);
        JournalLengths.check(checks, 0, recordLength, segmentLength);
        Forcing.check(checks, "--force", policies);
    }
}
