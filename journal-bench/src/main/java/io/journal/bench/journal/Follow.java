package io.journal.bench.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

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
import io.journal.bench.run.MeasuredInterval;
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

    @Option(names = "--where", split = ",", description = "Where the follower runs: ${COMPLETION-CANDIDATES}. " +
        "Default: both.")
    private List<Where> wheres = List.of(Where.values());

    @Option(names = "--idle", split = ",", description = "Idle strategy of the follower: ${COMPLETION-CANDIDATES}. " +
        "Default: all.")
    private List<Idle> idles = List.of(Idle.values());

    @Option(names = "--rate", defaultValue = "10000", description = "Records/s. Default: ${DEFAULT-VALUE}")
    private int rate;

    /** In the appending process, or in another one, on a journal opened read-only. */
    enum Where
    {
        THREAD, PROCESS
    }

    /** Busy-spins, or spins, yields, then parks for up to a millisecond: Agrona's default. */
    enum Idle
    {
        SPIN, BACKOFF
    }

    public Follow()
    {
        warmUpMs = 1500;
        // A record holds the time at which it was due.
        leastRecordLength = Long.BYTES;
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_RATE, "--rate", rate);
        super.check(checks);
        checks.that((long)rate * ms() >= MS_PER_S, "--rate and --ms leave no record to measure");
    }

    @Override
    protected double neededBytes()
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
        return backends.stream()
            .flatMap((backend) -> wheres.stream().flatMap((where) -> idles.stream()
                .map((idle) -> benchmark((backend + ", " + where + ", " + idle).toLowerCase(Locale.ROOT), Trial.class)
                    .argument("rate", rate)
                    .parameter("backend", backend).parameter("idle", idle).parameter("where", where))))
            .toList();
    }

    /**
     * One thread appends at a fixed rate, another one follows. Latency is measured from the time a record was due, so a
     * stall counts for every record that it delayed (no coordinated omission).
     */
    static final class Trial
    {
        private static final String READING = "reading=true";
        private static final int POLL_LIMIT = 64;
        private static final int END_SECONDS = 600;

        private final Pacer pacer;
        private final ByteBuffer content;
        private final IdleStrategy idle;
        private long found;

        private Trial(final Arguments args)
        {
            idle = Idle.SPIN == args.one(Idle.class, "idle") ? new BusySpinIdleStrategy() : new BackoffIdleStrategy();
            pacer = new Pacer(args);
            content = ByteBuffer.allocateDirect(args.length("recordLength")).order(ByteOrder.LITTLE_ENDIAN);
        }

        public static void main(final String[] args) throws Exception
        {
            final Arguments arguments = Arguments.of(args);
            final Trial trial = new Trial(arguments);
            final JournalUnderTest measured = JournalUnderTest.of(arguments, "journal");
            if (arguments.values().containsKey("reading"))
            {
                trial.followReadOnly(measured.path());
                return;
            }

            try (Journal journal = measured.open())
            {
                if (Where.PROCESS == arguments.one(Where.class, "where"))
                {
                    trial.runWithProcess(journal, arguments.all());
                }
                else
                {
                    trial.runWithThread(journal);
                }
            }
        }

        /** The follower as a process: takes the same arguments and one more, and prints it when it starts to read. */
        private void followReadOnly(final Path path)
        {
            try (ReadOnlyJournal journal = Journal.openReadOnly(path); JournalReader reader = journal.openReader())
            {
                System.out.println(READING);
                follow(reader);
            }
            Percentiles.print(pacer.latencies);
        }

        private void runWithProcess(final Journal journal, final List<String> args)
            throws IOException, InterruptedException
        {
            final List<String> command = new ArrayList<>(Child.javaCommand(Trial.class));
            command.addAll(args);
            command.add(READING);
            try (Child other = Child.start(command))
            {
                other.await((line) ->
                {
                    if (READING.equals(line))
                    {
                        append(journal.appender());
                        // Kills a hanging follower, which also ends its lines.
                        CompletableFuture.delayedExecutor(END_SECONDS, TimeUnit.SECONDS).execute(other::close);
                    }
                    else
                    {
                        System.out.println(line);
                    }
                });
            }
        }

        private void runWithThread(final Journal journal) throws Exception
        {
            final CountDownLatch reading = new CountDownLatch(1);
            try (JournalReader reader = journal.openReader())
            {
                final FutureTask<Void> following = new FutureTask<>(() ->
                {
                    reading.countDown();
                    follow(reader);
                }, null);
                final Thread follower = new Thread(following, "follower");
                follower.setDaemon(true);
                follower.start();
                reading.await();
                append(journal.appender());
                following.get(END_SECONDS, TimeUnit.SECONDS);
            }
            catch (final TimeoutException ex)
            {
                throw new IllegalStateException("the follower hangs: appended=" + pacer.count + ", found=" + found, ex);
            }
            Percentiles.print(pacer.latencies);
        }

        private void append(final JournalAppender appender)
        {
            final MeasuredInterval usage = MeasuredInterval.start();
            pacer.start();
            for (long i = 0; i < pacer.count; i++)
            {
                content.putLong(0, pacer.next());
                appender.append(i, content.clear());
            }
            usage.print("");
        }

        private void follow(final JournalReader reader)
        {
            while (found < pacer.count)
            {
                idle.idle(reader.poll((buffer, offset, length, header) ->
                {
                    final long latencyNs = System.nanoTime() - buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
                    if (header.tag() != found || length != content.capacity())
                    {
                        throw new IllegalStateException(
                            "wrong record: expected tag=" + found + ", found=" + header.tag() + ", length=" + length);
                    }
                    pacer.record(++found, latencyNs);
                }, POLL_LIMIT));
            }
        }
    }
}
