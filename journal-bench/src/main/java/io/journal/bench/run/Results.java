package io.journal.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Values of all cases, round by round.
 */
public final class Results
{
    private final Map<String, List<Map<String, String>>> rounds = new LinkedHashMap<>();

    /** A case that counts as not measured until values are added. */
    public void expect(final String label)
    {
        rounds.putIfAbsent(label, new ArrayList<>());
    }

    public void add(final String label, final Map<String, String> found)
    {
        rounds.computeIfAbsent(label, (key) -> new ArrayList<>()).add(found);
    }

    /**
     * Rounds in which every case was measured.
     */
    public int roundCount()
    {
        return rounds.values().stream().mapToInt(List::size).min().orElse(0);
    }

    public List<String> texts(final String label, final String key)
    {
        final List<String> texts = new ArrayList<>();
        final List<Map<String, String>> all = rounds.get(label);
        if (null == all)
        {
            throw new IllegalStateException("not measured: case=" + label);
        }

        for (final Map<String, String> found : all.subList(0, roundCount()))
        {
            final String text = found.get(key);
            if (null == text)
            {
                throw new IllegalStateException("not measured: case=" + label + ", key=" + key);
            }
            texts.add(text);
        }

        return texts;
    }

    /**
     * Whether a case has a value for a key in every round.
     */
    public boolean has(final String label, final String key)
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

    /**
     * Ratios of two cases, paired by round: what slows down a whole round cancels out.
     */
    public Spread ratio(final String label, final String baseline, final String key)
    {
        return Spread.ofRatios(of(label, key), of(baseline, key));
    }
}
