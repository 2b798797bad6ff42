package io.journal.bench.journal;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.Checks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.bench.run.Subject;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
public final class Follow extends TimedExperiment
{
    // One in each nanosecond.
    private static final int MOST_RATE = 1_000_000_000;

    private static final double MS_PER_S = 1e3;

    @Option(names = "--where", split = ",", description = "Where the follower is: ${COMPLETION-CANDIDATES}; both " +
        "unless named.")
    private List<Where> wheres = List.of(Where.values());

    @Option(names = "--idle", split = ",", description = "How the follower waits: ${COMPLETION-CANDIDATES}; all " +
        "unless named.")
    private List<Idle> idles = List.of(Idle.values());

    @Option(names = "--rate", defaultValue = "10000", description = "Records a second. Default: ${DEFAULT-VALUE}")
    private int rate;

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

    public Follow()
    {
        super(1500, 2000, OVERHEAD_S);
    }

    @Override
    protected void check(final Checks checks)
    {
        checks.within(1, MOST_RATE, "--rate", rate);
        super.check(checks);
        checks.that((long)rate * ms() >= MS_PER_S, "--rate and --ms leave no record that counts");
    }

    /**
     * Each record has the time it was due.
     */
    @Override
    int leastRecordLength()
    {
        return Long.BYTES;
    }

    @Override
    protected long neededBytes()
    {
        return neededBytes(rate);
    }

    @Override
    protected String plan()
    {
        return String.format(
            Locale.ROOT,
            "%d rounds; %,d records of %d B a second, due at fixed times, by a thread that spins; the " +
                "follower is another thread or process; segments of %d B; %d ms warm-up, %d ms counted",
            options.rounds, rate, recordLength, segmentLength, warmUpMs, ms());
    }

    @Override
    protected List<Subject> subjects(final Session session)
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final Backend backend : backends)
        {
            for (final Where where : wheres)
            {
                for (final Idle idle : idles)
                {
                    final String label = (backend + ", " + where + ", " + idle).toLowerCase(Locale.ROOT);
                    subjects.add(timed(Subject.of(label, FollowTrial.class).told("rate", rate))
                        .with("backend", backend).with("idle", idle).with("where", where));
                }
            }
        }

        return subjects;
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<Subject> subjects)
    {
        out.println();
        Percentiles.table("microseconds, all rounds", results, subjects).print(out);
    }
}
