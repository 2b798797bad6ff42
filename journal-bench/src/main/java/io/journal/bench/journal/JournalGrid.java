package io.journal.bench.journal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.journal.JournalBuilder;
import io.journal.bench.article.Sequential;
import io.journal.bench.run.Checks;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.Rates;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Space;
import io.journal.bench.run.Subject;
import io.journal.bench.run.Table;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The experiment of {@link Sequential} through the journal: what a record in a journal costs beside the same bytes in a
 * plain file.
 */
@Command(
    name = "journal",
    description = "Writes a journal from its beginning to its end and reads it, for each backend and each " +
        "combination of what can be set: megabytes of records a second, beside the same bytes in a plain file in the " +
        "same round. What was written is verified by other code.",
    footer = {
        "%nAnswers: how far is the journal from the plain file? What do a write window, longer segments, recycled " +
            "segments and forces cost or gain?",
        "Example: journal --dir=/on/the/disk --record-lengths=64,1024 --write-windows=0,65536",
        "Takes: about 5 minutes, with --scale=0.1 one." },
    sortOptions = false)
public final class JournalGrid extends Experiment
{
    static final String WRITE = Sequential.WRITE;
    static final String DURABLE = Sequential.DURABLE;
    static final String READ = Sequential.READ;

    private static final Map<Backend, String> RAW_WAYS = new EnumMap<>(Map.of(
        Backend.RANDOM_ACCESS_FILE, "RANDOM_ACCESS_FILE", Backend.FILE_CHANNEL, "CHANNEL_DIRECT", Backend.MAPPED,
        "MAPPED", Backend.DIRECT, "CHANNEL_DIRECT"));
    private static final int MS_PER_S = 1000;
    // What is written, prepared and read, of each byte of records: in bytes a second that is assumed.
    private static final double ASSUMED_RATE = 120e6;
    private static final double OVERHEAD_S = 2;
    private static final int FRAME_OVERHEAD = 32;
    private static final int SPARE_SEGMENTS = 3;

    @Option(names = "--backends", split = ",", description = "Backends. Default: ${DEFAULT-VALUE}")
    private List<Backend> backends = JournalExperiment.PAGE_CACHE;

    @Option(names = "--record-lengths", split = ",", defaultValue = "256,4096", description = "Of each record, in " +
        "bytes. Default: ${DEFAULT-VALUE}")
    private List<Integer> recordLengths;

    @Option(names = "--write-windows", split = ",", defaultValue = "0",
        description = "In which records gather before " +
            "they are written, in bytes; a mapped journal has none. Default: ${DEFAULT-VALUE}")
    private List<Integer> writeWindows;

    @Option(names = "--segment-lengths", split = ",", defaultValue = "67108864", description = "Of the journal. " +
        "Default: ${DEFAULT-VALUE}")
    private List<Integer> segmentLengths;

    @Option(names = "--force", split = ",", defaultValue = "manual", description = "When the journal is forced: " +
        "manual, every10ms (any number), everyRecord. Default: ${DEFAULT-VALUE}")
    private List<String> policies;

    @Option(names = "--segments", split = ",", defaultValue = "FILLED", description = "Where segments come from: " +
        "filled with zeros, or recycled from history that is dropped, of which " + GridTrial.KEPT_SEGMENTS +
        " segments are kept. Default: ${DEFAULT-VALUE}")
    private List<Segments> segments;

    @Option(names = "--bytes", defaultValue = "409600000", description = "Of records, of each case in each round. " +
        "Default: ${DEFAULT-VALUE}")
    private long bytes;

    @Option(names = "--seconds", defaultValue = "5", description = "That each case writes at most: with a force for " +
        "each record, not all bytes may be written by then. Default: ${DEFAULT-VALUE}")
    private int seconds;

    /** Where segments come from. */
    enum Segments
    {
        FILLED, RECYCLED
    }

    private record Point(
        Backend backend, int recordLength, int writeWindow, int segmentLength, String policy, Segments segments)
    {
        String label()
        {
            return String.format(
                Locale.ROOT, "%s, %,d B, window %,d, segments of %,d B %s, %s", backend, recordLength, writeWindow,
                segmentLength, segments.name().toLowerCase(Locale.ROOT), policy);
        }
    }

