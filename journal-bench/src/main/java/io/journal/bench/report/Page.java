package io.journal.bench.report;

import io.journal.bench.report.ClaimResult.Finding;
import io.journal.bench.report.ClaimResult.Verdict;
import io.journal.bench.run.Spread;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.samskivert.mustache.Mustache;

/**
 * Fills the template of the page: summary, claims, method, runs.
 */
final class Page
{
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String ECHARTS = "/META-INF/resources/webjars/echarts/5.5.0/echarts.min.js";
    private static final int FEW_ROUNDS = 5;
    private static final Set<String> FACTS_OF_A_RUN = Set.of("date", "load", "device", "files", "warning", "commit");
    private static final Map<String, String> PUBLISHED = new TreeMap<>(Map.of(
        "sequential.csv", "Sequential writes and reads: the article and its comments", "sweep.csv",
        "Reads with buffers of many lengths, on three systems", "figures.csv", "Single numbers of the other articles",
        "sources.csv", "Sources"));

    private final Map<ResultFile, List<Chart>> runs;
    private final List<ClaimResult> results;
    private final List<String> missing;
    private final Map<Map<String, String>, List<ResultFile>> machines = new LinkedHashMap<>();

    Page(final Map<ResultFile, List<Chart>> runs, final List<ClaimResult> results, final List<String> missing)
    {
        this.runs = runs;
        this.results = results;
        this.missing = missing;
        for (final ResultFile run : runs.keySet())
        {
            final Map<String, String> facts = new LinkedHashMap<>(run.machine());
            facts.keySet().removeAll(FACTS_OF_A_RUN);
            facts.replaceAll((name, fact) -> Compare.Comparison.steady(fact));
            machines.computeIfAbsent(facts, (key) -> new ArrayList<>()).add(run);
        }
    }

    String text() throws IOException
    {
        final Summary answers = new Summary(runs, results);
        final Map<String, Chart> charts = new LinkedHashMap<>();
        runs.values().forEach((all) -> all.forEach((chart) -> charts.put(chart.name(), chart)));

        final Map<String, Object> model = new LinkedHashMap<>();
        model.put("style", Resources.text("report.css"));
        model.put("echarts", Resources.text(ECHARTS));
        model.put("script", Resources.text("report.js"));
        model.put("data", script(charts.values()));
        model.put("machine", machine());
        model.put("recommendation", answers.recommendation());
        model.put("overview", answers.overview());
        model.put("articles", answers.articles());
        model.put("counts", counts());
        model.put("claims", results.stream().map(Page::claim).toList());
        model.put("runs", runs.entrySet().stream().map((run) -> run(run.getKey(), run.getValue())).toList());
        model.put("machines", machines.entrySet().stream().map((entry) -> Map.of(
            "facts", entry.getKey().entrySet(), "runs", names(entry.getValue()))).toList());
        model.put("warnings", warnings());
        model.put("tables",
            PUBLISHED.entrySet().stream().map((table) -> table(table.getValue(), table.getKey())).toList());

        return Mustache.compiler().defaultValue("").emptyStringIsFalse(true).escapeHTML(true)
            .compile(Resources.text("report.html")).execute(model);
    }

    /**
     * Data for a script element, escaped so that it cannot end the element.
     */
    private static String script(final Object data) throws JsonProcessingException
    {
        return JSON.writeValueAsString(data).replace("<", "\\u003c");
    }

    private String machine()
    {
        final Map<String, String> first = machines.keySet().iterator().next();
        final String text = first.getOrDefault("CPU", "unknown processor") + "; " +
            first.getOrDefault("file system", "").replaceAll(" \\(.*", "") + "; JDK " +
            first.getOrDefault("JDK", "").replaceAll(",.*", "");
        return machines.size() > 1 ? text + "; and " + (machines.size() - 1) + " more, see Machines" : text;
    }

    private static List<String> names(final List<ResultFile> runs)
    {
        return runs.stream().map(ResultFile::name).toList();
    }

    private Set<String> warnings()
    {
        final Set<String> all = new LinkedHashSet<>(missing);
        runs.keySet().stream().filter((run) -> !run.fact("warning").isEmpty())
            .forEach((run) -> all.add(run.name() + ": " + run.fact("warning")));
        if (runs.keySet().stream().anyMatch(ResultFile::isScaled))
        {
            all.add("Includes scaled runs, for a quick look only: not comparable with full-size runs.");
        }
        if (runs.keySet().stream().anyMatch((run) -> run.keys().contains(Charts.WRITE) ||
            run.keys().contains(Charts.READ) && !"cold".equals(run.profile())))
        {
            all.add("Rates of the page cache are not those of the device: writes had not reached it, and reads came " +
                "from memory.");
        }
        return all;
    }

