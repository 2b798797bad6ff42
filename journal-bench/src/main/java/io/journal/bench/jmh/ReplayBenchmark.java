package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.store.Backend;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * Replay from the page cache: every record is located, verified and delivered.
 * <p>
 * The baseline computes CRC32C of the same number of bytes, record by record, at known offsets of a prefaulted mapping.
 * The journal maps its segments in each pass and so includes page faults.
 */
public class ReplayBenchmark extends JournalBenchmark
{
    /** Bytes of a warm-up pass. */
    private static final int ROOM = 64 * 1024 * 1024;

    /** A journal in the page cache, and a reader. */
    public static class JournalState extends RecordFiles
    {
        // All backends.
        @Param
        public Backend backend;

        private Journal journal;
        private JournalReader reader;
        private long bytes;

        @Setup(Level.Trial)
        public void write() throws IOException
        {
            journal = Journal.builder(create("journal")).backend(backend).backgroundThread(false).open();
            final JournalAppender appender = journal.appender();
            for (int i = 0; i < records; i++)
            {
                appender.append(payload.bytes, payload.next(), recordLength);
            }

            reader = journal.openReader();
            warmUp(this::replayPart, ROOM);
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

    /** A prefaulted mapping that holds as many bytes as the journal's records. */
    public static class BaselineState extends RecordFiles
    {
        private final CRC32C crc = new CRC32C();
        private ByteBuffer region;

        @Setup(Level.Trial)
        public void map() throws IOException
        {
            region = map(create("baseline"), Math.multiplyExact(records, recordLength));
            for (int i = 0; i < records; i++)
            {
                region.put(i * recordLength, payload.bytes, payload.next(), recordLength);
            }

            warmUp(this::replay, ROOM);
        }

        long replay(final int count)
        {
            final int length = recordLength;
            long checksums = 0;
            for (int i = 0; i < Math.min(count, records); i++)
            {
                crc.reset();
                crc.update(region.limit((i + 1) * length).position(i * length));
                checksums += crc.getValue();
            }

            return checksums;
        }
    }

    @Benchmark
    public int replay(final JournalState state)
    {
        return state.replay(state.records);
    }

    @Benchmark
    public long baseline(final BaselineState state)
    {
        return state.replay(state.records);
    }
}
