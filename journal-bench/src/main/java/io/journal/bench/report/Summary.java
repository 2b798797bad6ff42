package io.journal.bench.report;

import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.type.TypeReference;
import io.journal.bench.report.Chart.Panel;
import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.report.Page.Run;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Unit;

/**
 * The summary at the top of the page: the recommendation, and for each article its result and the one of this machine.
 */
record Summary(List<Run> runs)
{
    private static final String VERDICT = "recommended";
    private static final double TIE = 1.1;
    private static final Pattern SEGMENTS = Pattern.compile("segment lengths|[Ss]horter segments|append clearly");

    /**
     * A result of the command recommend.
     *
     * @param verdict   the case that holds its conclusion.
     * @param agreement of the runs with these requirements on this machine; empty if it is the only one.
     */
    record Recommendation(Run run, CaseResult verdict, String agreement)
    {
        Map<String, String> values()
        {
            return verdict.rounds().get(verdict.rounds().firstKey());
        }

        String segmentLength()
        {
            return DisplayNames.bytes(values().getOrDefault("segmentLength", "67108864"));
        }

        List<String> reasons()
        {
            // Of earlier versions, which compared segment lengths as well.
            return values().getOrDefault("reasons", "").lines().filter((each) -> !SEGMENTS.matcher(each).find())
                .toList();
        }

        String need()
        {
            return DisplayNames.words(verdict.parameters()).replace("survive ", "survives loss of ")
                .replace("loss of process", "the end of the process").replace("unknown/s", "no rate specified");
        }

        /** What is required, and where. */
        private List<Map<String, String>> setting()
        {
            return List.of(verdict.parameters(), run.machine());
        }

        boolean isDangerous()
        {
            return "MAPPED".equals(values().get("backend")) &&
                Machine.isCopyOnWrite(run.file().fact("file system").split(",")[0]);
        }

        /** An unknown date is before all others. */
        private Instant time()
        {
            try
            {
                return OffsetDateTime.parse(run.file().fact("date")).toInstant();
            }
            catch (final DateTimeParseException ex)
            {
                return Instant.MIN;
            }
        }
    }

    /** The newest recommendation of what was asked most often, preferring runs on a device to runs in memory. */
    Optional<Recommendation> recommendation()
    {
        final List<Recommendation> all = runs.stream().flatMap((run) -> run.file().cases().stream()
            .filter((each) -> !each.texts(VERDICT).isEmpty()).limit(1)
            .map((verdict) -> new Recommendation(run, verdict, ""))).toList();
        final Map<List<Map<String, String>>, Long> counts = all.stream().collect(Collectors.groupingBy(
            Recommendation::setting, Collectors.counting()));
        return all.stream().max(Comparator
            .comparing((Recommendation each) -> "durable".equals(each.run().file().profile()))
            .thenComparing((each) -> counts.get(each.setting()))
            .thenComparing(Recommendation::time)).map((newest) ->
            {
                final List<Recommendation> alike =
                    all.stream().filter((each) -> each.setting().equals(newest.setting())).toList();
                final long same = alike.stream()
                    .filter((each) -> each.values().get(VERDICT).equals(newest.values().get(VERDICT))).count();
                return new Recommendation(newest.run(), newest.verdict(), 1 == alike.size() ? "" : same + " of " +
                    alike.size() + " such runs of recommend on this machine name the same backend.");
            });
    }

    /**
     * An article, and its result in our words.
     *
     * @param profile  that is compared with it if there is such a run: faithful where published values are drawn.
     * @param deciding part of the name of the chart that is compared with it.
     */
    record Article(String experiment, String title, String then, String profile, String deciding)
    {
        /** Prefers a run of the profile and of the article's own program, a full-size run, and the smallest file. */
        private String order(final Run run)
        {
            final ResultFile file = run.file();
            final boolean isPreferred = file.profile().equals(profile) && !isVariant(file);
            return (isPreferred ? "0" : "fair".equals(file.profile()) ? "1" : "2") + (file.isScaled() ? "1" : "0") +
                CaseResult.valuesOf(file.cases(), "length").stream().findFirst()
                    .map((length) -> String.format(Locale.ROOT, "%20s", length)).orElse("") +
                file.name();
        }
    }

