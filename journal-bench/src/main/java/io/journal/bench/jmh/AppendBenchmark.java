package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.bench.run.TempDirectory;
import io.journal.store.Backend;
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
 * The append path alone: records into a prefaulted segment, without fsync, roll or background work.
 * <p>
 * The baseline copies the same bytes into a prefaulted mapping of the same length and computes their CRC32C, the
 * minimum for a journal with checksums. The journal adds a header, a watermark frame every 64 KiB, and publication.
 * <p>
 * All iterations of a fork append to one segment and must fit into it; otherwise the benchmark fails.
 * <p>
 * Sustained, a journal has default segments: includes rolls and the background agent, which prepares segments and
 * fsyncs complete ones. Also bounded by the device.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3)
@Measurement(iterations = 20)
public class AppendBenchmark
{
    static final int SEGMENT_LENGTH = 256 * 1024 * 1024;

    // Shorter than the write window, which would grow otherwise.
    private static final int FILLER_LENGTH = 32 * 1024;

    /**
     * A journal whose next record starts a segment that the background agent has prepared.
     */
    @State(Scope.Thread)
    public static class JournalState
    {
        // All backends.
        @Param
        public Backend backend;

        @Param("0")
        public int writeWindow;

        @Param({ "64", "256", "1024", "4096" })
        public int recordLength;

        /** Records per iteration. */
        @Param("2000")
        public int records;

        @Param("false")
        public boolean isSustained;

        @Param("target")
        public String directory;

        private TempDirectory temp;
        private Journal journal;
        private JournalAppender appender;
        private Payload payload;

        @Setup(Level.Trial)
        public void open() throws Exception
        {
            temp = TempDirectory.below(Path.of(directory), "append-");
            final JournalBuilder builder =
                Journal.builder(temp.path().resolve("journal")).backend(backend).writeWindow(writeWindow);
            journal = (isSustained ? builder : builder.segmentLength(SEGMENT_LENGTH).backgroundThread(false)).open();
            appender = journal.appender();
            payload = new Payload(recordLength);
            WarmUp.run(this::append, journal.segmentLength() / 2, recordLength);
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

        @TearDown(Level.Trial)
        public void close()
        {
            journal.close();
            temp.close();
        }

        long append(final int count)
        {
            final JournalAppender appender = this.appender;
            final Payload payload = this.payload;
            final int length = recordLength;
            long sequence = 0;
            for (int i = 0; i < count; i++)
            {
                sequence = appender.append(payload.bytes, payload.next(), length);
            }

            return sequence;
        }
    }

    /**
     * A prefaulted mapping as long as the segment.
     */
    @State(Scope.Thread)
    public static class BaselineState
    {
        @Param({ "64", "256", "1024", "4096" })
        public int recordLength;

        /** Records per iteration. */
        @Param("2000")
        public int records;

        @Param("target")
        public String directory;

        private final CRC32C crc = new CRC32C();
        private TempDirectory temp;
        private MappedByteBuffer region;
        private ByteBuffer view;
        private Payload payload;
        private int offset;

        @Setup(Level.Trial)
        public void map() throws IOException
        {
            temp = TempDirectory.below(Path.of(directory), "baseline-");
            region = TouchedRegion.map(temp.path().resolve("region"), SEGMENT_LENGTH);
            view = region.duplicate();
            payload = new Payload(recordLength);
            WarmUp.run(this::append, SEGMENT_LENGTH / 2, recordLength);
        }

        @TearDown(Level.Trial)
        public void close()
        {
            temp.close();
        }

        long append(final int count)
        {
            final MappedByteBuffer region = this.region;
            final Payload payload = this.payload;
            final int length = recordLength;
            int offset = this.offset;
            long checksums = 0;
            for (int i = 0; i < count; i++)
            {
                if (offset + length > SEGMENT_LENGTH)
                {
                    offset = 0;
                }
                region.put(offset, payload.bytes, payload.next(), length);
                crc.reset();
                crc.update(view.limit(offset + length).position(offset));
                checksums += crc.getValue();
                offset += length;
            }
            this.offset = offset;

            return checksums;
        }
    }

    @Benchmark
    public long append(final JournalState state)
    {
        return state.append(state.records);
    }

    @Benchmark
    public long baseline(final BaselineState state)
    {
        return state.append(state.records);
    }
}
