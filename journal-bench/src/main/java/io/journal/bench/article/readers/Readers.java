package io.journal.bench.article.readers;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.journal.bench.article.Content;
import io.journal.bench.run.CProgram;
import io.journal.bench.run.Checks;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.PageCache;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Session;
import io.journal.bench.run.Subject;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * "How to read files quickly" (Nadeau, 2008), as it was and as it should have been, with C beside it.
 */
@Command(
    name = "readers",
    description = "Reads a file that is in the page cache in thirteen ways, with internal buffers and arrays from " +
        "1 B to 128 MB, and adds up its bytes.%n%nfaithful: the article's loops one after the other in one JVM, with " +
        "the sums that they have.%nfair: each point in a JVM of its own, warmed up, in random order, sums alike and " +
        "compared, three ways of C beside them.%ncold: the same, after the page cache was dropped, without C.%n" +
        "A pass that would take longer than --limit-ms reads a beginning of the file only, and says so.",
    footer = {
        "%nAnswers: which of Java's ways to read is fastest, with what length of array, and how does C compare?",
        "Example: readers --dir=/on/the/disk --sizes=1024,8192,131072 --strategies=CHANNEL_DIRECT_ARRAY,MAPPED_ARRAY",
        "Takes: about 80 minutes; faithful half an hour, with --rounds=1 five minutes." },
    sortOptions = false)
