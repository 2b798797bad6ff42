// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import java.util.zip.CRC32C;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.bench.run.TempDirectory;
import io.journal.store.Backend;
import org.agrona.IoUtil;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * The append path alone: records into a prefaulted segment, without fsync, roll or background work. The baseline copies
 * the same bytes into a prefaulted mapping of the same length and computes their CRC32C, the minimum for a journal with
 * checksums. The journal adds a header, a watermark frame every 64 KiB, and publication. All iterations of a fork
 * append to one segment and must fit into it; otherwise the benchmark fails. The sustained benchmark uses default
 * segments, and so includes rolls and the background agent, which prepares segments and fsyncs complete ones.
 * <p>
 * Replay from the page cache: every record is located, verified and delivered. The baseline computes CRC32C of the same
 * number of bytes, record by record, at known offsets of a prefaulted mapping. The journal maps its segments in each
 * pass and so includes page faults.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3)
@Measurement(iterations = 20)
public class JournalBenchmark
{
    private static final int SEGMENT_LENGTH = 256 * 1024 * 1024;
    /** Bytes of a warm-up pass of replay. */
    private static final int REPLAY_ROOM = 64 * 1024 * 1024;
    // Shorter than the write window, because a longer record would make the window grow.
    private static final int FILLER_LENGTH = 32 * 1024;
    private static final int PAGE_LENGTH = 4096;
    private static final int WARM_UP_CALLS = 20_000;
    private static final int MAX_WARM_UP_COUNT = 25;
    private static final int MIN_HEADER_LENGTH = 64;
    // The bytes to append stay in the CPU cache, since reading them is not measured.
    private static final int PAYLOAD_LENGTH = 16 * 1024;
    private static final long SEED = 0x5EED;

    private static volatile long blackhole;

    /** Records in a temporary directory: of a journal, or of its baseline. */
    @State(Scope.Thread)
    public abstract static class RecordFiles
    {
        @Param({ "64", "256", "1024", "4096" })
        public int recordLength;
        /** Records per iteration. */
        @Param("2000")
        public int records;
        @Param("target")
        public String directory;

        // Random, since zeros may be special-cased; the same for journal and baseline.
        final byte[] payload = new byte[PAYLOAD_LENGTH];
        private int payloadOffset;
        private TempDirectory temp;

        final Path create(final String name) throws IOException
        {
            temp = TempDirectory.below(Path.of(directory), name + '-');
            new SplittableRandom(SEED).nextBytes(payload);
            return temp.path().resolve(name);
        }

