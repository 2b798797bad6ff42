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
import io.journal.bench.run.Subject;
import io.journal.store.Backend;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * How soon a follower sees what is appended.
 */
@Command(
    name = "follow",
    description = "One thread appends at a fixed rate, another follows the newest end: microseconds from the moment " +
        "a record was due to be appended to the moment the follower has it.",
    footer = {
        "%nAnswers: how long after an event does a reader have it, in this process and in another?",
        "Example: follow --dir=/on/the/disk --where=THREAD --rate=50000",
        "Takes: about 5 minutes." },
    sortOptions = false)
public final class Follow implements Callable<Integer>
{
    // One in each nanosecond.
    private static final int MOST_RATE = 1_000_000_000;

    private static final double MS_PER_S = 1e3;
    // What a process does besides: start, open, check.
    private static final double OVERHEAD_S = 1;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--backends", split = ",", description = "Backends; all unless named.")
    private List<Backend> backends = List.of(Backend.values());

    @Option(names = "--where", split = ",", description = "Where the follower is: ${COMPLETION-CANDIDATES}; both " +
        "unless named.")
    private List<Where> wheres = List.of(Where.values());

    @Option(names = "--idle", split = ",", description = "How the follower waits: ${COMPLETION-CANDIDATES}; all " +
        "unless named.")
    private List<Idle> idles = List.of(Idle.values());

    @Option(names = "--rate", defaultValue = "10000", description = "Records a second. Default: ${DEFAULT-VALUE}")
    private int rate;

    @Option(names = "--record-length", defaultValue = "256", description = "Of each record, in bytes, 8 or more. " +
        "Default: ${DEFAULT-VALUE}")
    private int recordLength;

    @Option(names = "--segment-length", defaultValue = "67108864", description = "Of the journal. Default: " +
        "${DEFAULT-VALUE}")
    private int segmentLength;

    @Option(names = "--warm-up-ms", defaultValue = "1500", description = "Before counting. Default: ${DEFAULT-VALUE}")
    private int warmUpMs;

    @Option(names = "--ms", defaultValue = "2000", description = "That count, of each case in each round. Default: " +
        "${DEFAULT-VALUE}")
    private int countedMs;

    /** Where the follower is. */
    enum Where
    {
        /** In the process that appends. */
        THREAD,

        /** In one of its own, which has opened the journal for reading only. */
        PROCESS
    }

    /** How a follower waits for the next record. */
    enum Idle
    {
        /** Polls without a pause. */
        SPIN,

        /** Spins, yields, then parks for up to a millisecond: Agrona's default. */
        BACKOFF
    }

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final int ms = (int)options.scaled(countedMs);
        final Checks checks = new Checks(spec)
            .within(1, MOST_RATE, "--rate", rate)
            .atLeast(0, "--warm-up-ms", warmUpMs)
            .atLeast(1, "--ms", countedMs)
            .that((long)rate * ms >= MS_PER_S, "--rate and --ms leave no record that counts");
        // Each has the time it was due.
        JournalLengths.check(checks, Long.BYTES, recordLength, segmentLength);
        try (Session session = Session.open(spec, options, neededBytes(ms)))
        {
            final List<Subject> subjects = subjects(ms);
            session.begin(Profile.FAIR, String.format(
                Locale.ROOT,
                "%d rounds; %,d records of %d B a second, due at fixed times, by a thread that spins; the " +
                    "follower is another thread or process; segments of %d B; %d ms warm-up, %d ms counted",
                options.rounds, rate, recordLength, segmentLength, warmUpMs, ms),
                options.rounds * subjects.size() * (OVERHEAD_S + ((double)warmUpMs + ms) / MS_PER_S));
            final Results results = session.measure(subjects);
            session.out().printf(
                Locale.ROOT, "%n%-40s %s%n", "microseconds, all rounds", Percentiles.header());
            for (final Subject subject : subjects)
            {
                session.out().printf(
                    Locale.ROOT, "%-40s %s%n", subject.label(), Percentiles.line(results, subject.label()));
            }
            session.out().flush();
            return CommandLine.ExitCode.OK;
        }
    }

    private long neededBytes(final long ms)
    {
        return JournalLengths.neededBytes(
            JournalLengths.count(rate, warmUpMs + ms), recordLength, segmentLength);
    }

    private List<Subject> subjects(final int ms)
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final Backend backend : backends)
        {
            for (final Where where : wheres)
            {
                for (final Idle idle : idles)
                {
                    final String label = (backend + ", " + where + ", " + idle).toLowerCase(Locale.ROOT);
                    subjects.add(Subject.ofClass(
                        label, FollowTrial.class, idle, rate, recordLength, warmUpMs, ms, backend, segmentLength, where)
                        .with("backend", backend).with("idle", idle).with("where", where));
                }
            }
        }

        return subjects;
    }
}
