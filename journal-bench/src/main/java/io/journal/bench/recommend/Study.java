// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.journal.JournalBuilder;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.run.Device;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Unit;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.store.Backend;

/**
 * Measures and recommends: first backend and write window, then the force policy.
 *
 * @param lastRounds minimum for the leaders.
 * @param seconds    approximate total time.
 */
record Study(BenchmarkRun run, Requirement requirement, Trial.Plan plan, int lastRounds, double seconds)
{
    /** Minimum total time to try each candidate several times, and to compile the code in memory before. */
    static final int ENOUGH_SECONDS = 60;

    /** No trial begins later than this share of the time, however long trials take. */
    private static final double LATEST = 1.3;
    private static final int FIRST_ROUNDS = 3;
    private static final int MIN_RECORDS = 8;
    // Free disk space that a segment length requires, in segments.
    private static final int ROOM = 32;
    private static final int SHORTEST = 4 * 1024 * 1024;
    private static final double NS_PER_S = 1e9;
    private static final double BYTES_PER_MB = 1e6;

    Recommendation run(final List<BackendConfig> all) throws IOException, InterruptedException
    {
        final boolean isAllocating = Machine.isOverwritingAllocation(run.path());
        final List<BackendConfig> usable =
            all.stream().filter((each) -> BackendConfig.isUsable(each.backend(), run.path())).toList();
        final List<BackendConfig> cases = candidates(usable, isAllocating);
        final boolean isEnough = seconds >= ENOUGH_SECONDS;
        run.begin(
            "recommend", Requirement.Durability.POWER == requirement.durability() ? Profile.DURABLE : Profile.FAIR, 1,
            String.format(
                Locale.ROOT, "survives %s; records of %d B%s; %d candidates, then the leaders again in %d rounds or " +
                    "more; each trial in a process of its own, without JVM flags; about %s",
                requirement.durability().what, requirement.recordLength(),
                requirement.isRateStated() ? String.format(Locale.ROOT, ", %,d a second", requirement.rate()) : "",
                cases.size(), lastRounds, Unit.duration(seconds)),
            List.of());
        final long start = System.nanoTime();
        final Tournament.Outcome outcome = new Tournament(requirement, (measured, rounds) -> Measurements.of(
            measured, run.measure(
                measured.stream().map((each) -> trial(each, isEnough)).toList(), rounds,
                () -> System.nanoTime() - start > LATEST * seconds * NS_PER_S)),
            System::nanoTime).run(cases, isEnough ? FIRST_ROUNDS : 1, lastRounds, seconds);
        final int segmentLength = segmentLength(Files.getFileStore(run.path()).getUsableSpace());
        final Verdict verdict = outcome.verdict();
        final List<String> reasons = new ArrayList<>(verdict.reasons());
        Stream.of(
            outcome.skipped().isEmpty() ? "" : slow(outcome),
            !isAllocating ? "" : "MAPPED is excluded: overwriting may need space here, on a copy-on-write file " +
                "system or a thin volume, and a mapped write without free space kills the process.",
            usable.size() == all.size() ? "" : "DIRECT is no candidate: direct I/O is not possible here.",
            JournalBuilder.DEFAULT_SEGMENT_LENGTH <= segmentLength ? "" : "Little free space: segments shorter " +
                "than the default's " + Unit.bytes(JournalBuilder.DEFAULT_SEGMENT_LENGTH) + '.')
            .filter((reason) -> !reason.isEmpty()).forEach(reasons::add);
        final Recommendation.Force force =
            Recommendation.Force.of(requirement, outcome.all(), verdict.recommended());
        reasons.addAll(force.reasons());
        final String warning = Machine.isInMemory(run.path()) ? "" : beyondDisk(run.device());
        if (!warning.isEmpty())
        {
            reasons.add(warning);
        }
        return new Recommendation(requirement, verdict, segmentLength, force, reasons);
    }

    /** Without enough time nothing is compiled in memory: two candidates could not be compared then. */
    private BenchmarkCase trial(final BackendConfig measured, final boolean isEnough)
    {
        final BenchmarkCase made = Trial.benchmark(measured, plan);
        return made.argument("isCompiling", isEnough);
    }

    /** The default, or a shorter one if there is little space; longer if records are. */
    int segmentLength(final long freeBytes)
    {
        int length = JournalBuilder.DEFAULT_SEGMENT_LENGTH;
        while (length > SHORTEST && freeBytes / ROOM < length)
        {
            length /= 4;
        }
        while (length < (long)MIN_RECORDS * requirement.recordLength())
        {
            length *= 2;
        }
        return length;
    }

    private String slow(final Tournament.Outcome outcome)
    {
        return String.format(
            Locale.ROOT, "A trial takes %.1f s here: " + (outcome.finalists().size() > 1 ?
                "no time for more candidates. Increase --seconds." :
                "no time for a comparison. To compare two candidates, --seconds=%.0f or more is needed."),
            outcome.trialSeconds(),
            Math.ceil(outcome.trialSeconds() * Tournament.trialsToCompareTwo(lastRounds)));
    }

    /** Warns of a rate that is sustained only until the page cache is full of dirty pages; else empty. */
    String beyondDisk(final Device device)
    {
        final double wanted = (double)requirement.rate() * requirement.recordLength();
        return Requirement.ROOM * wanted <= device.writeBytesPerSecond() ? "" : String.format(
            Locale.ROOT,
            "Warning: %,d records/s of %,d B are %,.0f MB/s, and this disk writes %,.0f MB/s: once the page cache is " +
                "full of dirty pages, appends wait for the disk, whatever was measured here.",
            requirement.rate(), requirement.recordLength(), wanted / BYTES_PER_MB,
            device.writeBytesPerSecond() / BYTES_PER_MB);
    }

    /** Configurations that meet the requirement and do not kill the process on a full disk. */
    List<BackendConfig> candidates(final List<BackendConfig> all, final boolean isAllocating)
    {
        return all.stream().filter(requirement.durability()::admits)
            .filter((each) -> !isAllocating || Backend.MAPPED != each.backend()).toList();
    }
}
