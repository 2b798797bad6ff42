package io.journal.bench.report;

import io.journal.bench.report.Chart.Panel;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.report.ClaimResult.Verdict;
import io.journal.bench.run.Machine;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The summary at the top of the page: the recommendation, and for each article its result and the one of this machine.
 */
final class Summary
{
    private static final String VERDICT = "recommended";
    private static final double TIE = 1.1;
    private static final List<Article> ARTICLES = List.of(
        new Article(
            "sequential", "T", "Java's ways to write and read a file (Thompson, 2011)",
            "RandomAccessFile and channels read fastest, mapped files won some writes, buffered streams never.",
            "writeBytes|readBytes"),
        new Article(
            "buffer-sweep", "P", "How long a stream's buffer should be (PureSol, 2017)",
            "32 to 40 kB were best, the JDK's 8 kB close; without a buffer a hundred times slower.", "read"),
        new Article(
            "streams-vs-channels", "R", "Streams compared with channels (java-io-benchmark)",
            "Direct buffers were a little faster than heap buffers, mapped files mostly fastest.", "all_"),
        new Article(
            "readers", "N", "Thirteen ways to read a file (Nadeau, 2008)",
            "Arrays of 8 KiB were enough; single bytes without a buffer took a thousand times as long.", "time"));

    private final Map<ResultFile, List<Chart>> runs;
    private final List<ClaimResult> results;

    Summary(final Map<ResultFile, List<Chart>> runs, final List<ClaimResult> results)
    {
        this.runs = runs;
        this.results = results;
    }

    /** Result of an article, in our words. */
    private record Article(String experiment, String id, String title, String then, String deciding)
    {
    }

    /**
     * The newest recommendation, preferring runs on a device to runs in memory.
     */
    Map<String, Object> recommendation()
    {
        final List<ResultFile> recommendations = runs.keySet().stream()
            .filter((run) -> verdictOf(run).isPresent())
            .sorted(Comparator.comparing((ResultFile run) -> "durable".equals(run.profile()))
                .thenComparing((run) -> run.fact("date")).reversed())
            .toList();
        final Map<String, Object> model = new LinkedHashMap<>();
        if (recommendations.isEmpty())
        {
            model.put("answer", "Not measured here yet");
            model.put("why",
                List.of("Run recommend with --dir on the disk of the journal and --report here: it takes two " +
                    "minutes."));
            return model;
        }

        final ResultFile run = recommendations.get(0);
        final CaseResult verdict = verdictOf(run).orElseThrow();
        final Map<String, String> values = verdict.rounds().get(verdict.rounds().firstKey());
        final long same = recommendations.stream().filter((each) -> values.get(VERDICT).equals(
            verdictOf(each).orElseThrow().texts(VERDICT).get(0))).count();
        model.put("answer", values.get(VERDICT) + ", segments of " +
            DisplayNames.bytes(values.getOrDefault("segmentLength", "67108864")) + ", force " +
            values.getOrDefault("force",
                "manual"));
        model.put("need", DisplayNames.words(verdict.parameters()).replace("survive ", "survives loss of ")
            .replace("loss of process", "the end of the process"));
        model.put("why", values.getOrDefault("reasons", "").lines().toList());
        model.put("ties", values.getOrDefault("ties", ""));
        model.put("untried", values.getOrDefault("untried", ""));
        model.put("agreement", recommendations.size() > 1 ?
            same + " of " + recommendations.size() + " runs of recommend in this report name the same backend." : "");
        model.put("table", values.getOrDefault("table", ""));
        model.put("run", run.name());
        model.put("danger", values.getOrDefault("backend", "").equals("MAPPED") && isCopyOnWrite(run) ?
            "This file system copies on write: a full disk can crash a process that has mapped a file. Use " +
                "FILE_CHANNEL here." :
            "");
        return model;
    }

    private static boolean isCopyOnWrite(final ResultFile run)
    {
        return Machine.isCopyOnWrite(run.fact("file system").split(",")[0]);
    }

    private static Optional<CaseResult> verdictOf(final ResultFile run)
    {
        return run.cases().stream().filter((each) -> !each.texts(VERDICT).isEmpty()).findFirst();
    }

    /**
     * Backends compared with raw file APIs, for the shortest records.
     */
    Map<String, Object> overview()
    {
        return runs.entrySet().stream().filter((run) -> "journal".equals(run.getKey().experiment()))
            .filter((run) -> !run.getValue().isEmpty()).findFirst()
            .map((run) -> answer(run.getKey(), run.getValue().get(0))).orElse(null);
    }

