package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
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
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.journal.bench.article.ReaderStrategy.Point;
import io.journal.bench.run.Child;
import io.journal.bench.run.Flags;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * "How to read files quickly" (Nadeau, 2008), as published and with a fair method, compared with C.
 */
@Command(
    name = "readers",
    description = "Reads a file in the page cache with thirteen strategies, with internal buffers and arrays from 1 " +
        "B to 128 MB, and sums its bytes.%n%nfaithful: the article's loops one after the other in one JVM, with " +
        "their own sums.%nfair: each point in its own JVM, warmed up, in random order, sums verified; compared with " +
        "three strategies in C.%ncold: as fair, with a cold page cache, without C.%nA pass that would exceed " +
        "--limit-ms reads only the beginning of the file, and is marked.",
    footer = {
        "%nAnswers: which file API of the JDK reads fastest, with which array length, and how does C compare?",
        "Example: readers --dir=/on/the/disk --sizes=1024,8192,131072 --strategies=CHANNEL_DIRECT_ARRAY,MAPPED_ARRAY",
        "Takes: about 80 minutes; faithful half an hour, with --rounds=1 five minutes." },
    sortOptions = false)
public final class Readers extends ArticleExperiment
{
    private static final int MAX_SIZE_EXPONENT = 27;
    private static final double BYTES_PER_MB = 1e6;
    private static final double ASSUMED_RATE = 500e6;
    private static final double ASSUMED_COLD_RATE = 150e6;
    private static final double ASSUMED_LINE_RATE = 150e6;
    private static final int LINE_PASSES = 5;
    private static final double ASSUMED_CALL_S = 0.5e-6;
    // Start, warm-up and computing the expected sum.
    private static final double OVERHEAD_S = 0.7;
    /**
     * The article's flags, one by one. The threshold has no effect with tiered compilation, which is newer than the
     * article, so one entry turns that off.
     */
    private static final List<String> FLAGS_OF_THE_ARTICLE = List.of(
        "-server", "-XX:CompileThreshold=2", "-XX:-TieredCompilation -XX:CompileThreshold=2", "-XX:+AggressiveOpts",
        "-XX:+UseFastAccessorMethods", "-Xmx1000m");
    private static final List<String> C_STRATEGIES = List.of("fread", "mmap", "read");
    private static final String C_PREFIX = "C ";

    @Option(names = "--length", defaultValue = "100000000", description = "File length in bytes, below 2 GiB, the " +
        "limit of one mapping. Default: ${DEFAULT-VALUE}")
    private long length;

    @Option(names = { "--strategies", "--ways" }, split = ",",
        description = "Strategies: ${COMPLETION-CANDIDATES}. Default: all, and those in C unless cold.")
    private List<ReaderStrategy> strategies;

    @Option(names = "--sizes", split = ",", description = "Lengths of buffers and arrays in bytes. Default: powers " +
        "of two from 1 to 134217728.")
    private List<Integer> sizes =
        IntStream.rangeClosed(0, MAX_SIZE_EXPONENT).mapToObj((exponent) -> 1 << exponent).toList();

    @Option(names = "--only", defaultValue = ".", description = "Points whose name matches this regular " +
        "expression, such as \"array varied\" or \"^C\".")
    private Pattern only;

    @Option(names = "--limit-ms", defaultValue = "2000", description = "Approximate limit of a pass, beyond which " +
        "less than the whole file is read; 0: none. Default: ${DEFAULT-VALUE}")
    private int limitMs;

    @Option(names = "--flags", arity = "0..1", split = ",", fallbackValue = "article", description = "JVM flags to " +
        "measure everything with in addition, one by one, unless faithful; without a value those of the article that " +
        "still exist.")
    private List<String> flags = List.of();

    @Option(names = "--lines", description = "Measure reading lines of a text of --length instead: all lines and " +
        "random ones, with BufferedReader and with an index of offsets.")
    private boolean isOfLines;

