package io.journal.bench.journal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Session;
import io.journal.bench.run.Space;
import io.journal.bench.run.Subject;
import io.journal.store.Backend;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

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
public final class Seek implements Callable<Integer>
{
    private static final int FRAME_OVERHEAD = 32;

    private static final double ASSUMED_RECORD_S = 1.5e-6;
    private static final double ASSUMED_SEEK_S = 50e-6;
    private static final double OVERHEAD_S = 0.7;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--backends", split = ",", description = "Backends; all unless named.")
    private List<Backend> backends = List.of(Backend.values());

    @Option(names = "--records", split = ",", defaultValue = "300000,3000000", description = "Lengths of the history " +
        "in records. Default: ${DEFAULT-VALUE}")
    private List<Long> counts;

    @Option(names = "--record-length", defaultValue = "64", description = "Of each record, in bytes. Default: " +
        "${DEFAULT-VALUE}")
    private int recordLength;

    @Option(names = "--segment-length", defaultValue = "1048576", description = "Of the journal. Default: " +
        "${DEFAULT-VALUE}")
    private int segmentLength;

    @Option(names = "--seeks", defaultValue = "50000", description = "That count, after as many that do not. " +
        "Default: ${DEFAULT-VALUE}")
    private int seeks;

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final Checks checks = new Checks(spec)
            .within(1, Long.MAX_VALUE, "--records", counts)
            .atLeast(1, "--seeks", seeks);
        JournalLengths.check(checks, 0, recordLength, segmentLength);
        final long most = counts.stream().mapToLong(Long::longValue).max().orElse(0);
        try (Session session = Session.open(spec, options, Space.product(most, 2L * (recordLength + FRAME_OVERHEAD))))
        {
            final List<Subject> subjects = subjects();
            session.begin(Profile.FAIR, String.format(
                Locale.ROOT, "%d rounds; records of %d B in segments of %d B; %,d seeks that count after as many " +
                    "before; openings of a journal that was closed",
                options.rounds, recordLength, segmentLength, options.scaled(seeks)),
                options.rounds * backends.size() * counts.stream().mapToDouble(
                    (count) -> OVERHEAD_S + count * ASSUMED_RECORD_S + 2 * options.scaled(seeks) * ASSUMED_SEEK_S)
                    .sum());
            final Results results = session.measure(subjects);
            session.out().printf(
                Locale.ROOT, "%n%-40s %8s %9s %9s %s%n", "microseconds", "segments", "open", "heap KiB",
                Percentiles.header());
            for (final Subject subject : subjects)
            {
                final String label = subject.label();
                session.out().printf(
                    Locale.ROOT, "%-40s %8.0f %,9.0f %,9.0f %s%n", label, results.spread(label, "segments").median(),
                    results.spread(label, "openUs").median(), results.spread(label, "heapKib").median(),
                    Percentiles.line(results, label));
            }
            session.out().flush();
            return CommandLine.ExitCode.OK;
        }
    }

    private List<Subject> subjects()
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final Backend backend : backends)
        {
            for (final long count : counts)
            {
                subjects.add(Subject.ofClass(
                    String.format(Locale.ROOT, "%s, %,d records", backend, count), SeekTrial.class, backend, count,
                    recordLength, segmentLength, options.scaled(seeks), options.seed)
                    .with("backend", backend).with("records", count));
            }
        }

        return subjects;
    }
}
