package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import io.journal.bench.journal.BackendConfig;

/**
 * Tables of the deciding figures, for terminals of 80 columns.
 */
final class DecisionTable
{
    private DecisionTable()
    {
    }

    /**
     * The rate that each configuration sustains, and its multiple of the requested one.
     */
    static List<String> ofRates(
        final List<BackendConfig> cases, final Measurements rounds, final Figure figure, final Requirement requirement)
    {
        final List<String> lines = new ArrayList<>();
        lines.add(String.format(
            Locale.ROOT, "%s: records/s, %,d requested", sentence(figure.title()), requirement.rate()));
        lines.add(String.format(
            Locale.ROOT, "%-26s %6s %12s %12s %18s", "", "rounds", "median", "at least", "times the rate"));
        for (final BackendConfig each : cases)
        {
            final Comparison rate = rounds.recordsPerSecond(each, figure, requirement.recordLength());
            lines.add(String.format(
                Locale.ROOT, "%-26s %6d %,12.0f %,12.0f %,18.1f", each.label(), rate.rounds(), rate.median(),
                rate.low(), down(rate.low() / requirement.rate())));
        }
        lines.add("");
        return lines;
    }

    /**
     * Ratios of each configuration to the first.
     */
    static List<String> ofRatios(
        final List<BackendConfig> cases, final Measurements rounds, final List<Figure> figures, final String name)
    {
        final BackendConfig standard = cases.get(0);
        final List<String> lines = new ArrayList<>();
        lines.add("Ratios to " + standard.label() + " in " + rounds.roundCount() + " rounds; deciding: " + name);
        lines.add(String.format(Locale.ROOT, "%-25s %17s %17s %17s", "", "deciding", "bursts", "replay"));
        for (final BackendConfig each : cases.subList(1, cases.size()))
        {
            lines.add(String.format(
                Locale.ROOT, "%-25s %17s %17s %17s", each.label(), rounds.compare(each, standard, figures),
                rounds.compare(each, standard, List.of(Figure.BURST)),
                rounds.compare(each, standard, List.of(Figure.REPLAY))));
        }
        lines.add("");
        return lines;
    }

    /**
     * Rate by segment length, and its ratio to the first.
     *
     * @param rates  in MB/s.
     * @param ratios to the first.
     */
    static List<String> ofSegments(
        final List<String> labels, final List<Comparison> rates, final List<Comparison> ratios)
    {
        final List<String> lines = new ArrayList<>();
        lines.add("Append without a pause, no fsync: MB/s");
        lines.add(String.format(Locale.ROOT, "%-26s %24s %24s", "", "median", "of the default"));
        for (int i = 0; i < labels.size(); i++)
        {
            lines.add(String.format(
                Locale.ROOT, "%-26s %24s %24s", labels.get(i), wholes(rates.get(i)), ratios.get(i)));
        }
        lines.add("");
        return lines;
    }

    /**
     * One decimal, rounded down: the stated rate is sustained.
     */
    static double down(final double value)
    {
        return Math.floor(10 * value) / 10;
    }

    private static String wholes(final Comparison rate)
    {
        return String.format(Locale.ROOT, "%,.0f [%,.0f..%,.0f]", rate.median(), rate.low(), rate.high());
    }

    private static String sentence(final String text)
    {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }
}
