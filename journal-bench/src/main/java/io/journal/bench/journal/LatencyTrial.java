package io.journal.bench.journal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;

/**
 * One thread appends at a fixed rate: how long after the moment it was due is a record written, or forced?
 * <p>
 * Where forces come at intervals, the journal tells its listener of them, and the thread goes on appending; otherwise
 * the thread itself waits for each.
 */
final class LatencyTrial
{
    // A rate that cannot be kept would take for ever.
    static final int MOST_TIMES_LONGER = 3;
    private static final int END_SECONDS = 60;
    private static final int MS_PER_S = 1000;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;

    private final Histogram latencies = new Histogram(3);
    private final MeasuredJournal measured;
    private final Latency.Until until;
    private final Forcing forcing;
    private final long rate;
    private final long warmUpCount;
    private final long count;
    // Of the background agent's thread.
    private long toldSequence;

    private LatencyTrial(final Arguments args)
    {
        measured = MeasuredJournal.of(args, "journal");
        until = args.one(Latency.Until.class, "until");
        forcing = Forcing.of(args.text("forcePolicy"));
        rate = args.number("rate");
        warmUpCount = args.number("warmUpMs") * rate / MS_PER_S;
        count = warmUpCount + Math.max(1, args.number("ms") * rate / MS_PER_S);
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final Arguments told = Arguments.of(args);
        final LatencyTrial trial = new LatencyTrial(told);
        final long last;
        try (Journal journal = trial.measured.builder().force(Forcing.policy(told.text("forcePolicy"))).open())
        {
            trial.run(journal);
            last = journal.lastSequence();
        }
        trial.measured.check(last);
    }

    private void run(final Journal journal) throws InterruptedException
    {
        final long startMs = System.currentTimeMillis();
        final Usage usage = Usage.now();
        final Pace pace = new Pace(rate);
        if (Latency.Until.FORCED == until && Forcing.PERIODIC == forcing)
        {
            runTold(journal, pace);
        }
        else
        {
            append(journal, pace);
        }
        usage.printSince("");
        System.out.println("startMs=" + startMs);
        System.out.println("endMs=" + System.currentTimeMillis());
        Percentiles.print(latencies);
    }

    /**
     * Appends, and waits for what is to be waited for.
     */
    private void append(final Journal journal, final Pace pace)
    {
        final boolean isForcing = Latency.Until.FORCED == until && Forcing.MANUAL == forcing;
        append(journal, pace, (sequence, dueNs) ->
        {
            if (isForcing)
            {
                journal.awaitForced(sequence);
            }
            record(sequence, System.nanoTime() - dueNs);
        });
    }

    /**
     * Appends, and is told how far the journal is forced.
     */
    private void runTold(final Journal journal, final Pace pace) throws InterruptedException
    {
        final CountDownLatch toldAll = new CountDownLatch(1);
        // Known when the last one is appended; until then no sequence reaches it.
        final long[] lastSequence = { Long.MAX_VALUE };
        journal.onForced((forced) ->
        {
            final long now = System.nanoTime();
            while (toldSequence < forced)
            {
                toldSequence++;
                record(toldSequence, now - pace.dueNs(toldSequence));
            }
            synchronized (lastSequence)
            {
                if (forced >= lastSequence[0])
                {
                    toldAll.countDown();
                }
            }
        });
        append(journal, pace, (sequence, dueNs) ->
        {
        });

        synchronized (lastSequence)
        {
            lastSequence[0] = journal.lastSequence();
        }
        // One more, so that the listener is told once more after it knows which is the last.
        measured.records().append(journal.appender(), lastSequence[0] + 1);
        if (!toldAll.await(END_SECONDS, TimeUnit.SECONDS))
        {
            throw new IllegalStateException("not told of all forces: told up to=" + toldSequence);
        }
    }

    private void append(final Journal journal, final Pace pace, final Step step)
    {
        final JournalAppender appender = journal.appender();
        final Records records = measured.records();
        final long mostNs = (long)(MOST_TIMES_LONGER * count * NS_PER_S / rate);
        final long startNs = System.nanoTime();
        long countedNs = startNs;
        long lateNs = 0;
        long sequence = 0;
        while (sequence < count && System.nanoTime() - startNs < mostNs)
        {
            if (sequence == warmUpCount)
            {
                countedNs = System.nanoTime();
            }
            final long dueNs = pace.next();
            sequence = records.append(appender, sequence + 1);
            step.appended(sequence, dueNs);
            lateNs = System.nanoTime() - dueNs;
        }

        final long counted = sequence - warmUpCount;
        if (counted <= 0)
        {
            throw new IllegalStateException("the warm-up took all the time: a lower rate is needed: rate=" + rate);
        }
        System.out.println(Latency.ACHIEVED + '=' + counted * NS_PER_S / (System.nanoTime() - countedNs));
        System.out.println(Latency.LATE + '=' + lateNs / NS_PER_US);
    }

    private void record(final long sequence, final long latencyNs)
    {
        if (sequence > warmUpCount && sequence <= count)
        {
            latencies.recordValue(Math.max(0, latencyNs));
        }
    }

    /** What follows an append. */
    private interface Step
    {
        void appended(long sequence, long dueNs);
    }
}
