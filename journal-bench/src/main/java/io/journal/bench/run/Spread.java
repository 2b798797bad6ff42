package io.journal.bench.run;

import java.util.Arrays;
import java.util.Locale;

import org.apache.commons.statistics.descriptive.Median;

/**
 * Median and extremes of repeated measurements.
 */
public record Spread(double min, double median, double max)
{
    public static Spread of(final double... values)
    {
        if (0 == values.length)
        {
            throw new IllegalArgumentException("no measurements");
        }
        return new Spread(
            Arrays.stream(values).min().orElseThrow(), Median.withDefaults().withCopy(true).evaluate(values),
            Arrays.stream(values).max().orElseThrow());
    }

    /**
     * The median, and the extremes in brackets.
     *
     * @param format of a number.
     */
    public String text(final String format)
    {
        return String.format(Locale.ROOT, format + " [" + format + ".." + format + "]", median, min, max);
    }

    public static double geometricMean(final double... values)
    {
        return Math.exp(Arrays.stream(values).map(Math::log).sum() / values.length);
    }
}
