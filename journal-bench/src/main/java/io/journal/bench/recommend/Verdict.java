package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.journal.bench.journal.Case;

/**
 * Which case to take, and why. Depends on nothing but the need and what was measured.
 * <p>
 * A default that sustains {@link Requirement#ROOM} times the stated rate stays, whatever the others do: being faster
 * than that gains nothing. One that does not is left for the first in order of preference that does, and if there is
 * none, for one that is clearly ahead. Whether it does may be within noise: then it is left only for one that is far
 * ahead.
 * <p>
 * Without a stated rate the default is left for one that is clearly ahead, but not behind by a quarter in bursts, in
 * replay, or in the 99th percentile of an fsynced append.
 *
 * @param recommended what to take.
 * @param ties        cases that may be as good.
 * @param untried     cases that were not compared, and may be as good; none if the default meets the requirement.
 * @param reasons     how it was decided, a sentence or two each.
 * @param table       lines of the figures that decided.
 */
record Verdict(Case recommended, List<Case> ties, List<Case> untried, List<String> reasons, List<String> table)
{
    private static final List<Figure> BURST = List.of(Figure.BURST);
    private static final List<Figure> REPLAY = List.of(Figure.REPLAY);
    private static final List<Figure> P99 = List.of(Figure.FORCE_P99);

    /**
     * @param finalists in the order of preference, the default first.
     * @param untried   cases that are none, and yet may be as good.
     * @param last      rounds in which the finalists were measured, and on which nothing depended before: they compare.
     * @param all       rounds, which tell what a finalist sustains.
     */
    static Verdict of(
        final List<Case> finalists,
        final List<Case> untried,
        final Measurements last,
        final Measurements all,
        final Requirement requirement)
    {
        final Judging judging = new Judging(finalists, untried, last, all, requirement);
        return requirement.isRateStated() ? judging.byRate() : judging.withoutRate();
    }

    /**
     * Names of cases, for people.
     */
    static String labels(final List<Case> cases)
    {
        return String.join(", ", cases.stream().map(Case::label).toList());
    }

