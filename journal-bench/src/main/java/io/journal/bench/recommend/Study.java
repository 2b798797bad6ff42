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
    private static final int MIB = 1024 * 1024;

    Recommendation run(final List<Case> all) throws IOException, InterruptedException
    {
        final boolean isCopyOnWrite = Machine.isCopyOnWrite(Files.getFileStore(session.path()).type());
        final List<Case> cases = candidates(all, isCopyOnWrite);
        final SegmentLengths lengths =
            SegmentLengths.of(requirement, Files.getFileStore(session.path()).getUsableSpace());
        final boolean isMeasuringSegments = seconds >= ENOUGH_SECONDS && lengths.isChoice();
        session.begin(
            DurabilityRequirement.POWER == requirement.durability() ? Profile.DURABLE : Profile.FAIR,
            describe(cases, isMeasuringSegments),
            seconds);

        final Tournament tournament = new Tournament(
            requirement, (measured, rounds) -> measure(measured, rounds), System::nanoTime);
        final Verdict verdict = tournament.run(
            cases, isMeasuringSegments ? FIRST_ROUNDS : 1, lastRounds,
            isMeasuringSegments ? seconds * TOURNAMENT_SHARE : seconds);
        final List<String> reasons = new ArrayList<>(verdict.reasons());
        final List<String> table = new ArrayList<>(verdict.table());
        if (isCopyOnWrite)
        {
            reasons.add("MAPPED is no candidate: this file system copies on write, and a mapped write that finds no " +
                "space ends the process.");
        }
        if (!lengths.isDefaultFirst())
        {
            reasons.add("Little free space: segments shorter than the default's " +
                JournalBuilder.DEFAULT_SEGMENT_LENGTH / MIB + " MiB.");
        }
        final int segmentLength;
        if (isMeasuringSegments)
        {
            final Results results = session.measure(lengths.subjects(verdict.recommended()), lastRounds);
            reasons.add(lengths.reason(results));
            table.addAll(lengths.table(results));
            segmentLength = lengths.best(results);
        }
        else
        {
            segmentLength = lengths.first();
        }

        final ForceAdvice force = ForceAdvice.of(requirement, tournament.all(), verdict.recommended());
        reasons.addAll(force.reasons());
        return new Recommendation(requirement, verdict, segmentLength, force, reasons, table);
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
