package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.journal.bench.article.ArticleProgram.Variant;
import io.journal.bench.article.SequentialTrial.Layout;
import io.journal.bench.article.SequentialTrial.Sync;
import io.journal.bench.run.Flags;
import io.journal.bench.run.Machine;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Terminal.Progress;
import io.journal.bench.run.Results;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * "Java Sequential IO Performance" (Thompson, 2011), as published and with a fair method.
 */
@Command(
    name = "sequential",
    description = "Writes and reads a file sequentially through each file API of the JDK.%n%nfaithful: procedure and " +
        "output of the article of 2011, four APIs one after the other in one JVM; --variant runs those of its " +
        "comments.%nfair: each case in its own JVM, warmed up, in random order, all with the same array of a page, " +
        "contents verified by independent code.%ndurable: as fair, once per kind of fsync.%ncold: as fair, reads " +
        "start with a cold page cache.",
    footer = {
        "%nAnswers: which file API of the JDK is fastest on this disk, with the page cache and with the device?",
        "Example: sequential --dir=/on/the/disk --sizes=0.05x,1.5x --strategies=MAPPED,CHANNEL_DIRECT --stalls",
        "Takes: about 3 minutes; durable 11; faithful 40, with --sizes=409600000 two or three." },
    sortOptions = false)
public final class Sequential extends ArticleExperiment
{
    public static final String WRITE = "writeBytesPerSecond";
    public static final String DURABLE = "durableBytesPerSecond";
    public static final String READ = "readBytesPerSecond";
    public static final String READ_AGAIN = "readAgainBytesPerSecond";

    private static final String SMALL = "409600000";
    private static final String LARGE = "8192000000";
    private static final String LARGE_NAME = "8GB File";
    private static final int ARTICLE_PAGE_LENGTH = 4096;
    // Prepare, write, verify, read, read again.
    private static final int PASSES = 5;
    private static final double ASSUMED_RATE = 600e6;
    // Single bytes, with a lock.
    private static final double ASSUMED_ORIGINAL_RATE = 150e6;
    // A system call per byte.
    private static final double ASSUMED_BYTEWISE_RATE = 2e6;
    private static final double ASSUMED_CALL_S = 0.3e-6;
    private static final double OVERHEAD_S = 1.5;

    @Option(names = "--variant", defaultValue = "article", description = "Variant of the faithful profile: " +
        "${COMPLETION-CANDIDATES}. ARRAYS adds to each case one with an array of a page, BYTES makes a system call " +
        "per byte, PAGES compares page lengths and prints CPU time, WRITES only writes. Default: ${DEFAULT-VALUE}")
    private Variant variant;

    @Option(names = "--sizes", split = ",",
        description = "File lengths in bytes, or as multiples of memory, such as 0.5x. Default: " +
            SMALL + ", which the article calls 400MB, and if faithful also " + LARGE + ", its 8GB.")
    private List<String> sizes;

    @Option(names = "--page-sizes", split = ",", description = "Page lengths in bytes. Default: 4096, and for the " +
        "variant PAGES 1024,4096,8192")
    private List<Integer> pageLengths;

    @Option(names = { "--strategies", "--ways" }, split = ",",
        description = "File APIs, unless faithful: ${COMPLETION-CANDIDATES}. Default: all.")
    private List<FileStrategy> strategies = FileStrategy.OF_PAGES;

    @Option(names = "--layouts", split = ",", defaultValue = "FILLED", description = "State of the file before it is " +
        "written: ${COMPLETION-CANDIDATES}, the last with the program fallocate. Default: ${DEFAULT-VALUE}")
    private List<Layout> layouts;

    @Option(names = "--syncs", split = ",",
        description = "Kinds of fsync: ${COMPLETION-CANDIDATES}. Default: CHANNEL, and if durable all.")
    private List<Sync> syncs;

    @Option(names = "--stalls", description = "Also measure the scheduling delay of a thread that wakes up every " +
        "millisecond.")
    private boolean isStallMeasured;

    @Option(names = "--latency", description = "Also record the latency of each page write, at a small cost.")
    private boolean isLatencyMeasured;

    @Option(names = "--jvm-flags", description = "Measure everything again in JVMs with these flags, separated by " +
        "spaces, such as -XX:FreqInlineSize=35.")
    private String jvmFlags;

    private List<Long> lengths;
    private List<List<String>> flags;
    private String note = "";

