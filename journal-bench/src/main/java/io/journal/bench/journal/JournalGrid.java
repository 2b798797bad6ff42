package io.journal.bench.journal;

import java.io.PrintWriter;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BinaryOperator;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.bench.article.Content;
import io.journal.bench.article.Sequential;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Child;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Results;
import io.journal.bench.run.Table;
import io.journal.store.Backend;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@link Sequential} through the journal: throughput of records compared with the same bytes in a plain file.
 */
@Command(
    name = "journal",
    description = "Appends to a journal and replays it, for each backend and each combination of settings: MB/s of " +
        "records, compared with the same bytes in a plain file in the same round. The journal is checked by " +
        "independent code.",
    footer = {
        "%nAnswers: how does the journal compare with a plain file? What do a write window, longer segments, " +
            "recycled segments and fsyncs cost or gain?",
        "Example: journal --dir=/on/the/disk --record-lengths=64,1024 --write-windows=0,65536",
        "Takes: about 5 minutes, with --scale=0.1 one." },
    sortOptions = false)
public final class JournalGrid extends Experiment
{
    // Assumed bytes/s, for all passes over a byte together.
    private static final double ASSUMED_RATE = 120e6;
    private static final double OVERHEAD_S = 2;
    private static final int KEPT_SEGMENTS = 4;

    @Option(names = "--backends", split = ",", description = "Backends. Default: ${DEFAULT-VALUE}")
    private List<Backend> backends = JournalExperiment.PAGE_CACHE;

    @Option(names = "--record-lengths", split = ",", defaultValue = "256,4096", description = "Record length in " +
        "bytes. Default: ${DEFAULT-VALUE}")
    private List<Integer> recordLengths;

    @Option(names = "--write-windows", split = ",", defaultValue = "0",
        description = "Lengths of the write window, in bytes; a mapped journal has none. Default: ${DEFAULT-VALUE}")
    private List<Integer> writeWindows;

    @Option(names = "--segment-lengths", split = ",", defaultValue = "67108864", description = "Segment length in " +
        "bytes. Default: ${DEFAULT-VALUE}")
    private List<Integer> segmentLengths;

    @Option(names = "--force", split = ",", defaultValue = "manual", description = "Force policies: manual, " +
        "every10ms (any number), everyRecord. Default: ${DEFAULT-VALUE}")
    private List<String> policies;

    @Option(names = "--segments", split = ",", defaultValue = "FILLED", description = "Whether segments are newly " +
        "filled with zeros, or recycled by a retention of " + KEPT_SEGMENTS +
        " segments. Default: ${DEFAULT-VALUE}")
    private List<Segments> segments;

    @Option(names = "--bytes", defaultValue = "409600000", description = "Bytes of records per case and round. " +
        "Default: ${DEFAULT-VALUE}")
    private long bytes;

    @Option(names = "--seconds", defaultValue = "5", description = "Limit for the appends of a case: with an fsync " +
        "per record they may end before --bytes. Default: ${DEFAULT-VALUE}")
    private int seconds;

    enum Segments
    {
        FILLED, RECYCLED
    }

    @Override
    protected void check(final OptionChecks checks)
    {
        segmentLengths.forEach((each) -> JournalExperiment.checkSegment(checks, "--segment-lengths", each));
        final int largest = JournalExperiment.largestRecord(Collections.min(segmentLengths));
        checks.within(1, largest, "--record-lengths", recordLengths)
            .within(0, JournalBuilder.MAX_WRITE_WINDOW, "--write-windows", writeWindows)
            .atLeast(1, "--bytes", bytes)
            .within(1, Integer.MAX_VALUE / JournalExperiment.MS_PER_S, "--seconds", seconds);
        JournalExperiment.checkPolicies(checks, policies);
        checks.that(!journals().isEmpty(), "nothing to measure: a mapped journal has no write window");
    }

