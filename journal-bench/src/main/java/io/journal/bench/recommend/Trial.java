// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;

import io.journal.JournalException;
import io.journal.bench.recommend.Measurements.Figure;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Child;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Machine;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.SubjectKind;
import io.journal.bench.workload.Source;
import io.journal.bench.workload.Workload;
import org.HdrHistogram.Histogram;

/**
 * Measures one configuration once, in a process of its own: writes a journal, reopens it, checks every record, replays
 * it. Warms up with a shorter run of the same steps.
 */
final class Trial
{
    private static final int MAX_PREPARE_MS = 2000;
    private static final int PREPARE_POLL_MS = 5;
    private static final int WARM_MS = 40;
    private static final int WARM_UP_SEGMENT_LENGTH = 4 * Unit.MIB;
    private static final int WARM_UP_FORCES = 10_000;
    private static final int MAX_WARM_UP_LENGTH = 256;

    private final Setup setup;
    private final Plan plan;
    private final Source source;
    private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    private final Histogram forceLatencies = new Histogram(3);

    private Trial(final Setup setup, final Plan plan)
    {
        this.setup = setup;
        this.plan = plan;
        source = new Source(plan.recordLength());
    }

    static BenchmarkCase benchmark(final BackendConfig measured, final Plan plan)
    {
        return BenchmarkCase.of(measured.label(), Trial.class)
            .parameter("backend", measured.backend())
            .parameter("windowLength", measured.writeWindow())
            .parameter("recordLength", plan.recordLength())
            .argument("subject", SubjectKind.ofBackend(measured.backend())).argument("workload", Workload.SUSTAINED)
            .argument("segmentLength", plan.segmentLength()).argument("appendLength", plan.appendLength())
            .argument("appendMs", plan.appendMs()).argument("forceMs", plan.forceMs())
            .argument("replayMs", plan.replayMs());
    }

    public static void main(final String[] args) throws Exception
    {
        final Setup setup = Setup.of(Arguments.of(args));
        final Plan plan = Plan.of(setup);
        new Trial(setup.in("warm-up"), plan.warmUp()).run();
        if (setup.args().is("isCompiling") && Machine.isInMemory(setup.memory()))
        {
            compileForces(setup.memory().resolve("compiling"), setup);
        }
        final Trial trial = new Trial(setup.in("journal"), plan);
        final MeasuredInterval usage = MeasuredInterval.start();
        trial.run();
        usage.print("");
        trial.figures.forEach((figure, value) -> Child.print(figure.key, value));
        // These include the 99th percentile, one of the figures.
        Percentiles.print(trial.forceLatencies);
    }

    /**
     * Runs appends with an fsync each in memory, so that they are compiled. The compiler needs some ten thousand calls,
     * but a disk completes only a few hundred in the time of a trial, which would then measure interpreted code.
     */
    private static void compileForces(final Path directory, final Setup setup) throws Exception
    {
        final int length = Math.min(MAX_WARM_UP_LENGTH, setup.recordLength());
        try (JournalSubject subject = new JournalSubject(new Setup(
            setup.kind(), directory, directory, WARM_UP_SEGMENT_LENGTH, length, setup.workload(), setup.args())))
        {
            final Source source = new Source(length);
            for (int i = 0; i < WARM_UP_FORCES; i++)
            {
                source.append(subject, 1);
                subject.force();
            }
        }
        catch (final JournalException ignore)
        {
            // Memory has little space, or does not support the backend.
        }
    }

    private void run() throws Exception
    {
        final int recordLength = plan.recordLength();
        try (JournalSubject subject = new JournalSubject(setup))
        {
            // Measured first, because a segment prepared during a stream is slower to fsync record by record.
            for (final Figure figure : Figure.FORCED)
            {
                awaitPrepared(subject);
                final int group = figure.groupSize(recordLength);
                final long[] groupsNs = append(subject, group, Long.MAX_VALUE, plan.forceMs(), true);
                figures.put(figure, recordsPerSecond(group, groupsNs));
                if (Figure.FORCED_1 == figure)
                {
                    LongStream.of(groupsNs).forEach(forceLatencies::recordValue);
                }
            }
            final int chunk = (int)Math.max(1, Math.min(Unit.MIB, plan.appendLength()) / recordLength);
            final long[] chunksNs =
                append(subject, chunk, plan.appendLength() / recordLength / chunk, plan.appendMs(), false);
            figures.put(Figure.APPEND, recordLength * recordsPerSecond(chunk, chunksNs));
            figures.put(Figure.BURST, Interval.range(LongStream.of(chunksNs)
                .mapToDouble((ns) -> recordLength * recordsPerSecond(chunk, ns)).toArray()).median());
            subject.force();
        }
        // Checks the files as an opening finds them, instead of the writer's own state.
        try (JournalSubject subject = new JournalSubject(setup))
        {
            source.check(subject);
            figures.put(Figure.REPLAY, recordLength * source.replayRate(subject, plan.replayMs()));
        }
    }

    /** The rate of groups of records, each of which took some time. */
    private static double recordsPerSecond(final int groupSize, final long... groupsNs)
    {
        return (double)groupSize * groupsNs.length * Unit.NS_PER_S / LongStream.of(groupsNs).sum();
    }

    /**
     * Waits until the background agent has prepared the next segment, which appears under its name then. A journal
     * under steady fsyncs nearly always has it ready; here the agent would still be busy after the opening. A mapped
     * segment is prefaulted after it got its name, which takes some milliseconds of CPU.
     */
    private void awaitPrepared(final JournalSubject subject) throws InterruptedException
    {
        final long next = subject.appendedBytes() / plan.segmentLength() + 1;
        final Path file = setup.directory().resolve(String.format(Locale.ROOT, "%020d.journal", next));
        for (int waitedMs = 0; waitedMs < MAX_PREPARE_MS && Files.notExists(file); waitedMs += PREPARE_POLL_MS)
        {
            Thread.sleep(PREPARE_POLL_MS);
        }
        Thread.sleep(WARM_MS);
    }

    /**
     * Appends groups of one or more records, and fsyncs after each group if asked to.
     *
     * @return time of each group.
     */
    private long[] append(
        final JournalSubject subject, final int groupSize, final long mostGroups, final int ms,
        final boolean isForcing) throws Exception
    {
        final LongStream.Builder groupsNs = LongStream.builder();
        final long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        long now = System.nanoTime();
        long groups = 0;
        do
        {
            source.append(subject, groupSize);
            if (isForcing)
            {
                subject.force();
            }
            final long start = now;
            now = System.nanoTime();
            groupsNs.add(now - start);
        }
        while (++groups < mostGroups && now < deadline);
        return groupsNs.build().toArray();
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
        private static final int SEGMENT_LENGTH = 16 * Unit.MIB;
        private static final int APPEND_LENGTH = 64 * Unit.MIB;
        private static final int WARM_UP_SHARE = 8;

        /** Splits a time, most of it for the deciding figures. */
        static Plan of(final Requirement requirement, final int ms)
        {
            final boolean isForcing = Requirement.Durability.POWER == requirement.durability();
            return new Plan(
                requirement.recordLength(), SEGMENT_LENGTH, APPEND_LENGTH, isForcing ? ms / 4 : ms / 2,
                isForcing ? ms / 5 : ms / 10, ms / 8);
        }

        static Plan of(final Setup setup)
        {
            final Arguments args = setup.args();
            return new Plan(
                setup.recordLength(), setup.segmentLength(), args.number("appendLength"), args.length("appendMs"),
                args.length("forceMs"), args.length("replayMs"));
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
