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
 * One thread appends at a fixed rate: latency from the time a record was due until it is written, or durable.
 * <p>
 * With a periodic force policy a listener is notified while the thread continues to append; otherwise the thread waits
 * for each record.
 */
final class LatencyTrial
{
    // Bounds a run whose rate cannot be sustained.
    static final int MAX_TIMES_LONGER = 3;
    private static final int END_SECONDS = 60;
    private static final int MS_PER_S = 1000;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;

    private final Histogram latencies = new Histogram(3);
    private final JournalUnderTest measured;
    private final Latency.Until until;
    private final Forcing forcing;
    private final long rate;
    private final long warmUpCount;
    private final long count;
    // Confined to the thread of the background agent.
    private long notifiedSequence;

    private LatencyTrial(final Arguments args)
    {
        measured = JournalUnderTest.of(args, "journal");
        until = args.one(Latency.Until.class, "until");
        forcing = Forcing.of(args.text("forcePolicy"));
        rate = args.number("rate");
        warmUpCount = args.number("warmUpMs") * rate / MS_PER_S;
        count = warmUpCount + Math.max(1, args.number("ms") * rate / MS_PER_S);
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final LatencyTrial trial = new LatencyTrial(arguments);
        final long last;
        try (Journal journal = trial.measured.builder().force(Forcing.policy(arguments.text("forcePolicy"))).open())
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
        final Pacer pacer = new Pacer(rate);
        if (Latency.Until.FORCED == until && Forcing.PERIODIC == forcing)
        {
            runWithListener(journal, pacer);
        }
        else
        {
            append(journal, pacer);
        }
        usage.printSince("");
        System.out.println("startMs=" + startMs);
        System.out.println("endMs=" + System.currentTimeMillis());
        Percentiles.print(latencies);
    }

    /**
     * Appends, and waits for durability if that is measured.
     */
    private void append(final Journal journal, final Pacer pacer)
    {
        final boolean isForcing = Latency.Until.FORCED == until && Forcing.MANUAL == forcing;
        append(journal, pacer, (sequence, dueNs) ->
        {
            if (isForcing)
            {
                journal.awaitForced(sequence);
            }
            record(sequence, System.nanoTime() - dueNs);
        });
    }

    /**
     * Appends while a listener receives the durable sequence.
     */
    private void runWithListener(final Journal journal, final Pacer pacer) throws InterruptedException
    {
        final CountDownLatch allNotified = new CountDownLatch(1);
        // Set when the last record is appended.
        final long[] lastSequence = { Long.MAX_VALUE };
        journal.onForced((forced) ->
        {
            final long now = System.nanoTime();
            while (notifiedSequence < forced)
            {
                notifiedSequence++;
                record(notifiedSequence, now - pacer.dueNs(notifiedSequence));
            }
            synchronized (lastSequence)
            {
                if (forced >= lastSequence[0])
                {
                    allNotified.countDown();
                }
            }
        });
        append(journal, pacer, (sequence, dueNs) ->
        {
        });

        synchronized (lastSequence)
        {
            lastSequence[0] = journal.lastSequence();
        }
        // One more record, so that the listener is notified again after the last sequence is set.
        measured.records().append(journal.appender(), lastSequence[0] + 1);
        if (!allNotified.await(END_SECONDS, TimeUnit.SECONDS))
        {
            throw new IllegalStateException("listener not notified: last notified sequence=" + notifiedSequence);
        }
    }

    private void append(final Journal journal, final Pacer pacer, final Step step)
    {
        final JournalAppender appender = journal.appender();
        final Records records = measured.records();
        final long mostNs = (long)(MAX_TIMES_LONGER * count * NS_PER_S / rate);
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
            final long dueNs = pacer.next();
            sequence = records.append(appender, sequence + 1);
            step.appended(sequence, dueNs);
            lateNs = System.nanoTime() - dueNs;
        }

        final long counted = sequence - warmUpCount;
        if (counted <= 0)
        {
            throw new IllegalStateException("no time left after the warm-up, lower the rate: rate=" + rate);
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

    /** Called after an append. */
    private interface Step
    {
        void appended(long sequence, long dueNs);
    }
}
