package io.journal.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Values of all cases, round by round.
 */
public final class Results
{
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

    /** Numbers of the rounds. */
    public double[] of(final String label, final String key)
    {
        final List<String> texts = rounds.getOrDefault(label, List.of(Map.of())).stream().limit(roundCount())
            .map((found) -> found.get(key)).toList();
        if (texts.stream().anyMatch(Objects::isNull))
        {
            throw new IllegalStateException("not measured: case=" + label + ", key=" + key);
        }
        return texts.stream().mapToDouble(Double::parseDouble).toArray();
    }
}
