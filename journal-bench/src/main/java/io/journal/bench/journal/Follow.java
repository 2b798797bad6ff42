package io.journal.bench.journal;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Child;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.MeasuredInterval;
import io.journal.store.Backend;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Latency from append to follower.
 */
@Command(
    name = "follow",
    description = "One thread appends at a fixed rate, another one follows the end of the journal: microseconds from " +
        "the time a record was due to be appended to its delivery to the follower.",
    footer = {
        "%nAnswers: how long after an append does a reader see the record, in the same process and in another one?",
        "Example: follow --dir=/on/the/disk --where=THREAD --rate=50000",
        "Takes: about 5 minutes." },
    sortOptions = false)
public final class Follow extends JournalExperiment.Timed
{
    // One per nanosecond.
    private static final int MAX_RATE = 1_000_000_000;

    private static final double MS_PER_S = 1e3;

    @Option(names = "--where", split = ",", description = "Where the follower runs: ${COMPLETION-CANDIDATES}. " +
        "Default: both.")
    private List<Where> wheres = List.of(Where.values());

    @Option(names = "--idle", split = ",", description = "Idle strategy of the follower: ${COMPLETION-CANDIDATES}. " +
        "Default: all.")
    private List<Idle> idles = List.of(Idle.values());

    @Option(names = "--rate", defaultValue = "10000", description = "Records/s. Default: ${DEFAULT-VALUE}")
    private int rate;

    /** Where the follower runs. */
    enum Where
    {
        /** In the appending process. */
        THREAD,

        /** In another process, on a journal opened read-only. */
        PROCESS
    }

    /** Idle strategy of the follower. */
    enum Idle
    {
        /** Busy-spins. */
        SPIN,

        /** Spins, yields, then parks for up to a millisecond: Agrona's default. */
        BACKOFF
    }

