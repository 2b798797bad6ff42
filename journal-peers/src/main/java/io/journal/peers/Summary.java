package io.journal.peers;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * One value over all rounds.
 */
record Summary(double median, double min, double max, int rounds)
{
    /**
     * Of the rounds that have this value; null if there is none.
     */
    static Summary of(final List<Result> results, final String name)
    {
        final double[] values = results.stream().filter((result) -> result.values().containsKey(name))
            .mapToDouble((result) -> result.values().get(name)).sorted().toArray();
        if (0 == values.length)
        {
            return null;
        }
        final int middle = values.length / 2;
        final double median = 1 == values.length % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
        return new Summary(median, values[0], Arrays.stream(values).max().orElseThrow(), values.length);
    }

    String text()
    {
        return min == max ? Numbers.text(median) :
            String.format(Locale.ROOT, "%s [%s..%s]", Numbers.text(median), Numbers.text(min), Numbers.text(max));
    }
}
