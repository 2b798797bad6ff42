package io.journal.bench.journal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.Checks;
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
 * What a journal takes for long, with its old segments deleted or used again.
 */
@Command(
    name = "sustained",
    description = "Appends without a pause while old history is dropped, with segments filled anew and with segments " +
        "recycled: megabytes of records a second.",
    footer = {
        "%nAnswers: what can be appended all day long, and does recycling segments help?",
        "Example: sustained --dir=/on/the/disk --record-length=1024 --kept=8",
        "Takes: about 5 minutes." },
    sortOptions = false)
public final class Sustained extends JournalExperiment
{
    public static final String APPENDED = "appendedBytesPerSecond";
    public static final String FORCED = "forcedBytesPerSecond";

    private static final int MOST_KEPT = 100_000;
    private static final double ASSUMED_RATE = 400e6;
    private static final double ASSUMED_RECORD_S = 0.2e-6;

    @Option(names = "--kept", defaultValue = "4", description = "Segments to be kept. Default: ${DEFAULT-VALUE}")
    private int keptSegments;

    @Option(names = "--warm-up-bytes", defaultValue = "500000000", description = "Of records, before counting: more " +
        "than is kept, so that there is something to recycle. Default: ${DEFAULT-VALUE}")
    private long warmUpBytes;

    @Option(names = "--bytes", defaultValue = "1000000000",
        description = "Of records that count, of each case in each " +
            "round. Default: ${DEFAULT-VALUE}")
    private long countedBytes;

    @Override
    protected void check(final Checks checks)
    {
        checks.within(1, MOST_KEPT, "--kept", keptSegments)
            .atLeast(0, "--warm-up-bytes", warmUpBytes)
            .atLeast(1, "--bytes", countedBytes);
        JournalLengths.check(checks, 1, recordLength, segmentLength);
        checks.that(options.scaled(countedBytes) >= recordLength, "--bytes must be those of a record or more");
    }

    @Override
    protected long neededBytes()
    {
        return Space.product(2, Space.sum(warmUpBytes, countedBytes));
    }

    @Override
    protected List<Subject> subjects(final Session session)
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final Backend backend : backends)
        {
            subjects.add(subject(backend, false));
            subjects.add(subject(backend, true));
        }
        return subjects;
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT, "%d rounds; records of %d B; segments of %d B, of which %d are kept; %,d B of records " +
                "after %,d B that do not count",
            options.rounds, recordLength, segmentLength, keptSegments, options.scaled(countedBytes), warmUpBytes);
    }

    @Override
    protected double seconds(final List<Subject> subjects)
    {
        return options.rounds * subjects.size() * (OVERHEAD_S + ((double)warmUpBytes + options.scaled(countedBytes)) *
            (1 / ASSUMED_RATE + ASSUMED_RECORD_S / recordLength));
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.println();
        final Table table = new Table("MB/s of records", "appended", "and forced", "recycled to filled, forced");
        for (final Backend backend : backends)
        {
            for (final boolean isRecycling : new boolean[]{ false, true })
            {
                final String label = label(backend, isRecycling);
                table.row(
                    label, Rates.megabytes(results, label, APPENDED), Rates.megabytes(results, label, FORCED),
                    isRecycling ? Rates.ratio(results, label, label(backend, false), FORCED) : "");
            }
        }
        table.print(out);
    }

    private Subject subject(final Backend backend, final boolean isRecycling)
    {
        return lengths(Subject.of(label(backend, isRecycling), SustainedTrial.class))
            .told("keptSegments", keptSegments).told("warmUpBytes", warmUpBytes)
            .told("bytes", options.scaled(countedBytes))
            .with("backend", backend).with("recycling", isRecycling);
    }

    private static String label(final Backend backend, final boolean isRecycling)
    {
        return backend + (isRecycling ? ", recycled" : ", filled");
    }
}
