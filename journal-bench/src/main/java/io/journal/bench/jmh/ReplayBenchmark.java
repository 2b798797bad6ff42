package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
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
 * Replay from the page cache: every record is located, verified and delivered.
 * <p>
 * The baseline computes CRC32C of the same number of bytes, record by record, at known offsets of a prefaulted mapping.
 * The journal maps its segments in each pass and so includes page faults.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(3)
@Warmup(iterations = 3)
@Measurement(iterations = 20)
public class ReplayBenchmark
{
    /** Bytes of a warm-up pass. */
    private static final int ROOM = 64 * 1024 * 1024;

    /**
     * A journal in the page cache, and a reader.
     */
    @State(Scope.Thread)
    public static class JournalState
    {
        // All backends.
        @Param
        public Backend backend;

        @Param({ "64", "256", "1024", "4096" })
        public int recordLength;

        /** Records per pass. */
        @Param("10000")
        public int records;

        @Param("target")
        public String directory;

        private TempDirectory temp;
        private Journal journal;
        private JournalReader reader;
        private long bytes;

        @Setup(Level.Trial)
        public void write() throws IOException
        {
            temp = TempDirectory.below(Path.of(directory), "replay-");
            journal = Journal.builder(temp.path().resolve("journal"))
                .backend(backend)
                .backgroundThread(false)
                .open();
            final JournalAppender appender = journal.appender();
            final Payload payload = new Payload(recordLength);
            for (int i = 0; i < records; i++)
            {
                appender.append(payload.bytes, payload.next(), recordLength);
            }

            reader = journal.openReader();
            WarmUp.run(this::replayPart, ROOM, recordLength);
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

        @TearDown(Level.Trial)
        public void close()
        {
            reader.close();
            journal.close();
            temp.close();
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

    /**
     * A prefaulted mapping that holds as many bytes as the journal's records.
     */
    @State(Scope.Thread)
    public static class BaselineState
    {
        @Param({ "64", "256", "1024", "4096" })
        public int recordLength;

        /** Records per pass. */
        @Param("10000")
        public int records;

        @Param("target")
        public String directory;

        private final CRC32C crc = new CRC32C();
        private TempDirectory temp;
        private ByteBuffer region;

        @Setup(Level.Trial)
        public void map() throws IOException
        {
            temp = TempDirectory.below(Path.of(directory), "baseline-");
            region = TouchedRegion.map(temp.path().resolve("region"), Math.multiplyExact(records, recordLength));
            final Payload payload = new Payload(recordLength);
            for (int i = 0; i < records; i++)
            {
                region.put(i * recordLength, payload.bytes, payload.next(), recordLength);
            }

            WarmUp.run(this::replay, ROOM, recordLength);
        }

        @TearDown(Level.Trial)
        public void close()
        {
            temp.close();
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
