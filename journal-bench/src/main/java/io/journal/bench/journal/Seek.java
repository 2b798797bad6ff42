package io.journal.bench.journal;

import java.io.PrintWriter;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.article.Content;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Child;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;
import io.journal.bench.run.MeasuredInterval;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Cost of seeking, opening and heap, by length of the history.
 */
@Command(
    name = "seek",
    description = "Seeks random records in a long history of small segments with a warm page cache: microseconds for " +
        "a seek with its read and for an open, and the heap used, for histories of several lengths.",
    footer = {
        "%nAnswers: does a long history make reads, opening or heap use expensive?",
        "Example: seek --dir=/on/the/disk --records=100000,10000000 --backends=MAPPED",
        "Takes: about 4 minutes." },
    sortOptions = false)
public final class Seek extends JournalExperiment
{
    private static final double ASSUMED_RECORD_S = 1.5e-6;
    private static final double ASSUMED_SEEK_S = 50e-6;

    @Option(names = "--records", split = ",", defaultValue = "300000,3000000", description = "Lengths of the history " +
        "in records. Default: ${DEFAULT-VALUE}")
    private List<Long> counts;

    @Option(names = "--seeks", defaultValue = "50000", description = "Number of measured seeks, after as many of " +
        "warm-up. Default: ${DEFAULT-VALUE}")
    private int seeks;

    public Seek()
    {
        recordLength = 64;
        segmentLength = 1024 * 1024;
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, Long.MAX_VALUE, "--records", counts).atLeast(1, "--seeks", seeks);
        super.check(checks);
    }

    @Override
    protected double neededBytes()
    {
        return neededBytes(Collections.max(counts), recordLength, segmentLength);
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * backends.size() * counts.stream().mapToDouble(
                (count) -> OVERHEAD_S + count * ASSUMED_RECORD_S + 2 * options.scaled(seeks) * ASSUMED_SEEK_S).sum(),
            "%d rounds; records of %d B in segments of %d B; %,d measured seeks after as many of " +
                "warm-up; opens of a cleanly closed journal",
            options.rounds, recordLength, segmentLength, options.scaled(seeks));
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        return backends.stream()
            .flatMap((backend) -> counts.stream()
                .map((count) -> benchmark(String.format(Locale.ROOT, "%s, %,d records", backend, count), Trial.class)
                    .argument("seeks", options.scaled(seeks)).argument("seed", options.seed)
                    .parameter("backend", backend).parameter("records", count)))
            .toList();
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.println();
        Table.of("", benchmarks)
            .column("segments", (label) -> Table.number("%,.0f", results.spread(label, "segments").median()))
            .column("open, us", (label) -> Table.number("%,.0f", results.spread(label, "openUs").median()))
            .column("heap KiB", (label) -> Table.number("%,.0f", results.spread(label, "heapKib").median()))
            .print(out);
        Percentiles.table("microseconds for a seek", results, benchmarks).print(out);
    }

    /** Writes a history of many small segments, reopens it, and seeks random sequences. */
    static final class Trial
    {
        private static final int OPENINGS = 5;
        private static final int COLLECTIONS = 3;
        private static final double BYTES_PER_KIB = 1024;
        private static final long MAX_SEEK_NS = TimeUnit.HOURS.toNanos(1);

        private final JournalUnderTest measured;
        private final long count;
        private long found;

        private Trial(final Arguments args)
        {
            measured = JournalUnderTest.of(args, "journal");
            count = args.number("records");
        }

        public static void main(final String[] args)
        {
            final Arguments arguments = Arguments.of(args);
            final Trial trial = new Trial(arguments);
            trial.write();
            trial.measureOpenings();
            trial.measureSeeks(arguments.length("seeks"), arguments.number("seed"));
        }

        private void write()
        {
            try (Journal journal = measured.open())
            {
                final JournalAppender appender = journal.appender();
                final ByteBuffer content = ByteBuffer.allocateDirect(measured.recordLength());
                for (long i = 1; i <= count; i++)
                {
                    appender.append(Records.tag(i), content.clear());
                }
                Child.print("segments", 1 + journal.counters().appendedPosition() / measured.segmentLength());
            }
        }

        private void measureOpenings()
        {
            final double[] openingsUs = new double[OPENINGS];
            for (int i = 0; i < OPENINGS; i++)
            {
                final long start = System.nanoTime();
                try (Journal journal = measured.open())
                {
                    openingsUs[i] = (System.nanoTime() - start) / NS_PER_US;
                    Content.check("last sequence", count, journal.lastSequence());
                }
            }
            Child.print("openUs", Spread.of(openingsUs).median());
        }

        private void measureSeeks(final int seeks, final long seed)
        {
            // Of a fixed range: one that grew would count as heap of the journal.
            final Histogram latencies = new Histogram(MAX_SEEK_NS, 3);
            final long before = usedHeap();
            try (Journal journal = measured.open(); JournalReader reader = journal.openReader())
            {
                seek(reader, seeks, new SplittableRandom(seed), latencies);
                latencies.reset();
                final MeasuredInterval usage = MeasuredInterval.start();
                seek(reader, seeks, new SplittableRandom(seed + 1), latencies);
                usage.print("");
                Child.print("heapKib", (usedHeap() - before) / BYTES_PER_KIB);
            }
            Percentiles.print(latencies);
        }

        private void seek(
            final JournalReader reader, final int seeks, final SplittableRandom random, final Histogram latencies)
        {
            for (int i = 0; i < seeks; i++)
            {
                final long wanted = 1 + random.nextLong(count);
                found = 0;
                final long start = System.nanoTime();
                reader.seek(wanted);
                reader.poll((buffer, offset, length, header) -> found = header.sequence(), 1);
                latencies.recordValue(System.nanoTime() - start);
                if (found != wanted)
                {
                    throw new IllegalStateException("wrong record: expected sequence=" + wanted + ", found=" + found);
                }
            }
        }

        private static long usedHeap()
        {
            for (int i = 0; i < COLLECTIONS; i++)
            {
                System.gc();
            }
            return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        }
    }
}
