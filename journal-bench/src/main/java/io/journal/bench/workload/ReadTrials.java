// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Child;
import io.journal.bench.run.Interval;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.HdrHistogram.Histogram;

/**
 * One thread that reads existing records: all again and again, single records right after opening, and random records
 * of a long history.
 */
final class ReadTrials
{
    private static final int OPENINGS = 30;
    private static final int WARM_UP_OPENINGS = 10;
    private static final int FIRST = 16;
    private static final int SEEK_OPENINGS = 5;
    private static final int COLLECTIONS = 3;
    private static final long SEED = 1;

    private final Setup setup;
    private final Source source;
    private final long records;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final Source.Digest found = new Source.Digest();
    // The range is fixed, because the growth of a histogram would count as heap of the journal.
    private final Histogram latencies = new Histogram(TimeUnit.HOURS.toNanos(1), 3);

    ReadTrials(final Setup setup)
    {
        this.setup = setup;
        source = new Source(setup.recordLength());
        records = setup.args().number("records", Math.max(
            1, setup.args().number("length", 0) / setup.recordLength()));
    }

    private void fill(final Subject subject) throws Exception
    {
        source.append(subject, records);
        subject.flush();
        source.check(subject);
    }

    /** Replays in the process that appended, with a warm page cache. */
    void replay() throws Exception
    {
        try (Subject subject = setup.open())
        {
            fill(subject);
            source.replayRate(subject, setup.args().number("ms"));
            Child.print("recordsPerSecond", source.replayRate(subject, setup.args().number("ms")));
        }
    }

    /** Measures the first lookup after an opening, for many openings by a warm process. */
    void firstLookups() throws Exception
    {
        try (Subject subject = setup.open())
        {
            fill(subject);
        }
        for (int i = 0; i < OPENINGS; i++)
        {
            if (WARM_UP_OPENINGS == i)
            {
                latencies.reset();
            }
            try (Subject subject = setup.open())
            {
                read(subject.openLookup(), FIRST);
            }
        }
        Percentiles.print(latencies);
    }

    private void read(final Subject.Lookup lookup, final int count) throws Exception
    {
        for (int i = 0; i < count; i++)
        {
            final long number = random.nextLong(records);
            final long start = System.nanoTime();
            source.read(lookup, number, found);
            latencies.recordValue(System.nanoTime() - start);
        }
    }

    /** Seeks random records in a history of many small segments; and the time and the heap to open it. */
    void seek() throws Exception
    {
        final int seeks = setup.args().length("seeks");
        try (JournalSubject subject = new JournalSubject(setup))
        {
            source.append(subject, records);
            Child.print("segmentsCount", 1 + subject.appendedBytes() / setup.segmentLength());
        }
        final double[] openingsUs = new double[SEEK_OPENINGS];
        for (int i = 0; i < SEEK_OPENINGS; i++)
        {
            final long start = System.nanoTime();
            try (JournalSubject subject = new JournalSubject(setup))
            {
                openingsUs[i] = (System.nanoTime() - start) / Unit.NS_PER_US;
                subject.flush();
            }
        }
        Child.print("openUs", Interval.range(openingsUs).median());
        final long before = usedHeap();
        try (JournalSubject subject = new JournalSubject(setup))
        {
            final Subject.Lookup seeker = subject.openSeeker();
            read(seeker, seeks);
            latencies.reset();
            final MeasuredInterval usage = MeasuredInterval.start();
            read(seeker, seeks);
            usage.print("");
            Child.print("heapKib", (double)(usedHeap() - before) / Unit.KIB);
        }
        Percentiles.print(latencies);
    }

    static long usedHeap()
    {
        for (int i = 0; i < COLLECTIONS; i++)
        {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