        /** Offset of the next record in the payload. */
        final int next()
        {
            final int next = payloadOffset;
            payloadOffset = next + 2 * recordLength <= PAYLOAD_LENGTH ? next + recordLength : 0;
            return next;
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

    /** A journal whose next record starts a segment that the background agent has prepared. */
    public static class AppendState extends RecordFiles
    {
        // Without a value, JMH runs all backends.
        @Param
        public Backend backend;
        @Param("0")
        public int writeWindow;
        @Param("false")
        public boolean isSustained;

        private Journal journal;
        private JournalAppender appender;

        @Setup(Level.Trial)
        public void open() throws Exception
        {
            final JournalBuilder builder =
                Journal.builder(create("journal")).backend(backend).writeWindow(writeWindow);
            journal = (isSustained ? builder : builder.segmentLength(SEGMENT_LENGTH).backgroundThread(false)).open();
            appender = journal.appender();
            warmUp(this::append, journal.segmentLength() / 2);
            if (!isSustained)
            {
                // The first segment of a journal is not prefaulted; the next one is.
                while (journal.backgroundAgent().doWork() > 0)
                {
                    Thread.onSpinWait();
                }
                final byte[] filler = new byte[FILLER_LENGTH];
                while (journal.counters().appendedPosition() < SEGMENT_LENGTH)
                {
                    appender.append(filler);
                }
            }
        }

        @TearDown(Level.Iteration)
        public void checkSegment()
        {
            if (!isSustained && journal.counters().appendedPosition() >= 2L * SEGMENT_LENGTH)
            {
                throw new IllegalStateException("iterations do not fit a segment: reduce iterations or records");
            }
        }

        @Override
        public void close()
        {
            journal.close();
            super.close();
        }

        long append(final int count)
        {
            final JournalAppender appender = this.appender;
            final int length = recordLength;
            long sequence = 0;
            for (int i = 0; i < count; i++)
            {
                sequence = appender.append(payload, next(), length);
            }
            return sequence;
        }
    }

    /** A prefaulted mapping as long as the segment, which begins with as many bytes as the journal's records. */
    public static class BaselineState extends RecordFiles
    {
        private final CRC32C crc = new CRC32C();
        private MappedByteBuffer region;
        private ByteBuffer view;
        private int offset;

        @Setup(Level.Trial)
        public void map() throws IOException
        {
            region = map(create("baseline"), SEGMENT_LENGTH);
            view = region.duplicate();
            warmUp(this::append, SEGMENT_LENGTH / 2);
            offset = 0;
            append(records);
            warmUp(this::replay, REPLAY_ROOM);
        }

        long append(final int count)
        {
            final MappedByteBuffer region = this.region;
            final int length = recordLength;
            int offset = this.offset;
            long checksums = 0;
            for (int i = 0; i < count; i++)
            {
                if (offset + length > SEGMENT_LENGTH)
                {
                    offset = 0;
                }
                region.put(offset, payload, next(), length);
                checksums += checksum(offset, length);
                offset += length;
            }
            this.offset = offset;
            return checksums;
        }

        long replay(final int count)
        {
            final int length = recordLength;
            long checksums = 0;
            for (int i = 0; i < Math.min(count, records); i++)
            {
                checksums += checksum(i * length, length);
            }
            return checksums;
        }

        private long checksum(final int from, final int length)
        {
            crc.reset();
            crc.update(view.limit(from + length).position(from));
            return crc.getValue();
        }
    }

    /** A journal in the page cache, and a reader. */
    public static class ReplayState extends RecordFiles
    {
        // Without a value, JMH runs all backends.
        @Param
        public Backend backend;

        private Journal journal;
        private JournalReader reader;
        private long bytes;

        @Setup(Level.Trial)
        public void write() throws IOException
        {
            journal = Journal.builder(create("journal")).backend(backend).backgroundThread(false).open();
            for (int i = 0; i < records; i++)
            {
                journal.appender().append(payload, next(), recordLength);
            }
            reader = journal.openReader();
            warmUp(this::replayPart, REPLAY_ROOM);
        }

        @Setup(Level.Iteration)
        public void rewind()
        {
            reader.seekToStart();
            bytes = 0;
        }

        @TearDown(Level.Iteration)
        public void checkBytes()
        {
            if (bytes != (long)records * recordLength)
            {
                throw new IllegalStateException("replayed " + bytes + " bytes of " + (long)records * recordLength);
            }
        }

        @Override
        public void close()
        {
            reader.close();
            journal.close();
            super.close();
        }

        int replay(final int limit)
        {
            return reader.poll((buffer, offset, length, header) -> bytes += length, limit);
        }

        private int replayPart(final int count)
        {
            final int polled = replay(count);
            if (polled < count)
            {
                reader.seekToStart();
            }
            return polled;
        }
    }

    @Benchmark
    public long append(final AppendState state)
    {
        return state.append(state.records);
    }

    @Benchmark
    public long appendBaseline(final BaselineState state)
    {
        return state.append(state.records);
    }

    @Benchmark
    public int replay(final ReplayState state)
    {
        return state.replay(state.records);
    }

    @Benchmark
    public long replayBaseline(final BaselineState state)
    {
        return state.replay(state.records);
    }
}
