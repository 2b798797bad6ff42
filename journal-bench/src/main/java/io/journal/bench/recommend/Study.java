package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleFunction;
import java.util.stream.Stream;

import io.journal.JournalBuilder;
import io.journal.bench.journal.BackendConfig;
import io.journal.bench.run.Device;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Experiment.Plan;
import io.journal.store.Backend;

/**
 * Measures and recommends: first backend and write window, then their segment length, then the force policy.
 *
 * @param lastRounds minimum for the leaders.
 * @param seconds    approximate total time.
 */
record Study(BenchmarkRun run, Requirement requirement, Trial.Plan plan, int lastRounds, double seconds)
{
    /** Minimum total time to compare segment lengths. */
    static final int ENOUGH_SECONDS = 60;

    /** Share of the time, if there is enough; the rest is for segment lengths. */
    static final double TOURNAMENT_SHARE = 0.8;

    /** No trial begins later than this share of the time, however long trials take. */
    private static final double LATEST = 1.3;
    private static final double LATEST_OF_SEGMENTS = 1.1;

    private static final int FIRST_ROUNDS = 3;
    // The default, all candidates, the leaders; the segment lengths.
    private static final int TOURNAMENT_STEPS = 3;
    private static final double NS_PER_S = 1e9;
    private static final double S_PER_HOUR = 3600;
    private static final double BYTES_PER_MB = 1e6;
    private static final double BYTES_PER_GB = 1e9;

    Recommendation run(final List<BackendConfig> all) throws IOException, InterruptedException
    {
        final boolean isAllocating = Machine.isOverwritingAllocation(run.path());
        final List<BackendConfig> usable =
            all.stream().filter((each) -> BackendConfig.isUsable(each.backend(), run.path())).toList();
        final List<BackendConfig> cases = candidates(usable, isAllocating);
        final SegmentLengths lengths =
            new SegmentLengths(requirement, Files.getFileStore(run.path()).getUsableSpace());
        final boolean isMeasuringSegments = seconds >= ENOUGH_SECONDS && lengths.isChoice();
        run.begin(
            Requirement.Durability.POWER == requirement.durability() ? Profile.DURABLE : Profile.FAIR,
            Plan.of(
                seconds,
                "survives %s; records of %d B%s; %d candidates, then the leaders again in %d rounds or more%s; each " +
                    "trial in a process of its own, without JVM flags",
                requirement.durability().what, requirement.recordLength(),
                requirement.isRateStated() ? String.format(Locale.ROOT, ", %,d a second", requirement.rate()) : "",
                cases.size(), lastRounds, isMeasuringSegments ? "; then segment lengths for the winner" : ""),
            List.of());

        // There is no time for it otherwise: two candidates could not be compared.
        final Optional<Path> memory = seconds >= ENOUGH_SECONDS ? run.inMemory() : Optional.empty();
        final long start = System.nanoTime();
        final DoubleFunction<BooleanSupplier> after =
            (share) -> () -> System.nanoTime() - start > share * seconds * NS_PER_S;
        final int steps = TOURNAMENT_STEPS + (isMeasuringSegments ? 1 : 0);
        final int[] step = { 0 };
        final Tournament.Outcome outcome = new Tournament(requirement, (measured, rounds) ->
        {
            run.step(++step[0], steps);
            return Measurements.of(measured, run.measure(
                measured.stream().map((each) -> Trial.benchmark(each, plan, memory)).toList(), rounds,
                after.apply(LATEST)));
        }, System::nanoTime).run(
            cases, isMeasuringSegments ? FIRST_ROUNDS : 1, lastRounds,
            isMeasuringSegments ? seconds * TOURNAMENT_SHARE : seconds);
        final Verdict verdict = outcome.verdict();
        final List<String> reasons = new ArrayList<>(verdict.reasons());
        final List<String> table = new ArrayList<>(verdict.table());
        Stream.of(
            outcome.skipped().isEmpty() ? "" : slow(outcome),
            !isAllocating ? "" : "MAPPED is excluded: overwriting may need space here, on a copy-on-write file " +
                "system or a thin volume, and a mapped write without free space kills the process.",
            usable.size() == all.size() ? "" : "DIRECT is no candidate: direct I/O is not possible here.",
            JournalBuilder.DEFAULT_SEGMENT_LENGTH == lengths.first() ? "" : "Little free space: segments shorter " +
                "than the default's " + BackendConfig.length(JournalBuilder.DEFAULT_SEGMENT_LENGTH) + '.')
            .filter((reason) -> !reason.isEmpty()).forEach(reasons::add);
        int segmentLength = lengths.first();
        if (isMeasuringSegments)
        {
            run.step(steps, steps);
            final Results results = run.measure(
                lengths.benchmarks(verdict.recommended()), lastRounds, after.apply(LATEST_OF_SEGMENTS));
            reasons.add(lengths.reason(results));
            table.addAll(lengths.table(results));
            segmentLength = lengths.best(results);
        }

        final Recommendation.Force force =
            Recommendation.Force.of(requirement, outcome.all(), verdict.recommended());
        reasons.addAll(force.reasons());
        if (!Machine.isInMemory(run.path()))
        {
            reasons.addAll(memory(run.device(), Machine.memoryBytes()));
        }
        return new Recommendation(requirement, verdict, segmentLength, force, reasons, table);
    }

    private String slow(final Tournament.Outcome outcome)
    {
        return String.format(
            Locale.ROOT, "A trial takes %.1f s here: " + (outcome.finalists().size() > 1 ?
                "no time for more candidates. Increase --seconds." :
                "no time for a comparison. To compare two candidates, --seconds=%.0f or more is needed."),
            outcome.trialSeconds(), Math.ceil(
                outcome.trialSeconds() * Tournament.trialsToCompareTwo(lastRounds) / TOURNAMENT_SHARE));
    }

    /**
     * Warns of a rate that is sustained only until the page cache is full of dirty pages, and of history that does not
     * fit into memory.
     */
    List<String> memory(final Device device, final long memoryBytes)
    {
        final double wanted = (double)requirement.rate() * requirement.recordLength();
        final List<String> reasons = new ArrayList<>();
        if (Requirement.ROOM * wanted > device.writeBytesPerSecond())
        {
            reasons.add(String.format(
                Locale.ROOT,
                "Warning: %,d records/s of %,d B are %,.0f MB/s, and this disk writes %,.0f MB/s: once the page " +
                    "cache is full of dirty pages, appends wait for the disk, whatever was measured here.",
                requirement.rate(), requirement.recordLength(), wanted / BYTES_PER_MB,
                device.writeBytesPerSecond() / BYTES_PER_MB));
        }
        if (requirement.isRateStated() && device.readBytesPerSecond() > 0)
        {
            reasons.add(String.format(
                Locale.ROOT,
                "At this rate %,.1f hours fill the memory of %,.0f GB. Older records are replayed from the disk, at " +
                    "%,.0f MB/s or less with any backend.",
                memoryBytes / wanted / S_PER_HOUR, memoryBytes / BYTES_PER_GB,
                device.readBytesPerSecond() / BYTES_PER_MB));
        }
        return reasons;
    }

    /** Configurations that meet the requirement and do not kill the process on a full disk. */
    List<BackendConfig> candidates(final List<BackendConfig> all, final boolean isAllocating)
    {
        return all.stream().filter(requirement.durability()::admits)
            .filter((each) -> !isAllocating || Backend.MAPPED != each.backend()).toList();
    }
}