    @Override
    protected void check(final OptionChecks checks)
    {
        final boolean isFaithful = Profile.FAITHFUL == profile;
        pageLengths = null != pageLengths ? pageLengths : isFaithful && Variant.PAGES == variant ?
            List.of(1024, ARTICLE_PAGE_LENGTH, 8192) : List.of(ARTICLE_PAGE_LENGTH);
        syncs = null != syncs ? syncs : Profile.DURABLE == profile ? List.of(Sync.values()) : List.of(Sync.CHANNEL);
        checks.within(1, MAX_LENGTH, "--page-sizes", pageLengths)
            .that(null == jvmFlags || !jvmFlags.isBlank(), "--jvm-flags must not be blank")
            .that(null == jvmFlags || !Flags.areDefaults(jvmFlags), "--jvm-flags: this JVM has these values anyway: " +
                jvmFlags);
        flags = null == jvmFlags ? List.of(List.of()) : List.of(List.of(), Flags.split(jvmFlags));
        lengths = lengths(null != sizes ? sizes : isFaithful ? List.of(SMALL, LARGE) : List.of(SMALL));
    }

    @Override
    protected double neededBytes()
    {
        return 1.125 * Collections.max(lengths);
    }

    /** The case of one API, length and page length, as a baseline for other experiments. */
    public static BenchmarkCase benchmark(final String strategy, final long length, final int pageLength)
    {
        return benchmark(
            List.of(), Layout.FILLED, length, pageLength, Sync.CHANNEL, FileStrategy.valueOf(strategy))
            .argument("profile", Profile.FAIR).argument("stalls", false).argument("latency", false);
    }

    private static BenchmarkCase benchmark(
        final List<String> flags, final Layout layout, final long length, final int pageLength, final Sync sync,
        final FileStrategy strategy)
    {
        final String label = String.format(
            Locale.ROOT, "%s, %,d B, pages of %,d B, %s%s", strategy, length, pageLength, label(layout),
            Sync.CHANNEL == sync ? "" : ", fsynced by " + label(sync));
        return BenchmarkCase.of(label, SequentialTrial.class, flags).parameter("way", strategy)
            .parameter("length", length).parameter("pageLength", pageLength).parameter("layout", layout)
            .parameter("sync", sync);
    }

    @Override
    protected void runFaithful(final BenchmarkRun run) throws IOException, InterruptedException
    {
        final List<BenchmarkCase> benchmarks = flags.stream()
            .flatMap((flags) -> lengths.stream().flatMap((length) -> pageLengths.stream()
                .map((pageLength) -> BenchmarkCase.of(heading(length, pageLength), ArticleProgram.class, flags)
                    .parameter("length", length).parameter("pageLength", pageLength).parameter("variant", variant))))
            .toList();
        run.begin(profile, Plan.of(
            secondsOfOriginals(),
            "the article's: each API %d times, one after the other in one JVM, on a file filled with zeros once, " +
                "garbage collection before each pass, open and close inside the measured time, no fsync; a JVM per " +
                "file",
            variant.iterations), benchmarks);
        try (Progress progress = Progress.of(options.isQuiet, spec.name(), benchmarks.size() * variant.results()))
        {
            for (final BenchmarkCase benchmark : benchmarks)
            {
                if (variant.hasHeading())
                {
                    // The article's line below its large file is longer.
                    run.out().printf(
                        "%n%s%n%s%n", benchmark.label(),
                        "=".repeat(benchmark.label().startsWith(LARGE_NAME) ? 12 : 11));
                    run.out().flush();
                }
                run.run(benchmark, (line) -> take(run, benchmark, progress, line));
            }
        }
    }

