package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.util.zip.CRC32C;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.store.Backend;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

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
public class AppendBenchmark extends JournalBenchmark
{
    static final int SEGMENT_LENGTH = 256 * 1024 * 1024;

    // Shorter than the write window, which would grow otherwise.
    private static final int FILLER_LENGTH = 32 * 1024;

    /** A journal whose next record starts a segment that the background agent has prepared. */
    public static class JournalState extends RecordFiles
    {
        // All backends.
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

    /** A prefaulted mapping as long as the segment. */
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
