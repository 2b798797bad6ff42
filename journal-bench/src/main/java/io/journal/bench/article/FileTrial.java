// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Interval;
import org.HdrHistogram.Histogram;

/**
 * The trial of every fair experiment of the articles: writes, fsyncs and reads a file through one API, in one unit,
 * with one buffer, after a warm-up. Independent code verifies what was written, and the sum of what was read.
 * <p>
 * Arguments: {@code strategy}, {@code direction}, {@code length}; {@code array} is the length of the caller's array, 0
 * for single bytes; {@code buffer} that of the strategy's own. {@code layout} is the state of the file before it is
 * written, {@code sync} how it is fsynced. With {@code ms}, passes are repeated for that time. With {@code limitMs}, a
 * pass that would take longer reads only the beginning of {@code file}, which all cases share.
 */
final class FileTrial
{
    static final String WRITE = "writeBytesPerSecond";
    static final String DURABLE = "durableBytesPerSecond";
    static final String READ = "readBytesPerSecond";
    static final String READ_AGAIN = "readAgainBytesPerSecond";
    static final String READ_LENGTH = "bytesCount";
    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final long FIRST_LENGTH = 1024 * 1024;
    private static final int GROWTH = 4;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;
    private static final int ALLOCATIONS = 10;

    private final Arguments args;
    private final FileStrategy strategy;
    private final int arrayLength;
    private final int bufferLength;
    private final Layout layout;
    private final Sync sync;
    private final Profile profile;
    private final Path file;
    private final long periodNs;
    private final long length;
    private final Sums sums = new Sums.Loops(false);
    private final Map<String, Long> usage = new LinkedHashMap<>();
    private final Map<Long, Long> expectedSums = new LinkedHashMap<>();
    private double movedNs;
    private double durableNs;
    private int passes;

    enum Direction
    {
        READ, WRITE, BOTH
    }

    private FileTrial(final Arguments args)
    {
        this.args = args;
        strategy = args.one(FileStrategy.class, "strategy");
        arrayLength = args.length("array");
        bufferLength = args.length("buffer");
        layout = args.one(Layout.class, "layout", Layout.FILLED);
        sync = args.one(Sync.class, "sync", Sync.CHANNEL);
        profile = args.one(Profile.class, "profile");
        file = args.directory().resolve("test.dat");
        periodNs = TimeUnit.MILLISECONDS.toNanos(args.number("ms", 0));
        length = args.number("length");
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final FileTrial trial = new FileTrial(Arguments.of(args));
        if (trial.args.is("allocations"))
        {
            // First, before any buffer was allocated.
            trial.printAllocations();
        }
        switch (trial.args.one(Direction.class, "direction"))
        {
            case WRITE -> trial.measureWriting();
            case READ -> trial.measureReading();
            default -> trial.measureBoth();
        }
    }

    private interface Pass
    {
        void run(long length) throws IOException, InterruptedException;
    }

    /** Passes over a short file, for as long as is measured and a few at least; their figures are discarded. */
    private void warmUp(final Pass pass) throws IOException, InterruptedException
    {
        final long end = System.nanoTime() + periodNs;
        for (int i = 0; i < WARM_UPS || System.nanoTime() < end; i++)
        {
            pass.run(Math.min(length, WARM_UP_LENGTH));
        }
        usage.clear();
        movedNs = 0;
        durableNs = 0;
        passes = 0;
    }

    /** Repeats passes until the time is up; runs at least a single pass. */
    private void repeat(final String key, final long passLength, final Pass pass)
        throws IOException, InterruptedException
    {
        System.gc();
        final long end = System.nanoTime() + periodNs;
        do
        {
            pass.run(passLength);
        }
        while (System.nanoTime() < end);
        usage.forEach(Child::print);
        Child.print(key, passes * passLength * NS_PER_S / movedNs);
    }

    private void measureWriting() throws IOException, InterruptedException
    {
        warmUp(this::write);
        repeat(WRITE, length, this::write);
        if (Sync.NONE != sync)
        {
            Child.print(DURABLE, passes * length * NS_PER_S / durableNs);
        }
        Child.print("passesCount", passes);
    }

