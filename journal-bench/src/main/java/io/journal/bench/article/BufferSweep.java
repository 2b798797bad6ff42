package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

import io.journal.bench.article.SweepTrial.Direction;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;
import io.journal.bench.run.MeasuredInterval;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The buffer length of a stream: the measurements of PureSol Technologies, as published and with a fair method,
 * extended to writes, which the article left out.
 */
@Command(
    name = "buffer-sweep",
    description = "Reads or writes a file byte by byte through stream buffers of many lengths; 0 kB is the " +
        "unbuffered stream.%n%nfaithful: procedure and columns of the article, ten times each in one JVM, from the " +
        "smallest buffer up, without warm-up.%nfair: each buffer in its own JVM, warmed up, in random order, " +
        "contents verified.%ndurable: as fair for writes, with fsync.%ncold: as fair for reads, with a cold page " +
        "cache in each pass.",
    footer = {
        "%nAnswers: which buffer length suits streams here?",
        "Example: buffer-sweep --dir=/on/the/disk --direction=both --system=mine",
        "Takes: about 3 minutes; faithful a few seconds." },
    sortOptions = false)
public final class BufferSweep extends ArticleExperiment
{
    private static final int KB = 1024;
    private static final double ARTICLE_MB = 1e6;
    private static final double ASSUMED_BARE_RATE = 2e6;
    private static final double ASSUMED_RATE = 100e6;
    // Start, prepare and verify.
    private static final double OVERHEAD_S = 0.5;
    private static final double NEAR_THE_BEST = 0.95;
    private static final int JDK_BUFFER_KB = 8;
    private static final int MAX_BUFFER_KB = 1 << 20;

    @Option(names = "--direction", description = "read, write or both. Default: read if faithful, as in the article, " +
        "or cold; write if durable; both if fair.")
    private DirectionOption directionOption;

    @Option(names = "--length", defaultValue = "1048576", description = "File length in bytes. Default: " +
        "${DEFAULT-VALUE}, the article's 1 MB")
    private long length;

    @Option(names = "--buffers", split = ",", defaultValue = "0,1,2,4,8,12,16,24,32,40,48,56,64,128,256",
        description = "Buffer lengths in kB of 1024 B. Default: ${DEFAULT-VALUE}")
    private List<Integer> buffers;

    @Option(names = "--repeats", defaultValue = "10", description = "Repeats of each buffer, if faithful. Default: " +
        "${DEFAULT-VALUE}")
    private int repeats;

    @Option(names = "--ms", defaultValue = "300", description = "Time of the warm-up, and of the measured passes, " +
        "unless faithful. Default: ${DEFAULT-VALUE}")
    private int periodMs;

    @Option(names = "--system", description = "Name of this system in the results. Default: names of the operating " +
        "system and the file system.")
    private String system;

    enum DirectionOption
    {
        READ, WRITE, BOTH
    }

    @Override
    protected double neededBytes()
    {
        return 2.0 * length;
    }

    @Override
    protected void runFaithful(final BenchmarkRun run) throws IOException
    {
        nameSystem(run);
        run.begin(profile, Plan.of(
            directions().size() * repeats * secondsOfAPass(),
            "the article's: a file of %,d B, byte by byte, %d times with each buffer in this JVM, without warm-up, " +
                "open and close inside the measured time; MB/s of 1,000,000 B; population sigma",
            length, repeats), List.of());
        final Path file = run.path().resolve("test.dat");
        final long expectedSum = Content.unsignedSum(length);
        for (final Direction direction : directions())
        {
            final PrintWriter out = run.out();
            out.printf("%n%s%s:%n", system, Direction.WRITE == direction ? ", written" : "");
            out.println("BufferSize | minThroughput | maxThroughput | meanThroughput | sigmaThroughput |");
            direction.prepare(file, length);
            final Map<Integer, Double> means = new LinkedHashMap<>();
            for (final int buffer : buffers)
            {
                final BenchmarkCase point = point(direction, buffer);
                final double[] rates = new double[repeats];
                for (int i = 0; i < repeats; i++)
                {
                    final MeasuredInterval interval = MeasuredInterval.start();
                    final long sum = direction.move(file, length, buffer * KB);
                    interval.rate(direction.rateKey(), length);
                    rates[i] = length * NS_PER_S / interval.elapsedNs();
                    final Map<String, String> found = interval.end(direction.label());
                    direction.check(file, length, expectedSum, sum);
                    run.add(i + 1, point.label(), point.parameters(), found);
                }
                final Statistics throughput = Statistics.of(rates);
                out.println(
                    buffer + " | " + throughput.min() / ARTICLE_MB + " | " + throughput.max() / ARTICLE_MB + " | " +
                        throughput.mean() / ARTICLE_MB + " | " + throughput.sigma() / ARTICLE_MB + " |");
                out.flush();
                means.put(buffer, throughput.mean());
            }
            final double best = Collections.max(means.values());
            means.replaceAll((buffer, mean) -> mean / best);
            printBest(out, means, means.keySet().stream().filter((each) -> means.get(each) >= NEAR_THE_BEST).toList());
        }
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run) throws IOException
    {
        nameSystem(run);
        return directions().stream().flatMap((direction) -> buffers.stream().map((buffer) -> point(direction, buffer)))
            .toList();
    }

