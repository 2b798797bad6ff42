package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.JournalBuilder;
import io.journal.bench.journal.Case;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Results;
import io.journal.bench.run.Session;
import io.journal.store.Backend;

/**
 * Measures what a need asks for, and makes a recommendation of it: the backend and its window first, then the length of
 * segments for these, then how to force.
 *
 * @param session    to measure in.
 * @param requirement       to be met.
 * @param plan       of each trial.
 * @param lastRounds of the leaders, at least.
 * @param seconds    for all, about.
 */
record Study(Session session, Requirement requirement, Plan plan, int lastRounds, double seconds)
{
    /** Less time than this is not shared with the length of segments. */
    static final int ENOUGH_SECONDS = 60;

    /** Of the time, if there is enough: the rest is for the length of segments. */
    static final double TOURNAMENT_SHARE = 0.8;

    private static final int FIRST_ROUNDS = 3;
    private static final double FIRST_SHARE = 0.6;
    // One to tell the time, two that are tried, two that are compared.
    private static final int LEAST_TRIALS = 5;
    // All cases, the leaders, the lengths of segments.
    private static final int STEPS = 3;
    private static final int MIB = 1024 * 1024;
    private static final double NS_PER_S = 1e9;
    private static final double BYTES_PER_MB = 1e6;

    Recommendation run(final List<Case> all) throws IOException, InterruptedException
    {
        final boolean isCopyOnWrite = Machine.isCopyOnWrite(Files.getFileStore(session.path()).type());
        final List<Case> usable = usable(all);
        final List<Case> cases = candidates(usable, isCopyOnWrite);
        final SegmentLengths lengths =
            SegmentLengths.of(requirement, Files.getFileStore(session.path()).getUsableSpace());
        final boolean isMeasuringSegments = seconds >= ENOUGH_SECONDS && lengths.isChoice();
        session.begin(
            DurabilityRequirement.POWER == requirement.durability() ? Profile.DURABLE : Profile.FAIR,
            describe(cases, isMeasuringSegments),
            seconds);

        final int steps = isMeasuringSegments ? STEPS : STEPS - 1;
        final int[] step = { 0 };
        final Tournament tournament = new Tournament(requirement, (measured, rounds) ->
        {
            session.step(++step[0], steps);
            return measure(measured, rounds);
        }, System::nanoTime);
        final double share = isMeasuringSegments ? seconds * TOURNAMENT_SHARE : seconds;
        // One trial tells how long they take here, before any is compared: a slow disk must not take all the time.
        final long start = System.nanoTime();
        final Measurements trial = measure(cases.subList(0, 1), 1);
        final double trialSeconds = (System.nanoTime() - start) / NS_PER_S;
        final Stage first = Stage.of(cases.size(), isMeasuringSegments ? FIRST_ROUNDS : 1, share, trialSeconds);
        final List<Case> leftOut = cases.subList(first.cases(), cases.size());
        final Verdict verdict = first.cases() > 1 ?
            tournament.run(cases.subList(0, first.cases()), leftOut, first.rounds(), lastRounds, share - trialSeconds) :
            Verdict.of(cases.subList(0, 1), leftOut, trial, trial, requirement);
        final List<String> reasons = new ArrayList<>(verdict.reasons());
        if (!leftOut.isEmpty())
        {
            reasons.add(String.format(
                Locale.ROOT, "A trial takes %.0f s here: there was no time to try %s; take more --seconds.",
                trialSeconds, Verdict.labels(leftOut)));
        }
        final List<String> table = new ArrayList<>(verdict.table());
        if (isCopyOnWrite)
        {
            reasons.add("MAPPED is no candidate: this file system copies on write, and a mapped write that finds no " +
                "space ends the process.");
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
            session.step(steps, steps);
            final Results results = session.measure(lengths.subjects(verdict.recommended()), lastRounds);
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
        reasons.addAll(memory(session.device().writeBytesPerSecond()));
        return new Recommendation(requirement, verdict, segmentLength, force, reasons, table);
    }

    /**
     * What of the first stage there is time for: half of it, so that the leaders can be compared.
     *
     * @param cases 1 if not even two can be compared.
     */
    record Stage(int cases, int rounds)
    {
        static Stage of(final int cases, final int rounds, final double seconds, final double trialSeconds)
        {
            final int affordable = (int)(FIRST_SHARE * seconds / trialSeconds) - 1;
            if (affordable < 2 && LEAST_TRIALS * trialSeconds > Tournament.OVERTIME * seconds)
            {
                return new Stage(1, 0);
            }
            final int tried = Math.min(cases, Math.max(2, affordable));
            return new Stage(tried, Math.max(1, Math.min(rounds, affordable / tried)));
        }
    }

    /**
     * A rate that the page cache takes only until it is full of what the disk has not written yet.
     */
    List<String> memory(final double deviceBytesPerSecond)
    {
        final double wanted = (double)requirement.rate() * requirement.recordLength();
        return Requirement.ROOM * wanted <= deviceBytesPerSecond ? List.of() : List.of(String.format(
            Locale.ROOT,
            "Warning: %,d records/s of %,d B are %,.0f MB/s, and this disk writes %,.0f MB/s: once memory is full of " +
                "what is not written yet, appends wait for it, whatever was measured here.",
            requirement.rate(), requirement.recordLength(), wanted / BYTES_PER_MB,
            deviceBytesPerSecond / BYTES_PER_MB));
    }

    private List<Case> usable(final List<Case> all) throws IOException
    {
        final List<Case> usable = new ArrayList<>();
        for (final Case each : all)
        {
            if (Case.isUsable(each.backend(), session.path()))
            {
                usable.add(each);
            }
        }
        return usable;
    }

    /**
     * Those that keep the promise that is asked for, and cannot end the process on a full disk.
     */
    List<Case> candidates(final List<Case> all, final boolean isCopyOnWrite)
    {
        return all.stream().filter(requirement.durability()::admits)
            .filter((each) -> !isCopyOnWrite || Backend.MAPPED != each.backend()).toList();
    }

    private Measurements measure(final List<Case> cases, final int rounds) throws IOException, InterruptedException
    {
        return Measurements.of(
            cases, session.measure(cases.stream().map((each) -> Trial.subject(each, plan)).toList(), rounds));
    }

    private String describe(final List<Case> cases, final boolean isMeasuringSegments)
    {
        return String.format(
            Locale.ROOT,
            "survives %s; records of %d B%s; %d candidates, then the leaders again in %d rounds or more%s; each in a " +
                "process of its own, without JVM flags",
            requirement.durability().what(), requirement.recordLength(),
            requirement.isRateStated() ? String.format(Locale.ROOT, ", %,d a second", requirement.rate()) : "",
            cases.size(),
            lastRounds, isMeasuringSegments ? "; then segment lengths for the one chosen" : "");
    }
}
