package io.journal.bench.report;

import java.util.List;

import io.journal.bench.run.Spread;

/**
 * A bar for each value of each group, as long as the median, with a whisker between the extremes.
 *
 * @param unit   of all values.
 * @param groups names of what is compared.
 * @param series one or more for each group.
 */
record BarChart(String name, String title, String subtitle, Unit.Display unit, List<String> groups, List<Series> series)
    implements Chart
{
    /**
     * The values of one kind.
     *
     * @param isReference published, not measured here.
     * @param values      one for each group; null where there is none.
     */
    record Series(String name, boolean isReference, List<Spread> values)
    {
    }

    @Override
    public String description()
    {
        final StringBuilder words = new StringBuilder(title).append(", ").append(subtitle).append(". Medians in ")
            .append(unit.name()).append(": ");
        for (int i = 0; i < groups.size(); i++)
        {
            words.append(0 == i ? "" : "; ").append(groups.get(i));
            for (final Series each : series)
            {
                if (null != each.values().get(i))
                {
                    words.append(", ").append(each.name()).append(' ')
                        .append(unit.format(each.values().get(i).median()));
                }
            }
        }

        return words.append('.').toString();
    }

    double largest()
    {
        double largest = 0;
        for (final Series each : series)
        {
            for (final Spread value : each.values())
            {
                largest = null == value ? largest : Math.max(largest, value.max());
            }
        }

        return largest;
    }
}
