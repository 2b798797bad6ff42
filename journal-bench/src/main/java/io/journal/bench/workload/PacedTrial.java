package io.journal.bench.workload;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.ForcePolicy;
import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.HdrHistogram.Histogram;

/**
 * One thread appends at a fixed rate: the duration of the calls, and the latency from the time a record was due until
 * it is written, or durable; so that a stall counts for every record that it delayed.
 * <p>
 * With a periodic force policy a listener is notified while the thread continues to append; otherwise the thread waits
 * for each durable record.
 */
final class PacedTrial
{
    // Bounds a run whose rate cannot be sustained.
    private static final int MAX_TIMES_LONGER = 3;
    private static final int END_SECONDS = 600;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;

    private final Setup setup;
    private final Pacer pacer;
    private final boolean isForced;
    private final ForcePolicy policy;
    private final Source source;
    private final Histogram calls = new Histogram(3);
    // Confined to the thread that notifies.
    private long notified;

    PacedTrial(final Setup setup)
    {
        this.setup = setup;
        pacer = new Pacer(setup.args());
        policy = JournalSubject.policy(setup.args().text("forcePolicy", "manual"));
        isForced = "FORCED".equals(setup.args().text("until", "WRITTEN")) && !policy.isEveryRecord();
        source = new Source(setup.recordLength());
    }

    void run() throws Exception
    {
        try (Subject subject = setup.open())
        {
            final CountDownLatch allNotified = new CountDownLatch(1);
            // Set when the last record is appended.
            final AtomicLong last = new AtomicLong(Long.MAX_VALUE);
            pacer.start();
            final boolean isListening = isForced && policy.isPeriodic() && subject.onDurable((durable) ->
            {
                final long now = System.nanoTime();
                while (notified < durable)
                {
                    notified++;
                    pacer.record(notified, now - pacer.dueNs(notified));
                }
                if (durable >= last.get())
                {
                    allNotified.countDown();
                }
            });
            final MeasuredInterval usage = MeasuredInterval.start();
            final long appended = append(subject, isListening);
            if (isListening)
            {
                last.set(appended);
                // One more record, so that the listener is notified again after the last one is set.
                source.append(subject, 1);
                if (!allNotified.await(END_SECONDS, TimeUnit.SECONDS))
                {
                    throw new IllegalStateException("listener not notified: appended=" + appended);
                }
            }
            usage.print("");
            subject.flush();
            source.check(subject);
        }
        Child.print("callP50Ns", calls.getValueAtPercentile(50));
        Percentiles.print(pacer.latencies);
    }

    /** Returns the number of records. */
    private long append(final Subject subject, final boolean isListening) throws Exception
    {
        final int length = setup.recordLength();
        final byte[] bytes = source.bytes();
        final long warmUpNs = mostNs(pacer.warmUpCount);
        final long mostNs = mostNs(pacer.count);
        final long startNs = System.nanoTime();
        long nowNs = startNs;
        long countedNs = startNs;
        long lateNs;
        long number = 0;
        boolean isCounting = false;
        do
        {
            if (!isCounting && (number == pacer.warmUpCount || nowNs - startNs >= warmUpNs))
            {
                // By time as well: otherwise a slow disk would leave nothing to measure.
                isCounting = true;
                pacer.warmUpCount = number;
                countedNs = System.nanoTime();
            }
            final int offset = source.next();
            final long dueNs = pacer.next();
            final long callNs = System.nanoTime();
            if (isForced && !isListening)
            {
                subject.appendDurably(bytes, offset, length);
            }
            else
            {
                subject.append(bytes, offset, length);
            }
            nowNs = System.nanoTime();
            number++;
            lateNs = nowNs - dueNs;
            if (isCounting)
            {
                calls.recordValue(nowNs - callNs);
            }
            if (!isListening)
            {
                pacer.record(number, lateNs);
            }
        }
        while (number < pacer.count && (!isCounting || nowNs - startNs < mostNs));
        Child.print("achievedPerSecond", (number - pacer.warmUpCount) * NS_PER_S / (nowNs - countedNs));
        Child.print("lateUs", lateNs / NS_PER_US);
        return number;
    }

    /** Limit of the time for a number of records, which are due in a third of it. */
    private long mostNs(final long count)
    {
        return (long)(MAX_TIMES_LONGER * count * NS_PER_S / pacer.rate);
    }
}
