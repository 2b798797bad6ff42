package io.journal.bench.journal;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.SplittableRandom;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.run.Child;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Usage;
import io.journal.store.Backend;
import org.HdrHistogram.Histogram;

/**
 * Writes a history of many small segments, opens it again, and goes to records of random sequences.
 */
final class SeekTrial
{
    private static final int OPENINGS = 5;
    private static final int COLLECTIONS = 3;
    private static final double NS_PER_US = 1e3;
    private static final double BYTES_PER_KIB = 1024;

    private final Path directory;
    private final Backend backend;
    private final long count;
    private final int segmentLength;
    private long found;

    private SeekTrial(final Path directory, final Backend backend, final long count, final int segmentLength)
    {
        this.directory = directory;
        this.backend = backend;
        this.count = count;
        this.segmentLength = segmentLength;
    }

    /**
     * Arguments: directory, backend, records, length of a record, length of a segment, seeks, seed.
     */
    public static void main(final String[] args)
    {
        Child.endWithParent();
        final SeekTrial trial = new SeekTrial(
            Path.of(args[0]).resolve("journal"), Backend.valueOf(args[1]), Long.parseLong(args[2]),
            Integer.parseInt(args[4]));
        trial.write(Integer.parseInt(args[3]));
        trial.measure(Integer.parseInt(args[5]), Long.parseLong(args[6]));
    }

    private Journal open()
    {
        return Journal.builder(directory).backend(backend).segmentLength(segmentLength).open();
    }

    private void write(final int recordLength)
    {
        try (Journal journal = open())
        {
            final JournalAppender appender = journal.appender();
            final ByteBuffer content = ByteBuffer.allocateDirect(recordLength);
            for (long i = 1; i <= count; i++)
            {
                appender.append(Records.tag(i), content.clear());
            }
            System.out.println("segments=" + (1 + journal.counters().appendedPosition() / segmentLength));
        }
    }

    private void measure(final int seeks, final long seed)
    {
        final double[] openingsUs = new double[OPENINGS];
        for (int i = 0; i < OPENINGS; i++)
        {
            final long start = System.nanoTime();
            try (Journal journal = open())
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

        final long before = usedHeap();
        final Histogram latencies = new Histogram(3);
        try (Journal journal = open(); JournalReader reader = journal.openReader())
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
        final JournalReader reader,
        final int seeks,
        final SplittableRandom random,
        final Histogram latencies)
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