    @Override
    protected double neededBytes()
    {
        final int recordLength = Collections.min(recordLengths);
        return (double)options.scaled(bytes) / recordLength * JournalExperiment.frameLength(recordLength) +
            (KEPT_SEGMENTS + JournalExperiment.SPARE_SEGMENTS + 2L) * Collections.max(segmentLengths);
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * benchmarks.size() * (OVERHEAD_S + options.scaled(bytes) / ASSUMED_RATE),
            "%d rounds in random order, each case in its own JVM without flags, warmed up; %,d B of records or %d s, " +
                "then an fsync; checked by the verifier and through another backend, then replayed with checksums; " +
                "the plain files are preallocated, and their bytes summed",
            options.rounds, options.scaled(bytes), seconds);
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        return Stream.concat(journals().stream(), plainFiles().stream()).toList();
    }

    private List<BenchmarkCase> journals()
    {
        return recordLengths.stream()
            .flatMap((recordLength) -> policies.stream()
                .flatMap((policy) -> segmentLengths.stream().flatMap((segmentLength) -> segments.stream()
                    .flatMap((origin) -> writeWindows.stream().flatMap((window) -> backends.stream()
                        .filter((backend) -> 0 == window || Backend.MAPPED != backend)
                        .map((backend) -> journal(backend, recordLength, window, segmentLength, policy, origin)))))))
            .toList();
    }

    private BenchmarkCase journal(
        final Backend backend, final int recordLength, final int window, final int segmentLength, final String policy,
        final Segments origin)
    {
        final String label = String.format(
            Locale.ROOT, "%s, %,d B, window %,d, segments of %,d B %s, %s", backend, recordLength, window,
            segmentLength, origin.name().toLowerCase(Locale.ROOT), policy);
        final BenchmarkCase benchmark = BenchmarkCase.of(label, Trial.class)
            .argument("ms", seconds * JournalExperiment.MS_PER_S)
            .parameter("backend", backend).parameter("recordLength", recordLength)
            .parameter("windowLength", window).parameter("segmentLength", segmentLength)
            .parameter("forcePolicy", policy).parameter("segments", origin)
            .parameter("length", options.scaled(bytes));
        return Segments.FILLED == origin ? benchmark :
            benchmark.argument("recycling", true).argument("keptSegments", KEPT_SEGMENTS);
    }

    /** The baselines: the same bytes in plain files, record by record, through the API of each backend. */
    private List<BenchmarkCase> plainFiles()
    {
        return recordLengths.stream()
            .flatMap((recordLength) -> backends.stream().map((backend) -> plainFile(backend, recordLength)))
            .distinct().toList();
    }

    private BenchmarkCase plainFile(final Backend backend, final int recordLength)
    {
        return Sequential.benchmark(
            Backend.FILE_CHANNEL == backend || Backend.DIRECT == backend ? "CHANNEL_DIRECT" : backend.name(),
            options.scaled(bytes), recordLength);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
    {
        out.printf("%n%s%nEach with its ratio to the plain file of the same round.%n", results.heading());
        final Map<String, String> plain = new HashMap<>();
        journals().forEach((each) -> plain.put(each.label(), plainFile(
            Backend.valueOf(each.parameters().get("backend")),
            Integer.parseInt(each.parameters().get("recordLength"))).label()));
        columns(Table.of("", journals()), (label, key) -> results.megabytes(label, key) + "  " +
            results.ratioText(label, plain.get(label), key)).print(out);
        columns(Table.of("Plain files", plainFiles()), results::megabytes).print(out);
    }

    private static Table columns(final Table table, final BinaryOperator<String> cell)
    {
        return table.column("written", (label) -> cell.apply(label, Sequential.WRITE))
            .column("written and fsynced", (label) -> cell.apply(label, Sequential.DURABLE))
            .column("read", (label) -> cell.apply(label, Sequential.READ));
    }

    /**
     * Appends a number of bytes, or as many as fit in the time, then forces and replays them, after a warm-up.
     * Independent code checks the journal in between.
     */
    record Trial(JournalUnderTest measured)
    {
        private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
        private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(500);

        public static void main(final String[] args)
        {
            final Arguments arguments = Arguments.of(args);
            final long length = arguments.number("length");
            new Trial(JournalUnderTest.of(arguments, "warm-up")).warmUp(Math.min(length, WARM_UP_LENGTH));
            new Trial(JournalUnderTest.of(arguments, "journal")).run(
                length, TimeUnit.MILLISECONDS.toNanos(arguments.number("ms")),
                Segments.RECYCLED == arguments.one(Segments.class, "segments"));
        }

        private void warmUp(final long length)
        {
            try (Journal journal = measured.open())
            {
                append(journal, length, WARM_UP_NS);
            }
            read();
        }

        private void run(final long length, final long mostNs, final boolean isRecycling)
        {
            final int recordLength = measured.recordLength();
            if (isRecycling)
            {
                // Exceeds what retention keeps, so that segments are recycled from the start.
                try (Journal journal = measured.builder().force(ForcePolicy.manual()).open())
                {
                    append(journal, (KEPT_SEGMENTS + 2L) * measured.segmentLength(), Long.MAX_VALUE);
                }
            }
            final long last;
            System.gc();
            try (Journal journal = measured.open())
            {
                final MeasuredInterval interval = MeasuredInterval.start();
                final long count = append(journal, length, mostNs);
                interval.rate(Sequential.WRITE, count * recordLength);
                journal.force();
                interval.rate(Sequential.DURABLE, count * recordLength);
                interval.print("write");
                last = journal.lastSequence();
                Child.print("recordsCount", count);
            }
            final long first = measured.check(last);
            System.gc();
            final MeasuredInterval interval = MeasuredInterval.start();
            final long count = read();
            interval.rate(Sequential.READ, count * recordLength);
            interval.print("read");
            Content.check("number of records", last - first + 1, count);
        }

        /** Returns the number of records. */
        private long append(final Journal journal, final long length, final long mostNs)
        {
            return measured.records().append(journal, Math.max(1, length / measured.recordLength()), mostNs);
        }

        /** Replays everything; verifies the checksum of each frame, and sequence and length of each record. */
        private long read()
        {
            try (Journal journal = measured.reopen(); JournalReader reader = journal.openReader())
            {
                return measured.records().read(reader, journal.firstSequence(), measured.records()::checkOrder);
            }
        }
    }
}
