package io.journal.bench.article;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import org.HdrHistogram.Histogram;

/**
 * Writes, fsyncs and reads a file through one API, after a warm-up. Independent code verifies the file in between.
 */
record SequentialTrial(Arguments args, Path file, FileStrategy strategy, long length, int pageLength, Layout layout)
{
    private interface Pass
    {
        int sum(MeasuredInterval interval) throws IOException;
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final SequentialTrial trial = new SequentialTrial(
            arguments, arguments.directory().resolve("test.dat"), arguments.one(FileStrategy.class, "way"),
            arguments.number("length"), arguments.length("pageLength"), arguments.one(Layout.class, "layout"));
        trial.warmUp(Math.min(trial.length, ArticleExperiment.WARM_UP_LENGTH));
        trial.run();
    }

    private void warmUp(final long shortLength) throws IOException, InterruptedException
    {
        for (int i = 0; i < ArticleExperiment.WARM_UPS; i++)
        {
            layout.lay(file, shortLength, pageLength);
            strategy.write(file, shortLength, pageLength, null);
            strategy.read(file, pageLength);
        }
        Files.delete(file);
    }

    private void run() throws IOException, InterruptedException
    {
        layout.lay(file, length, pageLength);
        System.gc();
        final Histogram latencies = args.is("latency") ? new Histogram(3) : null;
        final Sync sync = args.one(Sync.class, "sync");
        final int written = measure("write", (interval) ->
        {
            final int sum = strategy.write(file, length, pageLength, latencies);
            interval.rate(Sequential.WRITE, length);
            sync.force(file);
            interval.rate(Sequential.DURABLE, length);
            return sum;
        });
        if (null != latencies)
        {
            Percentiles.print(latencies);
        }
        Content.verify(file, length, (offset) -> (byte)offset);

        System.gc();
        final ColdRead cold = new ColdRead(args.one(Profile.class, "profile"), file);
        cold.begin();
        read(written, "read", Sequential.READ);
        cold.end(length);
        cold.print();
        // Warm by now, even in the cold profile.
        read(written, "again", Sequential.READ_AGAIN);
    }

    private void read(final int written, final String prefix, final String key) throws IOException, InterruptedException
    {
        final int read = measure(prefix, (interval) ->
        {
            final int sum = strategy.read(file, pageLength);
            interval.rate(key, length);
            return sum;
        });
        Content.check("checksum", written, read);
    }

    private int measure(final String prefix, final Pass pass) throws IOException, InterruptedException
    {
        final Stalls stalls = args.is("stalls") ? new Stalls() : null;
        final MeasuredInterval interval = MeasuredInterval.start();
        final int sum = pass.sum(interval);
        interval.print(prefix);
        if (null != stalls)
        {
            stalls.print(prefix);
        }
        return sum;
    }

    /**
     * A thread that wakes up every millisecond and records how late it is scheduled: the latency that other processes
     * see meanwhile.
     */
    private static final class Stalls extends Thread
    {
        private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);

        private final Histogram late = new Histogram(3);
        private volatile boolean isStopped;

        private Stalls()
        {
            super("stalls");
            setDaemon(true);
            start();
        }

        /** Stops the thread and prints its scheduling delays. */
        void print(final String prefix) throws InterruptedException
        {
            isStopped = true;
            join();
            Child.print(prefix + "StallP99Us", late.getValueAtPercentile(99) / ArticleExperiment.NS_PER_US);
            Child.print(prefix + "StallMaxUs", late.getMaxValue() / ArticleExperiment.NS_PER_US);
        }

        @Override
        public void run()
        {
            do
            {
                final long dueNs = System.nanoTime() + INTERVAL_NS;
                LockSupport.parkNanos(INTERVAL_NS);
                // Corrects for coordinated omission: a long stall also delays the wake-ups due within it.
                late.recordValueWithExpectedInterval(Math.max(0, System.nanoTime() - dueNs), INTERVAL_NS);
            }
            while (!isStopped);
        }
    }

    /** State of a file before it is written. */
    enum Layout
    {
        /** Filled with zeros and fsynced. */
        FILLED,

        /** No file. */
        EXTEND,

        /** Length set, no space allocated. */
        SPARSE,

        /** Space allocated by fallocate(1), nothing written. */
        FALLOCATE;

        boolean isPossible(final Path directory) throws InterruptedException
        {
            return FALLOCATE != this || fallocate(directory.resolve("fallocated"), 1);
        }

        /** Prepares a file and fsyncs it. */
        void lay(final Path file, final long length, final int pageLength) throws IOException, InterruptedException
        {
            Files.deleteIfExists(file);
            if (EXTEND == this)
            {
                return;
            }

            if (FALLOCATE == this && !fallocate(file, length))
            {
                throw new IOException("fallocate failed: file=" + file + ", length=" + length);
            }
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw"))
            {
                if (SPARSE == this)
                {
                    opened.setLength(length);
                }
                else if (FILLED == this)
                {
                    final byte[] zeros = new byte[pageLength];
                    for (long offset = 0; offset < length; offset += pageLength)
                    {
                        opened.write(zeros, 0, (int)Math.min(pageLength, length - offset));
                    }
                }
                opened.getFD().sync();
            }
        }

        private static boolean fallocate(final Path file, final long length) throws InterruptedException
        {
            return Child.succeeds("fallocate", "--length", Long.toString(length), file.toString());
        }
    }

    /** The JDK's APIs for fsync. They reopen the file: fsync applies to the file, not to the descriptor. */
    enum Sync
    {
        /** FileChannel.force(true). */
        CHANNEL,

        /** FileChannel.force(false). */
        CHANNEL_CONTENT,

        /** FileDescriptor.sync(). */
        DESCRIPTOR,

        /** MappedByteBuffer.force(), piece by piece. */
        MAPPED;

        private static final int PIECE_LENGTH = 1 << 30;

        void force(final Path file) throws IOException
        {
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
                FileChannel channel = opened.getChannel())
            {
                switch (this)
                {
                    case DESCRIPTOR -> opened.getFD().sync();
                    case MAPPED ->
                    {
                        final long length = channel.size();
                        for (long offset = 0; offset < length; offset += PIECE_LENGTH)
                        {
                            channel.map(MapMode.READ_WRITE, offset, Math.min(PIECE_LENGTH, length - offset)).force();
                        }
                    }
                    default -> channel.force(CHANNEL == this);
                }
            }
        }
    }
}
