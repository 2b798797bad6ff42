package io.journal.bench.recommend;

import java.util.List;
import java.util.Locale;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Spread;

/**
 * The measurements as text: a block for each figure, a line for each case.
 */
final class Table
{
    private Table()
    {
    }

    static String of(final Measurements measurements)
    {
        final String reference = measurements.reference().label();
        final StringBuilder lines = new StringBuilder();
        for (final Figure figure : Figure.values())
        {
            lines.append(String.format(Locale.ROOT, "%s, %s%n", figure.title(), figure.unit()));
            lines.append(String.format(
                Locale.ROOT, "  %-28s %11s %11s %11s   against %s%n", "", "median", "min", "max", reference));
            for (final Case each : measurements.cases())
            {
                final Spread values = Spread.of(measurements.of(each, figure));
                final Spread ratios = Spread.of(measurements.ratios(each, List.of(figure)));
                lines.append(String.format(
                    Locale.ROOT, "  %-28s %,11.0f %,11.0f %,11.0f   %5.2f [%.2f..%.2f]%n",
                    each.label(), values.median(), values.min(), values.max(),
                    ratios.median(), ratios.min(), ratios.max()));
            }
            lines.append(System.lineSeparator());
        }

        return lines.toString();
    }
}