    private final List<String> notes = new ArrayList<>();

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.that(Profile.DURABLE != profile, "--profile=durable: this experiment only reads; see sequential and " +
            "streams-vs-channels")
            .that(!isOfLines || Profile.FAITHFUL != profile, "--lines: not part of the article, so not with " +
                "--profile=faithful")
            .within(1, Integer.MAX_VALUE, "--length", length)
            .within(1, MAX_LENGTH, "--sizes", sizes)
            .atLeast(0, "--limit-ms", limitMs)
            .that(flags.stream().noneMatch(String::isBlank), "--flags must not be blank");
        length = options.scaled(length);
    }

    @Override
    protected double neededBytes()
    {
        // The whole file, and files of its beginning.
        return 3.0 * length;
    }

    @Override
    protected void runFaithful(final BenchmarkRun run) throws IOException
    {
        final Path file = file(run);
        final List<Point> faithful = points();
        run.begin(profile, Plan.of(
            options.rounds * faithful.stream().mapToDouble(this::seconds).sum(),
            "the article's loops: %,d B in the page cache; %d rounds of %d points in this JVM, in the article's " +
                "order, without its flags, open and close inside the measured time; %s",
            length, options.rounds, faithful.size(), limitText()), List.of());
        Content.write(file, length);
        final PrintWriter out = run.out();
        out.printf("%n%-56s %12s %12s %10s %16s%n", "", "buffer", "array", "s", "checkSum");
        for (int round = 1; round <= options.rounds; round++)
        {
            for (final Point point : faithful)
            {
                final ReaderStrategy strategy = ReaderStrategy.valueOf(point.strategy());
                final ReaderTrial.Pass pass =
                    new ReaderTrial(point, strategy::readAsPublished, file, length)
                        .run(TimeUnit.MILLISECONDS.toNanos(limitMs));
                Content.check("checksum: strategy=" + strategy, strategy.isPublishedUnsigned() ?
                    Content.unsignedSum(pass.length()) : Content.sum(pass.length()), pass.sum());
                out.printf(
                    Locale.ROOT, "%-56s %12s %12s %10.3f %16d%s%n", strategy.title,
                    orDash(point.bufferLength()), orDash(point.arrayLength()),
                    pass.elapsedNs() / NS_PER_S, pass.sum(),
                    pass.length() < length ? String.format(
                        Locale.ROOT, " of %,d B only, %,.2f MB/s", pass.length(),
                        pass.length() * MS_PER_S / pass.elapsedNs()) : "");
                out.flush();
                run.add(
                    round, point.label(),
                    point.describe(BenchmarkCase.of(point.label(), ReaderTrial.class), length).parameters(),
                    pass.found(length));
            }
        }
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run) throws IOException, InterruptedException
    {
        if (isOfLines)
        {
            return Arrays.stream(LineTrial.Strategy.values()).map((strategy) -> BenchmarkCase.of(
                strategy + ", lines", LineTrial.class).argument("profile", profile).argument("seed", options.seed)
                .argument("samplesMs", options.scaled(LineTrial.SAMPLES_MS))
                .parameter("way", strategy).parameter("length", length)).toList();
        }

        final List<BenchmarkCase> benchmarks = new ArrayList<>(cases("", file(run)));
        for (final String each : List.of("article").equals(flags) ? FLAGS_OF_THE_ARTICLE : flags)
        {
            final String refusal = Flags.refusal(each);
            if (null == refusal)
            {
                benchmarks.addAll(cases(each, file(run)));
            }
            else
            {
                notes.add(each + " is not supported: " + refusal);
            }
        }
        if (null == strategies && Profile.COLD != profile)
        {
            benchmarks.addAll(casesOfC(run));
        }
        new OptionChecks(spec).that(
            !benchmarks.isEmpty(), "--strategies, --sizes and --only leave nothing to measure");
        return benchmarks;
    }

    private List<BenchmarkCase> cases(final String flag, final Path file)
    {
        return points().stream().map((point) -> point.describe(
            BenchmarkCase.of(point.label(), ReaderTrial.class, Flags.split(flag)).argument("file", file)
                .argument("profile", profile).argument("limitMs", limitMs),
            length)).toList();
    }

    private List<BenchmarkCase> casesOfC(final BenchmarkRun run) throws IOException, InterruptedException
    {
        final Path program = Child.compileC(Readers.class, "readers", run.path());
        if (null == program)
        {
            notes.add("no C compiler: C is skipped");
            return List.of();
        }
        return matching(
            C_STRATEGIES.stream().map((each) -> ReaderStrategy.Lengths.ARRAY.points(C_PREFIX + each, sizes)))
            .stream().map((point) -> point.describe(
                BenchmarkCase.inOrder(
                    point.label(), List.of(program.toString()), file(run), length,
                    point.strategy().substring(C_PREFIX.length()), point.arrayLength(), limitMs),
                length))
            .toList();
    }

    @Override
    protected void prepare(final BenchmarkRun run) throws IOException
    {
        if (!isOfLines)
        {
            Content.write(file(run), length);
            ColdRead.force(file(run));
        }
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return isOfLines ? Plan.of(
            options.rounds * benchmarks.size() * (OVERHEAD_S + LINE_PASSES * length / ASSUMED_LINE_RATE),
            "%s: lines of a text of %,d B; %d rounds in random order, each strategy in its own JVM without flags, " +
                "warmed up; lines verified",
            profile.label(), length, options.rounds) :
            Plan.of(
                options.rounds * benchmarks.stream()
                    .mapToDouble((each) -> OVERHEAD_S + seconds(Point.of(each.parameters()))).sum(),
                "%s: %,d B, written before%s; %d rounds in random order of %d points, each in a process of its own, " +
                    "warmed up; sums compared with a computed one; %s%s",
                profile.label(), length, Profile.COLD == profile ? "" : " and so in the page cache",
                options.rounds, benchmarks.size(), limitText(), notes.isEmpty() ? "" : "; " + String.join("; ", notes));
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        if (isOfLines)
        {
            printLines(out, results, benchmarks);
        }
        else
        {
            checkC(results, benchmarks);
            new Tables(out, results, benchmarks).print();
        }
        printCold(out, results, benchmarks, "reading");
    }

    private static void printLines(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.printf(Locale.ROOT, "%nMedians of %d rounds%n", results.roundCount());
        Table.of("", benchmarks)
            .column("MB/s", (label) -> Table.number(
                "%,.1f", results.spread(label, Sequential.READ).median() / BYTES_PER_MB))
            .column("lines/s", (label) -> Table.number("%,.0f", results.spread(label, LineTrial.LINES).median()))
            .column("one line, us", (label) -> Table.number(
                "%,.1f", results.spread(label, LineTrial.ONE_LINE).median()))
            .print(out);
    }

    /** C does not check its sums itself. */
    private static void checkC(final Results results, final List<BenchmarkCase> benchmarks)
    {
        for (final BenchmarkCase each : benchmarks)
        {
            if (Point.of(each.parameters()).strategy().startsWith(C_PREFIX))
            {
                final List<String> lengths = results.texts(each.label(), ReaderTrial.BYTES);
                final List<String> sums = results.texts(each.label(), ReaderTrial.SUM);
                for (int i = 0; i < sums.size(); i++)
                {
                    Content.check("checksum: case=" + each, Content.sum(Long.parseLong(lengths.get(i))),
                        Long.parseLong(sums.get(i)));
                }
            }
        }
    }

    private List<Point> points()
    {
        return matching((null == strategies ? List.of(ReaderStrategy.values()) : strategies).stream()
            .map((strategy) -> strategy.lengths.points(strategy.name(), sizes)));
    }

    private List<Point> matching(final Stream<List<Point>> all)
    {
        return all.flatMap(List::stream).filter((point) -> only.matcher(point.label()).find()).toList();
    }

    private String limitText()
    {
        return 0 == limitMs ? "no time limit" : String.format(
            Locale.ROOT, "passes of about %,d ms at most, on the beginning of the file if necessary",
            limitMs);
    }

    private double seconds(final Point point)
    {
        final double whole = length *
            (1 / (Profile.COLD == profile ? ASSUMED_COLD_RATE : ASSUMED_RATE) + ASSUMED_CALL_S / point.callLength());
        final int passes = Profile.FAITHFUL == profile ? 2 : 3;
        return passes * (0 == limitMs ? whole : Math.min(whole, limitMs / MS_PER_S / 2));
    }

    private static Path file(final BenchmarkRun run)
    {
        return run.path().resolve("read.dat");
    }

    private static String orDash(final int bytes)
    {
        return 0 == bytes ? "-" : Integer.toString(bytes);
    }

    /**
     * Result tables: each point, the best length of each strategy, and the gain of arrays over single bytes.
     */
    private record Tables(PrintWriter out, Results results, List<BenchmarkCase> benchmarks)
    {
        private static final double FLAT = 0.9;

        void print()
        {
            out.printf(Locale.ROOT, "%nMB/s, median [min..max] of %d rounds%n", results.roundCount());
            final Table table = new Table("", "MB/s");
            final Map<String, TreeMap<Integer, Double>> series = new LinkedHashMap<>();
            boolean isAnyReduced = false;
            for (final BenchmarkCase each : benchmarks)
            {
                final String label = each.label();
                final Spread rate = results.spread(label, Sequential.READ);
                final boolean isReduced = results.texts(label, ReaderTrial.REDUCED).contains("true");
                isAnyReduced |= isReduced;
                table.row(label, rate.text("%,.1f", BYTES_PER_MB) + (isReduced ? " *" : ""));
                final Point point = Point.of(each.parameters());
                final String flag = each.parameters().get(BenchmarkCase.JVM_FLAGS);
                series.computeIfAbsent(point.series() + (null == flag ? "" : ", " + flag), (key) -> new TreeMap<>())
                    .put(point.size(), rate.median());
            }
            table.print(out);
            if (isAnyReduced)
            {
                out.println("* limited by --limit-ms: the rate of the bytes that were read.");
            }
            printSeries(series);
            printGets();
        }

        /** Best length of each series, and the length from which the rate is flat. */
        private void printSeries(final Map<String, TreeMap<Integer, Double>> series)
        {
            out.println();
            final Table table = new Table("fastest first", "MB/s", "at B", "flat from B");
            series.entrySet().stream()
                .sorted(
                    Comparator.comparing((each) -> Collections.max(each.getValue().values()),
                        Comparator.reverseOrder()))
                .forEach((each) ->
                {
                    final double best = Collections.max(each.getValue().values());
                    table.row(
                        each.getKey(), Table.number("%,.1f", best / BYTES_PER_MB), shortest(each.getValue(), best),
                        shortest(each.getValue(), FLAT * best));
                });
            table.print(out);
        }

        private static String shortest(final TreeMap<Integer, Double> rates, final double least)
        {
            return orDash(rates.keySet().stream().filter((size) -> rates.get(size) >= least).findFirst().orElseThrow());
        }

        /** Ratio of array gets to byte gets from the same buffer. */
        private void printGets()
        {
            final Map<Point, String> labels = new LinkedHashMap<>();
            benchmarks.stream().filter((each) -> !each.parameters().containsKey(BenchmarkCase.JVM_FLAGS))
                .forEach((each) -> labels.put(Point.of(each.parameters()), each.label()));
            labels.forEach((bytes, label) -> labels.keySet().stream()
                .filter((arrays) -> 0 == bytes.arrayLength() && ReaderStrategy.FIXED_LENGTH == arrays.arrayLength() &&
                    bytes.bufferLength() == arrays.bufferLength() &&
                    arrays.strategy().equals(bytes.strategy().replace("_BYTES", "_ARRAY")))
                .findFirst()
                .ifPresent((arrays) -> out.printf(
                    Locale.ROOT, "%s: arrays of %d B are %.2f times as fast as single bytes%n", label,
                    ReaderStrategy.FIXED_LENGTH,
                    results.ratio(labels.get(arrays), label, Sequential.READ).median())));
        }
    }
}
