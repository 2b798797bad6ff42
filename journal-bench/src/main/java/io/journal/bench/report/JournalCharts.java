package io.journal.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.journal.bench.run.Spread;

/**
 * The journal beside plain files of the same bytes, for each length of a record.
 */
final class JournalCharts
{
    private JournalCharts()
    {
    }

    static List<Chart> of(final ResultFile run)
    {
        final Map<String, List<Measured>> byLength = new TreeMap<>(Names::compare);
        for (final Measured each : run.cases())
        {
            // A plain file is written in pages as long as a record.
            final Map<String, String> parameters = each.parameters();
            final String length = parameters.getOrDefault("recordLength", parameters.getOrDefault("pageLength", ""));
            byLength.computeIfAbsent(length, (key) -> new ArrayList<>()).add(each);
        }

        final List<Chart> charts = new ArrayList<>();
        byLength.forEach((length, cases) -> List.of(Charts.WRITE, Charts.DURABLE, Charts.READ).forEach((key) ->
        {
            final List<Measured> measured = cases.stream().filter((each) -> each.has(key)).toList();
            if (!measured.isEmpty())
            {
                charts.add(chart(run, length, key, measured));
            }
        }));
        return charts;
    }

    private static BarChart chart(
        final ResultFile run, final String length, final String key, final List<Measured> cases)
    {
        final List<Measured> journals = cases.stream().filter(JournalCharts::isJournal).toList();
        final List<Measured> files = cases.stream().filter((each) -> !isJournal(each)).toList();
        final List<String> groups = new ArrayList<>();
        final List<Spread> ofJournals = new ArrayList<>();
        final List<Spread> ofFiles = new ArrayList<>();
        for (int i = 0; i < journals.size(); i++)
        {
            groups.add("journal, " + Cases.labels(journals).get(i));
            ofJournals.add(journals.get(i).spread(key));
            ofFiles.add(null);
        }
        for (int i = 0; i < files.size(); i++)
        {
            groups.add("plain file, " + Cases.labels(files).get(i));
            ofJournals.add(null);
            ofFiles.add(files.get(i).spread(key));
        }

        final double largest = cases.stream().mapToDouble((each) -> each.spread(key).max()).max().orElse(0);
        return new BarChart(
            run.name() + '-' + length + '-' + Unit.of(key).strip(key),
            Names.title(Names.value(key, run.profile())) + ", records of " + Names.bytes(length),
            Charts.subtitle(run, journals), Unit.of(key).display(key, largest), groups,
            List.of(
                new BarChart.Series("journal", false, ofJournals), new BarChart.Series("plain file", false, ofFiles)));
    }

    private static boolean isJournal(final Measured measured)
    {
        return measured.parameters().containsKey("backend");
    }
}
