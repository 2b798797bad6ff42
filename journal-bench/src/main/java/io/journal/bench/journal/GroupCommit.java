package io.journal.bench.journal;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.article.Content;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Child;
import io.journal.bench.run.Device;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.Table;
import io.journal.bench.run.MeasuredInterval;
import io.journal.store.Backend;
import org.HdrHistogram.Histogram;
import org.agrona.IoUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Rate of durable appends by several threads with group commit, compared with a plain loop in one thread.
 */
@Command(
    name = "group-commit",
    description = "Threads append a record and wait until it is durable: records/s, and the ratio to a plain loop of " +
        "pwrite and fdatasync in one thread in the same round.",
    footer = {
        "%nAnswers: how many durable records/s are possible, by number of threads?",
        "Example: group-commit --dir=/on/the/disk --threads=1,8 --backends=MAPPED",
        "Takes: about 3 minutes." },
    sortOptions = false)
public final class GroupCommit extends JournalExperiment.Timed
{
    private static final String IN_C = "pwrite + fdatasync in C, 1 thread";
    private static final String IN_JAVA = "the same loop in Java";
    private static final String RATE = "recordsPerSecond";
    private static final int MAX_THREADS = 10_000;
    // Above any device seen so far, with group commit.
    private static final long MAX_RECORDS_PER_SECOND = 500_000;
    private static final long MAX_BYTES_PER_SECOND = 2_000_000_000;

    @Option(names = "--threads", split = ",", defaultValue = "1,16,64", description = "Numbers of threads. Default: " +
        "${DEFAULT-VALUE}")
    private List<Integer> threads;

    private String baseline = IN_JAVA;

