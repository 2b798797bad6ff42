package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.JournalBuilder;
import io.journal.bench.journal.BackendConfig;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.BenchmarkRun;
import io.journal.store.Backend;

/**
 * Measures and recommends: first backend and write window, then their segment length, then the force policy.
 *
 * @param run    to measure in.
 * @param requirement       to be met.
 * @param plan       of each trial.
 * @param lastRounds minimum for the leaders.
 * @param seconds    approximate total time.
 */
record Study(BenchmarkRun run, Requirement requirement, Plan plan, int lastRounds, double seconds)
{
    /** Minimum total time to compare segment lengths. */
    static final int ENOUGH_SECONDS = 60;

    /** Share of the time, if there is enough; the rest is for segment lengths. */
    static final double TOURNAMENT_SHARE = 0.8;

    private static final int FIRST_ROUNDS = 3;
    private static final double FIRST_SHARE = 0.6;
    // One to estimate its time, two in the first stage, two compared.
    private static final int MIN_TRIALS = 5;
    // All candidates, the leaders, the segment lengths.
    private static final int STEPS = 3;
    private static final int MIB = 1024 * 1024;
    private static final double NS_PER_S = 1e9;
    private static final double BYTES_PER_MB = 1e6;

    Recommendation run(final List<BackendConfig> all) throws IOException, InterruptedException
    {
        final boolean isCopyOnWrite = Machine.isCopyOnWrite(Files.getFileStore(run.path()).type());
        final List<BackendConfig> usable = usable(all);
        final List<BackendConfig> cases = candidates(usable, isCopyOnWrite);
        final SegmentLengths lengths =
            SegmentLengths.of(requirement, Files.getFileStore(run.path()).getUsableSpace());
        final boolean isMeasuringSegments = seconds >= ENOUGH_SECONDS && lengths.isChoice();
        run.begin(
            DurabilityRequirement.POWER == requirement.durability() ? Profile.DURABLE : Profile.FAIR,
            describe(cases, isMeasuringSegments),
            seconds);

        final int steps = isMeasuringSegments ? STEPS : STEPS - 1;
        final int[] step = { 0 };
        final Tournament tournament = new Tournament(requirement, (measured, rounds) ->
        {
            run.step(++step[0], steps);
            return measure(measured, rounds);
        }, System::nanoTime);
        final double share = isMeasuringSegments ? seconds * TOURNAMENT_SHARE : seconds;
        // The first trial measures how long trials take here, so that a slow disk does not use up all the time.
        final long start = System.nanoTime();
        final Measurements trial = measure(cases.subList(0, 1), 1);
        final double trialSeconds = (System.nanoTime() - start) / NS_PER_S;
        final Stage first = Stage.of(cases.size(), isMeasuringSegments ? FIRST_ROUNDS : 1, share, trialSeconds);
        final List<BackendConfig> skipped = cases.subList(first.cases(), cases.size());
        final Verdict verdict = first.cases() > 1 ?
            tournament.run(cases.subList(0, first.cases()), skipped, first.rounds(), lastRounds, share - trialSeconds) :
            Verdict.of(cases.subList(0, 1), skipped, trial, trial, requirement);
        final List<String> reasons = new ArrayList<>(verdict.reasons());
        if (!skipped.isEmpty())
        {
            reasons.add(String.format(
                Locale.ROOT, "A trial takes %.0f s here: no time for %s; increase --seconds.",
                trialSeconds, Verdict.labels(skipped)));
        }
        final List<String> table = new ArrayList<>(verdict.table());
        if (isCopyOnWrite)
        {
            reasons.add("MAPPED is excluded: this file system copies on write, and a mapped write without free space " +
                "kills the process.");
        }
        if (usable.size() < all.size())
        {
            reasons.add("DIRECT is no candidate: direct I/O is not possible here.");
        }
        if (!lengths.isDefaultFirst())
        {
            reasons.add("Little free space: segments shorter than the default's " +
                JournalBuilder.DEFAULT_SEGMENT_LENGTH / MIB + " MiB.");
        }
        final int segmentLength;
        if (isMeasuringSegments)
        {
            run.step(steps, steps);
            final Results results = run.measure(lengths.benchmarks(verdict.recommended()), lastRounds);
            reasons.add(lengths.reason(results));
            table.addAll(lengths.table(results));
            segmentLength = lengths.best(results);
        }
        else
        {
            segmentLength = lengths.first();
        }

        final ForceAdvice force = ForceAdvice.of(
            requirement, first.cases() > 1 ? tournament.all() : trial, verdict.recommended());
        reasons.addAll(force.reasons());
        reasons.addAll(memory(run.device().writeBytesPerSecond()));
        return new Recommendation(requirement, verdict, segmentLength, force, reasons, table);
    }

