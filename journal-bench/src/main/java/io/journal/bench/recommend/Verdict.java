package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Spread;

/**
 * What the last rounds say: which case to take, and why. Depends on nothing but them.
 * <p>
 * Cases that the figures of most weight do not tell from the best are tied, whatever decides between them then: figures
 * of less weight, by the same rule; and where those do not either, the order of preference.
 */
final class Verdict
{
    private final Case recommended;
    private final List<Case> ties;
    private final List<Case> untried;
    private final List<String> reasons;

    private Verdict(
        final Case recommended, final List<Case> ties, final List<Case> untried, final List<String> reasons)
    {
        this.recommended = recommended;
        this.ties = ties;
        this.untried = untried;
        this.reasons = reasons;
    }

    /**
     * @param finalists in the order of preference.
     * @param untried   cases that are none, and yet were not told apart from them.
     * @param rounds    in which the finalists were measured, and on which nothing depended before.
     */
    static Verdict of(
        final List<Case> finalists, final List<Case> untried, final Measurements rounds, final Survive survive)
    {
        final List<String> reasons = new ArrayList<>();
        if (rounds.roundCount() < Comparison.MIN_ROUNDS)
        {
            reasons.add("too few rounds to tell anything apart: rounds=" + rounds.roundCount() + ", needed=" +
                Comparison.MIN_ROUNDS + "; take more --seconds");
        }

        List<Case> contenders = finalists;
        List<Case> tied = null;
        for (final Survive.Step step : survive.steps())
        {
            if (contenders.size() > 1)
            {
                contenders = best(rounds, contenders, step, reasons);
            }
            tied = null == tied ? contenders : tied;
        }

        final Case recommended = contenders.get(0);
        if (contenders.size() > 1)
        {
            reasons.add("first of those in order: the default, then what writes each record, then small windows");
        }
        final List<Case> ties = tied.stream().filter((each) -> !each.equals(recommended)).toList();
        return new Verdict(recommended, ties, untried, reasons);
    }

    Case recommended()
    {
        return recommended;
    }

    /**
     * Cases that the figures of most weight do not tell from the one recommended.
     */
    List<Case> ties()
    {
        return ties;
    }

    /**
     * Cases that were not measured again, and yet may be as good.
     */
    List<Case> untried()
    {
        return untried;
    }

    /**
     * How it was decided, a line for each comparison.
     */
    List<String> reasons()
    {
        return reasons;
    }

    /**
     * Names of cases, for people.
     */
    static String labels(final List<Case> cases)
    {
        return String.join(", ", cases.stream().map(Case::label).toList());
    }

    /**
     * The one that is ahead of the first by most, in the middle of the rounds.
     */
    static Case leader(final Measurements rounds, final List<Case> cases, final Survive.Step step)
    {
        return cases.stream()
            .max(Comparator.comparingDouble(
                (each) -> Spread.of(rounds.ratios(each, cases.get(0), step.figures())).median()))
            .orElseThrow();
    }

    private static List<Case> best(
        final Measurements rounds, final List<Case> contenders, final Survive.Step step, final List<String> reasons)
    {
        final Case best = leader(rounds, contenders, step);
        final List<Case> remaining = new ArrayList<>();
        for (final Case each : contenders)
        {
            if (each.equals(best))
            {
                remaining.add(each);
                continue;
            }

            final Comparison ahead = Comparison.of(rounds.ratios(best, each, step.figures()));
            if (!ahead.isAhead())
            {
                remaining.add(each);
            }
            reasons.add(String.format(
                Locale.ROOT, "%s: %s %s %s, by a factor of %s", step.name(), best.label(),
                words(ahead), each.label(), ahead));
        }

        return remaining;
    }

    private static String words(final Comparison ahead)
    {
        return ahead.isAhead() ? "is ahead of" : ahead.isSame() ? "is within a quarter of" :
            ahead.isSlightlyAhead() ? "is ahead by less than matters of" : "is not told apart from";
    }
}
