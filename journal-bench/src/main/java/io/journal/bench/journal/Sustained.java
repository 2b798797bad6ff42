package io.journal.bench.journal;

import java.io.PrintWriter;
import java.util.List;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Results;
import io.journal.bench.run.Table;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Sustained append rate while old segments are deleted or recycled.
 */
@Command(
    name = "sustained",
    description = "Appends without a pause under retention, with new and with recycled segments: MB/s of records.",
    footer = {
        "%nAnswers: which rate can be sustained, and does recycling segments help?",
        "Example: sustained --dir=/on/the/disk --record-length=1024 --kept=8",
        "Takes: about 5 minutes." },
    sortOptions = false)
public final class Sustained extends JournalExperiment
{
    public static final String APPENDED = "appendedBytesPerSecond";
    public static final String FORCED = "forcedBytesPerSecond";
    public static final String SEGMENTS = "segmentsCount";

    private static final int MAX_KEPT = 100_000;
    // The newest one, those that are not durable yet, and those prepared ahead: see Retention.
    private static final int SEGMENTS_BESIDES_KEPT = 1 + 15 + 4;
    private static final double ASSUMED_RATE = 400e6;
    private static final double ASSUMED_RECORD_S = 0.2e-6;

    @Option(names = "--kept", defaultValue = "4", description = "Segments to retain. Default: ${DEFAULT-VALUE}")
    private int keptSegments;

    @Option(names = "--warm-up-bytes", defaultValue = "500000000", description = "Bytes of records to warm up with: " +
        "more than is retained, so that segments are recycled. Default: ${DEFAULT-VALUE}")
    private long warmUpBytes;

    @Option(names = "--bytes", defaultValue = "1000000000",
        description = "Bytes of records to measure, per case and round. Default: ${DEFAULT-VALUE}")
    private long countedBytes;

    public Sustained()
    {
        leastRecordLength = 1;
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.within(1, MAX_KEPT, "--kept", keptSegments)
            .atLeast(0, "--warm-up-bytes", warmUpBytes)
            .atLeast(1, "--bytes", countedBytes);
        super.check(checks);
        checks.that(options.scaled(countedBytes) >= recordLength, "--bytes must be a record or more");
    }

    /** All records, or if that is less, the segments that retention leaves. */
    @Override
    protected double neededBytes()
    {
        final double count = ((double)warmUpBytes + options.scaled(countedBytes)) / recordLength;
        return Math.min(
            neededBytes(count, recordLength, segmentLength),
            ((double)keptSegments + SEGMENTS_BESIDES_KEPT) * segmentLength);
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        return backends.stream()
            .flatMap((backend) -> Stream.of(false, true)
                .map((isRecycling) -> benchmark(label(backend, isRecycling), Trial.class)
                    .argument("keptSegments", keptSegments).argument("warmUpBytes", warmUpBytes)
                    .argument("bytes", options.scaled(countedBytes))
                    .parameter("backend", backend).parameter("recycling", isRecycling)))
            .toList();
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * benchmarks.size() * (OVERHEAD_S + ((double)warmUpBytes + options.scaled(countedBytes)) *
                (1 / ASSUMED_RATE + ASSUMED_RECORD_S / recordLength)),
            "%d rounds; records of %d B; segments of %d B, %d retained; %,d B of records after %,d B of " +
                "warm-up",
            options.rounds, recordLength, segmentLength, keptSegments, options.scaled(countedBytes), warmUpBytes);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.println();
        final Table table = new Table("MB/s of records", "appended", "and fsynced", "recycled to filled, fsynced");
        backends.forEach((backend) ->
        {
            final String filled = label(backend, false);
            final String recycled = label(backend, true);
            table.row(filled, results.megabytes(filled, APPENDED), results.megabytes(filled, FORCED), "");
            table.row(
                recycled, results.megabytes(recycled, APPENDED), results.megabytes(recycled, FORCED),
                results.ratioText(recycled, filled, FORCED));
        });
        table.print(out);
    }

    /**
     * Appends as many bytes of frames as warm-up, then as many again, with one length of segments; nothing is pruned.
     */
    public static BenchmarkCase benchmark(
        final String label, final BackendConfig config, final int recordLength, final int segmentLength,
        final long bytes)
    {
        final long recordBytes = bytes / frameLength(recordLength) * recordLength;
        return BenchmarkCase.of(label, Trial.class)
            .argument("recycling", false).argument("keptSegments", 2 * bytes / segmentLength + 1)
            .argument("warmUpBytes", recordBytes).argument("bytes", recordBytes)
            .parameter("backend", config.backend()).parameter("windowLength", config.writeWindow())
            .parameter("recordLength", recordLength).parameter("segmentLength", segmentLength);
    }

    private static String label(final Backend backend, final boolean isRecycling)
    {
        return backend + (isRecycling ? ", recycled" : ", filled");
    }

    /** Appends many times what is retained, then forces; then checks the retained records. */
    static final class Trial
    {
        public static void main(final String[] args)
        {
            final Arguments arguments = Arguments.of(args);
            final JournalUnderTest measured = JournalUnderTest.of(arguments, "journal");
            final int recordLength = measured.recordLength();
            final long last;
            try (Journal journal = measured.open())
            {
                measured.records().append(journal, arguments.number("warmUpBytes") / recordLength, Long.MAX_VALUE);
                final long count = arguments.number("bytes") / recordLength;
                final MeasuredInterval interval = MeasuredInterval.start();
                measured.records().append(journal, count, Long.MAX_VALUE);
                interval.rate(APPENDED, count * recordLength);
                journal.force();
                interval.rate(FORCED, count * recordLength);
                interval.print("");
                Child.print(SEGMENTS, 1 + journal.counters().appendedPosition() / measured.segmentLength());
                last = journal.lastSequence();
            }
            try (Journal journal = measured.reopen())
            {
                measured.records().check(journal, last);
            }
        }
    }
}