    private void write(final long passLength) throws IOException, InterruptedException
    {
        layout.lay(file, passLength);
        final MeasuredInterval interval = MeasuredInterval.start();
        writeFile(passLength, null);
        interval.rate(WRITE, passLength);
        interval.addTo("write", usage);
        movedNs += interval.elapsedNs();
        sync.force(file);
        interval.rate(DURABLE, passLength);
        durableNs += interval.elapsedNs();
        passes++;
        Content.verify(file, passLength, this::at);
    }

    private void measureReading() throws IOException, InterruptedException
    {
        final Path whole = Path.of(args.text("file", file.toString()));
        if (Files.notExists(whole))
        {
            Content.write(whole, length);
            // Fsynced so that no writeback competes with the reads.
            ColdRead.force(whole);
        }
        final long limitNs = TimeUnit.MILLISECONDS.toNanos(args.number("limitMs", 0));
        long reading = Math.min(FIRST_LENGTH, length);
        for (long ns = readFile(whole, reading); reading < length; ns = readFile(whole, reading))
        {
            if (limitNs > 0 && ns * GROWTH > limitNs)
            {
                break;
            }
            reading = limitNs > 0 ? Math.min(reading * GROWTH, length) : length;
        }
        if (0 == limitNs)
        {
            warmUp((warmUpLength) -> readFile(whole, warmUpLength));
        }
        final Path read = beginning(whole, reading);
        final ColdRead cold = new ColdRead(profile, read);
        repeat(READ, reading, (passLength) ->
        {
            cold.begin();
            final MeasuredInterval interval = MeasuredInterval.start();
            final long sum = strategy.read(sums, read, bufferLength, arrayLength);
            interval.rate(READ, passLength);
            interval.addTo("read", usage);
            movedNs += interval.elapsedNs();
            cold.end(passLength);
            passes++;
            Content.check("checksum", expected(passLength), sum);
        });
        cold.print();
        Child.print(READ_LENGTH, reading);
        Child.print("isReduced", reading < length);
    }

    /** Reads the beginning of a file once; returns the time. */
    private long readFile(final Path whole, final long readLength) throws IOException
    {
        final Path read = beginning(whole, readLength);
        final long start = System.nanoTime();
        final long sum = strategy.read(sums, read, bufferLength, arrayLength);
        final long ns = System.nanoTime() - start;
        Content.check("checksum", expected(readLength), sum);
        return ns;
    }

    private long expected(final long readLength)
    {
        return expectedSums.computeIfAbsent(readLength, Content::sum);
    }

    /** A file of the first bytes, beside the whole one: created by the first case that needs it, for all. */
    private static Path beginning(final Path whole, final long readLength) throws IOException
    {
        if (readLength == Files.size(whole))
        {
            return whole;
        }
        final Path beginning = whole.resolveSibling("beginning-" + readLength + ".dat");
        if (Files.notExists(beginning))
        {
            Content.write(beginning, readLength);
            ColdRead.force(beginning);
        }
        return beginning;
    }

    private void measureBoth() throws IOException, InterruptedException
    {
        warmUp((warmUpLength) ->
        {
            layout.lay(file, warmUpLength);
            writeFile(warmUpLength, null);
            strategy.read(sums, file, bufferLength, arrayLength);
        });
        layout.lay(file, length);
        System.gc();
        final Histogram latencies = args.is("latency") ? new Histogram(3) : null;
        final Stalls stalls = new Stalls(args.is("stalls"));
        final MeasuredInterval interval = MeasuredInterval.start();
        final long written = writeFile(length, latencies);
        interval.rate(WRITE, length);
        sync.force(file);
        interval.rate(DURABLE, length);
        interval.print("write");
        stalls.print("write");
        if (null != latencies)
        {
            Percentiles.print(latencies);
        }
        Content.verify(file, length, this::at);
        System.gc();
        final ColdRead cold = new ColdRead(profile, file);
        cold.begin();
        readAndPrint(written, "read", READ);
        cold.end(length);
        cold.print();
        // Warm by now, even in the cold profile.
        readAndPrint(written, "again", READ_AGAIN);
    }

