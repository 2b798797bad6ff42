package io.journal.bench.article.sweep;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.journal.bench.article.ArticleExperiment;
import io.journal.bench.article.Content;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.Space;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;
import io.journal.bench.run.MeasuredInterval;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

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
    private static final double MB = KB * KB;
    private static final double ARTICLE_MB = 1e6;
    private static final double NS_PER_S = 1e9;
    private static final double MS_PER_S = 1e3;
    private static final double US_PER_MS = 1e3;
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

    /** Values of --direction. */
    enum DirectionOption
    {
        READ(Direction.READ),
        WRITE(Direction.WRITE),
        BOTH(Direction.READ, Direction.WRITE);

        private final List<Direction> directions;

        DirectionOption(final Direction... directions)
        {
            this.directions = List.of(directions);
        }
    }

    @Override
    protected long neededBytes()
    {
        return Space.product(2, options.scaled(length));
    }

    private void nameSystem(final BenchmarkRun run) throws IOException
    {
        if (null == system)
        {
            system = System.getProperty("os.name") + ", " + Files.getFileStore(run.path()).type();
        }
    }

    @Override
    protected void runFaithful(final BenchmarkRun run) throws IOException
    {
        nameSystem(run);
        final long scaledLength = options.scaled(length);
        run.begin(profile, Plan.of(
            directions().size() * repeats * secondsOfAPass(scaledLength),
            "the article's: a file of %,d B, byte by byte, %d times with each buffer in this JVM, without warm-up, " +
                "open and close inside the measured time; MB/s of 1,000,000 B; population sigma",
            scaledLength, repeats));
        final Path file = run.path().resolve("test.dat");
        final long expectedSum = Content.unsignedSum(scaledLength);
        for (final Direction direction : directions())
        {
            final PrintWriter out = run.out();
            out.printf("%n%s%s:%n", system, Direction.WRITE == direction ? ", written" : "");
            out.println("BufferSize | minThroughput | maxThroughput | meanThroughput | sigmaThroughput |");
            direction.prepare(file, scaledLength);
            final Map<Integer, Double> means = new LinkedHashMap<>();
            for (final int buffer : buffers)
            {
                final double[] rates = new double[repeats];
                for (int i = 0; i < repeats; i++)
                {
                    final MeasuredInterval usage = MeasuredInterval.start();
                    final long start = System.nanoTime();
                    final long sum = direction.move(file, scaledLength, buffer * KB);
                    rates[i] = scaledLength * NS_PER_S / (System.nanoTime() - start);
                    final Map<String, String> found = usage.end(direction.label());
                    direction.check(file, scaledLength, expectedSum, sum);
                    found.put(direction.rateKey(), Double.toString(rates[i]));
                    run.add(
                        i + 1, label(direction, buffer), parameters(direction, buffer, scaledLength), found);
                }
                final Throughput throughput = Throughput.of(rates);
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
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final Direction direction : directions())
        {
            for (final int buffer : buffers)
            {
                final BenchmarkCase benchmark = BenchmarkCase.of(label(direction, buffer), SweepTrial.class)
                    .argument("profile", profile).argument("ms", periodMs);
                parameters(direction, buffer, options.scaled(length)).forEach(benchmark::parameter);
                benchmarks.add(benchmark);
            }
        }
        return benchmarks;
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * (2 * directions().size() * secondsOfAPass(options.scaled(length)) +
                benchmarks.size() * (OVERHEAD_S + 2 * periodMs / MS_PER_S)),
            "%s: a file of %,d B, byte by byte; %d rounds in random order, each buffer in its own JVM without flags, " +
                "%d ms of warm-up and %d ms measured; contents verified after each pass",
            profile.label(), options.scaled(length), options.rounds, periodMs, periodMs);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        directions().forEach((direction) -> print(out, results, direction));
    }

    private void print(final PrintWriter out, final Results results, final Direction direction)
    {
        final String key = Profile.DURABLE == profile ? SweepTrial.DURABLE : direction.rateKey();
        final int best = buffers.stream().max(Comparator.comparingDouble(
            (buffer) -> results.spread(label(direction, buffer), key).median())).orElseThrow();
        out.printf(
            Locale.ROOT, "%n%s, %s: MB/s of 1,048,576 B, median [min..max] of %d rounds%n", system,
            Profile.DURABLE == profile ? "written and forced" : Direction.READ == direction ? "read" : "written",
            results.roundCount());
        final Table table = new Table("buffer kB", "MB/s", "of the best", "processor ms a pass");
        final Map<Integer, Double> shares = new LinkedHashMap<>();
        final List<Integer> near = new ArrayList<>();
        for (final int buffer : buffers)
        {
            final String label = label(direction, buffer);
            final Spread rate = results.spread(label, key);
            final Spread share = results.ratio(label, label(direction, best), key);
            shares.put(buffer, share.median());
            if (share.max() >= 1)
            {
                near.add(buffer);
            }
            table.row(
                Integer.toString(buffer),
                String.format(
                    Locale.ROOT, "%,.2f [%,.2f..%,.2f]", rate.median() / MB, rate.min() / MB, rate.max() / MB),
                String.format(
                    Locale.ROOT, "%.3f [%.3f..%.3f]", share.median(), share.min(), share.max()),
                Table.number(
                    "%.2f", results.spread(label, direction.label() + "CpuUs").median() / US_PER_MS /
                        results.spread(label, SweepTrial.PASSES).median()));
        }
        table.print(out);
        printBest(out, shares, near);
        if (Profile.COLD == profile)
        {
            out.println("The page cache was evicted before each pass: " +
                ColdRead.describe(results, buffers.stream().map((buffer) -> label(direction, buffer)).toList()));
        }
        out.flush();
    }

    /**
     * Prints the best buffer, and how the unbuffered stream and the JDK's default compare. The highest of many medians
     * is partly luck, so the shortest buffer that is not significantly slower is named.
     *
     * @param shares of the highest rate, by length of the buffer in kB.
     * @param near   buffers that are not significantly slower than the fastest, in order of length.
     */
    private static void printBest(
        final PrintWriter out, final Map<Integer, Double> shares, final List<Integer> near)
    {
        final int best = near.stream().min(Comparator.naturalOrder()).orElseThrow();
        out.printf(
            "best: %d kB; not significantly different: %s kB", best,
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
        if (null != directionOption)
        {
            return directionOption.directions;
        }

        return switch (profile)
        {
            case FAITHFUL, COLD -> DirectionOption.READ.directions;
            case FAIR -> DirectionOption.BOTH.directions;
            case DURABLE -> DirectionOption.WRITE.directions;
        };
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.atLeast(1, "--length", length)
            .atLeast(1, "--repeats", repeats)
            .atLeast(0, "--ms", periodMs)
            .within(0, MAX_BUFFER_KB, "--buffers", buffers);
        if (Profile.DURABLE == profile && directions().contains(Direction.READ))
        {
            throw new ParameterException(spec.commandLine(), "--profile=durable needs --direction=write");
        }
        if (Profile.COLD == profile && directions().contains(Direction.WRITE))
        {
            throw new ParameterException(spec.commandLine(), "--profile=cold needs --direction=read");
        }
    }

    /**
     * Estimate of one pass with each buffer.
     */
    private double secondsOfAPass(final long scaledLength)
    {
        return buffers.stream()
            .mapToDouble((buffer) -> scaledLength / (0 == buffer ? ASSUMED_BARE_RATE : ASSUMED_RATE)).sum();
    }

    private Map<String, String> parameters(final Direction direction, final int buffer, final long scaledLength)
    {
        // Sorted, so that equal runs write equal files.
        return new TreeMap<>(Map.of(
            "way", direction.streamName(buffer), "direction", direction.label(), "length", Long.toString(scaledLength),
            "bufferLength", Integer.toString(buffer * KB), "system", system));
    }

    private static String label(final Direction direction, final int buffer)
    {
        return direction.label() + ", " + (0 == buffer ? "no buffer" : "buffer of " + buffer + " kB");
    }

    /**
     * The article's statistics of rates. As in its published source: population sigma, MB of 1,000,000 B.
     */
    record Throughput(double min, double max, double mean, double sigma)
    {
        static Throughput of(final double... rates)
        {
            final double mean = Arrays.stream(rates).average().orElseThrow();
            double squares = 0;
            for (final double rate : rates)
            {
                squares += (rate - mean) * (rate - mean);
            }

            return new Throughput(
                Arrays.stream(rates).min().orElseThrow(), Arrays.stream(rates).max().orElseThrow(), mean,
                Math.sqrt(squares / rates.length));
        }
    }
}
