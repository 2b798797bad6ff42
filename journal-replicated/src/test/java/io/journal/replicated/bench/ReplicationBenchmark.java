package io.journal.replicated.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.journal.replicated.ReplicatedJournal;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.support.Ports;
import org.HdrHistogram.Histogram;
import org.agrona.DirectBuffer;
import org.agrona.IoUtil;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Throughput and latency of a replicated journal, beside a bare service on the same cluster that writes the same bytes:
 * three member JVMs on loopback, one writer, so many records in flight. Rounds alternate.
 */
public final class ReplicationBenchmark
{
    private static final int LENGTH = 256;
    private static final int[] WINDOWS = { 1, 64, 512 };
    private static final long WARMUP_NS = TimeUnit.SECONDS.toNanos(2);

    private final byte[] record = new byte[LENGTH];
    private final long[] sentNs = new long[1024];
    private final Histogram histogram = new Histogram(TimeUnit.SECONDS.toNanos(60), 3);

    private ReplicationBenchmark()
    {
    }

    /**
     * @param args directory, rounds, seconds for each measurement, whether a quorum fsyncs.
     */
    public static void main(final String[] args) throws Exception
    {
        final Path directory = Path.of(args[0]);
        System.out.println("| round | what | window | records/s | p50 us | p99 us | p99.9 us |");
        System.out.println("| --- | --- | --- | --- | --- | --- | --- |");
        for (int round = 1; round <= Integer.parseInt(args[1]); round++)
        {
            for (final String kind : new String[]{ "bare", "journal" })
            {
                IoUtil.delete(directory.toFile(), true);
                Files.createDirectories(directory);
                final String members = Ports.members(3);
                final List<Process> processes = start(directory, members, args[3], kind);
                try
                {
                    new ReplicationBenchmark().run(
                        directory, members, kind, round, TimeUnit.SECONDS.toNanos(Long.parseLong(args[2])));
                }
                finally
                {
                    for (final Process process : processes)
                    {
                        process.destroyForcibly().waitFor();
                    }
                }
            }
        }
        IoUtil.delete(directory.toFile(), true);
    }

    private static List<Process> start(
        final Path directory, final String members, final String forced, final String kind) throws IOException
    {
        final List<Process> processes = new ArrayList<>();
        for (int i = 0; i < 3; i++)
        {
            processes.add(new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(), "--add-opens",
                "java.base/jdk.internal.misc=ALL-UNNAMED", "-Xmx256m", "-cp", System.getProperty("java.class.path"),
                BenchMember.class.getName(), Integer.toString(i), members, directory.resolve("member-" + i).toString(),
                forced, kind).redirectError(directory.resolve("log-" + i).toFile()).start());
        }

        return processes;
    }

    private void run(
        final Path directory, final String members, final String kind, final int round, final long durationNs)
    {
        try (Target target = "bare".equals(kind) ? new Bare(directory, members) : new Ours(directory, members))
        {
            for (final int window : WINDOWS)
            {
                measure(target, window, WARMUP_NS);
                histogram.reset();
                final double perSecond = measure(target, window, durationNs);
                System.out.printf("| %d | %s | %d | %,.0f | %,.0f | %,.0f | %,.0f |%n", round, kind, window, perSecond,
                    us(50), us(99), us(99.9));
            }
        }
    }

    private double us(final double percentile)
    {
        return histogram.getValueAtPercentile(percentile) / 1_000.0;
    }

    private double measure(final Target target, final int window, final long durationNs)
    {
        final IdleStrategy idle = new BackoffIdleStrategy(10, 10, 1_000, 1_000_000);
        final long beginNs = System.nanoTime();
        final long first = target.done();
        long sent = first;
        long done = first;
        long nowNs = beginNs;
        while (nowNs - beginNs < durationNs || done < sent)
        {
            int work = 0;
            if (sent - done < window && nowNs - beginNs < durationNs)
            {
                sentNs[(int)((sent + 1) & (sentNs.length - 1))] = nowNs;
                if (target.send(record))
                {
                    sent++;
                    work++;
                }
            }
            work += target.poll(sent - done >= window || nowNs - beginNs >= durationNs);
            nowNs = System.nanoTime();
            for (final long end = target.done(); done < end; done++)
            {
                histogram.recordValue(nowNs - sentNs[(int)((done + 1) & (sentNs.length - 1))]);
                work++;
            }
            idle.idle(work);
        }

        return (done - first) * 1e9 / (System.nanoTime() - beginNs);
    }

    /** What records are sent to. */
    private interface Target extends AutoCloseable
    {
        boolean send(byte[] record);

        int poll(boolean isWaiting);

        long done();

        @Override
        void close();
    }

    private static final class Ours implements Target
    {
        private final ReplicatedJournal journal;

        private Ours(final Path directory, final String members)
        {
            journal = ReplicatedJournal.builder(members).engine(BenchMember.engine(directory)).connect();
        }

        @Override
        public boolean send(final byte[] record)
        {
            journal.appender().append(record);
            return true;
        }

        @Override
        public int poll(final boolean isWaiting)
        {
            if (isWaiting && journal.forcedSequence() < journal.lastSequence())
            {
                journal.awaitForced(journal.forcedSequence() + 1);
            }
            return 0;
        }

        @Override
        public long done()
        {
            return journal.forcedSequence();
        }

        @Override
        public void close()
        {
            journal.close();
        }
    }

    private static final class Bare implements Target, Replies
    {
        private final Proposer proposer;
        private final UnsafeBuffer message = new UnsafeBuffer(new byte[LENGTH]);
        private long done;

        private Bare(final Path directory, final String members)
        {
            proposer = BenchMember.engine(directory).connect(Members.parse(members), LENGTH, this);
            while (!proposer.isConnected())
            {
                proposer.poll();
            }
        }

        @Override
        public boolean send(final byte[] record)
        {
            message.putBytes(0, record);
            return proposer.propose(message, 0, record.length);
        }

        @Override
        public int poll(final boolean isWaiting)
        {
            return proposer.poll();
        }

        @Override
        public long done()
        {
            return done;
        }

        @Override
        public void onReply(final DirectBuffer reply, final int offset, final int length)
        {
            done = reply.getLong(offset);
        }

        @Override
        public void onLeader(final int memberId)
        {
            // Nothing is lost while nobody is killed.
        }

        @Override
        public void close()
        {
            proposer.close();
        }
    }
}