    /**
     * What it is decided from, and what was found so far.
     */
    private record Judging(
        List<Case> finalists,
        List<Case> untried,
        Measurements last,
        Measurements all,
        Requirement requirement,
        List<String> reasons,
        List<String> table)
    {
        Judging(
            final List<Case> finalists,
            final List<Case> untried,
            final Measurements last,
            final Measurements all,
            final Requirement requirement)
        {
            this(finalists, untried, last, all, requirement, new ArrayList<>(), new ArrayList<>());
        }

        Verdict byRate()
        {
            for (final Figure figure : requirement.durability().figures())
            {
                if (isMetBy(standard(), figure))
                {
                    return metByDefault(figure);
                }
            }

            final Figure figure = requirement.durability().figures().stream()
                .max(Comparator.comparingDouble((each) -> records(standard(), each).median())).orElseThrow();
            if (isTooShort())
            {
                return tooShort();
            }

            table.addAll(DecisionTable.ofRates(finalists, all, figure, requirement));
            final Comparison rate = records(standard(), figure);
            final boolean isShort = !requirement.isMetBy(rate.high());
            reasons.add(isShort ?
                String.format(
                    Locale.ROOT, "%s, the default, does not sustain %d times the %,d records/s asked for, but %s.",
                    standard().label(), Requirement.ROOM, requirement.rate(), times(rate)) :
                String.format(
                    Locale.ROOT,
                    "Too noisy to tell whether %s, the default, sustains %d times the %,d records/s asked for: %s.",
                    standard().label(), Requirement.ROOM, requirement.rate(), times(rate)));

            final List<Figure> figures = List.of(figure);
            final List<Case> ahead = others().stream()
                .filter(
                    (each) -> isShort ? against(each, figures).isSurelyAhead() : against(each, figures).isFarAhead())
                .toList();
            final List<Case> able = ahead.stream().filter((each) -> isMetBy(each, figure)).toList();
            if (!able.isEmpty())
            {
                reasons.add(labels(able) + (1 == able.size() ? " does, and is" : " do, and are") + " surely faster." +
                    (able.size() > 1 ? " The first in order of preference is taken." : ""));
                return named(able, figures, figure.title());
            }

            reasons.add("The need is not surely met by any other either.");
            return bestOf(
                ahead.stream().filter((each) -> !isShort || against(each, figures).isAhead()).toList(), figures,
                figure.title());
        }

        Verdict withoutRate()
        {
            final List<Figure> figures = requirement.durability().figures();
            final String name = requirement.durability().figuresName();
            if (isTooShort())
            {
                return tooShort();
            }

            table.addAll(DecisionTable.ofRatios(finalists, last, figures, name));
            reasons.add("No rate was stated: the default, " + standard().label() + ", is left only for one that is " +
                "clearly ahead in " + name + ", and not behind by a quarter in bursts, replay or latency.");
            final List<Case> ahead = others().stream().filter((each) -> against(each, figures).isAhead()).toList();
            ahead.stream().filter(this::isBehind).forEach((each) -> reasons.add(
                each.label() + " is ahead by " + against(each, figures) + ", but " + behind(each) + "."));
            return bestOf(ahead.stream().filter((each) -> !isBehind(each)).toList(), figures, name);
        }

        private Verdict metByDefault(final Figure figure)
        {
            table.addAll(DecisionTable.ofRates(finalists, all, figure, requirement));
            final boolean isMetByAll = finalists.stream().allMatch((each) -> isMetBy(each, figure));
            final double least = isMetByAll ?
                finalists.stream().mapToDouble((each) -> records(each, figure).low()).min().orElseThrow() :
                records(standard(), figure).low();
            final String sustaining = 1 == finalists.size() ? standard().label() + " sustains" :
                2 == finalists.size() ? "Both finalists sustain" : "All " + finalists.size() + " finalists sustain";
            reasons.add(String.format(
                Locale.ROOT,
                "%s at least %.1f times the %,d records/s asked for, and %d times is enough: the default%s " +
                    "stays%s.",
                isMetByAll ? sustaining : standard().label() + ", the default, sustains",
                DecisionTable.down(least / requirement.rate()),
                requirement.rate(), Requirement.ROOM, isMetByAll ? ", " + standard().label() + "," : "",
                isMetByAll ? "" : ", whatever the others reach"));
            return new Verdict(standard(), List.of(), List.of(), reasons, table);
        }

        private Verdict bestOf(final List<Case> ahead, final List<Figure> figures, final String name)
        {
            if (ahead.isEmpty())
            {
                final List<Case> ties = others().stream()
                    .filter((each) -> !last.compare(standard(), each, figures).isAhead())
                    .filter((each) -> requirement.isRateStated() || !isClearlyBehind(each)).toList();
                reasons.add("No other is clearly ahead: the default stays.");
                if (requirement.isRateStated())
                {
                    table.addAll(DecisionTable.ofRatios(finalists, last, figures, name));
                }
                return new Verdict(standard(), ties, untried, reasons, table);
            }

            final Case leader = ahead.stream()
                .max(Comparator.comparingDouble((each) -> against(each, figures).median())).orElseThrow();
            return named(
                ahead.stream().filter((each) -> !last.compare(leader, each, figures).isAhead()).toList(), figures,
                name);
        }

        /**
         * Names the first of those that will do.
         */
        private Verdict named(final List<Case> good, final List<Figure> figures, final String name)
        {
            final Case first = good.get(0);
            if (requirement.isRateStated())
            {
                table.addAll(DecisionTable.ofRatios(finalists, last, figures, name));
            }
            reasons.add(first.label() + " is ahead of " + standard().label() + " by " + against(first, figures) + ".");
            if (isBehind(first))
            {
                reasons.add("The price: " + first.label() + ' ' + behind(first) + '.');
            }
            return new Verdict(first, good.subList(1, good.size()), untried, reasons, table);
        }

        private Verdict tooShort()
        {
            reasons.add("Too few rounds to compare: rounds=" + last.roundCount() + ", needed=" +
                Comparison.MIN_ROUNDS + "; take more --seconds. The default stays.");
            // Not a tie: nothing was compared.
            final List<Case> unknown = new ArrayList<>(others());
            unknown.addAll(untried);
            return new Verdict(standard(), List.of(), unknown, reasons, table);
        }

        private boolean isTooShort()
        {
            return last.roundCount() < Comparison.MIN_ROUNDS;
        }

        private Case standard()
        {
            return finalists.get(0);
        }

        private List<Case> others()
        {
            return finalists.subList(1, finalists.size());
        }

        private Comparison records(final Case measured, final Figure figure)
        {
            return all.recordsPerSecond(measured, figure, requirement.recordLength());
        }

        private boolean isMetBy(final Case measured, final Figure figure)
        {
            final Comparison rate = records(measured, figure);
            return rate.rounds() >= Comparison.MIN_ROUNDS && requirement.isMetBy(rate.low());
        }

        private Comparison against(final Case measured, final List<Figure> figures)
        {
            return last.compare(measured, standard(), figures);
        }

        /**
         * Whether the default would be left for less bursts or replay. By the median alone: noise keeps the default.
         */
        private boolean isBehind(final Case measured)
        {
            return isBehind(measured, BURST) || isBehind(measured, REPLAY) || isLate(measured);
        }

        /** Where a record counts once it is durable, one in a hundred that takes longer matters too. */
        private boolean isLate(final Case measured)
        {
            return DurabilityRequirement.POWER == requirement.durability() &&
                against(measured, P99).median() >= Comparison.MEANINGFUL;
        }

        private boolean isBehind(final Case measured, final List<Figure> figures)
        {
            return against(measured, figures).median() <= 1 / Comparison.MEANINGFUL;
        }

        private boolean isClearlyBehind(final Case measured)
        {
            return last.compare(standard(), measured, BURST).isAhead() ||
                last.compare(standard(), measured, REPLAY).isAhead();
        }

        private String behind(final Case measured)
        {
            final List<String> words = new ArrayList<>();
            if (isBehind(measured, BURST))
            {
                words.add("takes bursts at " + against(measured, BURST));
            }
            if (isBehind(measured, REPLAY))
            {
                words.add("replays at " + against(measured, REPLAY));
            }
            if (isLate(measured))
            {
                words.add("has a 99th percentile of an fsynced append of " + against(measured, P99));
            }
            return String.join(" and ", words) + " of what " + standard().label() + " does";
        }

        private String times(final Comparison rate)
        {
            return new Comparison(
                rate.low() / requirement.rate(), rate.median() / requirement.rate(), rate.high() / requirement.rate(),
                rate.rounds())
                .toString();
        }
    }
}
