package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Spread;

/**
 * What the measurements say: which case to take, and why. Depends on nothing but them.
 * <p>
 * Two cases are told apart only if one was ahead in every single round, and by 10 % in the middle of them. Of those
 * that cannot be told from the best, figures of less weight decide by the same rule; and where those do not either, the
 * first in the order of preference is taken, and the verdict says so.
 */
final class Verdict
{
    /** What the better one has to be ahead by. */
    static final double MEANINGFUL = 1.10;

    /**
     * Fewer rounds separate nothing. With so many, something else than the default is recommended for seven equal cases
     * about once in 20 times, however much each trial is disturbed; with five, once in six.
     */
    static final int MIN_ROUNDS = 7;

    private final Case recommended;
    private final List<Case> ties;
    private final List<String> reasons;

    private Verdict(final Case recommended, final List<Case> ties, final List<String> reasons)
    {
        this.recommended = recommended;
        this.ties = ties;
        this.reasons = reasons;
    }

    static Verdict of(final Measurements measurements, final Survive survive)
    {
        List<Case> contenders = measurements.cases().stream().filter(survive::admits).toList();
        final List<String> reasons = new ArrayList<>();
        if (measurements.roundCount() < MIN_ROUNDS)
        {
            reasons.add("too few rounds to tell anything apart: rounds=" + measurements.roundCount() + ", needed=" +
                MIN_ROUNDS + "; take more --seconds");
        }
        for (final Case each : measurements.cases())
        {
            if (!survive.admits(each))
            {
                reasons.add(each.label() + ": not admitted, what waits in the window is lost with the process");
            }
        }

        for (final List<Figure> figures : survive.steps())
        {
            if (contenders.size() > 1)
            {
                contenders = best(measurements, contenders, figures, reasons);
            }
        }

        return new Verdict(contenders.get(0), contenders.subList(1, contenders.size()), reasons);
    }

    Case recommended()
    {
        return recommended;
    }

    /**
     * Cases that nothing measured tells from the one recommended, which only comes before them in order.
     */
    List<Case> ties()
    {
        return ties;
    }

    /**
     * One line for each step of the decision.
     */
    List<String> reasons()
    {
        return reasons;
    }

    private static List<Case> best(
        final Measurements measurements,
        final List<Case> contenders,
        final List<Figure> figures,
        final List<String> reasons)
    {
        final Case best = contenders.stream()
            .max(Comparator.comparingDouble((each) -> Spread.of(measurements.ratios(each, figures)).median()))
            .orElseThrow();
        final double[] bestRatios = measurements.ratios(best, figures);
        final List<Case> remaining = new ArrayList<>();
        final List<String> lines = new ArrayList<>();
        for (final Case each : contenders)
        {
            final Spread ahead = Spread.ofRatios(bestRatios, measurements.ratios(each, figures));
            if (isSeparating(ahead, measurements.roundCount()))
            {
                lines.add(String.format(
                    Locale.ROOT, "%s is ahead of %s by a factor of %.2f [%.2f..%.2f]",
                    best.label(), each.label(), ahead.median(), ahead.min(), ahead.max()));
            }
            else
            {
                remaining.add(each);
            }
        }

        if (lines.isEmpty())
        {
            lines.add("no meaningful difference between " + labels(remaining));
        }
        lines.forEach((line) -> reasons.add(describe(figures) + ": " + line));

        return remaining;
    }

    private static boolean isSeparating(final Spread ahead, final int rounds)
    {
        return rounds >= MIN_ROUNDS && ahead.min() > 1 && ahead.median() >= MEANINGFUL;
    }

    private static String describe(final List<Figure> figures)
    {
        if (Figure.FORCED.equals(figures))
        {
            return "forced appends";
        }

        return figures.contains(Figure.REPLAY) ? "replay" : "appends without force";
    }

    private static String labels(final List<Case> cases)
    {
        return String.join(", ", cases.stream().map(Case::label).toList());
    }
}