    @Override
    protected List<Subject> subjects(final Session session)
    {
        final List<Subject> subjects = new ArrayList<>();
        points().forEach((point) -> subjects.add(subject(point, options.scaled(bytes))));
        subjects.addAll(plain(options.scaled(bytes)));
        return subjects;
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%d rounds in random order, each case in a JVM of its own without flags, warmed up; %,d B of records " +
                "or %d s, then a force; verified by the verifier and by another backend, then read with all " +
                "checksums; the plain files are filled before, and their bytes summed",
            options.rounds, options.scaled(bytes), seconds);
    }

    @Override
    protected double seconds(final List<Subject> subjects)
    {
        return options.rounds * subjects.size() * (OVERHEAD_S + options.scaled(bytes) / ASSUMED_RATE);
    }

    private List<Point> points()
    {
        final List<Point> points = new ArrayList<>();
        for (final int recordLength : recordLengths)
        {
            for (final String policy : policies)
            {
                for (final int segmentLength : segmentLengths)
                {
                    for (final Segments each : segments)
                    {
                        for (final int window : writeWindows)
                        {
                            for (final Backend backend : backends)
                            {
                                if (0 == window || Backend.MAPPED != backend)
                                {
                                    points.add(
                                        new Point(backend, recordLength, window, segmentLength, policy, each));
                                }
                            }
                        }
                    }
                }
            }
        }

        return points;
    }

    private Subject subject(final Point point, final long length)
    {
        return Subject.of(point.label(), GridTrial.class).told("ms", seconds * MS_PER_S)
            .with("backend", point.backend()).with("recordLength", point.recordLength())
            .with("windowLength", point.writeWindow()).with("segmentLength", point.segmentLength())
            .with("forcePolicy", point.policy()).with("segments", point.segments()).with("length", length);
    }

    /**
     * The same bytes in plain files, in pieces of a record, in the way of each backend.
     */
    private List<Subject> plain(final long length)
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final int recordLength : recordLengths)
        {
            backends.stream().map(RAW_WAYS::get).distinct().forEach(
                (strategy) -> subjects.add(Sequential.subject(strategy, length, recordLength)));
        }

        return subjects;
    }

    private static Subject plain(final Backend backend, final int recordLength, final long length)
    {
        return Sequential.subject(RAW_WAYS.get(backend), length, recordLength);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        final List<Point> points = points();
        final long length = options.scaled(bytes);
        out.printf(Locale.ROOT, "%n%s%nEach with its ratio to the plain file of the same round.%n",
            Rates.heading(results));
        final Table table = new Table("", "written", "written and forced", "read");
        for (final Point point : points)
        {
            final String plain = plain(point.backend(), point.recordLength(), length).label();
            table.row(
                point.label(), cell(results, point.label(), plain, WRITE),
                cell(results, point.label(), plain, DURABLE), cell(results, point.label(), plain, READ));
        }
        table.print(out);
        final Table plainFiles = new Table("Plain files", "written", "written and forced", "read");
        for (final Subject plain : plain(length))
        {
            plainFiles.row(
                plain.label(), Rates.megabytes(results, plain.label(), WRITE),
                Rates.megabytes(results, plain.label(), DURABLE), Rates.megabytes(results, plain.label(), READ));
        }
        plainFiles.print(out);
    }

    private static String cell(final Results results, final String label, final String plain, final String key)
    {
        return Rates.megabytes(results, label, key) + "  " + Rates.ratio(results, label, plain, key);
    }

    @Override
    protected long neededBytes()
    {
        final long length = options.scaled(bytes);
        final long shortest = recordLengths.stream().mapToInt(Integer::intValue).min().orElseThrow();
        final long longest = segmentLengths.stream().mapToInt(Integer::intValue).max().orElseThrow();
        return Space.sum(
            length, Space.product(length, FRAME_OVERHEAD) / shortest,
            (GridTrial.KEPT_SEGMENTS + SPARE_SEGMENTS + 2) * longest);
    }

    @Override
    protected void check(final Checks checks)
    {
        segmentLengths.forEach((each) -> JournalLengths.checkSegment(checks, "--segment-lengths", each));
        final int shortest = segmentLengths.stream().mapToInt(Integer::intValue).min().orElseThrow();
        checks.within(1, JournalLengths.largestRecord(shortest), "--record-lengths", recordLengths)
            .within(0, JournalBuilder.MAX_WRITE_WINDOW, "--write-windows", writeWindows)
            .atLeast(1, "--bytes", bytes)
            .within(1, Integer.MAX_VALUE / MS_PER_S, "--seconds", seconds);
        Forcing.check(checks, "--force", policies);
        checks.that(!points().isEmpty(), "nothing to measure: a mapped journal has no window");
    }
}
