package io.journal.bench.recommend;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.journal.bench.journal.BackendConfig;
import io.journal.bench.run.Spread;

/**
 * Measures all candidates in a few rounds, then the leaders again in as many rounds as there is time for. Only the last
 * rounds compare candidates, so that luck in the first ones does not count (no selection bias).
 */
final class Tournament
{
    private static final int MAX_ROUNDS = 25;
    /** Robust against one disturbed round: prefer fewer finalists to fewer rounds. */
    private static final int GOOD_ROUNDS = 10;
    private static final int MAX_FINALISTS = 4;
    private static final double NS_PER_S = 1e9;

    /** A candidate behind by this ratio in each of that many first rounds is eliminated. */
    private static final double HOPELESS = 1.5;
    private static final int CONCLUSIVE_ROUNDS = 3;

    /** Maximum share of the time if trials take longer than expected. */
    static final double OVERTIME = 1.5;

    private final Requirement requirement;
    private final TrialRunner trialRunner;
    private final LongSupplier clock;
    private final Measurements all = new Measurements();
    private List<BackendConfig> finalists = List.of();

    /**
     * @param clock in nanoseconds.
     */
    Tournament(final Requirement requirement, final TrialRunner trialRunner, final LongSupplier clock)
    {
        this.requirement = requirement;
        this.trialRunner = trialRunner;
        this.clock = clock;
    }

    /**
     * @param cases       in order of preference; the first is the default.
     * @param firstRounds for all of them.
     * @param lastRounds  minimum for the leaders, if that exceeds the time by no more than half.
     * @param seconds     approximate total time.
     */
    Verdict run(final List<BackendConfig> cases, final int firstRounds, final int lastRounds, final double seconds)
        throws IOException, InterruptedException
    {
        return run(cases, List.of(), firstRounds, lastRounds, seconds);
    }

    /**
     * @param skipped candidates that there is no time to try.
     */
    Verdict run(
        final List<BackendConfig> cases,
        final List<BackendConfig> skipped,
        final int firstRounds,
        final int lastRounds,
        final double seconds) throws IOException, InterruptedException
    {
        final long start = clock.getAsLong();
        final Measurements first = trialRunner.measure(cases, firstRounds);
        all.addAll(first);
        final double elapsed = (clock.getAsLong() - start) / NS_PER_S;
        final double trialSeconds = elapsed / (cases.size() * firstRounds);

        final List<BackendConfig> contenders = contenders(cases, first);
        final int affordable = (int)((seconds - elapsed) / (GOOD_ROUNDS * trialSeconds));
        finalists = finalists(contenders, first, Math.max(2, Math.min(MAX_FINALISTS, affordable)));
        final List<BackendConfig> untried = Stream.concat(
            contenders.stream().filter((each) -> !finalists.contains(each)), skipped.stream()).toList();
        final double roundSeconds = finalists.size() * trialSeconds;
        final int most = Math.max(1, (int)((OVERTIME * seconds - elapsed) / roundSeconds));
        final int wanted = Math.max(lastRounds, (int)((seconds - elapsed) / roundSeconds));
        final Measurements last = trialRunner.measure(finalists, Math.min(Math.min(wanted, most), MAX_ROUNDS));
        all.addAll(last);
        return Verdict.of(finalists, untried, last, all, requirement);
    }

    /**
     * Measurements of all rounds.
     */
    Measurements all()
    {
        return all;
    }

    /**
     * Candidates that were measured again.
     */
    List<BackendConfig> finalists()
    {
        return finalists;
    }

    /**
     * All but the eliminated candidates. The default and the runner-up always stay.
     */
    private List<BackendConfig> contenders(final List<BackendConfig> cases, final Measurements first)
    {
        final List<Figure> figures = requirement.durability().figures();
        final BackendConfig leader = leader(first, cases, figures);
        final BackendConfig second =
            leader(first, cases.stream().filter((each) -> !each.equals(leader)).toList(), figures);
        final List<BackendConfig> contenders = new ArrayList<>();
        for (final BackendConfig each : cases)
        {
            final Spread ahead = Spread.of(first.ratios(leader, each, figures));
            if (each.equals(cases.get(0)) || each.equals(second) || first.roundCount() < CONCLUSIVE_ROUNDS ||
                ahead.min() < HOPELESS)
            {
                contenders.add(each);
            }
        }

        return contenders;
    }

    /**
     * The default, the leader, those close to it in order of preference, then the others.
     */
    private List<BackendConfig> finalists(final List<BackendConfig> contenders, final Measurements first,
        final int most)
    {
        final List<Figure> figures = requirement.durability().figures();
        final BackendConfig leader = leader(first, contenders, figures);
        final List<BackendConfig> ranked = new ArrayList<>(List.of(contenders.get(0)));
        if (!leader.equals(contenders.get(0)))
        {
            ranked.add(leader);
        }
        for (final boolean isClose : new boolean[]{ true, false })
        {
            for (final BackendConfig each : contenders)
            {
                final double ahead = Spread.of(first.ratios(leader, each, figures)).median();
                if (!ranked.contains(each) && isClose == ahead < Comparison.MEANINGFUL)
                {
                    ranked.add(each);
                }
            }
        }

        final List<BackendConfig> chosen = ranked.subList(0, Math.min(most, ranked.size()));
        return contenders.stream().filter(chosen::contains).toList();
    }

    /**
     * The candidate with the highest median ratio to the first.
     */
    private static BackendConfig leader(final Measurements rounds, final List<BackendConfig> cases,
        final List<Figure> figures)
    {
        return cases.stream()
            .max(Comparator.comparingDouble(
                (each) -> Spread.of(rounds.ratios(each, cases.get(0), figures)).median()))
            .orElseThrow();
    }

    /**
     * Measures candidates; simulated in tests.
     */
    interface TrialRunner
    {
        Measurements measure(List<BackendConfig> cases, int rounds) throws IOException, InterruptedException;
    }
}
