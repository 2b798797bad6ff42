package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Progress;
import io.journal.bench.run.Rates;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Space;
import io.journal.bench.run.Subject;
import io.journal.bench.run.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * "Java Sequential IO Performance" (Thompson, 2011), as it was and as it should have been.
 */
@Command(
    name = "sequential",
    description = "Writes a file from its beginning to its end and reads it, in each of Java's ways.%n%n" +
        "faithful: the procedure and the printed lines of the article of 2011, four ways in one JVM one after the " +
        "other; --variant has those of the comments on it.%nfair: each case in a JVM of its own, warmed up, in " +
        "random order, all with the same array of a page, contents verified by other code.%ndurable: the same, once " +
        "for each way to force.%ncold: the same, reading after the page cache was dropped.",
    footer = {
        "%nAnswers: which of Java's ways is fastest on this disk, in the page cache and on the device?",
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
    // As below the headings of the article.
    private static final String UNDERLINE = "===========";
    private static final int ARTICLE_PAGE_LENGTH = 4096;
    private static final int MOST_PAGE_LENGTH = 1 << 30;
    private static final int MS_PER_S = 1000;
    // Laid out, written, verified, read and read again.
    private static final int PASSES = 5;
    private static final double ASSUMED_RATE = 600e6;
    // One byte at a time, behind a lock.
    private static final double ASSUMED_ORIGINAL_RATE = 150e6;
    // A call of the system for each.
    private static final double ASSUMED_BYTEWISE_RATE = 2e6;
    private static final double ASSUMED_CALL_S = 0.3e-6;
    private static final double OVERHEAD_S = 1.5;

    @Option(names = "--variant", defaultValue = "article", description = "Of the faithful profile: " +
        "${COMPLETION-CANDIDATES}. ARRAYS has the same array of a page beside each case, BYTES a call of the system " +
        "for each byte, PAGES lengths of pages with processor time, WRITES ways that only write. Default: " +
        "${DEFAULT-VALUE}")
    private Variant variant;

    @Option(names = "--sizes", split = ",",
        description = "Lengths of the file in bytes, or as 0.5x times the memory. Default: " + SMALL + ", which the " +
            "article calls 400MB, and if faithful also " + LARGE + ", its 8GB.")
    private List<String> sizes;

    @Option(names = "--page-sizes", split = ",", description = "Lengths of a page in bytes. Default: 4096, and of " +
        "the variant PAGES 1024,4096,8192")
    private List<Integer> pageLengths;

    @Option(names = { "--strategies", "--ways" }, split = ",",
        description = "Ways to write and read, unless faithful: " +
            "${COMPLETION-CANDIDATES}; all unless named.")
    private List<FileStrategy> ways = FileStrategy.OF_PAGES;

    @Option(names = "--layouts", split = ",", defaultValue = "FILLED", description = "What is there before it is " +
        "written: ${COMPLETION-CANDIDATES}, the last by the program fallocate. Default: ${DEFAULT-VALUE}")
    private List<Layout> layouts;

    @Option(names = "--syncs", split = ",",
        description = "Ways to force: ${COMPLETION-CANDIDATES}. Default: CHANNEL, " +
            "and if durable all.")
    private List<Sync> syncs;

    @Option(names = "--stalls", description = "Also how late a thread is that wants the processor every millisecond.")
    private boolean isStallMeasured;

    @Option(names = "--latency", description = "Also the latency of each page that is written, which costs a little.")
    private boolean isLatencyMeasured;
    @Option(names = "--jvm-flags", description = "Measures everything once more in JVMs with these flags, separated " +
        "by spaces, such as -XX:MaxInlineSize=35.")
    private String jvmFlags;
    private String note = "";

    private record Point(
        FileStrategy way, long length, int pageLength, Layout layout, Sync sync, Profile profile,
        boolean isStallMeasured, boolean isLatencyMeasured)
    {
        String label()
        {
            return String.format(
                Locale.ROOT, "%s, %,d B, pages of %,d B, %s%s", way, length, pageLength, layout.label(),
                Sync.CHANNEL == sync ? "" : ", forced by " + sync.label());
        }

        Subject subject(final List<String> flags)
        {
            return Subject.of(label(), SequentialTrial.class, flags).told("profile", profile)
                .told("stalls", isStallMeasured).told("latency", isLatencyMeasured).with("way", way)
                .with("length", length).with("pageLength", pageLength)
                .with("layout", layout).with("sync", sync);
        }
    }

    @Override
    protected void check(final Checks checks)
    {
        checks.within(1, MOST_PAGE_LENGTH, "--page-sizes", pageLengths())
            .that(null == jvmFlags || !jvmFlags.isBlank(), "--jvm-flags must name some");
        lengths();
    }

    @Override
    protected long neededBytes()
    {
        final long most = lengths().stream().mapToLong(Long::longValue).max().orElseThrow();
        return Space.sum(most, most / 8);
    }

    /**
     * What a file takes that is written and read in pieces of a length, for who compares something else with it.
     */
    public static Subject subject(final String way, final long length, final int pageLength)
    {
        return new Point(
            FileStrategy.valueOf(way), length, pageLength, Layout.FILLED, Sync.CHANNEL, Profile.FAIR, false, false)
            .subject(List.of());
    }

    @Override
    protected void runFaithful(final Session session) throws IOException, InterruptedException
    {
        measuresFlags(session);
        final List<Long> lengths = lengths();
        final List<Subject> subjects = new ArrayList<>();
        for (final List<String> flags : flags())
        {
            for (final long length : lengths)
            {
                for (final int pageLength : pageLengths())
                {
                    subjects.add(original(length, pageLength, flags));
                }
            }
        }

        session.begin(profile, String.format(
            Locale.ROOT,
            "the article's: %d times each way after the other in one JVM, the file filled with zeros once before, " +
                "garbage collected before each pass, open and close in the time, nothing forced; a JVM for each file",
            variant.iterations()),
            secondsOfOriginals(lengths));
        try (Progress progress = Progress.of(options.isQuiet, spec.name(), subjects.size() * variant.passes() / 2))
        {
            for (final Subject subject : subjects)
            {
                session.out().printf("%n%s%n%s%n", subject.label(), UNDERLINE);
                session.out().flush();
                session.run(subject, (line) -> take(session, subject, progress, line));
            }
        }
    }

    private Subject original(final long length, final int pageLength, final List<String> flags)
    {
        return Subject.of(heading(length, pageLength), Original.class, flags).with("length", length)
            .with("pageLength", pageLength).with("variant", variant);
    }

    /**
     * A line of the article is shown, one for us is written.
     */
    private void take(final Session session, final Subject subject, final Progress progress, final String line)
    {
        if (!line.startsWith(Original.RESULT))
        {
            session.out().println(line);
            session.out().flush();
            return;
        }

        final String[] words = line.substring(Original.RESULT.length()).split(" ");
        final Map<String, String> parameters = new LinkedHashMap<>(subject.parameters());
        parameters.put("way", words[0]);
        final Map<String, String> found = new TreeMap<>();
        found.put(WRITE, words[2]);
        if (Variant.WRITES != variant)
        {
            found.put(READ, words[3]);
        }
        found.put("cpuUs", words[4]);
        session.add(Integer.parseInt(words[1]), words[0] + ", " + subject.label(), parameters, found);
        progress.step();
    }

    @Override
    protected List<Subject> subjects(final Session session) throws IOException, InterruptedException
    {
        measuresFlags(session);
        final List<Layout> possible = new ArrayList<>();
        final List<Layout> leftOut = new ArrayList<>();
        for (final Layout layout : layouts)
        {
            (layout.isPossible(session.path()) ? possible : leftOut).add(layout);
        }
        note = leftOut.isEmpty() ? "" : "; left out: " + leftOut + ", which needs the program fallocate, and a file " +
            "system that can";
        if (possible.isEmpty())
        {
            throw new ParameterException(spec.commandLine(), "--layouts leaves nothing to measure" + note);
        }
        final List<Subject> subjects = new ArrayList<>();
        for (final List<String> flags : flags())
        {
            points(possible, lengths()).forEach((point) -> subjects.add(point.subject(flags)));
        }
        return subjects;
    }

    private void measuresFlags(final Session session)
    {
        session.measuresFlags(null == jvmFlags ? List.of() : List.of(jvmFlags.trim()));
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%s: %d rounds in random order, each case in a JVM of its own without flags%s, warmed up; what is " +
                "written is forced, and verified by other code before it is read, twice%s",
            profile.label(), options.rounds, null == jvmFlags ? "" : " or with " + jvmFlags, note);
    }

    @Override
    protected double seconds(final List<Subject> subjects)
    {
        return options.rounds * subjects.size() *
            (OVERHEAD_S + meanLength(lengths()) * PASSES * (1 / ASSUMED_RATE + ASSUMED_CALL_S / meanPageLength()));
    }

    private double secondsOfOriginals(final List<Long> lengths)
    {
        final int bytewise = variant.bytewisePasses();
        final double ofAByte = (variant.passes() - bytewise) *
            (1 / ASSUMED_ORIGINAL_RATE + ASSUMED_CALL_S / meanPageLength()) + bytewise / ASSUMED_BYTEWISE_RATE;
        return flags().size() * lengths.size() * pageLengths().size() * (OVERHEAD_S + meanLength(lengths) * ofAByte);
    }

    private static double meanLength(final List<Long> lengths)
    {
        return lengths.stream().mapToLong(Long::longValue).average().orElseThrow();
    }

    /**
     * Of pages as they count for calls of the system: the harmonic mean.
     */
    private double meanPageLength()
    {
        return 1 / pageLengths().stream().mapToDouble((length) -> 1.0 / length).average().orElseThrow();
    }

    private List<Point> points(final List<Layout> possible, final List<Long> lengths)
    {
        final List<Point> points = new ArrayList<>();
        for (final Layout layout : possible)
        {
            for (final long length : lengths)
            {
                for (final int pageLength : pageLengths())
                {
                    for (final Sync sync : syncs())
                    {
                        ways.forEach((way) -> points.add(
                            new Point(way, length, pageLength, layout, sync, profile, isStallMeasured,
                                isLatencyMeasured)));
                    }
                }
            }
        }

        return points;
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.printf("%n%s%n", Rates.heading(results));
        final Table table =
            new Table("", "write", "write and force", "read", "read again", "processor ms: write, read");
        for (final Subject subject : subjects)
        {
            final String label = subject.label();
            table.row(
                label, Rates.megabytes(results, label, WRITE), Rates.megabytes(results, label, DURABLE),
                Rates.megabytes(results, label, READ), Rates.megabytes(results, label, READ_AGAIN),
                String.format(
                    Locale.ROOT, "%,.0f, %,.0f", results.spread(label, "writeCpuUs").median() / MS_PER_S,
                    results.spread(label, "readCpuUs").median() / MS_PER_S));
        }
        table.print(out);
        out.println("The first column is what the page cache takes, the second what the device has.");
        printCold(out, results, subjects, "reading");
        if (isLatencyMeasured)
        {
            out.println();
            Percentiles.table("microseconds to write a page", results, subjects).print(out);
        }
        if (isStallMeasured)
        {
            printStalls(out, results, subjects);
        }
    }

    private static void printStalls(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.println();
        final Table table = new Table("longest wait for a processor, ms, worst round", "writing", "reading");
        subjects.forEach((subject) -> table.row(
            subject.label(), ms(results, subject, "writeStallMaxUs"), ms(results, subject, "readStallMaxUs")));
        table.print(out);
    }

    private static String ms(final Results results, final Subject subject, final String key)
    {
        return String.format(Locale.ROOT, "%,.1f", results.spread(subject.label(), key).max() / MS_PER_S);
    }

    private String heading(final long length, final int pageLength)
    {
        final String text = Long.toString(length);
        final String name = SMALL.equals(text) ? "400MB file" : LARGE.equals(text) ? "8GB File" : length + " B file";
        return name + (ARTICLE_PAGE_LENGTH == pageLength ? "" : ", pages of " + pageLength + " B") +
            (1 == options.scale ? "" : " (scaled: " + options.scale + ")");
    }

    private List<List<String>> flags()
    {
        return null == jvmFlags ? List.of(List.of()) :
            List.of(List.of(), List.of(jvmFlags.trim().split(" +")));
    }

    private List<Integer> pageLengths()
    {
        return null != pageLengths ? pageLengths :
            Profile.FAITHFUL == profile && Variant.PAGES == variant ? List.of(1024, 4096, 8192) :
                List.of(ARTICLE_PAGE_LENGTH);
    }

    private List<Sync> syncs()
    {
        return null != syncs ? syncs : Profile.DURABLE == profile ? List.of(Sync.values()) : List.of(Sync.CHANNEL);
    }

    private List<Long> lengths()
    {
        final List<String> wanted =
            null != sizes ? sizes : Profile.FAITHFUL == profile ? List.of(SMALL, LARGE) : List.of(SMALL);
        final long page = pageLengths().stream().mapToInt(Integer::intValue).max().orElseThrow();
        try
        {
            // Whole pages, as in the article.
            return wanted.stream().map(Sizes::parse)
                .map((size) -> Math.max(page, (long)(size * options.scale) / page * page)).toList();
        }
        catch (final NumberFormatException ex)
        {
            throw new ParameterException(spec.commandLine(), "--sizes: no length: " + ex.getMessage());
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(spec.commandLine(), "--sizes: " + ex.getMessage());
        }
    }
}
