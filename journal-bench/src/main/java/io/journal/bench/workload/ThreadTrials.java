// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.HdrHistogram.Histogram;

/**
 * Threads that repeat a call for a time: durable appends, of one record each or of one thread with several in flight,
 * and single records read at random.
 */
final class ThreadTrials
{
    // Look-ups per timed call, so that the cost of the timer is negligible.
    private static final int BATCH = 128;
    private static final long SEED = 42;
    // Threads that read all the time leave the JIT compiler little of two processors: the journal took two seconds.
    private static final long LOOKUP_WARM_UP_MS = 4000;

    private ThreadTrials()
    {
    }

    static void durable(final Setup setup) throws Exception
    {
        final Arguments args = setup.args();
        final int length = setup.recordLength();
        final int threads = args.length("threads");
        final Source source = new Source(length);
        try (Subject subject = setup.open())
        {
            final Workers workers = new Workers();
            final boolean isPipelined = Workload.PIPELINED == setup.workload();
            if (isPipelined)
            {
                workers.add((number) -> subject.appendPipelined(source.bytes(), source.next(), length, threads));
            }
            for (int i = 0; !isPipelined && i < threads; i++)
            {
                workers.add((number) -> subject.appendDurably(source.bytes(), Source.offset(number), length));
            }
            final long deviceBefore = Machine.writtenBytes(setup.directory());
            Child.print("recordsPerSecond", workers.rate(args.number("warmUpMs"), args.number("ms")));
            if (deviceBefore >= 0)
            {
                final double kib = (double)(Machine.writtenBytes(setup.directory()) - deviceBefore) / Unit.KIB;
                Child.print("deviceKib", kib / workers.count());
            }
            if (isPipelined)
            {
                // The newest calls have not waited for their records.
                subject.flush();
                source.check(subject);
                return;
            }
            // A pipelined call waits for an earlier record, so its duration is no latency.
            workers.printPercentiles();
            Source.checkCount(subject, workers.count());
        }
    }

    static void lookUp(final Setup setup) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        final long records = setup.args().number("records");
        final long ms = setup.args().number("ms");
        try (Subject subject = setup.open())
        {
            source.append(subject, records);
            subject.flush();
            source.check(subject);
            final Workers workers = new Workers();
            for (int i = 0; i < setup.args().length("threads"); i++)
            {
                final Subject.Lookup lookup = subject.openLookup();
                final long seed = SEED + i;
                // The state is created by the thread that changes it, because state of several threads in one cache
                // line would cause false sharing.
                final ThreadLocal<SplittableRandom> randoms =
                    ThreadLocal.withInitial(() -> new SplittableRandom(seed));
                final ThreadLocal<Source.Digest> founds = ThreadLocal.withInitial(Source.Digest::new);
                workers.add((ignored) ->
                {
                    for (int j = 0; j < BATCH; j++)
                    {
                        source.read(lookup, randoms.get().nextLong(records), founds.get());
                    }
                });
            }
            Child.print("recordsPerSecond", BATCH * workers.rate(Math.min(LOOKUP_WARM_UP_MS, 2 * ms), ms));
        }
    }

    /** Threads that each repeat a call for a given time, after a warm-up. */
    static final class Workers
    {
        private final List<Worker> workers = new ArrayList<>();
        private volatile boolean isCounting;
        private volatile boolean isStopped;

        /** The repeated call of a thread; the number counts its calls from 0. */
        interface Call
        {
            void run(long number) throws Exception;
        }

        void add(final Call call)
        {
            workers.add(new Worker(call));
        }

        double rate(final long warmUpMs, final long measuredMs) throws Exception
        {
            workers.forEach(Thread::start);
            Thread.sleep(warmUpMs);
            isCounting = true;
            final long start = System.nanoTime();
            final long before = count();
            Thread.sleep(measuredMs);
            final double rate = (count() - before) * Unit.NS_PER_S / (System.nanoTime() - start);
            isStopped = true;
            for (final Worker worker : workers)
            {
                worker.join();
                if (null != worker.failure)
                {
                    throw worker.failure;
                }
            }
            return rate;
        }

        void printPercentiles()
        {
            final Histogram latencies = new Histogram(3);
            workers.forEach((worker) -> latencies.add(worker.latencies));
            Child.print("p50Us", latencies.getValueAtPercentile(50) / Unit.NS_PER_US);
            Child.print("p99Us", latencies.getValueAtPercentile(99) / Unit.NS_PER_US);
            Child.print("maxUs", latencies.getMaxValue() / Unit.NS_PER_US);
        }

        /** Calls of all threads that returned, including the warm-up. */
        long count()
        {
            return workers.stream().mapToLong((worker) -> worker.count).sum();
        }

        private final class Worker extends Thread
        {
            private final Histogram latencies = new Histogram(3);
            private final Call call;
            private volatile long count;
            private Exception failure;

            Worker(final Call call)
            {
                this.call = call;
                setDaemon(true);
            }

            @Override
            public void run()
            {
                try
                {
                    while (!isStopped)
                    {
                        final long next = count;
                        final long start = System.nanoTime();
                        call.run(next);
                        if (isCounting)
                        {
                            latencies.recordValue(System.nanoTime() - start);
                        }
                        count = next + 1;
                    }
                }
                catch (final Exception ex)
                {
                    failure = ex;
                }
            }
        }
    }
}
