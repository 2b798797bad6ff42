package io.journal.bench.recommend;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.journal.BackendConfig;
import io.journal.bench.journal.JournalUnderTest;
import io.journal.bench.journal.Records;
import io.journal.bench.recommend.Measurements.Figure;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Spread;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.MeasuredInterval;
import org.HdrHistogram.Histogram;

/**
 * Measures one configuration once, in a process of its own: writes a journal, reopens it, checks every record, replays
 * it. Warms up with a shorter run of the same steps.
 */
final class Trial
{
    private static final int MIB = 1024 * 1024;
    private static final int MAX_PREPARE_MS = 2000;
    private static final int PREPARE_POLL_MS = 5;
    private static final int WARM_MS = 40;
    private static final double NS_PER_S = 1e9;

    private final JournalUnderTest measured;
    private final Plan plan;
    private final Records records;
    private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    private final Histogram forceLatencies = new Histogram(3);
    private long lastSequence;

    private Trial(final JournalUnderTest measured, final Plan plan)
    {
        this.measured = measured;
        this.plan = plan;
        records = measured.records();
    }

    static BenchmarkCase benchmark(final BackendConfig measured, final Plan plan)
    {
        return BenchmarkCase.of(measured.label(), Trial.class)
            .parameter("backend", measured.backend())
            .parameter("windowLength", measured.writeWindow())
            .parameter("recordLength", plan.recordLength())
            .argument("segmentLength", plan.segmentLength()).argument("appendLength", plan.appendLength())
            .argument("appendMs", plan.appendMs()).argument("forceMs", plan.forceMs())
            .argument("replayMs", plan.replayMs());
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final Plan plan = new Plan(
            arguments.length("recordLength"), arguments.length("segmentLength"), arguments.number("appendLength"),
            arguments.length("appendMs"), arguments.length("forceMs"), arguments.length("replayMs"));
        new Trial(JournalUnderTest.of(arguments, "warm-up"), plan.warmUp()).run();
        final Trial trial = new Trial(JournalUnderTest.of(arguments, "journal"), plan);
        final MeasuredInterval usage = MeasuredInterval.start();
        trial.run();
        usage.print("");
        trial.figures.forEach((figure, value) -> System.out.println(figure.key + '=' + value));
        // Includes the 99th percentile, which is one of the figures.
        Percentiles.print(trial.forceLatencies);
    }

    private void run() throws InterruptedException
    {
        try (Journal journal = measured.open())
        {
            append(journal);
            journal.force();
            for (final Figure figure : Figure.FORCED)
            {
                awaitPrepared(journal);
                appendForced(journal, figure);
            }
        }

        // Reads what an open finds, not state of the writer.
        try (Journal journal = measured.open(); JournalReader reader = journal.openReader())
        {
            records.check(journal, lastSequence);
            replayTimed(reader);
        }
    }

    /**
     * Waits until the background agent has prepared the next segment, which appears under its name then. A journal
     * under steady fsyncs nearly always has it ready; here the agent would still be busy after the previous burst. A
     * mapped segment is prefaulted after it got its name, which takes some milliseconds of CPU.
     */
    private void awaitPrepared(final Journal journal) throws InterruptedException
    {
        final long next = journal.counters().appendedPosition() / journal.segmentLength() + 1;
        final Path file = measured.path().resolve(String.format(Locale.ROOT, "%020d.journal", next));
        for (int waitedMs = 0; waitedMs < MAX_PREPARE_MS && Files.notExists(file); waitedMs += PREPARE_POLL_MS)
        {
            Thread.sleep(PREPARE_POLL_MS);
        }
        Thread.sleep(WARM_MS);
    }

