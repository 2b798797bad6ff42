package io.journal.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.journal.bench.run.Spread;

/**
 * Durable records a second over threads that share forces, beside the plain loop of one thread.
 */
final class GroupCommitCharts
{
    private static final String THREADS = "threads";
    private static final String BACKEND = "backend";

    private GroupCommitCharts()
    {
    }

    static List<Chart> of(final ResultFile run)
    {
        return List.of(
            chart(run, "records", "Durable records a second", "recordsPerSecond"),
            chart(run, "p99", "99 of 100 records were forced within", "p99Us"));
    }

    private static BarChart chart(final ResultFile run, final String suffix, final String title, final String key)
    {
        final List<Measured> cases = run.cases().stream().filter((each) -> each.has(key)).toList();
        final List<String> threads = Cases.valuesOf(cases, THREADS);
        final Set<String> names = new LinkedHashSet<>();
        // What has no backend is the loop it is compared with.
        cases.stream().filter((each) -> !each.parameters().containsKey(BACKEND))
            .forEach((each) -> names.add(each.label()));
        names.addAll(Cases.valuesOf(cases, BACKEND));

        final List<BarChart.Series> series = new ArrayList<>();
        for (final String name : names)
        {
            final List<Spread> values = new ArrayList<>();
            for (final String count : threads)
            {
                values.add(cases.stream()
                    .filter((each) -> count.equals(each.parameters().get(THREADS)))
                    .filter((each) -> name.equals(each.parameters().getOrDefault(BACKEND, each.label())))
                    .findFirst().map((each) -> each.spread(key)).orElse(null));
            }
            series.add(new BarChart.Series(name, false, values));
        }

        final double largest = cases.stream().mapToDouble((each) -> each.spread(key).max()).max().orElse(0);
        return new BarChart(
            run.name() + '-' + suffix, title, Charts.subtitle(run, cases), Unit.of(key).display(key, largest),
            threads.stream().map((count) -> Names.words(THREADS, count)).toList(), series);
    }
}
