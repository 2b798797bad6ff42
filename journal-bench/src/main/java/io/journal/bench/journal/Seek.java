package io.journal.bench.journal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Space;
import io.journal.bench.run.Subject;
import io.journal.bench.run.Table;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * What going to any record costs, and whether that, opening and memory grow with the history.
 */
@Command(
    name = "seek",
    description = "Goes to random records of a long history of small segments, with the page cache warm: " +
        "microseconds for a seek and the record, for opening, and the heap all that takes, in histories of several " +
        "lengths.",
    footer = {
        "%nAnswers: does a long history make reading, opening or memory dear?",
        "Example: seek --dir=/on/the/disk --records=100000,10000000 --backends=MAPPED",
        "Takes: about 4 minutes." },
    sortOptions = false)
public final class Seek extends JournalExperiment
{
    private static final int FRAME_OVERHEAD = 32;

    private static final double ASSUMED_RECORD_S = 1.5e-6;
    private static final double ASSUMED_SEEK_S = 50e-6;

    @Option(names = "--records", split = ",", defaultValue = "300000,3000000", description = "Lengths of the history " +
        "in records. Default: ${DEFAULT-VALUE}")
    private List<Long> counts;

    @Option(names = "--seeks", defaultValue = "50000", description = "That count, after as many that do not. " +
        "Default: ${DEFAULT-VALUE}")
    private int seeks;

    public Seek()
    {
        recordLength = 64;
        segmentLength = 1024 * 1024;
    }

    @Override
    protected void check(final Checks checks)
    {
        checks.within(1, Long.MAX_VALUE, "--records", counts).atLeast(1, "--seeks", seeks);
        JournalLengths.check(checks, 0, recordLength, segmentLength);
    }

    @Override
    protected long neededBytes()
    {
        final long most = counts.stream().mapToLong(Long::longValue).max().orElse(0);
        return Space.product(most, 2L * (recordLength + FRAME_OVERHEAD));
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT, "%d rounds; records of %d B in segments of %d B; %,d seeks that count after as many " +
                "before; openings of a journal that was closed",
            options.rounds, recordLength, segmentLength, options.scaled(seeks));
    }

    @Override
    protected double seconds(final List<Subject> subjects)
    {
        return options.rounds * backends.size() * counts.stream().mapToDouble(
            (count) -> OVERHEAD_S + count * ASSUMED_RECORD_S + 2 * options.scaled(seeks) * ASSUMED_SEEK_S).sum();
    }

    @Override
    protected List<Subject> subjects(final Session session)
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final Backend backend : backends)
        {
            for (final long count : counts)
            {
                final String label = String.format(Locale.ROOT, "%s, %,d records", backend, count);
                subjects.add(lengths(Subject.of(label, SeekTrial.class))
                    .told("seeks", options.scaled(seeks)).told("seed", options.seed)
                    .with("backend", backend).with("records", count));
            }
        }

        return subjects;
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.println();
        final Table openings = new Table("", "segments", "open, us", "heap KiB");
        for (final Subject subject : subjects)
        {
            openings.row(
                subject.label(), median(results, subject, "segments"), median(results, subject, "openUs"),
                median(results, subject, "heapKib"));
        }
        openings.print(out);
        Percentiles.table("microseconds for a seek", results, subjects).print(out);
    }

    private static String median(final Results results, final Subject subject, final String key)
    {
        return String.format(Locale.ROOT, "%,.0f", results.spread(subject.label(), key).median());
    }
}