    private void append(final Journal journal)
    {
        final JournalAppender appender = journal.appender();
        final long mostRecords = Math.max(1, plan.appendLength() / plan.recordLength());
        final long chunkRecords = Math.max(1, MIB / plan.recordLength());
        final List<Double> chunkRates = new ArrayList<>();
        final long start = System.nanoTime();
        final long deadline = start + TimeUnit.MILLISECONDS.toNanos(plan.appendMs());

        long count = 0;
        long now = start;
        while (count < mostRecords && now < deadline)
        {
            final long chunk = Math.min(chunkRecords, mostRecords - count);
            for (long i = 0; i < chunk; i++)
            {
                append(appender);
            }
            count += chunk;

            final long chunkStart = now;
            now = System.nanoTime();
            chunkRates.add(rate(chunk, now - chunkStart));
        }

        figures.put(Figure.APPEND, rate(count, now - start));
        figures.put(Figure.BURST, Spread.of(chunkRates.stream().mapToDouble(Double::doubleValue).toArray()).median());
    }

    private void append(final JournalAppender appender)
    {
        final long sequence = ++lastSequence;
        final long appended = records.append(appender, sequence);
        if (appended != sequence)
        {
            throw new IllegalStateException("wrong sequence: expected=" + sequence + ", found=" + appended);
        }
    }

    private void appendForced(final Journal journal, final Figure figure)
    {
        final JournalAppender appender = journal.appender();
        final int groupSize = figure.groupSize(plan.recordLength());
        final Histogram latencies = Figure.FORCED_1 == figure ? forceLatencies : new Histogram(3);
        final long start = System.nanoTime();
        final long deadline = start + TimeUnit.MILLISECONDS.toNanos(plan.forceMs());

        long count = 0;
        long now = start;
        do
        {
            for (int i = 0; i < groupSize; i++)
            {
                append(appender);
            }
            journal.force();
            count += groupSize;

            final long groupStart = now;
            now = System.nanoTime();
            latencies.recordValue(now - groupStart);
        }
        while (now < deadline);

        figures.put(figure, count * NS_PER_S / (now - start));
    }

    private void replayTimed(final JournalReader reader)
    {
        final long start = System.nanoTime();
        final long end = start + TimeUnit.MILLISECONDS.toNanos(plan.replayMs());
        long count = 0;
        long now;
        do
        {
            final long replayed = records.read(reader, 1, records::checkOrder);
            if (replayed != lastSequence)
            {
                throw new IllegalStateException("records lost: appended=" + lastSequence + ", replayed=" + replayed);
            }
            count += replayed;
            now = System.nanoTime();
        }
        while (now < end);

        figures.put(Figure.REPLAY, rate(count, now - start));
    }

    private double rate(final long count, final long durationNs)
    {
        return count * plan.recordLength() * NS_PER_S / durationNs;
    }

    /**
     * Sizes and times of a trial.
     *
     * @param segmentLength short, so that rolls contribute to the result.
     * @param appendLength  bytes of records to append without fsync.
     * @param appendMs      limit for that.
     * @param forceMs       for each group size.
     * @param replayMs      at least this, and at least one pass.
     */
    record Plan(int recordLength, int segmentLength, long appendLength, int appendMs, int forceMs, int replayMs)
    {
        private static final int SEGMENT_LENGTH = 16 * MIB;
        private static final int APPEND_LENGTH = 64 * MIB;
        private static final int WARM_UP_SHARE = 8;

        /** Splits a time, most of it for the deciding figures. */
        static Plan of(final Requirement requirement, final int ms)
        {
            final boolean isForcing = Requirement.Durability.POWER == requirement.durability();
            return new Plan(
                requirement.recordLength(), SEGMENT_LENGTH, APPEND_LENGTH, isForcing ? ms / 4 : ms / 2,
                isForcing ? ms / 5 : ms / 10, ms / 8);
        }

        /** The warm-up in the same JVM: the same steps, shorter. */
        Plan warmUp()
        {
            return new Plan(
                recordLength, segmentLength, appendLength / WARM_UP_SHARE, appendMs / 2, forceMs / WARM_UP_SHARE,
                replayMs / 2);
        }

        /** Disk space of a trial, roughly: fsynced appends are bounded only by their time. */
        long neededSpace()
        {
            return 4 * appendLength + 8L * segmentLength;
        }
    }
}
