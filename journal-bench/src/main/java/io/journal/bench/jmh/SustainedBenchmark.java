package io.journal.bench.jmh;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
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
 * Sustained appends with default segments: includes rolls and the background agent, which prepares segments and fsyncs
 * complete ones. Also bounded by the device.
 * <p>
 * Its baseline is {@link AppendBenchmark#baseline}.
 */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(3)
@Warmup(iterations = 1)
@Measurement(iterations = 2)
public class SustainedBenchmark
{
    /**
     * A journal with default settings but for backend and write window.
     */
    @State(Scope.Thread)
    public static class JournalState
    {
        // All backends.
        @Param
        public Backend backend;

        @Param("0")
        public int writeWindow;

        @Param("256")
        public int recordLength;

        /** Records per iteration. */
        @Param("750000")
        public int records;

        @Param("target")
        public String directory;

        private TempDirectory temp;
        private Journal journal;
        private JournalAppender appender;
        private Payload payload;

        @Setup(Level.Trial)
        public void open() throws Exception
        {
            temp = TempDirectory.below(Path.of(directory), "sustained-");
            journal = Journal.builder(temp.path().resolve("journal"))
                .backend(backend)
                .writeWindow(writeWindow)
                .open();
            appender = journal.appender();
            payload = new Payload(recordLength);
            WarmUp.run(this::append, journal.segmentLength() / 2, recordLength);
        }

        @TearDown(Level.Trial)
        public void close()
        {
            journal.close();
            temp.close();
        }

        long append(final int count)
        {
            long sequence = 0;
            for (int i = 0; i < count; i++)
            {
                sequence = appender.append(payload.bytes, payload.next(), recordLength);
            }

            return sequence;
        }
    }

    @Benchmark
    public long append(final JournalState state)
    {
        return state.append(state.records);
    }
}