    public GroupCommit()
    {
        countedMs = 1500;
        backends = List.of(Backend.values());
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_THREADS, "--threads", threads);
        super.check(checks);
    }

    /** Bounded only by the rate of the device: assumes a very fast one. */
    @Override
    protected double neededBytes()
    {
        return neededBytes(Math.min(MAX_RECORDS_PER_SECOND, MAX_BYTES_PER_SECOND / frameLength(recordLength)));
    }

    @Override
    protected Profile profile()
    {
        return Profile.DURABLE;
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            seconds(benchmarks.size(), 1),
            "%d rounds; records of %d B, in the loops %d B; segments of %d B; %d ms warm-up, %d ms measured, each " +
                "case in a process of its own, without JVM flags; %s",
            options.rounds, recordLength, frameLength(recordLength), segmentLength, warmUpMs, ms(),
            IN_JAVA.equals(baseline) ? "no C compiler: the loop in Java is the baseline" : "cc -O2 for the loop in C");
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run) throws IOException, InterruptedException
    {
        final Path program = Child.compileC(GroupCommit.class, "overwrite", run.path());
        baseline = null == program ? IN_JAVA : IN_C;
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        if (null != program)
        {
            benchmarks.add(loop(IN_C, List.of(program.toString())));
        }
        benchmarks.add(loop(IN_JAVA, Child.javaCommand(Overwrite.class)));
        backends.stream().filter((backend) -> BackendConfig.isUsable(backend, run.path()))
            .forEach((backend) -> threads.forEach((count) -> benchmarks.add(
                benchmark(backend + ", " + count + (1 == count ? " thread" : " threads"), Trial.class)
                    .parameter("backend", backend).parameter("threads", count))));
        return benchmarks;
    }

    private BenchmarkCase loop(final String label, final List<String> command)
    {
        return BenchmarkCase.inOrder(label, command, frameLength(recordLength), segmentLength, warmUpMs, ms())
            .parameter("threads", 1);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.println();
        Table.of("medians of " + results.roundCount() + " rounds", benchmarks)
            .column("records/s", (label) -> number(results.spread(label, RATE).median()))
            .column("min", (label) -> number(results.spread(label, RATE).min()))
            .column("max", (label) -> number(results.spread(label, RATE).max()))
            .column("p50 us", (label) -> number(results.spread(label, "p50Us").median()))
            .column("p99 us", (label) -> number(results.spread(label, "p99Us").median()))
            .column("ratio to the first", (label) -> results.ratio(label, baseline, RATE).text("%.3f", 1))
            .print(out);
    }

    private static String number(final double value)
    {
        return Table.number(value < 1000 ? "%.1f" : "%,.0f", value);
    }

    /** The percentiles that the C program prints, too. */
    private static void printPercentiles(final Histogram latencies)
    {
        Child.print("p50Us", latencies.getValueAtPercentile(50) / NS_PER_US);
        Child.print("p99Us", latencies.getValueAtPercentile(99) / NS_PER_US);
        Child.print("maxUs", latencies.getMaxValue() / NS_PER_US);
    }

    /**
     * Threads that append a record and wait until it is durable, in a loop. Then checks that every acknowledged record
     * is there once, in each thread's order.
     */
    static final class Trial
    {
        private static final int SEQUENCE_BITS = 40;

        private final JournalUnderTest measured;
        private final List<Worker> workers = new ArrayList<>();
        private volatile boolean isCounting;
        private volatile boolean isStopped;

        private Trial(final JournalUnderTest measured)
        {
            this.measured = measured;
        }

        public static void main(final String[] args) throws InterruptedException
        {
            final Arguments arguments = Arguments.of(args);
            final Trial trial = new Trial(JournalUnderTest.of(arguments, "journal"));
            trial.run(arguments.length("threads"), arguments.number("warmUpMs"), arguments.number("ms"));
            trial.check();
        }

        private void run(final int threadCount, final long warmUpMs, final long countedMs) throws InterruptedException
        {
            try (Journal journal = measured.open())
            {
                for (int i = 0; i < threadCount; i++)
                {
                    workers.add(new Worker(i, journal));
                }
                workers.forEach(Thread::start);

                // The first call loads classes, outside the measured time.
                MeasuredInterval.start();
                Thread.sleep(warmUpMs);
                isCounting = true;
                final MeasuredInterval interval = MeasuredInterval.start();
                final long count = count();
                Thread.sleep(countedMs);
                interval.rate(RATE, count() - count);
                interval.print("");
                isStopped = true;

                final Histogram latencies = new Histogram(3);
                for (final Worker worker : workers)
                {
                    worker.join();
                    if (null != worker.failure)
                    {
                        throw new IllegalStateException("a thread failed: number=" + worker.number, worker.failure);
                    }
                    latencies.add(worker.latencies);
                }
                printPercentiles(latencies);
                Child.print("bytes", journal.counters().appendedPosition());
            }
        }

        private long count()
        {
            return workers.stream().mapToLong((worker) -> worker.count).sum();
        }

        /** Reads back all acknowledged records. */
        private void check()
        {
            final long[] found = new long[workers.size()];
            try (Journal journal = measured.open(); JournalReader reader = journal.openReader())
            {
                measured.records().read(reader, 1, (buffer, offset, length, header) ->
                {
                    final int thread = (int)(header.tag() >>> SEQUENCE_BITS);
                    final long number = header.tag() & (1L << SEQUENCE_BITS) - 1;
                    if (++found[thread] != number || !measured.records().isContent(number, buffer, offset, length))
                    {
                        throw new IllegalStateException(
                            "wrong record: sequence=" + header.sequence() + ", thread=" + thread + ", number=" +
                                number + ", expected number=" + found[thread] + ", length=" + length);
                    }
                });
            }

            workers.forEach((worker) -> Content.check(
                "number of acknowledged records: thread=" + worker.number, worker.count, found[worker.number]));
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

    /**
     * The cost of durability without a journal: one thread overwrites a preallocated file record by record, each with a
     * positional write and an fdatasync. With the arguments and the output of the C program.
     */
    static final class Overwrite
    {
        public static void main(final String[] args) throws IOException
        {
            Child.endWithParent();
            final Path path = Path.of(args[0]).resolve("overwritten");
            final ByteBuffer content = ByteBuffer.allocateDirect(Integer.parseInt(args[1]));
            final long fileLength = Long.parseLong(args[2]);
            final long warmUpNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[3]));
            final long countedNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[4]));
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
            {
                IoUtil.fill(channel, 0, fileLength, (byte)0);
                channel.force(true);
                loop(channel, content, fileLength, warmUpNs, 0);
                loop(channel, content, fileLength, 0, countedNs);
            }
        }

        private static void loop(
            final FileChannel channel, final ByteBuffer content, final long fileLength, final long warmUpNs,
            final long countedNs) throws IOException
        {
            final Histogram latencies = new Histogram(3);
            final MeasuredInterval usage = MeasuredInterval.start();
            final long start = System.nanoTime();
            final long end = start + warmUpNs + countedNs;
            final long perFile = fileLength / content.capacity();
            long count = 0;
            long now = start;
            do
            {
                content.clear().put(0, (byte)(1 + (count & 63)));
                Device.writeAll(channel, content, count % perFile * content.capacity());
                channel.force(false);
                count++;

                final long before = now;
                now = System.nanoTime();
                latencies.recordValue(now - before);
            }
            while (now < end);

            if (countedNs > 0)
            {
                usage.print("");
                Child.print(RATE, count * NS_PER_S / (now - start));
                printPercentiles(latencies);
                Child.print("bytes", fileLength);
            }
        }
    }
}