    private void readAndPrint(final long written, final String prefix, final String key)
        throws IOException, InterruptedException
    {
        final Stalls stalls = new Stalls(args.is("stalls"));
        final MeasuredInterval interval = MeasuredInterval.start();
        final long read = strategy.read(sums, file, bufferLength, arrayLength);
        interval.rate(key, length);
        interval.print(prefix);
        stalls.print(prefix);
        Content.check("checksum", written, read);
    }

    /**
     * Opens, writes and closes the file; returns the sum of the bytes.
     *
     * @param latencies of each array, in nanoseconds; null if not recorded.
     */
    private long writeFile(final long fileLength, final Histogram latencies) throws IOException
    {
        try (OutputStream out = strategy.output(file, fileLength, bufferLength))
        {
            return 0 == arrayLength ? writeBytes(out, fileLength) : writeArrays(out, fileLength, latencies);
        }
    }

    private static long writeBytes(final OutputStream out, final long fileLength) throws IOException
    {
        long sum = 0;
        for (long offset = 0; offset < fileLength; offset++)
        {
            final byte next = Content.at(offset);
            sum += next;
            out.write(next);
        }
        return sum;
    }

    private long writeArrays(final OutputStream out, final long fileLength, final Histogram latencies)
        throws IOException
    {
        final byte[] array = new byte[arrayLength];
        long sum = 0;
        int number = 0;
        for (long offset = 0; offset < fileLength; offset += arrayLength)
        {
            final int count = (int)Math.min(arrayLength, fileLength - offset);
            for (int i = 0; i < count; i++)
            {
                final byte next = (byte)(i + number);
                array[i] = next;
                sum += next;
            }
            number++;
            final long start = null == latencies ? 0 : System.nanoTime();
            out.write(array, 0, count);
            if (null != latencies)
            {
                latencies.recordValue(System.nanoTime() - start);
            }
        }
        return sum;
    }

    /** The byte that is written at an offset: cheap to compute, and shows an array in a wrong place. */
    private byte at(final long offset)
    {
        return 0 == arrayLength ? Content.at(offset) : (byte)(offset % arrayLength + offset / arrayLength);
    }

    /** Time of the first buffer allocation of the process, and the median of the following ones. */
    private void printAllocations()
    {
        final ByteBuffer[] buffers = new ByteBuffer[ALLOCATIONS];
        final double[] times = new double[ALLOCATIONS];
        for (int i = 0; i < ALLOCATIONS; i++)
        {
            final long start = System.nanoTime();
            buffers[i] = FileStrategy.CHANNEL_DIRECT == strategy ? ByteBuffer.allocateDirect(bufferLength) :
                ByteBuffer.allocate(bufferLength);
            times[i] = System.nanoTime() - start;
        }
        Content.check("capacity", bufferLength, buffers[ALLOCATIONS - 1].capacity());
        Child.print("firstAllocationNs", (long)times[0]);
        Child.print("laterAllocationNs", Interval.range(Arrays.copyOfRange(times, 1, ALLOCATIONS)).median());
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

        private Stalls(final boolean isEnabled)
        {
            super("stalls");
            setDaemon(true);
            if (isEnabled)
            {
                start();
            }
        }

        /** Stops the thread and prints its scheduling delays. */
        void print(final String prefix) throws InterruptedException
        {
            final boolean wasStarted = State.NEW != getState();
            isStopped = true;
            join();
            if (wasStarted)
            {
                Child.print(prefix + "StallP99Us", late.getValueAtPercentile(99) / NS_PER_US);
                Child.print(prefix + "StallMaxUs", late.getMaxValue() / NS_PER_US);
            }
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

        private static final int CHUNK_LENGTH = 4096;

        boolean isPossible(final Path directory) throws IOException, InterruptedException
        {
            final Path probe = directory.resolve("fallocated");
            final boolean isPossible = FALLOCATE != this || fallocate(probe, 1);
            Files.deleteIfExists(probe);
            return isPossible;
        }

        /** Prepares a file and fsyncs it. */
        void lay(final Path file, final long length) throws IOException, InterruptedException
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
                    final byte[] zeros = new byte[CHUNK_LENGTH];
                    for (long offset = 0; offset < length; offset += CHUNK_LENGTH)
                    {
                        opened.write(zeros, 0, (int)Math.min(CHUNK_LENGTH, length - offset));
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
        NONE,
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
            if (NONE == this)
            {
                return;
            }
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
