package io.journal.bench.journal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.JournalAppender;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;

/**
 * Threads that append a record and wait until it is durable, in a loop. Then checks that every acknowledged record is
 * there once, in each thread's order.
 */
final class GroupCommitTrial
{
    private static final int SEQUENCE_BITS = 40;
    private static final double NS_PER_S = 1e9;

    private final JournalUnderTest measured;
    private final int threadCount;
    private final List<Worker> workers = new ArrayList<>();
    private volatile boolean isCounting;
    private volatile boolean isStopped;

    private GroupCommitTrial(final Arguments args)
    {
        measured = JournalUnderTest.of(args, "journal");
        threadCount = args.length("threads");
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        new GroupCommitTrial(arguments).run(arguments.number("warmUpMs"), arguments.number("ms"));
    }

    private void run(final long warmUpMs, final long countedMs) throws InterruptedException
    {
        try (Journal journal = measured.open())
        {
            for (int i = 0; i < threadCount; i++)
            {
                workers.add(new Worker(i, journal));
            }
            workers.forEach(Thread::start);

            // The first call loads classes, outside the measured time.
            Usage.now();
            Thread.sleep(warmUpMs);
            isCounting = true;
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            final long count = count();
            Thread.sleep(countedMs);
            final long counted = count() - count;
            final long durationNs = System.nanoTime() - start;
            usage.printSince("");
            isStopped = true;

            final Histogram latencies = new Histogram(3);
            for (final Worker worker : workers)
            {
                worker.join();
                worker.checkFailure();
                latencies.add(worker.latencies);
            }
            System.out.println(Overwrite.RATE + '=' + counted * NS_PER_S / durationNs);
            Overwrite.print(latencies);
            System.out.println("bytes=" + journal.counters().appendedPosition());
        }

        check();
    }

    private long count()
    {
        return workers.stream().mapToLong((worker) -> worker.count).sum();
    }

    /**
     * Reads back all acknowledged records.
     */
    private void check()
    {
        final long[] found = new long[threadCount];
        try (Journal journal = measured.open(); JournalReader reader = journal.openReader())
        {
            final int recordLength = measured.recordLength();
            final byte[] bytes = measured.records().bytes();
            final byte[] record = new byte[recordLength];
            while (reader.poll((buffer, offset, length, header) ->
            {
                final int thread = (int)(header.tag() >>> SEQUENCE_BITS);
                final long number = header.tag() & (1L << SEQUENCE_BITS) - 1;
                buffer.getBytes(offset, record, 0, length);
                if (++found[thread] != number || length != recordLength ||
                    !Arrays.equals(
                        record, 0, length, bytes, Records.offset(number), Records.offset(number) + length))
                {
                    throw new IllegalStateException(
                        "wrong record: sequence=" + header.sequence() + ", thread=" + thread + ", number=" + number +
                            ", expected number=" + found[thread] + ", length=" + length);
                }
            }, Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }
        }

        for (final Worker worker : workers)
        {
            if (found[worker.number] != worker.count)
            {
                throw new IllegalStateException(
                    "records lost: thread=" + worker.number + ", acknowledged=" + worker.count + ", found=" +
                        found[worker.number]);
            }
        }
    }

    private final class Worker extends Thread
    {
        final Histogram latencies = new Histogram(3);
        private final int number;
        private final Journal journal;
        private final JournalAppender appender;
        private volatile long count;
        private Throwable failure;

        Worker(final int number, final Journal journal)
        {
            super("worker-" + number);
            this.number = number;
            this.journal = journal;
            appender = journal.sharedAppender();
            setDaemon(true);
        }

        @Override
        public void run()
        {
            try
            {
                while (!isStopped)
                {
                    appendForced(count + 1);
                }
            }
            catch (final Throwable ex)
            {
                failure = ex;
            }
        }

        void checkFailure()
        {
            if (null != failure)
            {
                throw new IllegalStateException("a thread failed: number=" + number, failure);
            }
        }

        private void appendForced(final long next)
        {
            final long start = System.nanoTime();
            final long tag = (long)number << SEQUENCE_BITS | next;
            journal.awaitForced(appender.append(
                tag, measured.records().bytes(), Records.offset(next), measured.recordLength()));
            if (isCounting)
            {
                latencies.recordValue(System.nanoTime() - start);
            }
            count = next;
        }
    }
}