    private static Map<String, Object> answer(final ResultFile run, final Chart chart)
    {
        final Map<String, Object> model = new LinkedHashMap<>();
        model.put("chart", chart.name());
        model.put("now", now(run, chart));
        model.put("run", run.name());
        return model;
    }

    /**
     * One entry per article, from its fair run if there is one.
     */
    List<Map<String, Object>> articles()
    {
        final List<Map<String, Object>> all = new ArrayList<>();
        for (final Article article : ARTICLES)
        {
            chartOf(article).ifPresent((entry) ->
            {
                final Map<String, Object> model = answer(entry.getKey(), entry.getValue());
                model.put("title", article.title());
                model.put("then", article.then());
                model.put("claims", claims(article));
                all.add(model);
            });
        }
        return all;
    }

    private Optional<Map.Entry<ResultFile, Chart>> chartOf(final Article article)
    {
        return runs.entrySet().stream().filter((run) -> run.getKey().experiment().equals(article.experiment()))
            .filter((run) -> !run.getValue().isEmpty())
            .min(Comparator.comparing((run) -> order(run.getKey())))
            .map((run) -> Map.entry(run.getKey(), run.getValue().stream()
                .filter((chart) -> chart.name().contains(article.deciding())).findFirst()
                .orElse(run.getValue().get(0))));
    }

    /**
     * Prefers a fair run of the article's small file.
     */
    private static String order(final ResultFile run)
    {
        return ("fair".equals(run.profile()) ? "0" : "1") + (run.isScaled() ? "1" : "0") +
            Cases.valuesOf(run.cases(), "length").stream().findFirst().map((length) -> String.format(
                Locale.ROOT, "%20s", length)).orElse("") +
            run.name();
    }

    private String claims(final Article article)
    {
        final List<ClaimResult> own = results.stream()
            .filter((each) -> each.claim().experiment().equals(article.experiment())).toList();
        final Map<Verdict, Long> counts =
            own.stream().collect(Collectors.groupingBy(ClaimResult::verdict, Collectors.counting()));
        final List<String> words = new ArrayList<>();
        for (final Verdict verdict : Verdict.values())
        {
            if (counts.containsKey(verdict))
            {
                words.add(counts.get(verdict) + " " + verdict.plural());
            }
        }
        return "Of " + own.size() + " claims " + String.join(", ", words) + ".";
    }

    /**
     * One sentence per panel: the fastest series, and its ratio to the slowest.
     */
    private static String now(final ResultFile run, final Chart chart)
    {
        return chart.panels().stream().limit("journal".equals(run.experiment()) ? 3 : 2)
            .map((panel) -> now(chart, panel)).filter((text) -> !text.isEmpty())
            .collect(Collectors.joining(" "));
    }

    private static String now(final Chart chart, final Panel panel)
    {
        final boolean isLowerBetter = chart.y().title().matches("[nµm]?s");
        final Comparator<Series> order = Comparator.comparingDouble((series) -> best(series, isLowerBetter));
        final List<Series> sorted = panel.series().stream().filter((each) -> !each.isPublished())
            .sorted(isLowerBetter ? order : order.reversed()).toList();
        if (sorted.size() < 2)
        {
            return sorted.isEmpty() ? "" : alone(chart, panel, sorted.get(0));
        }

        final double first = best(sorted.get(0), isLowerBetter);
        final double last = best(sorted.get(sorted.size() - 1), isLowerBetter);
        final double ratio = isLowerBetter ? last / first : first / last;
        final String title = panel.title().isEmpty() ? chart.title() : panel.title();
        return ratio < TIE ? title + ": all within 10 %." : String.format(
            Locale.ROOT, "%s: %s is fastest (%s %s), %s times as fast as %s.", title, sorted.get(0).name(),
            Unit.number(first / chart.y().divisor()), chart.y().title(), Unit.number(ratio),
            sorted.get(sorted.size() - 1).name());
    }

    /**
     * For a single series: its best and its worst point.
     */
    private static String alone(final Chart chart, final Panel panel, final Series series)
    {
        final Chart.Point best = series.points().stream().max(Comparator.comparingDouble(Chart.Point::y)).orElseThrow();
        final Chart.Point worst =
            series.points().stream().min(Comparator.comparingDouble(Chart.Point::y)).orElseThrow();
        return String.format(
            Locale.ROOT, "%s: at most %s %s, %s times the least.", panel.title(),
            Unit.number(best.y() / chart.y().divisor()), chart.y().title(), Unit.number(best.y() / worst.y()));
    }

    private static double best(final Series series, final boolean isLowerBetter)
    {
        final var values = series.points().stream().mapToDouble(Chart.Point::y).summaryStatistics();
        return isLowerBetter ? values.getMin() : values.getMax();
    }
}
