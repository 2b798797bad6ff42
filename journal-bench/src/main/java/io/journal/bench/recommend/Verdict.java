// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.run.Interval;
import io.journal.bench.recommend.Measurements.Figure;

/**
 * The chosen configuration and why. A pure function of the requirement and the measurements.
 * <p>
 * A default that sustains {@link Requirement#ROOM} times the requested rate stays, because being faster gains nothing.
 * Otherwise it is replaced by the first configuration in order of preference that sustains this rate or, if there is
 * none, by a configuration that is clearly ahead. If noise leaves open whether the default sustains it, only a
 * configuration that is far ahead replaces it.
 * <p>
 * A default that sustains the rate is also replaced by a configuration that sustains it with a far better 99th
 * percentile.
 * <p>
 * Without a requested rate, a configuration that is clearly ahead replaces the default, unless it is behind by a
 * quarter in bursts, in replay, or in the 99th percentile of an fsynced append.
 *
 * @param ties    configurations that may be as good.
 * @param untried configurations that were not compared; none if the default meets the requirement.
 * @param reasons of the decision, a sentence or two each.
 * @param table   lines of the deciding figures, for terminals of 80 columns.
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
        final List<BackendConfig> finalists, final List<BackendConfig> untried, final Measurements last,
        final Measurements all, final Requirement requirement)
    {
        return new Decision(
            finalists.get(0), finalists.subList(1, finalists.size()), untried, last, all, requirement,
            new ArrayList<>(), new ArrayList<>()).verdict();
    }

    static String labels(final List<BackendConfig> cases)
    {
        return String.join(", ", cases.stream().map(BackendConfig::label).toList());
    }

    /** Inputs of the decision, and the reasons collected so far. */
    private record Decision(
        BackendConfig standard, List<BackendConfig> others, List<BackendConfig> untried, Measurements last,
        Measurements all, Requirement requirement, List<String> reasons, List<String> table)
    {
        Verdict verdict()
        {
            for (final Figure figure : requirement.durability().figures)
            {
                if (requirement.isRateStated() && isMetBy(standard, figure))
                {
                    return metByDefault(figure);
                }
            }
            if (last.roundCount() < Interval.MIN_COUNT || others.isEmpty() && !untried.isEmpty())
            {
                reason(
                    "Too few rounds to compare: rounds=%d, needed=%d; increase --seconds. The default stays.",
                    others.isEmpty() ? 0 : last.roundCount(), Interval.MIN_COUNT);
                // These are not ties, because nothing was compared.
                final List<BackendConfig> unknown = Stream.concat(others.stream(), untried.stream()).toList();
                return new Verdict(standard, List.of(), unknown, reasons, table);
            }
            return requirement.isRateStated() ? byRate() : withoutRate();
        }

        private Verdict byRate()
        {
            final List<Figure> figures = requirement.durability().figures;
            final Figure best = figures.stream()
                .max(Comparator.comparingDouble((each) -> records(standard, each).median())).orElseThrow();
            final boolean isShort = isShort(best);
            addRates(best);
            reason(
                isShort ? "%s, the default, does not sustain %d times the %,d records/s requested, but %s." :
                    "Too noisy to decide whether %s, the default, sustains %d times the %,d records/s requested: %s.",
                standard.label(), Requirement.ROOM, requirement.rate(),
                records(standard, best).dividedBy(requirement.rate()));

            // The figures are tried in the order in which the force policy is chosen. If noise leaves the result open,
            // only the best figure is tried, so that noise does not get three chances.
            for (final Figure figure : isShort ? figures : List.of(best))
            {
                final List<BackendConfig> able = others.stream()
                    .filter((each) -> isShort(figure) ? against(each, List.of(figure)).isSurelyAhead() :
                        isFarAhead(each, figure))
                    .filter((each) -> isMetBy(each, figure)).toList();
                if (!able.isEmpty())
                {
                    reason(
                        1 == able.size() ? "%s does, and is significantly faster." :
                            "%s do, and are significantly faster. The first in order of preference is chosen.",
                        labels(able));
                    addRatios(List.of(figure), title(figure));
                    return chosen(able, List.of(figure));
                }
            }

            reason("No other one is certain to meet the requirement either.");
            addRatios(List.of(best), title(best));
            return bestOf(
                others.stream().filter((each) -> isShort ? against(each, List.of(best)).isAhead() :
                    isFarAhead(each, best)).toList(),
                List.of(best));
        }

        private Verdict metByDefault(final Figure figure)
        {
            addRates(figure);
            final List<BackendConfig> prompter = others.stream()
                .filter((each) -> Figure.FORCED_1 == figure && isMetBy(each, figure))
                .filter((each) -> last.compare(standard, each, P99).isFarAhead())
                .filter((each) -> !isBehind(each, BURST) && !isBehind(each, REPLAY)).toList();
            if (!prompter.isEmpty())
            {
                final BackendConfig first = prompter.get(0);
                reason(
                    "%s, the default, sustains the rate, and so does %s, whose 99th percentile of an fsynced append " +
                        "is %s of the default's.",
                    standard.label(), first.label(), against(first, P99));
                return verdict(prompter);
            }

            final double rate = requirement.rate();
            final double own = records(standard, figure).low();
            if (others.stream().allMatch((each) -> isMetBy(each, figure)))
            {
                final double least =
                    others.stream().mapToDouble((each) -> records(each, figure).low()).reduce(own, Math::min);
                final int count = 1 + others.size();
                reason(
                    "%s at least %.1f times the %,.0f records/s requested, and %d times is enough: the default, %s, " +
                        "stays.",
                    1 == count ? standard.label() + " sustains" :
                        2 == count ? "Both finalists sustain" : "All " + count + " finalists sustain",
                    down(least / rate), rate, Requirement.ROOM, standard.label());
            }
            else
            {
                reason(
                    "%s, the default, sustains at least %.1f times the %,.0f records/s requested, and %d times is " +
                        "enough: the default stays, whatever the others sustain.",
                    standard.label(), down(own / rate), rate, Requirement.ROOM);
            }
            return new Verdict(standard, List.of(), List.of(), reasons, table);
        }

        private Verdict withoutRate()
        {
            final List<Figure> figures = requirement.deciding();
            final String name = requirement.durability().figuresName;
            addRatios(figures, name);
            reason(
                "No rate was specified: the default, %s, is replaced only by one that is clearly ahead in %s, and " +
                    "not behind by a quarter in bursts, replay or latency.",
                standard.label(), name);
            final List<BackendConfig> ahead =
                others.stream().filter((each) -> against(each, figures).isAhead()).toList();
            ahead.stream().filter((each) -> !drawbacks(each).isEmpty()).forEach((each) -> reason(
                "%s is ahead by %s, but %s.", each.label(), against(each, figures), drawbacks(each)));
            return bestOf(ahead.stream().filter((each) -> drawbacks(each).isEmpty()).toList(), figures);
        }

        /**
         * Chooses among the configurations that are ahead: the first, in order of preference, of the leader and those
         * close to it.
         */
        private Verdict bestOf(final List<BackendConfig> ahead, final List<Figure> figures)
        {
            if (!ahead.isEmpty())
            {
                final BackendConfig leader = ahead.stream()
                    .max(Comparator.comparingDouble((each) -> against(each, figures).median())).orElseThrow();
                return chosen(
                    ahead.stream().filter((each) -> !last.compare(leader, each, figures).isAhead()).toList(), figures);
            }

            reason("No other one is clearly ahead: the default stays.");
            final List<BackendConfig> good = new ArrayList<>(List.of(standard));
            others.stream()
                .filter((each) -> !last.compare(standard, each, figures).isAhead())
                .filter((each) -> requirement.isRateStated() || Stream.of(BURST, REPLAY)
                    .noneMatch((figure) -> last.compare(standard, each, figure).isAhead()))
                .forEach(good::add);
            return verdict(good);
        }

        /** Chooses the first of several that are better than the default. */
        private Verdict chosen(final List<BackendConfig> good, final List<Figure> figures)
        {
            final BackendConfig first = good.get(0);
            reason("%s is ahead of %s by %s.", first.label(), standard.label(), against(first, figures));
            if (!drawbacks(first).isEmpty())
            {
                reason("Drawback: %s %s.", first.label(), drawbacks(first));
            }
            return verdict(good);
        }

        /** The first is recommended, the others are ties. */
        private Verdict verdict(final List<BackendConfig> good)
        {
            return new Verdict(good.get(0), good.subList(1, good.size()), untried, reasons, table);
        }

        private void reason(final String format, final Object... values)
        {
            reasons.add(String.format(Locale.ROOT, format, values));
        }

        private Interval records(final BackendConfig measured, final Figure figure)
        {
            return all.recordsPerSecond(measured, figure, requirement.recordLength());
        }

        private boolean isMetBy(final BackendConfig measured, final Figure figure)
        {
            final Interval rate = records(measured, figure);
            return rate.count() >= Interval.MIN_COUNT && requirement.isMetBy(rate.low());
        }

        private Interval against(final BackendConfig measured, final List<Figure> figures)
        {
            return last.compare(measured, standard, figures);
        }

        /** Whether the default surely misses the requirement. */
        private boolean isShort(final Figure figure)
        {
            return !requirement.isMetBy(records(standard, figure).high());
        }

        /**
         * Whether a configuration is far ahead, as required if noise leaves open whether the default meets the
         * requirement.
         */
        private boolean isFarAhead(final BackendConfig measured, final Figure figure)
        {
            return against(measured, List.of(figure)).isFarAhead() && drawbacks(measured).isEmpty();
        }

        private boolean isBehind(final BackendConfig measured, final List<Figure> figures)
        {
            return against(measured, figures).median() <= 1 / Interval.MEANINGFUL;
        }

        /**
         * Names the figures in which a configuration is slower than the default, or late; empty if there are none. Only
         * medians are compared: in doubt the default stays.
         */
        private String drawbacks(final BackendConfig measured)
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
            // Where durability is acknowledged, tail latency matters too.
            if (Requirement.Durability.POWER == requirement.durability() &&
                against(measured, P99).median() >= Interval.MEANINGFUL)
            {
                words.add("has a 99th percentile of an fsynced append of " + against(measured, P99));
            }
            return words.isEmpty() ? "" : String.join(" and ", words) + " of what " + standard.label() + " does";
        }

        /** The rate that each configuration sustains, and its multiple of the requested one. */
        private void addRates(final Figure figure)
        {
            row("%s: records/s, %,d requested", sentence(title(figure)), requirement.rate());
            row("%-26s %6s %12s %12s %18s", "", "rounds", "median", "at least", "times the rate");
            Stream.concat(Stream.of(standard), others.stream()).forEach((each) ->
            {
                final Interval rate = records(each, figure);
                row(
                    "%-26s %6d %,12.0f %,12.0f %,18.1f", each.label(), rate.count(), rate.median(), rate.low(),
                    down(rate.low() / requirement.rate()));
            });
            row("");
        }

        /** Ratios of each other configuration to the default. */
        private void addRatios(final List<Figure> figures, final String name)
        {
            row("Ratios to %s in %d rounds; deciding: %s", standard.label(), last.roundCount(), name);
            row("%-25s %17s %17s %17s", "", "deciding", "bursts", "replay");
            others.forEach((each) -> row(
                "%-25s %17s %17s %17s", each.label(), against(each, figures), against(each, BURST),
                against(each, REPLAY)));
            row("");
        }

        private String title(final Figure figure)
        {
            return figure.title(requirement.recordLength());
        }

        private void row(final String format, final Object... values)
        {
            table.add(String.format(Locale.ROOT, format, values));
        }
    }

    /** One decimal, rounded down: the stated rate is sustained. */
    private static double down(final double value)
    {
        return Math.floor(10 * value) / 10;
    }

    static String sentence(final String text)
    {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