public final class Readers implements Callable<Integer>
{
    private static final int MAX_SIZE_EXPONENT = 27;
    private static final int MOST_SIZE = 1 << 30;
    private static final double NS_PER_S = 1e9;
    private static final double MS_PER_S = 1e3;
    private static final double BYTES_PER_MB = 1e6;
    private static final double ASSUMED_RATE = 500e6;
    private static final double ASSUMED_COLD_RATE = 150e6;
    private static final double ASSUMED_LINE_RATE = 150e6;
    private static final int LINE_PASSES = 5;
    private static final double ASSUMED_CALL_S = 0.5e-6;
    // What a process does besides: start, warm up, compute the sum to compare with.
    private static final double OVERHEAD_S = 0.7;
    private static final List<String> WAYS_OF_C = List.of("fread", "mmap", "read");
    private static final String C_PREFIX = "C ";

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--profile", defaultValue = "fair", description = "faithful, fair or cold. Default: " +
        "${DEFAULT-VALUE}")
    private Profile profile;

    @Option(names = "--length", defaultValue = "100000000", description = "Of the file, in bytes, below 2 GiB, which " +
        "is as much as can be mapped at once. Default: ${DEFAULT-VALUE}")
    private long length;

    @Option(names = { "--strategies", "--ways" }, split = ",",
        description = "Ways: ${COMPLETION-CANDIDATES}. Default: all, and " +
            "those of C unless cold.")
    private List<ReaderStrategy> ways;

    @Option(names = "--sizes", split = ",", description = "Lengths of buffers and arrays in bytes. Default: the " +
        "powers of two from 1 to 134217728.")
    private List<Integer> sizes =
        IntStream.rangeClosed(0, MAX_SIZE_EXPONENT).mapToObj((exponent) -> 1 << exponent).toList();

    @Option(names = "--only", defaultValue = ".", description = "Points whose name has a match of this regular " +
        "expression, as in \"array varied\" or \"^C\".")
    private Pattern only;

    @Option(names = "--limit-ms", defaultValue = "2000", description = "How long a pass may take, about, before less " +
        "than the whole file is read; 0: as long as it takes. Default: ${DEFAULT-VALUE}")
    private int limitMs;

    @Option(names = "--flags", arity = "0..1", split = ",", fallbackValue = "article", description = "Flags of the " +
        "JVM to measure all with as well, one after the other, unless faithful; without a value those of the " +
        "article, as far as they still exist.")
    private List<String> flags = List.of();

    @Option(names = "--lines", description = "Lines of a text of --length instead: all of them, and one here and " +
        "there, with the JDK's reader of lines and with an index of their offsets.")
    private boolean isOfLines;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        checkOptions();
        final long scaledLength = options.scaled(length);
        try (Session session = Session.open(spec, options, 2 * scaledLength))
        {
            final Path file = session.path().resolve("read.dat");
            if (isOfLines)
            {
                runLines(session, scaledLength);
            }
            else if (Profile.FAITHFUL == profile)
            {
                runFaithful(session, file, scaledLength);
            }
            else
            {
                run(session, file, scaledLength);
            }
            return CommandLine.ExitCode.OK;
        }
    }

    private void runFaithful(final Session session, final Path file, final long scaledLength) throws IOException
    {
        final List<Point> points = points();
        session.begin(profile, String.format(
            Locale.ROOT, "the article's loops: %,d B, written before and so in the page cache; %d rounds of %d " +
                "points in this JVM, in the article's order, without its flags, open and close in the time; %s",
            scaledLength, options.rounds, points.size(), limitText()),
            options.rounds * points.stream().mapToDouble((point) -> seconds(point, scaledLength)).sum());
        Content.write(file, scaledLength);
        final PrintWriter out = session.out();
        out.printf("%n%-56s %12s %12s %10s %16s%n", "", "buffer", "array", "s", "checkSum");
        for (int round = 1; round <= options.rounds; round++)
        {
            for (final Point point : points)
            {
                final ReaderStrategy way = ReaderStrategy.valueOf(point.way());
                final BoundedRead.Pass pass =
                    new BoundedRead(point, way::readAsPublished, file, scaledLength, session.path())
                        .run(TimeUnit.MILLISECONDS.toNanos(limitMs));
                final long expected = way.isPublishedUnsigned() ? Content.unsignedSum(pass.length()) :
                    Content.sum(pass.length());
                if (expected != pass.sum())
                {
                    throw new IllegalStateException(
                        "wrong checksum: way=" + way + ", expected=" + expected + ", found=" + pass.sum());
                }
                out.printf(
                    Locale.ROOT, "%-56s %12s %12s %10.3f %16d%s%n", way.title(), length(point.bufferLength()),
                    length(point.arrayLength()), pass.elapsedNs() / NS_PER_S, pass.sum(),
                    pass.length() < scaledLength ? String.format(
                        Locale.ROOT, " of %,d B only, %,.2f MB/s", pass.length(),
                        pass.length() * MS_PER_S / pass.elapsedNs()) : "");
                out.flush();
                session.add(round, point.label(), point.parameters(scaledLength), found(pass, scaledLength));
            }
        }
    }

    private static Map<String, String> found(final BoundedRead.Pass pass, final long wholeLength)
    {
        final Map<String, String> found = new LinkedHashMap<>(pass.usage());
        found.put(ReaderTrial.READ, Double.toString(pass.length() * NS_PER_S / pass.elapsedNs()));
        found.put(ReaderTrial.BYTES, Long.toString(pass.length()));
        found.put(ReaderTrial.SUM, Long.toString(pass.sum()));
        found.put(ReaderTrial.REDUCED, Boolean.toString(pass.length() < wholeLength));
        if (pass.length() == wholeLength)
        {
            found.put(ReaderTrial.ELAPSED, Long.toString(pass.elapsedNs()));
        }

        return found;
    }

    private void run(final Session session, final Path file, final long scaledLength)
        throws IOException, InterruptedException
    {
        final List<String> notes = new ArrayList<>();
        final boolean isCWanted = null == ways && Profile.COLD != profile;
        final Path program = isCWanted ? CProgram.compile(Readers.class, "readers", session.path()) : null;
        if (isCWanted && null == program)
        {
            notes.add("no C compiler: C is left out");
        }
        final Map<Subject, Point> subjects = new LinkedHashMap<>();
        for (final Point point : points())
        {
            subjects.put(subject(point, null, file, scaledLength), point);
        }
        final List<String> taken = new ArrayList<>();
        for (final String each : flags())
        {
            final String refusal = Flags.refusal(each);
            if (null != refusal)
            {
                notes.add(each + " is gone: " + refusal);
                continue;
            }
            taken.add(each.trim());
            for (final Point point : points())
            {
                subjects.put(subject(point, each, file, scaledLength), point);
            }
        }
        if (null != program)
        {
            pointsOfC().forEach((point) -> subjects.put(subjectOfC(point, program, file, scaledLength), point));
        }
        if (subjects.isEmpty())
        {
            throw new ParameterException(spec.commandLine(),
                "--strategies, --sizes and --only leave nothing to measure");
        }

        session.measuresFlags(taken);
        session.begin(profile, String.format(
            Locale.ROOT, "%s: %,d B, written before%s; %d rounds in random order of %d points, each in a process of " +
                "its own, warmed up; sums compared with one computed without reading; %s%s",
            profile.label(), scaledLength, Profile.COLD == profile ? "" : " and so in the page cache", options.rounds,
            subjects.size(), limitText(), notes.isEmpty() ? "" : "; " + String.join("; ", notes)),
            options.rounds * subjects.values().stream().mapToDouble(
                (point) -> OVERHEAD_S + seconds(point, scaledLength)).sum());
        Content.write(file, scaledLength);
        PageCache.force(file);
        final List<Subject> order = List.copyOf(subjects.keySet());
        final Results results = session.measure(order);
        checkC(results, subjects);
        new ReaderTables(session.out(), results, subjects).print();
        printCold(session.out(), results, order);
        session.out().flush();
    }

    private Subject subject(final Point point, final String flag, final Path file, final long scaledLength)
    {
        final Subject subject = Subject.of(
            point.label(), ReaderTrial.class, null == flag ? List.of() : Flags.split(flag))
            .told("file", file).told("profile", profile).told("limitMs", limitMs);
        point.parameters(scaledLength).forEach(subject::with);
        return subject;
    }

    private Subject subjectOfC(final Point point, final Path program, final Path file, final long scaledLength)
    {
        final Subject subject = Subject.inOrder(
            point.label(), List.of(program.toString()), file, scaledLength, point.way().substring(C_PREFIX.length()),
            point.arrayLength(),
            limitMs);
        point.parameters(scaledLength).forEach(subject::with);
        return subject;
    }

    private void runLines(final Session session, final long scaledLength) throws IOException, InterruptedException
    {
        final List<Subject> subjects = Arrays.stream(LineStrategy.values()).map((way) -> Subject.of(
            way + ", lines", LineTrial.class).told("profile", profile).told("seed", options.seed)
            .with("way", way).with("length", scaledLength)).toList();
        session.begin(profile, String.format(
            Locale.ROOT, "%s: lines of a text of %,d B; %d rounds in random order, each way in a JVM of its own " +
                "without flags, warmed up; lines are compared with what they should be",
            profile.label(), scaledLength, options.rounds),
            options.rounds * subjects.size() * (OVERHEAD_S + LINE_PASSES * scaledLength / ASSUMED_LINE_RATE));
        final Results results = session.measure(subjects);
        final PrintWriter out = session.out();
        out.printf(
            Locale.ROOT, "%n%-28s %12s %14s %18s   medians of %d rounds%n", "", "MB/s", "lines/s", "one line, us",
            results.roundCount());
        for (final Subject subject : subjects)
        {
            final String label = subject.label();
            out.printf(
                Locale.ROOT, "%-28s %,12.1f %,14.0f %,18.1f%n", label,
                results.spread(label, ReaderTrial.READ).median() / BYTES_PER_MB,
                results.spread(label, LineTrial.LINES).median(), results.spread(label, LineTrial.ONE_LINE).median());
        }
        printCold(out, results, subjects);
        out.flush();
    }

    private void printCold(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        if (Profile.COLD == profile)
        {
            out.println("The page cache was dropped before reading: " +
                ColdRead.describe(results, subjects.stream().map(Subject::label).toList()));
        }
    }

    private static void checkC(final Results results, final Map<Subject, Point> subjects)
    {
        subjects.forEach((subject, point) ->
        {
            if (point.way().startsWith(C_PREFIX))
            {
                final List<String> lengths = results.texts(subject.label(), ReaderTrial.BYTES);
                final List<String> sums = results.texts(subject.label(), ReaderTrial.SUM);
                for (int i = 0; i < sums.size(); i++)
                {
                    final long expected = Content.sum(Long.parseLong(lengths.get(i)));
                    if (Long.parseLong(sums.get(i)) != expected)
                    {
                        throw new IllegalStateException(
                            "wrong checksum: " + subject + ", expected=" + expected + ", found=" + sums.get(i));
                    }
                }
            }
        });
    }

    private List<Point> points()
    {
        final List<Point> points = new ArrayList<>();
        for (final ReaderStrategy way : null == ways ? List.of(ReaderStrategy.values()) : ways)
        {
            points.addAll(way.lengths().points(way.name(), sizes));
        }

        return points.stream().filter((point) -> only.matcher(point.label()).find()).toList();
    }

    private List<Point> pointsOfC()
    {
        final List<Point> points = new ArrayList<>();
        WAYS_OF_C.forEach((way) -> points.addAll(Lengths.ARRAY.points(C_PREFIX + way, sizes)));
        return points.stream().filter((point) -> only.matcher(point.label()).find()).toList();
    }

    private List<String> flags()
    {
        return List.of("article").equals(flags) ? Flags.OF_THE_ARTICLE : flags;
    }

    private String limitText()
    {
        return 0 == limitMs ? "as long as it takes" : String.format(
            Locale.ROOT, "a pass of about %,d ms at most: where that is not enough, a beginning of the file is read, " +
                "and its rate given",
            limitMs);
    }

    private double seconds(final Point point, final long scaledLength)
    {
        final double whole = scaledLength / (Profile.COLD == profile ? ASSUMED_COLD_RATE : ASSUMED_RATE) +
            ASSUMED_CALL_S * scaledLength / point.callLength();
        final int passes = Profile.FAITHFUL == profile ? 2 : 3;
        return passes * (0 == limitMs ? whole : Math.min(whole, limitMs / MS_PER_S / 2));
    }

    private void checkOptions()
    {
        if (Profile.DURABLE == profile)
        {
            throw new ParameterException(
                spec.commandLine(), "--profile=durable: nothing is written here; sequential and streams-vs-channels " +
                    "have it");
        }
        if (isOfLines && Profile.FAITHFUL == profile)
        {
            throw new ParameterException(spec.commandLine(), "--lines: the article has no such measurement");
        }
        new Checks(spec)
            .within(1, Integer.MAX_VALUE, "--length", length)
            .within(1, MOST_SIZE, "--sizes", sizes)
            .atLeast(0, "--limit-ms", limitMs)
            .that(flags.stream().noneMatch(String::isBlank), "--flags must name some");
    }

    private static String length(final int bytes)
    {
        return 0 == bytes ? "-" : Integer.toString(bytes);
    }
}
