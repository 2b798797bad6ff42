package io.journal.bench.article;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Results;
import io.journal.bench.run.Table;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * File copying, which a comment on the article asked for.
 */
@Command(
    name = "copy",
    description = "Copies a file in the page cache with a read/write loop, transferTo, transferFrom, and Files.copy: " +
        "MB/s, and the ratio to the first loop in the same round.",
    footer = {
        "%nAnswers: is copying by the operating system faster?",
        "Example: copy --dir=/on/the/disk --buffer-lengths=8192,1048576",
        "Takes: about a minute." },
    sortOptions = false)
public final class Copy extends Experiment
{
    static final String COPY = "copyBytesPerSecond";

    // Write, copy, force, compare.
    private static final int PASSES = 5;
    private static final double ASSUMED_RATE = 500e6;
    // Reads and writes, in warm-up and measurement.
    private static final int ASSUMED_CALLS = 4;
    private static final double ASSUMED_CALL_S = 0.3e-6;
    private static final double OVERHEAD_S = 1;

    @Option(names = "--size", defaultValue = "409600000", description = "File length in bytes. Default: " +
        "${DEFAULT-VALUE}")
    private long size;

    @Option(names = "--buffer-lengths", split = ",", defaultValue = "4096,65536", description = "Buffer lengths of " +
        "the loop, in bytes. Default: ${DEFAULT-VALUE}")
    private List<Integer> bufferLengths;

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.atLeast(1, "--size", size).within(1, ArticleExperiment.MAX_LENGTH, "--buffer-lengths", bufferLengths);
        size = options.scaled(size);
    }

    @Override
    protected double neededBytes()
    {
        return 2.25 * size;
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * (benchmarks.size() * (OVERHEAD_S + size * PASSES / ASSUMED_RATE) +
                bufferLengths.stream().mapToDouble((each) -> ASSUMED_CALLS * ASSUMED_CALL_S * size / each).sum()),
            "%d rounds in random order, each case in its own JVM without flags, warmed up; a file of %,d B in the " +
                "page cache is copied to a new one, which is then fsynced and compared",
            options.rounds, size);
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        bufferLengths.forEach((each) -> benchmarks.add(
            benchmark(String.format(Locale.ROOT, "loop, buffer of %,d B", each), Strategy.LOOP, each)));
        benchmarks.add(benchmark("FileChannel.transferTo", Strategy.TRANSFER_TO, 0));
        benchmarks.add(benchmark("FileChannel.transferFrom", Strategy.TRANSFER_FROM, 0));
        benchmarks.add(benchmark("Files.copy", Strategy.FILES_COPY, 0));
        return benchmarks;
    }

    private BenchmarkCase benchmark(final String label, final Strategy strategy, final int bufferLength)
    {
        return BenchmarkCase.of(label, Trial.class).parameter("way", strategy)
            .parameter("length", size).parameter("bufferLength", bufferLength);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.printf("%n%s%n", results.heading());
        Table.of("", benchmarks)
            .column("copied", (label) -> results.megabytes(label, COPY))
            .column("copied and fsynced", (label) -> results.megabytes(label, Sequential.DURABLE))
            .column("ratio to the first", (label) -> results.ratioText(label, benchmarks.get(0).label(), COPY))
            .print(out);
    }

    /** The JDK's APIs to copy a file to a new one. */
    enum Strategy
    {
        /** Reads and writes a buffer of a given length; the other strategies choose their own. */
        LOOP, TRANSFER_TO, TRANSFER_FROM, FILES_COPY;

        void copy(final Path source, final Path target, final int bufferLength) throws IOException
        {
            if (FILES_COPY == this)
            {
                Files.copy(source, target);
                return;
            }
            try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
                FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
            {
                if (LOOP == this)
                {
                    final ByteBuffer buffer = ByteBuffer.allocateDirect(bufferLength);
                    while (in.read(buffer.clear()) >= 0)
                    {
                        FileStreams.writeAll(out, buffer.flip());
                    }
                    return;
                }
                final long length = in.size();
                for (long offset = 0; offset < length;)
                {
                    offset += TRANSFER_TO == this ? in.transferTo(offset, length - offset, out) :
                        out.transferFrom(in, offset, length - offset);
                }
            }
        }
    }

    /** Copies a file with one strategy, then fsyncs the copy, after a warm-up. Independent code compares the files. */
    static final class Trial
    {
        private static final int PAGE_LENGTH = 4096;

        public static void main(final String[] args) throws IOException
        {
            final Arguments arguments = Arguments.of(args);
            final Path source = arguments.directory().resolve("source.dat");
            final Path target = arguments.directory().resolve("target.dat");
            final Strategy strategy = arguments.one(Strategy.class, "way");
            final int bufferLength = arguments.length("bufferLength");
            final long length = arguments.number("length");

            FileStrategy.CHANNEL_DIRECT.write(
                source, Math.min(length, ArticleExperiment.WARM_UP_LENGTH), PAGE_LENGTH, null);
            for (int i = 0; i < ArticleExperiment.WARM_UPS; i++)
            {
                strategy.copy(source, target, bufferLength);
                Files.delete(target);
            }

            FileStrategy.CHANNEL_DIRECT.write(source, length, PAGE_LENGTH, null);
            ColdRead.force(source);
            System.gc();
            final MeasuredInterval interval = MeasuredInterval.start();
            strategy.copy(source, target, bufferLength);
            interval.rate(COPY, length);
            ColdRead.force(target);
            interval.rate(Sequential.DURABLE, length);
            interval.print("copy");

            Content.check("length of the copy", length, Files.size(target));
            Content.check("copy: first difference", -1, Files.mismatch(source, target));
        }
    }
}
