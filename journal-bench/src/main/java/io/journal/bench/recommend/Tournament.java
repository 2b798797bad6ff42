// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.journal.bench.run.Interval;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.BackendConfig;

/**
 * Measures the default once, all candidates in a few rounds, then the leaders again in as many rounds as there is time
 * for. Only the last rounds compare candidates, so that luck in the first ones does not count (no selection bias).
 *
 * @param clock in nanoseconds.
 */
record Tournament(Requirement requirement, TrialRunner trialRunner, LongSupplier clock)
{
    private static final int MAX_ROUNDS = 25;
    /** Robust against one disturbed round; fewer finalists are better than fewer rounds. */
    private static final int GOOD_ROUNDS = 10;
    private static final int MAX_FINALISTS = 4;

    /** A candidate behind by this ratio in each of that many first rounds is eliminated. */
    private static final double HOPELESS = 1.5;
    private static final int CONCLUSIVE_ROUNDS = 3;

    /** The plan may take this much longer than the time that was asked for. */
    private static final double TOLERANCE = 1.1;

    /** Measures candidates; simulated in tests. */
    interface TrialRunner
    {
        Measurements measure(List<BackendConfig> cases, int rounds) throws IOException, InterruptedException;
    }

    /**
     * The result of a tournament.
     *
     * @param skipped      candidates that there was no time to try.
     * @param trialSeconds that a trial takes here.
     */
    record Outcome(
        Verdict verdict, Measurements all, List<BackendConfig> finalists, List<BackendConfig> skipped,
        double trialSeconds)
    {
        /** Explains why some candidates were not tried. */
        String slow(final int lastRounds)
        {
            return String.format(
                Locale.ROOT, "A trial takes %.1f s here: " + (finalists.size() > 1 ?
                    "no time for more candidates. Increase --seconds." :
                    "no time for a comparison. To compare two candidates, --seconds=%.0f or more is needed."),
                trialSeconds, Math.ceil(trialSeconds * trialsToCompareTwo(lastRounds)));
        }
    }

    /**
     * @param cases       in order of preference; the first is the default.
     * @param firstRounds for all of them.
     * @param lastRounds  for the leaders: nothing is compared if there is no time for them.
     * @param seconds     approximate total time.
     */
    Outcome run(final List<BackendConfig> cases, final int firstRounds, final int lastRounds, final double seconds)
        throws IOException, InterruptedException
    {
        // The first trial shows how long trials take here.
        final long start = clock.getAsLong();
        final List<BackendConfig> standard = cases.subList(0, 1);
        final Measurements trial = trialRunner.measure(standard, 1);
        final double trialSeconds = secondsSince(start);
        final Stage stage = Stage.of(cases.size(), firstRounds, lastRounds, seconds, trialSeconds);
        final List<BackendConfig> tried = cases.subList(0, stage.cases());
        final List<BackendConfig> skipped = cases.subList(stage.cases(), cases.size());
        final Measurements first =
            tried.size() > 1 ? trialRunner.measure(tried, stage.rounds()) : new Measurements();
        final Measurements all = new Measurements();
        all.addAll(first);
        if (0 == first.roundCount())
        {
            all.addAll(trial);
            final int affordable = (int)((TOLERANCE * seconds - secondsSince(start)) / trialSeconds);
            if (affordable > 0)
            {
                all.addAll(trialRunner.measure(standard, Math.min(lastRounds - 1, affordable)));
            }
            return new Outcome(
                Verdict.of(standard, cases.subList(1, cases.size()), all, all, requirement), all, standard, skipped,
                trialSeconds);
        }

        final double elapsed = secondsSince(start);
        final double expected = (elapsed - trialSeconds) / (tried.size() * first.roundCount());
        final List<BackendConfig> contenders = contenders(tried, first);
        final int affordable = (int)((seconds - elapsed) / (GOOD_ROUNDS * expected));
        final List<BackendConfig> finalists =
            finalists(contenders, first, Math.max(2, Math.min(MAX_FINALISTS, affordable)));
        final List<BackendConfig> untried = Stream.concat(
            contenders.stream().filter((each) -> !finalists.contains(each)), skipped.stream()).toList();
        final int wanted = (int)((seconds - elapsed) / (finalists.size() * expected));
        final Measurements last =
            trialRunner.measure(finalists, Math.max(lastRounds, Math.min(wanted, MAX_ROUNDS)));
        all.addAll(last);
        return new Outcome(
            Verdict.of(finalists, untried, last, all, requirement), all, finalists, skipped, trialSeconds);
    }

    private double secondsSince(final long start)
    {
        return (clock.getAsLong() - start) / Unit.NS_PER_S;
    }

    /** One trial to measure its time, one of each of two candidates, and the compared rounds. */
    static int trialsToCompareTwo(final int rounds)
    {
        return 1 + 2 + 2 * rounds;
    }

    /**
     * The first stage, short enough that the leaders can be compared after it.
     *
     * @param cases 1 if there is no time to compare two.
     */
    record Stage(int cases, int rounds)
    {
        static Stage of(
            final int cases, final int rounds, final int lastRounds, final double seconds, final double trialSeconds)
        {
            final int trials = (int)(TOLERANCE * seconds / trialSeconds) + 2 - trialsToCompareTwo(lastRounds);
            if (cases < 2 || trials < 2)
            {
                return new Stage(1, 0);
            }
            final int tried = Math.min(cases, trials);
            return new Stage(tried, Math.max(1, Math.min(rounds, trials / tried)));
        }
    }

    /** Returns the candidates that are not eliminated. The default and the runner-up always stay. */
    private List<BackendConfig> contenders(final List<BackendConfig> cases, final Measurements first)
    {
        final BackendConfig leader = leader(cases, first);
        final BackendConfig second = leader(cases.stream().filter((each) -> !each.equals(leader)).toList(), first);
        return cases.stream().filter((each) -> each.equals(cases.get(0)) || each.equals(second) ||
            first.roundCount() < CONCLUSIVE_ROUNDS || ahead(leader, each, first).low() < HOPELESS).toList();
    }

    /**
     * Returns the default, the leader, those close to the leader in order of preference, then the others. Too few first
     * rounds cannot show a leader, only the candidates that are far behind; then the order of preference decides, which
     * is the same in each run.
     */
    private List<BackendConfig> finalists(
        final List<BackendConfig> contenders, final Measurements first, final int most)
    {
        final BackendConfig leader = leader(contenders, first);
        final boolean isConclusive = first.roundCount() >= CONCLUSIVE_ROUNDS;
        final double close = isConclusive ? Interval.MEANINGFUL : HOPELESS;
        final List<BackendConfig> chosen = contenders.stream()
            .sorted(Comparator.comparingInt((each) -> each.equals(contenders.get(0)) ? 0 :
                isConclusive && each.equals(leader) ? 1 : ahead(leader, each, first).median() < close ? 2 : 3))
            .limit(most).toList();
        return contenders.stream().filter(chosen::contains).toList();
    }

    /** The candidate with the highest median ratio to the first. */
    private BackendConfig leader(final List<BackendConfig> cases, final Measurements first)
    {
        return cases.stream()
            .max(Comparator.comparingDouble((each) -> ahead(each, cases.get(0), first).median())).orElseThrow();
    }

    private Interval ahead(final BackendConfig measured, final BackendConfig baseline, final Measurements first)
    {
        return Interval.range(first.ratios(measured, baseline, requirement.deciding()));
    }
}
