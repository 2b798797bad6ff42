package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;

import io.journal.bench.run.TempDirectory;
import org.agrona.IoUtil;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * What the benchmarks share: how they run, and the files and bytes of journal and baseline.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3)
@Measurement(iterations = 20)
public abstract class JournalBenchmark
{
    /** Records in a temporary directory: of a journal, or of its baseline. */
    @State(Scope.Thread)
    public abstract static class RecordFiles
    {
        private static final int PAGE_LENGTH = 4096;
        private static final int WARM_UP_CALLS = 20_000;
        private static final int MAX_WARM_UP_COUNT = 25;
        private static final int MIN_HEADER_LENGTH = 64;
        private static volatile long blackhole;

        @Param({ "64", "256", "1024", "4096" })
        public int recordLength;

        /** Records per iteration. */
        @Param("2000")
        public int records;

        @Param("target")
        public String directory;

        Payload payload;
        private TempDirectory temp;

        final Path create(final String name) throws IOException
        {
            temp = TempDirectory.below(Path.of(directory), name + '-');
            payload = new Payload(recordLength);
            return temp.path().resolve(name);
        }

        @TearDown(Level.Trial)
        public void close()
        {
            temp.close();
        }

        /** A prefaulted mapping of a fully allocated file: stores to it cause no page faults. */
        static MappedByteBuffer map(final Path file, final int length) throws IOException
        {
            try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE))
            {
                IoUtil.fill(channel, 0, length, (byte)0);
                channel.force(false);

                final MappedByteBuffer region = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
                region.order(ByteOrder.LITTLE_ENDIAN);
                for (int i = 0; i < length; i += PAGE_LENGTH)
                {
                    region.put(i, region.get(i));
                }
                return region;
            }
        }

        /**
         * Gets a loop compiled before it is measured, by many short calls instead of on-stack replacement.
         *
         * @param loop takes the number of records.
         * @param room bytes it may use.
         */
        final void warmUp(final IntToLongFunction loop, final int room)
        {
            final int most = Math.max(1, room / WARM_UP_CALLS / (recordLength + MIN_HEADER_LENGTH));
            final int count = Math.min(MAX_WARM_UP_COUNT, most);
            long result = 0;
            for (int i = 0; i < WARM_UP_CALLS; i++)
            {
                result += loop.applyAsLong(count);
            }
            blackhole = result;
        }
    }

    /**
     * The bytes to append, the same for journal and baseline. Random, since zeros may be special-cased; small enough to
     * stay in the CPU cache, since reading them is not measured.
     */
    static final class Payload
    {
        private static final int LENGTH = 16 * 1024;
        private static final long SEED = 0x5EED;

        final byte[] bytes = new byte[LENGTH];
        private final int recordLength;
        private int offset;

        Payload(final int recordLength)
        {
            this.recordLength = recordLength;
            new SplittableRandom(SEED).nextBytes(bytes);
        }

        /** Offset of the next record in {@link #bytes}. */
        int next()
        {
            final int next = offset;
            offset = next + 2 * recordLength <= LENGTH ? next + recordLength : 0;
            return next;
        }
    }
}
