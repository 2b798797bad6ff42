package io.journal.bench.recommend;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.subject.Records;
import io.journal.bench.recommend.Measurements.Figure;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Spread;
import io.journal.bench.run.TempDirectory;
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
    private static final String MEMORY = "memory";
    private static final int WARM_UP_SEGMENT_LENGTH = 4 * MIB;
    private static final int WARM_UP_FORCES = 10_000;
    private static final int MAX_WARM_UP_LENGTH = 256;

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

    /**
     * @param memory directory in memory, if there is one.
     */
    static BenchmarkCase benchmark(final BackendConfig measured, final Plan plan, final Optional<Path> memory)
    {
        final BenchmarkCase benchmark = BenchmarkCase.of(measured.label(), Trial.class)
            .parameter("backend", measured.backend())
            .parameter("windowLength", measured.writeWindow())
            .parameter("recordLength", plan.recordLength())
            .argument("segmentLength", plan.segmentLength()).argument("appendLength", plan.appendLength())
            .argument("appendMs", plan.appendMs()).argument("forceMs", plan.forceMs())
            .argument("replayMs", plan.replayMs());
        memory.ifPresent((path) -> benchmark.argument(MEMORY, path));
        return benchmark;
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final Plan plan = new Plan(
            arguments.length("recordLength"), arguments.length("segmentLength"), arguments.number("appendLength"),
            arguments.length("appendMs"), arguments.length("forceMs"), arguments.length("replayMs"));
        final JournalUnderTest warmUp = JournalUnderTest.of(arguments, "warm-up");
        new Trial(warmUp, plan.warmUp()).run();
        final String memory = arguments.values().get(MEMORY);
        if (null != memory)
        {
            compileForces(warmUp, Path.of(memory, "warm-up"));
        }
        final Trial trial = new Trial(JournalUnderTest.of(arguments, "journal"), plan);
        final MeasuredInterval usage = MeasuredInterval.start();
        trial.run();
        usage.print("");
        trial.figures.forEach((figure, value) -> Child.print(figure.key, value));
        // Includes the 99th percentile, which is one of the figures.
        Percentiles.print(trial.forceLatencies);
    }

    /**
     * Compiles the code of appends with an fsync each, in memory: it takes some ten thousand, and a disk allows a few
     * hundred in the time of a trial, which would then be one of code that is not compiled yet.
     */
    private static void compileForces(final JournalUnderTest measured, final Path directory)
    {
        try (Journal journal = measured.builder(directory).segmentLength(WARM_UP_SEGMENT_LENGTH).open())
        {
            final byte[] bytes = new byte[Math.min(MAX_WARM_UP_LENGTH, measured.recordLength())];
            for (int i = 0; i < WARM_UP_FORCES; i++)
            {
                journal.appender().append(bytes);
                journal.force();
            }
        }
        catch (final JournalException ignore)
        {
            // Little space, or no support for the backend.
        }
        finally
        {
            TempDirectory.delete(directory);
        }
    }

    private void run() throws InterruptedException
    {
        final int recordLength = plan.recordLength();
        try (Journal journal = measured.open())
        {
            // First: a segment that was prepared for a stream is slower to fsync record by record.
            for (final Figure figure : Figure.FORCED)
            {
                awaitPrepared(journal);
                final int group = figure.groupSize(recordLength);
                final long[] groupsNs = append(journal, group, Long.MAX_VALUE, plan.forceMs(), true);
                figures.put(figure, recordsPerSecond(group, groupsNs));
                if (Figure.FORCED_1 == figure)
                {
                    LongStream.of(groupsNs).forEach(forceLatencies::recordValue);
                }
            }
            final int chunk = (int)Math.max(1, Math.min(MIB, plan.appendLength()) / recordLength);
            final long[] chunksNs =
                append(journal, chunk, plan.appendLength() / recordLength / chunk, plan.appendMs(), false);
            figures.put(Figure.APPEND, recordLength * recordsPerSecond(chunk, chunksNs));
            figures.put(Figure.BURST, Spread.of(LongStream.of(chunksNs)
                .mapToDouble((ns) -> recordLength * recordsPerSecond(chunk, ns)).toArray()).median());
            journal.force();
        }

        // Reads what an open finds, not state of the writer.
        try (Journal journal = measured.open(); JournalReader reader = journal.openReader())
        {
            records.check(journal, lastSequence);
            replayTimed(reader);
        }
    }

    /** The rate of groups of records, each of which took some time. */
    private static double recordsPerSecond(final int groupSize, final long... groupsNs)
    {
        return (double)groupSize * groupsNs.length * NS_PER_S / LongStream.of(groupsNs).sum();
    }

    /**
     * Waits until the background agent has prepared the next segment, which appears under its name then. A journal
     * under steady fsyncs nearly always has it ready; here the agent would still be busy after the opening. A mapped
     * segment is prefaulted after it got its name, which takes some milliseconds of CPU.
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

    /**
     * Appends groups of records, one or more, and fsyncs after each if asked to.
     *
     * @return time of each group.
     */
    private long[] append(
        final Journal journal, final int groupSize, final long mostGroups, final int ms, final boolean isForcing)
    {
        final JournalAppender appender = journal.appender();
        final LongStream.Builder groupsNs = LongStream.builder();
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        long now = System.nanoTime();
        long groups = 0;
        do
        {
            for (int i = 0; i < groupSize; i++)
            {
                lastSequence = records.append(appender, lastSequence + 1);
            }
            if (isForcing)
            {
                journal.force();
            }

            final long start = now;
            now = System.nanoTime();
            groupsNs.add(now - start);
        }
        while (++groups < mostGroups && now < deadline);

        return groupsNs.build().toArray();
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

        figures.put(Figure.REPLAY, count * plan.recordLength() * NS_PER_S / (now - start));
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