    /** Prints a line of the article, or records a line of results. */
    private void take(final BenchmarkRun run, final BenchmarkCase benchmark, final Progress progress, final String line)
    {
        if (!line.startsWith(ArticleProgram.RESULT))
        {
            run.out().println(line);
            run.out().flush();
            return;
        }

        final String[] words = line.substring(ArticleProgram.RESULT.length()).split(" ");
        final Map<String, String> parameters = new LinkedHashMap<>(benchmark.parameters());
        parameters.put("way", words[0]);
        final Map<String, String> found = new TreeMap<>();
        found.put(WRITE, words[2]);
        if (Variant.WRITES != variant)
        {
            found.put(READ, words[3]);
        }
        found.put("cpuUs", words[4]);
        run.add(Integer.parseInt(words[1]), words[0] + ", " + benchmark.label(), parameters, found);
        progress.step();
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run) throws InterruptedException
    {
        final List<Layout> possible = new ArrayList<>();
        final List<Layout> skipped = new ArrayList<>();
        for (final Layout layout : layouts)
        {
            (layout.isPossible(run.path()) ? possible : skipped).add(layout);
        }
        note = skipped.isEmpty() ? "" : "; skipped: " + skipped + ", which needs the program fallocate and support " +
            "by the file system";
        new OptionChecks(spec).that(!possible.isEmpty(), "--layouts leaves nothing to measure" + note);
        return flags.stream().flatMap((flags) -> possible.stream().flatMap((layout) -> lengths.stream()
            .flatMap((length) -> pageLengths.stream().flatMap((pageLength) -> syncs.stream()
                .flatMap((sync) -> strategies.stream()
                    .map((strategy) -> benchmark(flags, layout, length, pageLength, sync, strategy)
                        .argument("profile", profile).argument("stalls", isStallMeasured)
                        .argument("latency", isLatencyMeasured)))))))
            .toList();
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * benchmarks.size() *
                (OVERHEAD_S + meanLength() * PASSES * (1 / ASSUMED_RATE + ASSUMED_CALL_S / meanPageLength())),
            "%s: %d rounds in random order, each case in its own JVM without flags%s, warmed up; writes are fsynced " +
                "and verified by independent code, then read twice%s",
            profile.label(), options.rounds, null == jvmFlags ? "" : " or with " + jvmFlags, note);
    }

    private double secondsOfOriginals()
    {
        // One of the two cases makes a system call per byte.
        final int bytewise = Variant.BYTES == variant ? 2 : 0;
        final double ofAByte = (2 * variant.results() - bytewise) *
            (1 / ASSUMED_ORIGINAL_RATE + ASSUMED_CALL_S / meanPageLength()) + bytewise / ASSUMED_BYTEWISE_RATE;
        return flags.size() * lengths.size() * pageLengths.size() * (OVERHEAD_S + meanLength() * ofAByte);
    }

    private double meanLength()
    {
        return lengths.stream().mapToLong(Long::longValue).average().orElseThrow();
    }

    /** The harmonic mean, which determines the number of system calls. */
    private double meanPageLength()
    {
        return 1 / pageLengths.stream().mapToDouble((length) -> 1.0 / length).average().orElseThrow();
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.printf("%n%s%n", results.heading());
        Table.of("", benchmarks)
            .column("write", (label) -> results.megabytes(label, WRITE))
            .column("write and fsync", (label) -> results.megabytes(label, DURABLE))
            .column("read", (label) -> results.megabytes(label, READ))
            .column("read again", (label) -> results.megabytes(label, READ_AGAIN))
            .column("processor ms: write, read", (label) -> String.format(
                Locale.ROOT, "%,.0f, %,.0f", results.spread(label, "writeCpuUs").median() / US_PER_MS,
                results.spread(label, "readCpuUs").median() / US_PER_MS))
            .print(out);
        out.println("The first column is the rate of the page cache, the second that of the device.");
        printCold(out, results, benchmarks, "reading");
        if (isLatencyMeasured)
        {
            out.println();
            Percentiles.table("microseconds to write a page", results, benchmarks).print(out);
        }
        if (isStallMeasured)
        {
            out.println();
            Table.of("longest scheduling delay, ms, worst round", benchmarks)
                .column("writing", (label) -> stallMs(results, label, "write"))
                .column("reading", (label) -> stallMs(results, label, "read"))
                .print(out);
        }
    }

    private static String stallMs(final Results results, final String label, final String prefix)
    {
        return Table.number("%,.1f", results.spread(label, prefix + "StallMaxUs").max() / US_PER_MS);
    }

    private String heading(final long length, final int pageLength)
    {
        final String text = Long.toString(length);
        final String name = SMALL.equals(text) ? "400MB file" : LARGE.equals(text) ? LARGE_NAME : length + " B file";
        return name + (ARTICLE_PAGE_LENGTH == pageLength ? "" : ", pages of " + pageLength + " B") +
            (1 == options.scale ? "" : " (scaled: " + options.scale + ")");
    }

    /** Parses sizes, and scales them; whole pages, as in the article. */
    private List<Long> lengths(final List<String> texts)
    {
        final long page = Collections.max(pageLengths);
        try
        {
            return texts.stream().map((text) -> length(text, Machine.memoryBytes()))
                .map((size) -> Math.max(page, (long)(size * options.scale) / page * page)).toList();
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(spec.commandLine(), "--sizes: " +
                (ex instanceof NumberFormatException ? "not a length: " : "") + ex.getMessage());
        }
    }

    /** Parses a length: bytes, or a multiple of the memory such as {@code 1.5x}. */
    static long length(final String text, final long memory)
    {
        final long length = text.endsWith("x") ?
            (long)(Double.parseDouble(text.substring(0, text.length() - 1)) * memory) : Long.parseLong(text);
        if (length < 1)
        {
            throw new IllegalArgumentException("too short: " + text);
        }

        return length;
    }
}
