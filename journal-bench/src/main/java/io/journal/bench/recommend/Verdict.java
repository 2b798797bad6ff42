package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

import io.journal.bench.journal.BackendConfig;

/**
 * The chosen configuration and why. A pure function of the requirement and the measurements.
 * <p>
 * A default that sustains {@link Requirement#ROOM} times the requested rate stays: being faster than that gains
 * nothing. One that does not is replaced by the first in order of preference that does, or else by one that is clearly
 * ahead. If noise leaves open whether it does, it is replaced only by one that is far ahead.
 * <p>
 * A default that meets the rate is replaced too by one that does and whose 99th percentile is far better.
 * <p>
 * Without a requested rate the default is replaced by one that is clearly ahead, unless that one is behind by a quarter
 * in bursts, in replay, or in the 99th percentile of an fsynced append.
 *
 * @param recommended the choice.
 * @param ties        configurations that may be as good.
 * @param untried     configurations that were not compared; none if the default meets the requirement.
 * @param reasons     of the decision, a sentence or two each.
 * @param table       lines of the deciding figures.
 */
record Verdict(BackendConfig recommended, List<BackendConfig> ties, List<BackendConfig> untried, List<String> reasons,
    List<String> table)
{
    private static final List<Figure> BURST = List.of(Figure.BURST);
    private static final List<Figure> REPLAY = List.of(Figure.REPLAY);
    private static final List<Figure> P99 = List.of(Figure.FORCE_P99);

    /**
     * @param finalists in order of preference, the default first.
     * @param untried   other configurations that may be as good.
     * @param last      rounds that compare the finalists; they did not influence the selection.
     * @param all       rounds, from which sustained rates are computed.
     */
    static Verdict of(
        final List<BackendConfig> finalists,
        final List<BackendConfig> untried,
        final Measurements last,
        final Measurements all,
        final Requirement requirement)
    {
        final Decision decision = new Decision(finalists, untried, last, all, requirement);
        return requirement.isRateStated() ? decision.byRate() : decision.withoutRate();
    }

    static String labels(final List<BackendConfig> cases)
    {
        return String.join(", ", cases.stream().map(BackendConfig::label).toList());
    }

    /**
     * Inputs of the decision, and the reasons collected so far.
     */
    private record Decision(
        List<BackendConfig> finalists,
        List<BackendConfig> untried,
        Measurements last,
        Measurements all,
        Requirement requirement,
        List<String> reasons,
        List<String> table)
    {
        Decision(
            final List<BackendConfig> finalists,
            final List<BackendConfig> untried,
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
                    Locale.ROOT, "%s, the default, does not sustain %d times the %,d records/s requested, but %s.",
                    standard().label(), Requirement.ROOM, requirement.rate(), times(rate)) :
                String.format(
                    Locale.ROOT,
                    "Too noisy to decide whether %s, the default, sustains %d times the %,d records/s requested: %s.",
                    standard().label(), Requirement.ROOM, requirement.rate(), times(rate)));

            // In the order in which the force policy is chosen. Noise is not given three chances.
            for (final Figure each : isShort ? requirement.durability().figures() : List.of(figure))
            {
                final List<BackendConfig> able = able(each);
                if (!able.isEmpty())
                {
                    reasons.add(labels(able) + (1 == able.size() ? " does, and is" : " do, and are") +
                        " significantly faster." +
                        (able.size() > 1 ? " The first in order of preference is chosen." : ""));
                    return named(able, List.of(each), each.title());
                }
            }

            final List<Figure> figures = List.of(figure);
            reasons.add("No other one is certain to meet the requirement either.");
            return bestOf(
                others().stream()
                    .filter((each) -> isShort ? against(each, figures).isAhead() : isFarAhead(each, figure)).toList(),
                figures, figure.title());
        }

        /** Those that meet the requirement by a figure by which the default does not, in order of preference. */
        private List<BackendConfig> able(final Figure figure)
        {
            final boolean isShort = !requirement.isMetBy(records(standard(), figure).high());
            return others().stream()
                .filter((each) -> isShort ? against(each, List.of(figure)).isSurelyAhead() : isFarAhead(each, figure))
                .filter((each) -> isMetBy(each, figure)).toList();
        }

        /** Needed where noise leaves open whether the default meets the requirement. */
        private boolean isFarAhead(final BackendConfig measured, final Figure figure)
        {
            return against(measured, List.of(figure)).isFarAhead() && !isBehind(measured);
        }

        Verdict withoutRate()
        {
            final List<Figure> figures = requirement.deciding();
            final String name = requirement.durability().figuresName();
            if (isTooShort())
            {
                return tooShort();
            }

            table.addAll(DecisionTable.ofRatios(finalists, last, figures, name));
            reasons.add("No rate was specified: the default, " + standard().label() + ", is replaced only by one " +
                "that is clearly ahead in " + name + ", and not behind by a quarter in bursts, replay or latency.");
            final List<BackendConfig> ahead =
                others().stream().filter((each) -> against(each, figures).isAhead()).toList();
            ahead.stream().filter(this::isBehind).forEach((each) -> reasons.add(
                each.label() + " is ahead by " + against(each, figures) + ", but " + behind(each) + "."));
            return bestOf(ahead.stream().filter((each) -> !isBehind(each)).toList(), figures, name);
        }

        private Verdict metByDefault(final Figure figure)
        {
            table.addAll(DecisionTable.ofRates(finalists, all, figure, requirement));
            final List<BackendConfig> prompter = others().stream()
                .filter((each) -> Figure.FORCED_1 == figure && isMetBy(each, figure))
                .filter((each) -> last.compare(standard(), each, P99).isFarAhead())
                .filter((each) -> !isBehind(each, BURST) && !isBehind(each, REPLAY)).toList();
            if (!prompter.isEmpty())
            {
                final BackendConfig first = prompter.get(0);
                reasons.add(standard().label() + ", the default, sustains the rate, and so does " + first.label() +
                    ", whose 99th percentile of an fsynced append is " + against(first, P99) + " of the default's.");
                return new Verdict(first, prompter.subList(1, prompter.size()), untried, reasons, table);
            }

            final boolean isMetByAll = finalists.stream().allMatch((each) -> isMetBy(each, figure));
            final double least = isMetByAll ?
                finalists.stream().mapToDouble((each) -> records(each, figure).low()).min().orElseThrow() :
                records(standard(), figure).low();
            final String sustaining = 1 == finalists.size() ? standard().label() + " sustains" :
                2 == finalists.size() ? "Both finalists sustain" : "All " + finalists.size() + " finalists sustain";
            reasons.add(String.format(
                Locale.ROOT,
                "%s at least %.1f times the %,d records/s requested, and %d times is enough: the default%s stays%s.",
                isMetByAll ? sustaining : standard().label() + ", the default, sustains",
                DecisionTable.down(least / requirement.rate()),
                requirement.rate(), Requirement.ROOM, isMetByAll ? ", " + standard().label() + "," : "",
                isMetByAll ? "" : ", whatever the others sustain"));
            return new Verdict(standard(), List.of(), List.of(), reasons, table);
        }

        private Verdict bestOf(final List<BackendConfig> ahead, final List<Figure> figures, final String name)
        {
            if (ahead.isEmpty())
            {
                final List<BackendConfig> ties = others().stream()
                    .filter((each) -> !last.compare(standard(), each, figures).isAhead())
                    .filter((each) -> requirement.isRateStated() || !isClearlyBehind(each)).toList();
                reasons.add("No other one is clearly ahead: the default stays.");
                if (requirement.isRateStated())
                {
                    table.addAll(DecisionTable.ofRatios(finalists, last, figures, name));
                }
                return new Verdict(standard(), ties, untried, reasons, table);
            }

            final BackendConfig leader = ahead.stream()
                .max(Comparator.comparingDouble((each) -> against(each, figures).median())).orElseThrow();
            return named(
                ahead.stream().filter((each) -> !last.compare(leader, each, figures).isAhead()).toList(), figures,
                name);
        }

        /**
         * Chooses the first of the acceptable ones.
         */
        private Verdict named(final List<BackendConfig> good, final List<Figure> figures, final String name)
        {
            final BackendConfig first = good.get(0);
            if (requirement.isRateStated())
            {
                table.addAll(DecisionTable.ofRatios(finalists, last, figures, name));
            }
            reasons.add(first.label() + " is ahead of " + standard().label() + " by " + against(first, figures) + ".");
            if (isBehind(first))
            {
                reasons.add("Drawback: " + first.label() + ' ' + behind(first) + '.');
            }
            return new Verdict(first, good.subList(1, good.size()), untried, reasons, table);
        }

        private Verdict tooShort()
        {
            final int compared = 1 == finalists.size() ? 0 : last.roundCount();
            reasons.add("Too few rounds to compare: rounds=" + compared + ", needed=" +
                Comparison.MIN_ROUNDS + "; increase --seconds. The default stays.");
            // Not ties: nothing was compared.
            final List<BackendConfig> unknown = new ArrayList<>(others());
            unknown.addAll(untried);
            return new Verdict(standard(), List.of(), unknown, reasons, table);
        }

        private boolean isTooShort()
        {
            return last.roundCount() < Comparison.MIN_ROUNDS || 1 == finalists.size() && !untried.isEmpty();
        }

        private BackendConfig standard()
        {
            return finalists.get(0);
        }

        private List<BackendConfig> others()
        {
            return finalists.subList(1, finalists.size());
        }

        private Comparison records(final BackendConfig measured, final Figure figure)
        {
            return all.recordsPerSecond(measured, figure, requirement.recordLength());
        }

        private boolean isMetBy(final BackendConfig measured, final Figure figure)
        {
            final Comparison rate = records(measured, figure);
            return rate.rounds() >= Comparison.MIN_ROUNDS && requirement.isMetBy(rate.low());
        }

        private Comparison against(final BackendConfig measured, final List<Figure> figures)
        {
            return last.compare(measured, standard(), figures);
        }

        /**
         * Whether it is slower than the default in bursts or replay, or late. By the median alone: in doubt the default
         * stays.
         */
        private boolean isBehind(final BackendConfig measured)
        {
            return isBehind(measured, BURST) || isBehind(measured, REPLAY) || isLate(measured);
        }

        /** Where durability is acknowledged, tail latency matters too. */
        private boolean isLate(final BackendConfig measured)
        {
            return Requirement.Durability.POWER == requirement.durability() &&
                against(measured, P99).median() >= Comparison.MEANINGFUL;
        }

        private boolean isBehind(final BackendConfig measured, final List<Figure> figures)
        {
            return against(measured, figures).median() <= 1 / Comparison.MEANINGFUL;
        }

        private boolean isClearlyBehind(final BackendConfig measured)
        {
            return last.compare(standard(), measured, BURST).isAhead() ||
                last.compare(standard(), measured, REPLAY).isAhead();
        }

        private String behind(final BackendConfig measured)
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
