package io.journal.bench.recommend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Spread;

/**
 * Measures all cases in a few rounds, then the leaders again, head to head, in as many as there is time for. Only those
 * last rounds compare cases: a case that was lucky in the first ones keeps nothing of it.
 */
final class Tournament
{
    private static final int MAX_ROUNDS = 25;
    /** With so many, one disturbed round does not spoil a comparison: rather fewer finalists than fewer rounds. */
    private static final int GOOD_ROUNDS = 10;
    private static final int MAX_FINALISTS = 4;
    private static final double NS_PER_S = 1e9;

    /** Behind by so much in each of so many first rounds, a case is out of the question. */
    private static final double HOPELESS = 1.5;
    private static final int TELLING_ROUNDS = 3;

    /** What of the time may be taken at most, where trials take longer than they should. */
    static final double OVERTIME = 1.5;

    private final Requirement requirement;
    private final Laboratory laboratory;
    private final LongSupplier clock;
    private final Measurements all = new Measurements();
    private List<Case> finalists = List.of();

    /**
     * @param clock in nanoseconds.
     */
    Tournament(final Requirement requirement, final Laboratory laboratory, final LongSupplier clock)
    {
        this.requirement = requirement;
        this.laboratory = laboratory;
        this.clock = clock;
    }

    /**
     * @param cases       in the order of preference; the first is the default.
     * @param firstRounds for all of them.
     * @param lastRounds  for the leaders, at least, if that takes no more than half as much time again.
     * @param seconds     for all, about.
     */
    Verdict run(final List<Case> cases, final int firstRounds, final int lastRounds, final double seconds)
        throws IOException, InterruptedException
    {
        return run(cases, List.of(), firstRounds, lastRounds, seconds);
    }

    /**
     * @param leftOut cases that there is no time to try.
     */
    Verdict run(
        final List<Case> cases,
        final List<Case> leftOut,
        final int firstRounds,
        final int lastRounds,
        final double seconds) throws IOException, InterruptedException
    {
        final long start = clock.getAsLong();
        final Measurements first = laboratory.measure(cases, firstRounds);
        all.addAll(first);
        final double elapsed = (clock.getAsLong() - start) / NS_PER_S;
        final double trialSeconds = elapsed / (cases.size() * firstRounds);

        final List<Case> contenders = contenders(cases, first);
        final int affordable = (int)((seconds - elapsed) / (GOOD_ROUNDS * trialSeconds));
        finalists = finalists(contenders, first, Math.max(2, Math.min(MAX_FINALISTS, affordable)));
        final List<Case> untried = Stream.concat(
            contenders.stream().filter((each) -> !finalists.contains(each)), leftOut.stream()).toList();
        final double roundSeconds = finalists.size() * trialSeconds;
        final int most = Math.max(1, (int)((OVERTIME * seconds - elapsed) / roundSeconds));
        final int wanted = Math.max(lastRounds, (int)((seconds - elapsed) / roundSeconds));
        final Measurements last = laboratory.measure(finalists, Math.min(Math.min(wanted, most), MAX_ROUNDS));
        all.addAll(last);
        return Verdict.of(finalists, untried, last, all, requirement);
    }

    /**
     * What was measured in all rounds.
     */
    Measurements all()
    {
        return all;
    }

    /**
     * Cases that were measured again.
     */
    List<Case> finalists()
    {
        return finalists;
    }

    /**
     * All but those that are out of the question. The default always stays, and who comes after the leader.
     */
    private List<Case> contenders(final List<Case> cases, final Measurements first)
    {
        final List<Figure> figures = requirement.durability().figures();
        final Case leader = leader(first, cases, figures);
        final Case second = leader(first, cases.stream().filter((each) -> !each.equals(leader)).toList(), figures);
        final List<Case> contenders = new ArrayList<>();
        for (final Case each : cases)
        {
            final Spread ahead = Spread.of(first.ratios(leader, each, figures));
            if (each.equals(cases.get(0)) || each.equals(second) || first.roundCount() < TELLING_ROUNDS ||
                ahead.min() < HOPELESS)
            {
                contenders.add(each);
            }
        }

        return contenders;
    }

    /**
     * The default, the leader, those close to it in the order of preference, then the others.
     */
    private List<Case> finalists(final List<Case> contenders, final Measurements first, final int most)
    {
        final List<Figure> figures = requirement.durability().figures();
        final Case leader = leader(first, contenders, figures);
        final List<Case> ranked = new ArrayList<>(List.of(contenders.get(0)));
        if (!leader.equals(contenders.get(0)))
        {
            ranked.add(leader);
        }
        for (final boolean isClose : new boolean[]{ true, false })
        {
            for (final Case each : contenders)
            {
                final double ahead = Spread.of(first.ratios(leader, each, figures)).median();
                if (!ranked.contains(each) && isClose == ahead < Comparison.MEANINGFUL)
                {
                    ranked.add(each);
                }
            }
        }

        final List<Case> chosen = ranked.subList(0, Math.min(most, ranked.size()));
        return contenders.stream().filter(chosen::contains).toList();
    }

    /**
     * The one that is ahead of the first by most, by the median of the rounds.
     */
    private static Case leader(final Measurements rounds, final List<Case> cases, final List<Figure> figures)
    {
        return cases.stream()
            .max(Comparator.comparingDouble(
                (each) -> Spread.of(rounds.ratios(each, cases.get(0), figures)).median()))
            .orElseThrow();
    }

    /**
     * Where cases are measured.
     */
    interface Laboratory
    {
        Measurements measure(List<Case> cases, int rounds) throws IOException, InterruptedException;
    }
}