    private void nameSystem(final BenchmarkRun run) throws IOException
    {
        if (null == system)
        {
            system = System.getProperty("os.name") + ", " + Files.getFileStore(run.path()).type();
        }
    }

    private BenchmarkCase point(final Direction direction, final int buffer)
    {
        return BenchmarkCase.of(label(direction, buffer), SweepTrial.class).argument("profile", profile)
            .argument("ms", periodMs).parameter("bufferLength", buffer * KB).parameter("direction", direction.label())
            .parameter("length", length).parameter("system", system)
            .parameter("way", direction.streamName(buffer));
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * (2 * directions().size() * secondsOfAPass() +
                benchmarks.size() * (OVERHEAD_S + 2 * periodMs / MS_PER_S)),
            "%s: a file of %,d B, byte by byte; %d rounds in random order, each buffer in its own JVM without flags, " +
                "%d ms of warm-up and %d ms measured; contents verified after each pass",
            profile.label(), length, options.rounds, periodMs, periodMs);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        directions().forEach((direction) -> print(out, results, direction));
        printCold(out, results, benchmarks, "each pass");
    }

    private void print(final PrintWriter out, final Results results, final Direction direction)
    {
        final String key = Profile.DURABLE == profile ? Sequential.DURABLE : direction.rateKey();
        final int best = buffers.stream().max(Comparator.comparingDouble(
            (buffer) -> results.spread(label(direction, buffer), key).median())).orElseThrow();
        out.printf(
            Locale.ROOT, "%n%s, %s: MB/s of 1,048,576 B, median [min..max] of %d rounds%n", system,
            Profile.DURABLE == profile ? "written and fsynced" : Direction.READ == direction ? "read" : "written",
            results.roundCount());
        final Table table = new Table("buffer kB", "MB/s", "of the best", "processor ms a pass");
        final Map<Integer, Double> shares = new LinkedHashMap<>();
        final List<Integer> near = new ArrayList<>();
        for (final int buffer : buffers)
        {
            final String label = label(direction, buffer);
            final Spread share = results.ratio(label, label(direction, best), key);
            shares.put(buffer, share.median());
            if (share.max() >= 1)
            {
                near.add(buffer);
            }
            table.row(
                Integer.toString(buffer), results.spread(label, key).text("%,.2f", MB), share.text("%.3f", 1),
                Table.number(
                    "%.2f", results.spread(label, direction.label() + "CpuUs").median() / US_PER_MS /
                        results.spread(label, SweepTrial.PASSES).median()));
        }
        table.print(out);
        printBest(out, shares, near);
    }

    /**
     * Prints the shortest buffer that is not significantly slower than the fastest, since the highest of many medians
     * is partly luck, and how the unbuffered stream and the JDK's default compare.
     *
     * @param shares of the highest rate, by length of the buffer in kB.
     * @param near   buffers that are not significantly slower than the fastest, in order of length.
     */
    private static void printBest(
        final PrintWriter out, final Map<Integer, Double> shares, final List<Integer> near)
    {
        final int best = Collections.min(near);
        out.printf(
            "shortest that is not significantly slower than the fastest: %d kB; all such: %s kB", best,
            near.stream().map(Object::toString).collect(Collectors.joining(", ")));
        if (shares.containsKey(JDK_BUFFER_KB))
        {
            out.printf(
                Locale.ROOT, "; the JDK's own %d kB: %.0f %% of it", JDK_BUFFER_KB,
                100 * shares.get(JDK_BUFFER_KB) / shares.get(best));
        }
        if (shares.containsKey(0))
        {
            out.printf(Locale.ROOT, "; no buffer: %.1f %%", 100 * shares.get(0) / shares.get(best));
        }
        out.println(". For a journal, see `recommend`.");
    }

    private List<Direction> directions()
    {
        final DirectionOption chosen = null != directionOption ? directionOption : switch (profile)
        {
            case FAITHFUL, COLD -> DirectionOption.READ;
            case FAIR -> DirectionOption.BOTH;
            case DURABLE -> DirectionOption.WRITE;
        };
        return DirectionOption.BOTH == chosen ? List.of(Direction.values()) :
            List.of(Direction.valueOf(chosen.name()));
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.atLeast(1, "--length", length)
            .atLeast(1, "--repeats", repeats)
            .atLeast(0, "--ms", periodMs)
            .within(0, MAX_BUFFER_KB, "--buffers", buffers)
            .that(Profile.DURABLE != profile || !directions().contains(Direction.READ),
                "--profile=durable needs --direction=write")
            .that(Profile.COLD != profile || !directions().contains(Direction.WRITE),
                "--profile=cold needs --direction=read");
        length = options.scaled(length);
    }

    /** Estimate of one pass with each buffer. */
    private double secondsOfAPass()
    {
        return length *
            buffers.stream().mapToDouble((buffer) -> 1 / (0 == buffer ? ASSUMED_BARE_RATE : ASSUMED_RATE)).sum();
    }

    private static String label(final Direction direction, final int buffer)
    {
        return direction.label() + ", " + (0 == buffer ? "no buffer" : "buffer of " + buffer + " kB");
    }
}
