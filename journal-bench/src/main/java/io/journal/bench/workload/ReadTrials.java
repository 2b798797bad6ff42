package io.journal.bench.workload;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Spread;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import io.journal.bench.subject.SubjectKind;
import org.HdrHistogram.Histogram;

/**
 * One thread that reads what is there: everything again and again, single records right after opening, records anywhere
 * in a long history.
 */
final class ReadTrials
{
    private static final int OPENINGS = 30;
    private static final int WARM_UP_OPENINGS = 10;
    private static final int FIRST = 16;
    private static final int SEEK_OPENINGS = 5;
    private static final int COLLECTIONS = 3;
    private static final long SEED = 1;
    private static final long MAX_NS = TimeUnit.HOURS.toNanos(1);
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;
    private static final double BYTES_PER_KIB = 1024;

    private ReadTrials()
    {
    }

    /** By the process that appended, with a warm page cache. */
    static void replay(final SubjectKind kind, final Setup setup, final Arguments args) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        try (Subject subject = kind.open(setup))
        {
            source.append(subject, Math.max(1, args.number("length") / setup.recordLength()), setup.recordLength());
            subject.flush();
            source.check(subject);
            replayRate(subject, args.number("ms"));
            Child.print("recordsPerSecond", replayRate(subject, args.number("ms")));
        }
    }

    private static double replayRate(final Subject subject, final long ms) throws Exception
    {
        final Digest found = new Digest();
        final long start = System.nanoTime();
        final long minNs = TimeUnit.MILLISECONDS.toNanos(ms);
        long durationNs;
        do
        {
            subject.replay(found);
            durationNs = System.nanoTime() - start;
        }
        while (durationNs < minNs);
        return found.count() * NS_PER_S / durationNs;
    }

    /** The first records that are read after an opening, of many openings by a warm process. */
    static void firstLookups(final SubjectKind kind, final Setup setup, final Arguments args) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        final long records = args.number("records");
        try (Subject subject = kind.open(setup))
        {
            source.append(subject, records, setup.recordLength());
            subject.flush();
            source.check(subject);
        }
        final SplittableRandom random = new SplittableRandom(SEED);
        final Histogram latencies = new Histogram(MAX_NS, 3);
        final ThreadTrials.Found found = new ThreadTrials.Found();
        for (int i = 0; i < OPENINGS; i++)
        {
            try (Subject subject = kind.open(setup); Subject.Lookup lookup = subject.openLookup())
            {
                for (int j = 0; j < FIRST; j++)
                {
                    final long number = random.nextLong(records);
                    final long start = System.nanoTime();
                    ThreadTrials.read(lookup, number, found, source);
                    if (i >= WARM_UP_OPENINGS)
                    {
                        latencies.recordValue(System.nanoTime() - start);
                    }
                }
            }
        }
        Percentiles.print(latencies);
    }

    /** Seeks random records in a history of many small segments; and the time and the heap to open it. */
    static void seek(final Setup setup, final Arguments args) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        final long records = args.number("records");
        final int seeks = args.length("seeks");
        try (JournalSubject subject = openJournal(setup))
        {
            source.append(subject, records, setup.recordLength());
            Child.print("segmentsCount", 1 + subject.appendedBytes() / setup.segmentLength());
        }
        final double[] openingsUs = new double[SEEK_OPENINGS];
        for (int i = 0; i < SEEK_OPENINGS; i++)
        {
            final long start = System.nanoTime();
            try (JournalSubject subject = openJournal(setup))
            {
                openingsUs[i] = (System.nanoTime() - start) / NS_PER_US;
                subject.flush();
            }
        }
        Child.print("openUs", Spread.of(openingsUs).median());
        // Of a fixed range: one that grew would count as heap of the journal.
        final Histogram latencies = new Histogram(MAX_NS, 3);
        final long before = usedHeap();
        try (JournalSubject subject = openJournal(setup); Subject.Lookup seeker = subject.openSeeker())
        {
            seek(seeker, seeks, records, source, latencies);
            latencies.reset();
            final MeasuredInterval usage = MeasuredInterval.start();
            seek(seeker, seeks, records, source, latencies);
            usage.print("");
            Child.print("heapKib", (usedHeap() - before) / BYTES_PER_KIB);
        }
        Percentiles.print(latencies);
    }

    private static JournalSubject openJournal(final Setup setup) throws Exception
    {
        return (JournalSubject)SubjectKind.JOURNAL_MAPPED.open(setup);
    }

    private static void seek(
        final Subject.Lookup seeker, final int seeks, final long records, final Source source,
        final Histogram latencies) throws Exception
    {
        final SplittableRandom random = new SplittableRandom(SEED);
        final ThreadTrials.Found found = new ThreadTrials.Found();
        for (int i = 0; i < seeks; i++)
        {
            final long number = random.nextLong(records);
            final long start = System.nanoTime();
            ThreadTrials.read(seeker, number, found, source);
            latencies.recordValue(System.nanoTime() - start);
        }
    }

    private static long usedHeap()
    {
        for (int i = 0; i < COLLECTIONS; i++)
        {
            System.gc();
        }
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }
}
