package io.journal.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Values of all cases, round by round, and their medians as cells of a table.
 */
public final class Results
{
    private static final double BYTES_PER_MB = 1e6;

    private final Map<String, List<Map<String, String>>> rounds = new LinkedHashMap<>();

    /** A case that counts as not measured until values are added. */
    void expect(final String label)
    {
        rounds.putIfAbsent(label, new ArrayList<>());
    }

    public void add(final String label, final Map<String, String> found)
    {
        rounds.computeIfAbsent(label, (key) -> new ArrayList<>()).add(found);
    }

    /** Rounds in which every case was measured. */
    public int roundCount()
    {
        return rounds.values().stream().mapToInt(List::size).min().orElse(0);
    }

    public List<String> texts(final String label, final String key)
    {
        final List<String> texts = rounds.getOrDefault(label, List.of(Map.of())).stream().limit(roundCount())
            .map((found) -> found.get(key)).toList();
        if (texts.stream().anyMatch(Objects::isNull))
        {
            throw new IllegalStateException("not measured: case=" + label + ", key=" + key);
        }
        return texts;
    }

    boolean has(final String label, final String key)
    {
        return rounds.getOrDefault(label, List.of(Map.of())).stream().allMatch((found) -> found.containsKey(key));
    }

    public double[] of(final String label, final String key)
    {
        return texts(label, key).stream().mapToDouble(Double::parseDouble).toArray();
    }

    public Spread spread(final String label, final String key)
    {
        return Spread.of(of(label, key));
    }

    /** Ratios of two cases, paired by round: what slows down a whole round cancels out. */
    public Spread ratio(final String label, final String baseline, final String key)
    {
        return Spread.of(Spread.ratios(of(label, key), of(baseline, key)));
    }

    /** What {@link #megabytes} shows. */
    public String heading()
    {
        return String.format(
            Locale.ROOT, "MB/s, median [min..max] of %d rounds, a %.1f %% confidence interval of the median",
            roundCount(), 100 * (1 - Math.pow(2, 1 - roundCount())));
    }

    /** A rate in MB/s: median and extremes of the rounds. */
    public String megabytes(final String label, final String key)
    {
        final Spread rate = spread(label, key);
        // More digits for the low rates of one fsync per record.
        return rate.text(rate.median() < 10 * BYTES_PER_MB ? "%,.2f" : "%,.0f", BYTES_PER_MB);
    }

    public String ratioText(final String label, final String baseline, final String key)
    {
        return ratio(label, baseline, key).text("%.2f", 1);
    }
}
