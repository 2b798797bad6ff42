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
import java.util.HashMap;
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
import io.journal.bench.run.Unit;
import io.journal.bench.run.Interval;
import org.HdrHistogram.Histogram;

/**
 * The trial of every fair experiment of the articles: writes, fsyncs and reads a file through one API, in one unit,
 * with one buffer, after a warm-up. Independent code verifies what was written, and the sum of what was read.
 * <p>
 * Arguments: {@code strategy}, {@code direction}, {@code length}; {@code array} is the length of the caller's array, 0
 * for single bytes; {@code buffer} is the length of the strategy's own buffer. {@code layout} is the state of the file
 * before it is written, {@code sync} how it is fsynced. With {@code ms}, passes are repeated for that time. With
 * {@code limitMs}, a pass that would take longer reads only the beginning of {@code file}, which all cases share.
 */
final class FileTrial
{
    static final String WRITE = "writeBytesPerSecond";
    static final String READ = "readBytesPerSecond";
    static final String READ_LENGTH = "bytesCount";
    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final long FIRST_LENGTH = 1024 * 1024;
    private static final int GROWTH = 4;
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
    private final Map<Long, Long> expectedSums = new HashMap<>();

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
            // Measured first, before the process has allocated any buffer.
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
        void run(Total total, long length) throws IOException, InterruptedException;
    }

    private final class Total
    {
        private final Map<String, Long> usage = new LinkedHashMap<>();
        private final Histogram latencies = args.is("latency") ? new Histogram(3) : null;
        private final Histogram stalls = args.is("stalls") ? new Histogram(3) : null;
        private double movedNs;
        private double durableNs;
        private int passes;

        private void print(final String prefix, final String key)
        {
            usage.forEach((name, value) -> Child.print(prefix + name, value));
            Child.print(key, passes * length * Unit.NS_PER_S / movedNs);
            if (durableNs > 0)
            {
                Child.print("durableBytesPerSecond", passes * length * Unit.NS_PER_S / durableNs);
            }
            if (null != stalls)
            {
                Child.print(prefix + "StallP99Us", stalls.getValueAtPercentile(99) / Unit.NS_PER_US);
                Child.print(prefix + "StallMaxUs", stalls.getMaxValue() / Unit.NS_PER_US);
            }
        }
    }

    /** Repeats passes for as long as is measured, and a number of times at least. */
    private Total repeat(final int least, final long passLength, final Pass pass)
        throws IOException, InterruptedException
    {
        System.gc();
        final Total total = new Total();
        final long end = System.nanoTime() + periodNs;
        while (total.passes < least || System.nanoTime() < end)
        {
            pass.run(total, passLength);
            total.passes++;
        }
        return total;
    }

    /** Passes over a short file, whose figures are discarded. */
    private void warmUp(final Pass pass) throws IOException, InterruptedException
    {
        repeat(WARM_UPS, Math.min(length, WARM_UP_LENGTH), pass);
    }

    private void measureWriting() throws IOException, InterruptedException
    {
        warmUp(this::write);
        final Total total = repeat(1, length, this::write);
        total.print("write", WRITE);
        Child.print("passesCount", total.passes);
    }

    private void measureBoth() throws IOException, InterruptedException
    {
        final ColdRead warm = new ColdRead(Profile.FAIR, file);
        warmUp((total, passLength) ->
        {
            write(total, passLength);
            read(total, file, passLength, warm);
        });
        final Total written = repeat(1, length, this::write);
        written.print("write", WRITE);
        if (null != written.latencies)
        {
            Percentiles.print(written.latencies);
        }
        final ColdRead cold = new ColdRead(profile, file);
        repeat(1, length, (total, passLength) -> read(total, file, passLength, cold)).print("read", READ);
        cold.print();
        // The file is in the page cache by now, even in the cold profile.
        repeat(1, length, (total, passLength) -> read(total, file, passLength, warm))
            .print("again", "readAgainBytesPerSecond");
    }

    private void write(final Total total, final long passLength) throws IOException, InterruptedException
    {
        layout.lay(file, passLength);
        final Stalls stalls = new Stalls(total.stalls);
        final MeasuredInterval interval = MeasuredInterval.start();
        // Opened and closed in the measured time.
        try (OutputStream out = strategy.output(file, passLength, bufferLength))
        {
            expectedSums.put(passLength, 0 == arrayLength ? writeBytes(out, passLength) :
                writeArrays(out, passLength, total.latencies));
        }
        total.movedNs += interval.elapsedNs();
        if (Sync.NONE != sync)
        {
            sync.force(file);
            total.durableNs += interval.elapsedNs();
        }
        interval.addTo(total.usage);
        stalls.end();
        Content.verify(file, passLength, this::at);
    }

    private void read(final Total total, final Path read, final long passLength, final ColdRead cold)
        throws IOException, InterruptedException
    {
        cold.begin();
        final Stalls stalls = new Stalls(total.stalls);
        final MeasuredInterval interval = MeasuredInterval.start();
        final long sum = strategy.read(sums, read, bufferLength, arrayLength);
        total.movedNs += interval.elapsedNs();
        interval.addTo(total.usage);
        stalls.end();
        cold.end(passLength);
        Content.check("checksum", expectedSums.computeIfAbsent(passLength, Content::sum), sum);
    }

    private void measureReading() throws IOException, InterruptedException
    {
        final Path whole = Path.of(args.text("file", file.toString()));
        if (Files.notExists(whole))
        {
            write(whole, length);
        }
        final ColdRead warm = new ColdRead(Profile.FAIR, whole);
        final Pass pass = (total, passLength) -> read(total, beginning(whole, passLength), passLength, warm);
        final long limitNs = TimeUnit.MILLISECONDS.toNanos(args.number("limitMs", 0));
        long reading = Math.min(FIRST_LENGTH, length);
        if (0 == limitNs)
        {
            reading = length;
            warmUp(pass);
        }
        else
        {
            // Slow cases read a part of the file: as much as the last pass shows to fit the limit.
            double lastNs = repeat(1, reading, pass).movedNs;
            while (reading < length && lastNs * GROWTH <= limitNs)
            {
                reading = Math.min(reading * GROWTH, length);
                lastNs = repeat(1, reading, pass).movedNs;
            }
        }
        final Path read = beginning(whole, reading);
        final ColdRead cold = new ColdRead(profile, read);
        final Total total = repeat(1, reading, (sum, passLength) -> read(sum, read, passLength, cold));
        total.usage.forEach((name, value) -> Child.print("read" + name, value));
        Child.print(READ, total.passes * reading * Unit.NS_PER_S / total.movedNs);
        cold.print();
        Child.print(READ_LENGTH, reading);
        Child.print("isReduced", reading < length);
    }

    /** Fsynced so that no writeback competes with the reads. */
    private static void write(final Path file, final long length) throws IOException
    {
        Content.write(file, length);
        ColdRead.force(file);
    }

    /** A file with the first bytes of the whole file; the first case that needs it creates it for all. */
    private static Path beginning(final Path whole, final long readLength) throws IOException
    {
        if (readLength == Files.size(whole))
        {
            return whole;
        }
        final Path beginning = whole.resolveSibling("beginning-" + readLength + ".dat");
        if (Files.notExists(beginning))
        {
            write(beginning, readLength);
        }
        return beginning;
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

        private final Histogram late;
        private volatile boolean isStopped;

        /** @param late of the delays; null if they are not measured. */
        private Stalls(final Histogram late)
        {
            super("stalls");
            this.late = late;
            setDaemon(true);
            if (null != late)
            {
                start();
            }
        }

        void end() throws InterruptedException
        {
            isStopped = true;
            join();
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