    public Follow()
    {
        super(1500, 2000, OVERHEAD_S);
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_RATE, "--rate", rate);
        super.check(checks);
        checks.that((long)rate * ms() >= MS_PER_S, "--rate and --ms leave no record to measure");
    }

    /**
     * A record holds the time at which it was due.
     */
    @Override
    int leastRecordLength()
    {
        return Long.BYTES;
    }

    @Override
    protected long neededBytes()
    {
        return neededBytes(rate);
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            seconds(benchmarks.size(), 1),
            "%d rounds; %,d records/s of %d B at a fixed rate by a spinning thread; the follower is another thread " +
                "or process; segments of %d B; %d ms warm-up, %d ms measured",
            options.rounds, rate, recordLength, segmentLength, warmUpMs, ms());
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final Backend backend : backends)
        {
            for (final Where where : wheres)
            {
                for (final Idle idle : idles)
                {
                    final String label = (backend + ", " + where + ", " + idle).toLowerCase(Locale.ROOT);
                    benchmarks.add(timed(BenchmarkCase.of(label, Trial.class).argument("rate", rate))
                        .parameter("backend", backend).parameter("idle", idle).parameter("where", where));
                }
            }
        }

        return benchmarks;
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.println();
        Percentiles.table("microseconds, all rounds", results, benchmarks).print(out);
    }

    /**
     * One thread appends at a fixed rate, another one follows. Latency is measured from the time a record was due, so a
     * stall counts for every record that it delayed (no coordinated omission).
     */
    static final class Trial
    {
        private static final String READING = "reading";
        private static final int POLL_LIMIT = 64;
        private static final int END_SECONDS = 20;
        private static final int MS_PER_S = 1000;

        private final Histogram latencies = new Histogram(3);
        private final CountDownLatch reading = new CountDownLatch(1);
        private final ByteBuffer content;
        private final IdleStrategy idle;
        private final int rate;
        private final long warmUpCount;
        private final long count;
        private long found;
        private volatile Throwable failure;

        private Trial(final Arguments args)
        {
            idle = Follow.Idle.SPIN == args.one(Follow.Idle.class, "idle") ?
                new BusySpinIdleStrategy() : new BackoffIdleStrategy();
            rate = args.length("rate");
            warmUpCount = args.number("warmUpMs") * rate / MS_PER_S;
            count = warmUpCount + args.number("ms") * rate / MS_PER_S;
            content = ByteBuffer.allocateDirect(args.length("recordLength")).order(ByteOrder.LITTLE_ENDIAN);
        }

        public static void main(final String[] args) throws IOException, InterruptedException
        {
            final Arguments arguments = Arguments.of(args);
            final Trial trial = new Trial(arguments);
            try (Journal journal = JournalUnderTest.of(arguments, "journal").open())
            {
                if (Follow.Where.PROCESS == arguments.one(Follow.Where.class, "where"))
                {
                    trial.runWithProcess(journal, arguments.all());
                }
                else
                {
                    trial.runWithThread(journal);
                    Percentiles.print(trial.latencies);
                }
            }
        }

        /** The follower as a process: takes the same arguments, and prints a line when it starts to read. */
        static final class Other
        {
            private Other()
            {
            }

            public static void main(final String[] args)
            {
                final Arguments arguments = Arguments.of(args);
                final Trial trial = new Trial(arguments);
                try (ReadOnlyJournal journal = Journal.openReadOnly(JournalUnderTest.of(arguments, "journal").path());
                    JournalReader reader = journal.openReader())
                {
                    System.out.println(READING);
                    trial.follow(reader);
                }
                Percentiles.print(trial.latencies);
            }
        }

        private void runWithProcess(final Journal journal, final List<String> args)
            throws IOException, InterruptedException
        {
            final List<String> command = new ArrayList<>(Child.javaCommand(Other.class));
            command.addAll(args);
            final Process other = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            try (BufferedReader lines = other.inputReader(StandardCharsets.UTF_8))
            {
                if (READING.equals(lines.readLine()))
                {
                    append(journal.appender());
                    // Kills a hanging follower, which also ends the read loop below.
                    other.onExit().completeOnTimeout(other, END_SECONDS, TimeUnit.SECONDS)
                        .thenAccept(Process::destroyForcibly);
                    lines.lines().forEach(System.out::println);
                }
            }
            finally
            {
                if (!other.waitFor(END_SECONDS, TimeUnit.SECONDS))
                {
                    other.destroyForcibly();
                }
            }

            if (0 != other.waitFor())
            {
                throw new IllegalStateException("the follower failed: exit code=" + other.exitValue());
            }
        }

        private void runWithThread(final Journal journal) throws InterruptedException
        {
            final Thread reader = new Thread(() -> follow(journal), "follower");
            reader.setDaemon(true);
            reader.start();
            reading.await();
            append(journal.appender());

            reader.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
            if (null != failure)
            {
                throw new IllegalStateException("the follower failed", failure);
            }
            if (reader.isAlive())
            {
                throw new IllegalStateException("the follower hangs: appended=" + count + ", found=" + found);
            }
        }

        private void append(final JournalAppender appender)
        {
            final MeasuredInterval usage = MeasuredInterval.start();
            final Pacer pacer = new Pacer(rate);
            for (long i = 0; i < count; i++)
            {
                content.putLong(0, pacer.next());
                appender.append(i, content.clear());
            }
            usage.print("");
        }

        private void follow(final Journal journal)
        {
            try (JournalReader reader = journal.openReader())
            {
                reading.countDown();
                follow(reader);
            }
            catch (final Throwable ex)
            {
                failure = ex;
            }
        }

        private void follow(final JournalReader reader)
        {
            while (found < count)
            {
                idle.idle(reader.poll((buffer, offset, length, header) ->
                {
                    final long latencyNs = System.nanoTime() - buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
                    if (header.tag() != found || length != content.capacity())
                    {
                        throw new IllegalStateException(
                            "wrong record: expected tag=" + found + ", found=" + header.tag() + ", length=" + length);
                    }
                    if (found++ >= warmUpCount)
                    {
                        latencies.recordValue(Math.max(0, latencyNs));
                    }
                }, POLL_LIMIT));
            }
        }
    }
}