    /**
     * The first stage, limited to a share of the time so that the leaders can be compared.
     *
     * @param cases 1 if there is no time to compare two.
     */
    record Stage(int cases, int rounds)
    {
        static Stage of(final int cases, final int rounds, final double seconds, final double trialSeconds)
        {
            final int affordable = (int)(FIRST_SHARE * seconds / trialSeconds) - 1;
            if (affordable < 2 && MIN_TRIALS * trialSeconds > Tournament.OVERTIME * seconds)
            {
                return new Stage(1, 0);
            }
            final int tried = Math.min(cases, Math.max(2, affordable));
            return new Stage(tried, Math.max(1, Math.min(rounds, affordable / tried)));
        }
    }

    /**
     * Warns of a rate that is sustained only until the page cache is full of dirty pages.
     */
    List<String> memory(final double deviceBytesPerSecond)
    {
        final double wanted = (double)requirement.rate() * requirement.recordLength();
        return Requirement.ROOM * wanted <= deviceBytesPerSecond ? List.of() : List.of(String.format(
            Locale.ROOT,
            "Warning: %,d records/s of %,d B are %,.0f MB/s, and this disk writes %,.0f MB/s: once the page cache is " +
                "full of dirty pages, appends wait for the disk, whatever was measured here.",
            requirement.rate(), requirement.recordLength(), wanted / BYTES_PER_MB,
            deviceBytesPerSecond / BYTES_PER_MB));
    }

    private List<BackendConfig> usable(final List<BackendConfig> all) throws IOException
    {
        final List<BackendConfig> usable = new ArrayList<>();
        for (final BackendConfig each : all)
        {
            if (BackendConfig.isUsable(each.backend(), run.path()))
            {
                usable.add(each);
            }
        }
        return usable;
    }

    /**
     * Configurations that meet the requirement and do not kill the process on a full disk.
     */
    List<BackendConfig> candidates(final List<BackendConfig> all, final boolean isCopyOnWrite)
    {
        return all.stream().filter(requirement.durability()::admits)
            .filter((each) -> !isCopyOnWrite || Backend.MAPPED != each.backend()).toList();
    }

    private Measurements measure(final List<BackendConfig> cases, final int rounds)
        throws IOException, InterruptedException
    {
        return Measurements.of(
            cases, run.measure(cases.stream().map((each) -> Trial.benchmark(each, plan)).toList(), rounds));
    }

    private String describe(final List<BackendConfig> cases, final boolean isMeasuringSegments)
    {
        return String.format(
            Locale.ROOT,
            "survives %s; records of %d B%s; %d candidates, then the leaders again in %d rounds or more%s; each " +
                "trial in a process of its own, without JVM flags",
            requirement.durability().what(), requirement.recordLength(),
            requirement.isRateStated() ? String.format(Locale.ROOT, ", %,d a second", requirement.rate()) : "",
            cases.size(),
            lastRounds, isMeasuringSegments ? "; then segment lengths for the winner" : "");
    }
}