    /**
     * A chart in words.
     *
     * @param article it is compared with; null if there is none.
     */
    record Answer(Article article, ResultFile run, Chart chart)
    {
        /** One sentence per panel: the fastest series, and its ratio to the slowest. */
        String now()
        {
            return run.roundCount() < Tables.MIN_ROUNDS ? "Fewer than three rounds: nothing is stated." :
                chart.panels().stream().limit("journal".equals(run.experiment()) ? 3 : 2)
                    .map((panel) -> Summary.now(chart, panel)).filter((text) -> !text.isEmpty())
                    .collect(Collectors.joining(" "));
        }
    }

    /** Backends compared with raw file APIs, for the shortest records: by a full-size run with the fewest cases. */
    Optional<Answer> overview()
    {
        return drawn("journal").min(Comparator.comparing((Run run) -> run.file().isScaled())
            .thenComparing((run) -> run.file().cases().size()))
            .map((run) -> new Answer(null, run.file(), run.charts().get(0)));
    }

    /** One entry per article, from a run of its profile if there is one, else from its fair run. */
    List<Answer> articles()
    {
        final List<Answer> all = new ArrayList<>();
        for (final Article article : Page.json("published/articles.json", new TypeReference<List<Article>>()
        {
        }))
        {
            drawn(article.experiment()).min(Comparator.comparing(article::order)).ifPresent((run) -> all.add(new Answer(
                article, run.file(), run.charts().stream().filter((chart) -> chart.name().contains(article.deciding()))
                    .findFirst().orElse(run.charts().get(0)))));
        }
        return all;
    }

    private Stream<Run> drawn(final String experiment)
    {
        return runs.stream()
            .filter((run) -> run.file().experiment().equals(experiment) && !run.charts().isEmpty());
    }

    /** Whether a run is one of a variant from the comments, not of the article's own program. */
    private static boolean isVariant(final ResultFile file)
    {
        return !Set.of("ARTICLE").containsAll(CaseResult.valuesOf(file.cases(), "variant"));
    }

    private static String now(final Chart chart, final Panel panel)
    {
        final String unit = chart.y().title();
        final boolean isLowerBetter = unit.matches("[nµm]?s");
        final Comparator<Series> order = Comparator.comparingDouble((series) -> best(series, isLowerBetter));
        final List<Series> sorted = panel.series().stream().filter((each) -> !each.isPublished())
            .sorted(isLowerBetter ? order : order.reversed()).toList();
        if (sorted.isEmpty())
        {
            return "";
        }

        final Series first = sorted.get(0);
        final Series last = sorted.get(sorted.size() - 1);
        final String title = panel.title().isEmpty() ? chart.title() : panel.title();
        if (1 == sorted.size())
        {
            return overLengths(chart, panel.title(), first);
        }

        final double best = best(first, isLowerBetter);
        final double ratio = isLowerBetter ? best(last, true) / best : best / best(last, false);
        return ratio < TIE ? title + ": all within 10 %." : String.format(
            Locale.ROOT, "%s: %s is fastest (%s %s), %s times as fast as %s.", title, first.name(),
            Unit.number(best / chart.y().divisor()), unit, Unit.number(ratio), last.name());
    }

    /** The shortest length that is about as fast as the fastest, and how much slower the slowest is. */
    private static String overLengths(final Chart chart, final String title, final Series series)
    {
        final double most = best(series, false);
        final Point enough =
            series.points().stream().filter((point) -> point.y() * TIE >= most).findFirst().orElseThrow();
        final Point least = series.points().stream().min(Comparator.comparingDouble(Point::y)).orElseThrow();
        return String.format(
            Locale.ROOT, "%s: the shortest %s within 10 %% of the fastest (%s %s) has %s; %s is %s times slower.",
            title, chart.x().title(), Unit.number(most / chart.y().divisor()), chart.y().title(), length(enough),
            0 == least.x() ? "no " + chart.x().title() : length(least), Unit.number(most / least.y()));
    }

    private static String length(final Point point)
    {
        return DisplayNames.bytes(String.format(Locale.ROOT, "%.0f", point.x()));
    }

    private static double best(final Series series, final boolean isLowerBetter)
    {
        final DoubleSummaryStatistics values = series.points().stream().mapToDouble(Point::y).summaryStatistics();
        return isLowerBetter ? values.getMin() : values.getMax();
    }
}
