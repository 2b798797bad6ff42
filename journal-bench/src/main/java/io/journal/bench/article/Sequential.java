package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Session;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Subject;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * "Java Sequential IO Performance" (Thompson, 2011), as it was and as it should have been.
 */
@Command(
    name = "sequential",
    description = "Writes a file from its beginning to its end and reads it, in each of Java's ways.%n%n" +
        "faithful: the procedure and the printed lines of the article of 2011, four ways in one JVM one after the " +
        "other.%nfair: each case in a JVM of its own, warmed up, in random order, all with the same array of a page, " +
        "contents verified by other code.%ndurable: the same, and how fast it is when the device has to have it.%n" +
        "cold: the same, reading after the page cache was dropped.",
    sortOptions = false)
public final class Sequential implements Callable<Integer>
{
    public static final String WRITE = "writeBytesPerSecond";
    public static final String DURABLE = "durableBytesPerSecond";
    public static final String READ = "readBytesPerSecond";

    private static final long SMALL = 409_600_000;
    private static final long LARGE = 8_192_000_000L;
    private static final int ITERATIONS = 5;
    private static final int MS_PER_S = 1000;
    private static final int PASSES = 4;
    private static final double ASSUMED_RATE = 400e6;
    private static final double BYTES_PER_MB = 1e6;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--profile", defaultValue = "fair", description = "One of: ${COMPLETION-CANDIDATES}. Default: " +
        "${DEFAULT-VALUE}")
    private Profile profile;

    @Option(names = "--sizes", split = ",",
        description = "Lengths of the file in bytes. Default: 409600000, which the " +
            "article calls 400MB, and if faithful also 8192000000, its 8GB.")
    private List<Long> sizes;

    @Option(names = "--page-sizes", split = ",", defaultValue = "4096", description = "Lengths of a page in bytes. " +
        "Default: ${DEFAULT-VALUE}")
    private List<Integer> pageLengths;

    @Option(names = "--ways", split = ",", description = "Ways to write and read: those of one array of a page, " +
        "RANDOM_ACCESS_FILE, STREAM_TRUNCATING, STREAM, BUFFERED_STREAM, CHANNEL_HEAP, CHANNEL_DIRECT, MAPPED, which " +
        "is the default; and the article's, RandomAccessFile, BufferedStreamFile, BufferedChannelFile, " +
        "MemoryMappedFile. The faithful profile has the latter four.")
    private List<String> ways = Arrays.stream(ArrayWay.values()).map(Enum::name).toList();

    @Option(names = "--layouts", split = ",", defaultValue = "FILLED", description = "What is there before it is " +
        "written: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
    private List<Layout> layouts;

    /** What is there before a file is written. */
    enum Layout
    {
        /** All zeros, written and forced. */
        FILLED,

        /** Nothing. */
        EXTEND,

        /** The length, but no space. */
        SPARSE
    }

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final List<Long> lengths = lengths();
        ways.forEach(this::checkWay);
        final long most = lengths.stream().mapToLong(Long::longValue).max().orElseThrow();
        try (Session session = Session.open(spec, options, most + most / 8))
        {
            if (Profile.FAITHFUL == profile)
            {
                runFaithful(session, lengths);
            }
            else
            {
                run(session, lengths);
            }
            return CommandLine.ExitCode.OK;
        }
    }

    /**
     * A way by its name.
     *
     * @throws IllegalArgumentException if there is none of that name.
     */
    public static Way way(final String name)
    {
        for (final OriginalWay way : OriginalWay.values())
        {
            if (way.name().equals(name))
            {
                return way;
            }
        }

        return ArrayWay.valueOf(name);
    }

    /**
     * Fills a file with zeros, page by page.
     */
    public static void fill(final RandomAccessFile file, final long length, final int pageLength) throws IOException
    {
        final byte[] zeros = new byte[pageLength];
        for (long offset = 0; offset < length; offset += pageLength)
        {
            file.write(zeros, 0, (int)Math.min(pageLength, length - offset));
        }
    }

    private void runFaithful(final Session session, final List<Long> lengths) throws IOException
    {
        session.begin(profile, String.format(
            Locale.ROOT,
            "the article's: %d times each way after the other in this JVM, the file filled with zeros once" +
                " before, garbage collected before each pass, open and close in the time, nothing forced",
            ITERATIONS), seconds(lengths, OriginalWay.values().length * 2 * ITERATIONS + 1));
        for (final long length : lengths)
        {
            for (final int pageLength : pageLengths)
            {
                session.out().printf("%n%s%n", heading(length, pageLength));
                runFaithful(session, length, pageLength);
            }
        }
    }

    private void runFaithful(final Session session, final long length, final int pageLength) throws IOException
    {
        final PrintWriter out = session.out();
        final Path file = session.path().resolve("test.dat");
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw"))
        {
            opened.setLength(0);
            fill(opened, length, pageLength);
        }

        for (final OriginalWay way : OriginalWay.values())
        {
            for (int i = 1; i <= ITERATIONS; i++)
            {
                System.gc();
                final long writeStart = System.currentTimeMillis();
                final int written = way.write(file, length, pageLength);
                final long writeRate = rate(length, System.currentTimeMillis() - writeStart);
                System.gc();
                final long readStart = System.currentTimeMillis();
                final int read = way.read(file, pageLength);
                final long readRate = rate(length, System.currentTimeMillis() - readStart);
                if (written != read)
                {
                    throw new IllegalStateException(
                        "wrong checksum: way=" + way + ", expected=" + written + ", found=" + read);
                }

                out.format("%s\twrite=%,d\tread=%,d bytes/sec%n", way, writeRate, readRate);
                out.flush();
                session.add(i, way + ", " + length + " B, pages of " + pageLength + " B",
                    Map.of("way", way.name(), "length", Long.toString(length), "pageLength",
                        Integer.toString(pageLength)),
                    Map.of(WRITE, Long.toString(writeRate), READ, Long.toString(readRate)));
            }
        }

        if (!file.toFile().delete())
        {
            out.println("Windows does not allow mapped files to be deleted.");
        }
    }

    private void run(final Session session, final List<Long> lengths) throws IOException, InterruptedException
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final long length : lengths)
        {
            for (final int pageLength : pageLengths)
            {
                for (final Layout layout : layouts)
                {
                    for (final String way : ways)
                    {
                        subjects.add(Subject.ofClass(
                            label(way, length, pageLength, layout), SequentialTrial.class, way, length, pageLength,
                            profile, layout)
                            .with("way", way).with("length", length).with("pageLength", pageLength)
                            .with("layout", layout));
                    }
                }
            }
        }

        session.begin(profile, String.format(
            Locale.ROOT,
            "%s: %d rounds in random order, each case in a JVM of its own without flags, warmed up; what is " +
                "written is verified by other code before it is read",
            profile.label(), options.rounds),
            seconds(lengths, subjects.size() / lengths.size() * options.rounds * PASSES));
        print(session.out(), session.measure(subjects), subjects);
    }

    private void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.printf(
            Locale.ROOT,
            "%nMB/s, median [min..max] of %d rounds, an interval that holds the true median with %.1f %%%n",
            results.roundCount(), 100 * (1 - Math.pow(2, 1 - results.roundCount())));
        out.printf(
            Locale.ROOT, "%-56s %-26s %-26s %s%n", "", "write",
            Profile.DURABLE == profile ? "write and force" : "read", "processor ms: write, read");
        final String second = Profile.DURABLE == profile ? DURABLE : READ;
        for (final Subject subject : subjects)
        {
            final String label = subject.label();
            out.printf(
                Locale.ROOT, "%-56s %-26s %-26s %,.0f, %,.0f%n", label, rates(results, label, WRITE),
                rates(results, label, second), results.spread(label, "writeCpuUs").median() / MS_PER_S,
                results.spread(label, "readCpuUs").median() / MS_PER_S);
        }
        out.println(Profile.DURABLE == profile ?
            "The first column is what the page cache takes, the second what the device has." :
            "Writing is into the page cache: --profile=durable waits for the device.");
        if (Profile.COLD == profile)
        {
            out.println("The page cache was dropped before reading: " +
                results.texts(subjects.get(0).label(), "cold").get(0));
        }
        out.flush();
    }

    private static String rates(final Results results, final String label, final String key)
    {
        final Spread rate = results.spread(label, key);
        return String.format(
            Locale.ROOT, "%,.0f [%,.0f..%,.0f]", rate.median() / BYTES_PER_MB, rate.min() / BYTES_PER_MB,
            rate.max() / BYTES_PER_MB);
    }

    private static String label(final String way, final long length, final int pageLength, final Layout layout)
    {
        return String.format(
            Locale.ROOT, "%s, %,d B, pages of %,d B, %s", way, length, pageLength,
            layout.name().toLowerCase(Locale.ROOT));
    }

    private String heading(final long length, final int pageLength)
    {
        final String name = SMALL == length ? "400MB file" : LARGE == length ? "8GB File" : length + " B file";
        return name + (4096 == pageLength ? "" : ", pages of " + pageLength + " B") + scaled();
    }

    private String scaled()
    {
        return 1 == options.scale ? "" : " (scaled: " + options.scale + ")";
    }

    private static double seconds(final List<Long> lengths, final int passes)
    {
        return lengths.stream().mapToDouble(Long::doubleValue).sum() * passes / ASSUMED_RATE;
    }

    private static long rate(final long length, final long ms)
    {
        return length * MS_PER_S / Math.max(1, ms);
    }

    private List<Long> lengths()
    {
        final List<Long> wanted =
            null != sizes ? sizes : Profile.FAITHFUL == profile ? List.of(SMALL, LARGE) : List.of(SMALL);
        final long page = pageLengths.stream().mapToInt(Integer::intValue).max().orElseThrow();
        // Whole pages, as in the article.
        return wanted.stream().map((size) -> Math.max(page, (long)(size * options.scale) / page * page)).toList();
    }

    private void checkWay(final String name)
    {
        try
        {
            way(name);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ParameterException(spec.commandLine(), "--ways has no such way: " + name);
        }
    }
}
