// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.TreeMap;

import io.journal.bench.run.Interval;
import io.journal.bench.run.Unit;

/**
 * A statement of an article or a comment with its number, and the ratio measured here with its interval. The reader
 * judges whether the statement holds.
 *
 * @param measured ratio in words, or that there is none.
 * @param run      name of the result that it comes from; empty if it is not there.
 */
record Claim(String id, String says, String number, String measured, String run)
{
    static List<Claim> of(final List<ResultFile> runs)
    {
        return PublishedResults.rows("claims.csv").stream().map((row) ->
        {
            final Optional<ResultFile> result =
                runs.stream().filter((run) -> run.name().equals(row.get("result"))).findFirst();
            return new Claim(
                row.get("id"), row.get("says"), row.get("number"), result.map((run) -> words(run, row))
                    .orElse("not measured: articles " + row.get("result")),
                result.map(ResultFile::name).orElse(""));
        }).toList();
    }

    private static String words(final ResultFile run, final Map<String, String> row)
    {
        final String[] keys = row.get("key").split("/");
        final Map<Integer, Double> ones = best(run, row.get("of"), keys[0]);
        final Map<Integer, Double> others = best(run, row.get("to"), keys[keys.length - 1]);
        final Map<Integer, Double> ratios = new LinkedHashMap<>();
        ones.forEach((round, one) ->
        {
            if (others.getOrDefault(round, 0.0) > 0)
            {
                ratios.put(round, one / others.get(round));
            }
        });
        if (ratios.isEmpty())
        {
            return "not measured in this run";
        }
        final Interval ratio = Interval.of(ratios.values().stream().mapToDouble(Double::doubleValue).toArray());
        final String median = Unit.number(ratio.median());
        return ratios.size() < Tables.MIN_ROUNDS ? median + ", " + ratios.size() + " rounds: too few for an interval" :
            median + " [" + Unit.number(ratio.low()) + ".." + Unit.number(ratio.high()) + "], " + (run.isFaithful() ?
                ratios.size() + " passes of one process" :
                String.format(Locale.ROOT, "%.0f %%, %d rounds", 100 * ratio.confidence(), ratios.size()));
    }

    /** The best value of each round, among the cases whose name matches. */
    private static Map<Integer, Double> best(final ResultFile run, final String pattern, final String key)
    {
        final Map<Integer, Double> best = new TreeMap<>();
        final List<CaseResult> cases = run.cases().stream().filter((each) -> each.label().matches(pattern)).toList();
        cases.stream().flatMap((each) -> each.rounds().keySet().stream()).distinct().forEach((round) ->
        {
            final double[] values = cases.stream().map((each) -> each.number(round, key))
                .flatMapToDouble(OptionalDouble::stream).toArray();
            if (values.length > 0)
            {
                best.put(round, (Unit.of(key).isHigherBetter ? Arrays.stream(values).max() :
                    Arrays.stream(values).min()).orElseThrow());
            }
        });
        return best;
    }
}