    private List<Map<String, Object>> counts()
    {
        final List<Map<String, Object>> counts = new ArrayList<>();
        for (final Verdict verdict : Verdict.values())
        {
            final long count = results.stream().filter((each) -> verdict == each.verdict()).count();
            if (count > 0)
            {
                counts.add(Map.of("verdict", verdict.name(), "words", count + " " + verdict.plural()));
            }
        }
        return counts;
    }

    private static Map<String, Object> claim(final ClaimResult result)
    {
        final Claim claim = result.claim();
        final boolean isRun = Verdict.NOT_RUN != result.verdict();
        final Map<String, Object> model = new LinkedHashMap<>();
        model.put("id", claim.id());
        model.put("says", claim.says());
        model.put("wanted", claim.wanted());
        model.put("verdict", result.verdict().name());
        // Verdicts on fewer than five rounds are drawn pale.
        model.put("strength", result.isWeak() ? "weak" : "");
        model.put("summary", result.summary());
        model.put("command", isRun ? "" : claim.command());
        model.put("findings", result.findings().size() > 1 ?
            result.findings().stream().map(Finding::words).toList() : List.of());
        model.put("run", isRun ? result.run().name() : "");
        return model;
    }

    private static Map<String, Object> run(final ResultFile run, final List<Chart> charts)
    {
        final Map<String, Object> model = new LinkedHashMap<>();
        model.put("name", run.name());
        model.put("title", run.experiment() + ", " + run.profile());
        model.put("when", run.fact("date").replaceAll("T(\\d\\d:\\d\\d).*", " $1"));
        model.put("size", run.cases().size() + " cases, " + run.roundCount() + " rounds");
        model.put("warnings", warnings(run));
        model.put("charts", charts.stream().map(Chart::name).toList());
        final Map<String, String> facts = new LinkedHashMap<>();
        facts.put("plan", run.plan());
        facts.put("command", run.command());
        FACTS_OF_A_RUN.stream().sorted().forEach((name) -> facts.put(name, run.fact(name)));
        facts.put("file", String.valueOf(run.file().getFileName()));
        facts.values().removeIf(String::isEmpty);
        model.put("facts", facts.entrySet());
        final List<String> keys = run.keys().stream().sorted().toList();
        model.put("keys", keys);
        model.put("rows", run.cases().stream().map((each) -> Map.of(
            "label", each.label(),
            "cells", keys.stream().map((key) -> each.has(key) ? range(each.spread(key)) : "–").toList())).toList());
        return model;
    }

    private static List<String> warnings(final ResultFile run)
    {
        final List<String> warnings = new ArrayList<>();
        final int rounds = run.roundCount();
        if (run.cases().isEmpty())
        {
            warnings.add("The run ended before its first case.");
        }
        else if (rounds < FEW_ROUNDS && !"faithful".equals(run.profile()))
        {
            warnings.add(String.format(
                Locale.ROOT,
                "%d %s: the extremes are a confidence interval of the median of only %.0f %%.", rounds,
                1 == rounds ? "round" : "rounds", 100 * (1 - Math.pow(2, 1 - rounds))));
        }
        final Map<String, Integer> above = new TreeMap<>();
        run.cases().forEach((each) -> each.texts("aboveDevice")
            .forEach((keys) -> List.of(keys.split(" ")).forEach((key) -> above.merge(key, 1, Integer::sum))));
        above.forEach((key, count) -> warnings.add(
            DisplayNames.value(key, run.profile()) + " exceeded the device's rate " + count +
                " times: served by the page cache."));
        if (run.isScaled())
        {
            warnings.add("Scaled to " + run.scale() + " of the full size, for a quick look only.");
        }
        return warnings;
    }

    private static Map<String, Object> table(final String title, final String name)
    {
        final List<Map<String, String>> rows = PublishedResults.rows(name);
        return Map.of(
            "title", title, "names", rows.get(0).keySet(), "rows", rows.stream().map(Map::values).toList());
    }

    static String range(final Spread value)
    {
        return value.min() == value.max() ? Unit.number(value.median()) :
            Unit.number(value.median()) + " [" + Unit.number(value.min()) + ".." + Unit.number(value.max()) + "]";
    }
}
