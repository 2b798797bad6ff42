package io.journal.bench.journal;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;

/**
 * Writes a history of many small segments, reopens it, and seeks random sequences.
 */
final class SeekTrial
{
    private static final int OPENINGS = 5;
    private static final int COLLECTIONS = 3;
    private static final double NS_PER_US = 1e3;
    private static final double BYTES_PER_KIB = 1024;

    private final JournalUnderTest measured;
    private final long count;
    private long found;

    private SeekTrial(final Arguments args)
    {
        measured = JournalUnderTest.of(args, "journal");
        count = args.number("records");
    }

    public static void main(final String[] args)
    {
        final Arguments arguments = Arguments.of(args);
        final SeekTrial trial = new SeekTrial(arguments);
        trial.write();
        trial.measureOpenings();
        trial.measureSeeks(arguments.length("seeks"), arguments.number("seed"));
    }

    private void write()
    {
        try (Journal journal = measured.open())
        {
            final JournalAppender appender = journal.appender();
            final ByteBuffer content = ByteBuffer.allocateDirect(measured.recordLength());
            for (long i = 1; i <= count; i++)
            {
                appender.append(Records.tag(i), content.clear());
            }
            System.out.println(
                "segments=" + (1 + journal.counters().appendedPosition() / measured.segmentLength()));
        }
    }

    private void measureOpenings()
    {
        final double[] openingsUs = new double[OPENINGS];
        for (int i = 0; i < OPENINGS; i++)
        {
            final long start = System.nanoTime();
            try (Journal journal = measured.open())
            {
                openingsUs[i] = (System.nanoTime() - start) / NS_PER_US;
                if (journal.lastSequence() != count)
                {
                    throw new IllegalStateException(
                        "records lost: appended=" + count + ", found=" + journal.lastSequence());
                }
            }
        }
        System.out.println("openUs=" + Spread.of(openingsUs).median());
    }

    private void measureSeeks(final int seeks, final long seed)
    {
        final long before = usedHeap();
        final Histogram latencies = new Histogram(3);
        try (Journal journal = measured.open(); JournalReader reader = journal.openReader())
        {
            seek(reader, seeks, new SplittableRandom(seed), new Histogram(3));
            final Usage usage = Usage.now();
            seek(reader, seeks, new SplittableRandom(seed + 1), latencies);
            usage.printSince("");
            System.out.println("heapKib=" + (usedHeap() - before) / BYTES_PER_KIB);
        }
        Percentiles.print(latencies);
    }

    private void seek(
        final JournalReader reader, final int seeks, final SplittableRandom random, final Histogram latencies)
    {
        for (int i = 0; i < seeks; i++)
        {
            final long wanted = 1 + random.nextLong(count);
            found = 0;
            final long start = System.nanoTime();
            reader.seek(wanted);
            reader.poll((buffer, offset, length, header) -> found = header.sequence(), 1);
            latencies.recordValue(System.nanoTime() - start);
            if (found != wanted)
            {
                throw new IllegalStateException("wrong record: expected sequence=" + wanted + ", found=" + found);
            }
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
