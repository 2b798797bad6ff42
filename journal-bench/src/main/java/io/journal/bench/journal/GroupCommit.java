package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Child;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Subject;
import io.journal.bench.run.Table;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * How many durable records a second threads get that share forces, beside what one thread gets without a journal.
 */
@Command(
    name = "group-commit",
    description = "Threads append a record each and wait until it is forced: records a second, and how often that is " +
        "what a plain loop of pwrite and fdatasync in one thread gets in the same round.",
    footer = {
        "%nAnswers: how many records a second survive a loss of power, by number of threads?",
        "Example: group-commit --dir=/on/the/disk --threads=1,8 --backends=MAPPED",
        "Takes: about 3 minutes." },
    sortOptions = false)
public final class GroupCommit extends TimedExperiment
{
    private static final String IN_C = "pwrite + fdatasync in C, 1 thread";
    private static final String IN_JAVA = "the same loop in Java";
    private static final int MOST_THREADS = 10_000;
    // More than any device has forced so far, shared by threads.
    private static final long MOST_RECORDS_PER_SECOND = 500_000;
    private static final long MOST_BYTES_PER_SECOND = 2_000_000_000;

    @Option(names = "--threads", split = ",", defaultValue = "1,16,64", description = "Numbers of threads. Default: " +
        "${DEFAULT-VALUE}")
    private List<Integer> threads;

    private String baseline = IN_JAVA;

    public GroupCommit()
    {
        super(1000, 1500, OVERHEAD_S);
        backends = List.of(Backend.values());
    }

    @Override
    protected void check(final Checks checks)
    {
        checks.within(1, MOST_THREADS, "--threads", threads);
        super.check(checks);
    }

    /**
     * At the rate of the quickest devices: nothing else bounds what is written in the time.
     */
    @Override
    protected long neededBytes()
    {
        return neededBytes(Math.min(
            MOST_RECORDS_PER_SECOND, MOST_BYTES_PER_SECOND / JournalLengths.frameLength(recordLength)));
    }

    @Override
    protected Profile profile()
    {
        return Profile.DURABLE;
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%d rounds; records of %d B, written by the loops as %d B; segments of %d B; %d ms warm-up, " +
                "%d ms counted, each in a process of its own, without flags; %s",
            options.rounds, recordLength, JournalLengths.frameLength(recordLength), segmentLength, warmUpMs, ms(),
            IN_JAVA.equals(baseline) ? "no C compiler: the loop in Java is the baseline" : "cc -O2 for the loop in C");
    }

    @Override
    protected List<Subject> subjects(final Session session) throws IOException, InterruptedException
    {
        final Path program = Overwrite.compile(session.path());
        baseline = null == program ? IN_JAVA : IN_C;
        final int frameLength = JournalLengths.frameLength(recordLength);
        final List<Subject> subjects = new ArrayList<>();
        if (null != program)
        {
            subjects.add(Subject.inOrder(
                IN_C, List.of(program.toString()), frameLength, segmentLength, warmUpMs, ms()).with("threads", 1));
        }
        subjects.add(Subject.inOrder(
            IN_JAVA, Child.javaCommand(Overwrite.class), frameLength, segmentLength, warmUpMs, ms())
            .with("threads", 1));
        for (final Backend backend : backends)
        {
            if (Case.isUsable(backend, session.path()))
            {
                for (final int count : threads)
                {
                    subjects.add(timed(Subject.of(label(backend, count), GroupCommitTrial.class))
                        .with("backend", backend).with("threads", count));
                }
            }
        }

        return subjects;
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.println();
        final Table table = new Table(
            "medians of " + results.roundCount() + " rounds", "records/s", "min", "max", "p50 us", "p99 us",
            "ratio to the first");
        for (final Subject subject : subjects)
        {
            final String label = subject.label();
            final Spread rate = results.spread(label, Overwrite.RATE);
            final Spread ratio = results.ratio(label, baseline, Overwrite.RATE);
            table.row(
                label, number(rate.median()), number(rate.min()), number(rate.max()),
                number(results.spread(label, "p50Us").median()), number(results.spread(label, "p99Us").median()),
                String.format(Locale.ROOT, "%.3f [%.3f..%.3f]", ratio.median(), ratio.min(), ratio.max()));
        }
        table.print(out);
    }

    private static String number(final double value)
    {
        return String.format(Locale.ROOT, value < 1000 ? "%.1f" : "%,.0f", value);
    }

    private static String label(final Backend backend, final int count)
    {
        return backend.name() + ", " + count + (1 == count ? " thread" : " threads");
    }
}
