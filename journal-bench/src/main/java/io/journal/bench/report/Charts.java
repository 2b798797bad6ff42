// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.type.TypeReference;
import io.journal.bench.report.Chart.Axis;
import io.journal.bench.report.Chart.Panel;
import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Scale;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.report.Summary.Answer;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Unit;
import org.HdrHistogram.Histogram;

/**
 * Draws the charts that {@code charts.json} describes from the cases of a run; bars of all findings if it describes
 * none.
 */
record Charts(ResultFile run, boolean isForDocuments)
{
    private static final List<Description> DESCRIPTIONS = Page.json("charts.json", new TypeReference<>()
    {
    });
    private static final String ROUND = "round";
    private static final String SIZE = "size";
    private static final Set<String> NAMELESS = Set.of("segmentLength", "axis", "way", "backend", "subject");
    private static final Set<String> LINES_OF_LATENCIES = Set.of("backend", "subject", "windowLength", "way");
    private static final int TICKS_PER_HALF = 5;

    /**
     * Describes charts: which runs get them, and what they show.
     *
     * @param kind      of the experiments that have it.
     * @param profiles  that have it; null: all.
     * @param where     cases it shows, by values of parameters; empty: all.
     * @param each      parameters of which each combination has a chart of its own; of a|b the first that there is.
     * @param panels    the same for its panels, beside one for each value.
     * @param values    keys of what is drawn.
     * @param x         parameter, or round, or size; empty: bars.
     * @param least     positions that x must have.
     * @param seconds   whether the time of the whole file is drawn, not the rate.
     * @param published results of the articles that are drawn as well.
     * @param first     position among the figures at the top of the page; 0: not there.
     */
    record Description(
        String kind, List<String> profiles, Map<String, List<String>> where, List<String> each, List<String> panels,
        String name, String title, List<String> values, String x, String xTitle, Scale scale, int least,
        boolean seconds, List<Double> zooms, String published, int first, String image)
    {
        private boolean isOf(final ResultFile run)
        {
            return kind.equals(run.experiment()) && (profiles.isEmpty() || profiles.contains(run.profile()));
        }

        private boolean shows(final CaseResult measured)
        {
            return where.entrySet().stream().allMatch(
                (wanted) -> wanted.getValue().contains(measured.parameter(wanted.getKey())));
        }
    }

    static List<Chart> of(final ResultFile run)
    {
        final Charts charts = new Charts(run, false);
        final List<Chart> all = new ArrayList<>();
        DESCRIPTIONS.stream().filter((each) -> each.isOf(run)).flatMap(charts::draw).forEach(all::add);
        all.addAll(charts.percentiles());
        return all.isEmpty() ? charts.findings() : all;
    }

    /** The charts at the top of a page, in their order; each from the run with the plainest name. */
    static List<Answer> first(final List<ResultFile> runs)
    {
        final List<ResultFile> plainest = runs.stream().sorted(Comparator.comparing(ResultFile::isScaled)
            .thenComparing((run) -> run.name().length())).toList();
        return DESCRIPTIONS.stream().filter((each) -> each.first() > 0)
            .sorted(Comparator.comparingInt(Description::first))
            .flatMap((each) -> plainest.stream().filter(each::isOf).flatMap((run) -> new Charts(run, true).draw(each)
                .map((chart) -> new Answer(null, run, chart))).limit(1))
            .toList();
    }

    private Stream<Chart> draw(final Description description)
    {
        final List<CaseResult> shown = run.cases().stream().filter(description::shows).toList();
        return by(shown, description.each()).entrySet().stream().flatMap((group) -> draw(description, Stream.concat(
            Stream.of(description.name()), group.getKey().values().stream()).filter((each) -> !each.isEmpty())
            .collect(Collectors.joining("-")).toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_-]", ""),
            group.getValue()));
    }

    /** Draws the panels with measured values; the subtitle has the common parameters, profile and rounds. */
    private Stream<Chart> draw(final Description description, final String suffix, final List<CaseResult> cases)
    {
        final boolean isBars = description.x().isEmpty();
        if (!isBars && cases.stream().flatMapToDouble((each) -> xs(description, each)).distinct().count() < Math.max(
            2, description.least()))
        {
            return Stream.empty();
        }
        final List<Panel> panels = new ArrayList<>();
        by(cases, description.panels()).forEach((key, own) -> description.values().forEach((value) ->
        {
            final List<CaseResult> having = CaseResult.having(own, value);
            final Panel panel = new Panel(title(key, value, description), Stream.concat(
                isBars ? bars(having, value) : lines(description, cases, having, value, key.keySet()),
                PublishedResults.of(description.published(), own, value)).toList());
            if (!having.isEmpty())
            {
                (isBars ? Stream.of(panel) : panel.split()).forEach(panels::add);
            }
        }));
        return panels.isEmpty() ? Stream.empty() : Stream.of(new Chart(
            run.name() + (suffix.isEmpty() ? "" : '-' + suffix), isForDocuments ? description.image() : "",
            description.title(), subtitle(cases), isBars, isBars ? new Axis("", Scale.LINEAR, 1) :
                new Axis(description.xTitle(), description.scale(), 1),
            description.seconds() ? new Axis("s", Scale.LOG, 1, description.zooms().stream().map(
                (zoom) -> zoom * run.header().scale()).toList()) : axis(cases, description.values()),
            panels));
    }

    private static Map<Map<String, String>, List<CaseResult>> by(
        final List<CaseResult> cases, final List<String> parameters)
    {
        final Map<Map<String, String>, List<CaseResult>> groups = new LinkedHashMap<>();
        cases.forEach((each) ->
        {
            final Map<String, String> key = new LinkedHashMap<>();
            parameters.forEach((names) -> Stream.of(names.split("\\|")).filter(each.parameters()::containsKey)
                .findFirst().ifPresent((name) -> key.put(names.split("\\|")[0], each.parameter(name))));
            groups.computeIfAbsent(key, (ignored) -> new ArrayList<>()).add(each);
        });
        return groups;
    }

    private String title(final Map<String, String> key, final String value, final Description description)
    {
        final String words = DisplayNames.words(key);
        return 1 == description.values().size() && !words.isEmpty() ? DisplayNames.sentence(words) :
            DisplayNames.sentence(DisplayNames.value(value, run.profile())) + (words.isEmpty() ? "" : ", " + words);
    }

    /** Bars of a value, ordered by family so that a backend has the same position in every chart. */
    private static Stream<Series> bars(final List<CaseResult> cases, final String key)
    {
        final Map<CaseResult, String> labels = CaseResult.labels(cases);
        return cases.stream().map((each) -> new Series(
            labels.get(each), DisplayNames.family(each.parameter("subject").isEmpty() ? labels.get(each) :
                each.parameter("subject") + ", " + labels.get(each)),
            false, List.of(Point.of(0, each.spread(key))))).sorted(Comparator.comparing(Series::family));
    }

    /** A line for each name among the cases of a panel that have a value. */
    private static Stream<Series> lines(
        final Description description, final List<CaseResult> all, final List<CaseResult> having, final String key,
        final Set<String> panel)
    {
        final DoubleSummaryStatistics places = all.stream().flatMapToDouble(
            (each) -> xs(description, each)).filter((x) -> x > 0 || ROUND.equals(description.x())).summaryStatistics();
        final Set<String> common = CaseResult.common(all).keySet();
        return CaseResult.by(having, (each) -> name(description, each, common, panel)).entrySet().stream()
            .map((group) -> new Series(
                group.getKey(), DisplayNames.family(group.getKey()), false,
                points(description, group.getValue(), key, places)));
    }

    private static String name(
        final Description description, final CaseResult measured, final Set<String> common, final Set<String> panels)
    {
        if (SIZE.equals(description.x()))
        {
            return reader(measured);
        }
        final String words = DisplayNames.words(
            measured.parameters(), (name) -> !common.contains(name) && !panels.contains(name) &&
                !description.x().equals(name) && !NAMELESS.contains(name));
        final boolean isNamed = Stream.of("way", "backend", "subject").anyMatch(measured.parameters()::containsKey);
        // The strategy of a stream follows from the buffer length on the axis, so the series is named "here".
        return "bufferLength".equals(description.x()) ? "here" :
            (isNamed ? measured.strategy() : measured.label()) + (words.isEmpty() || !isNamed ? "" : ", " + words);
    }

    private static DoubleStream xs(final Description description, final CaseResult measured)
    {
        return switch (description.x())
        {
            case ROUND -> measured.rounds().keySet().stream().mapToDouble(Integer::doubleValue);
            case SIZE -> DoubleStream.of(size(measured));
            default -> DoubleStream.of(measured.number(description.x()));
        };
    }

    /** A case without an x value, or a baseline with only one x value, is drawn as a level line. */
    private static List<Point> points(
        final Description description, final List<CaseResult> cases, final String key,
        final DoubleSummaryStatistics places)
    {
        if (ROUND.equals(description.x()))
        {
            return cases.stream().flatMap((each) -> each.rounds().keySet().stream().flatMap((round) -> each
                .number(round, key).stream().mapToObj((value) -> Point.of(round, value)))).toList();
        }
        return cases.stream().flatMap((each) ->
        {
            final double x = xs(description, each).findFirst().orElse(0);
            final Interval rate = Interval.of(each.numbers(key));
            // Slow cases read a part of the file: the time of the whole file follows from the rate.
            final double length = each.number("length");
            final Point point = description.seconds() ?
                new Point(x, length / rate.median(), length / rate.high(), length / rate.low()) :
                Point.of(x, each.spread(key));
            final boolean isLevel = 1 == cases.size() && (SIZE.equals(description.x()) ||
                !each.parameters().containsKey("backend") && !"here".equals(name(
                    description, each, Set.of(), Set.of())));
            return isLevel ? Stream.of(places.getMin(), places.getMax()).map(
                (place) -> new Point(place, point.y(), point.low(), point.high())) : Stream.of(point);
        }).toList();
    }

    private static String reader(final CaseResult measured)
    {
        final String varied = measured.parameter("varied");
        final String flags = measured.parameter(BenchmarkCase.JVM_FLAGS);
        return DisplayNames.words("way", measured.parameter("way")) +
            (Set.of("both", "buffer").contains(varied) ? ", " + varied : "") + (flags.isEmpty() ? "" : ", " + flags);
    }

    private static double size(final CaseResult measured)
    {
        final boolean isArray = measured.parameters().containsKey("arrayLength") &&
            !"buffer".equals(measured.parameter("varied"));
        return measured.number(isArray ? "arrayLength" : "bufferLength");
    }

    /** Latencies over all rounds: a panel per combination, a line per backend. */
    private List<Chart> percentiles()
    {
        final List<CaseResult> cases = run.cases().stream().filter(CaseResult::hasLatencies).toList();
        final Set<String> common = CaseResult.common(cases).keySet();
        final List<Panel> panels = CaseResult.by(cases, (each) -> each.words(common, LINES_OF_LATENCIES)).entrySet()
            .stream()
            .map((alike) -> new Panel(alike.getKey(), alike.getValue().stream().map(Charts::latencies).toList()))
            .flatMap(Panel::split).toList();
        if (panels.isEmpty())
        {
            return List.of();
        }
        final double largest = panels.stream().flatMap((panel) -> panel.series().stream())
            .flatMap((series) -> series.points().stream()).mapToDouble(Point::y).max().orElse(1);
        final Unit.Shown unit = Unit.MICROSECONDS.shown("", Math.sqrt(largest));
        return List.of(new Chart(
            run.name() + "-percentiles", "", "Latency by percentile, all rounds together", subtitle(cases), false,
            new Axis("percentile", Scale.PERCENTILE, 1), new Axis(unit.title(), Scale.LOG, unit.divisor()), panels));
    }

    private static Series latencies(final CaseResult measured)
    {
        final Histogram latencies = Percentiles.merged(measured.texts(Percentiles.HISTOGRAM));
        // Ends the line at the percentile that a single sample represents.
        final double last = 100 * (1 - 1.0 / Math.max(2, latencies.getTotalCount()));
        final List<Point> points = new ArrayList<>();
        latencies.percentiles(TICKS_PER_HALF).forEach((value) -> points.add(Point.of(
            Math.min(last, value.getPercentileLevelIteratedTo()),
            Math.max(1, value.getValueIteratedTo()) / Unit.NS_PER_US)));
        final String window = measured.parameters().getOrDefault("windowLength", "0");
        return new Series(
            measured.strategy() + ("0".equals(window) ? "" : ", " + DisplayNames.words("windowLength", window)),
            DisplayNames.family(measured.strategy()), false, points);
    }

    /** Bars of all cases: a chart per unit, a panel per value. */
    private List<Chart> findings()
    {
        return CaseResult.by(run.findings(run.cases()), (key) -> Unit.PER_SECOND == Unit.of(key) &&
            !key.startsWith("forced") ? key : Unit.of(key).name()).values().stream().flatMap((keys) -> draw(
                new Description(
                    run.experiment(), List.of(), Map.of(), List.of(), List.of(), keys.get(0), 1 == keys.size() ?
                        DisplayNames.sentence(DisplayNames.value(keys.get(0), run.profile())) : "Measured, by case",
                    keys, "", "", null, 0, false, List.of(), "", 0, ""),
                keys.get(0), run.cases()))
            .toList();
    }

    private String subtitle(final List<CaseResult> cases)
    {
        final String words = DisplayNames.words(
            CaseResult.common(cases), (name) -> !Set.of("amount", "workload", "axis").contains(name));
        final IntSummaryStatistics rounds = cases.stream().mapToInt((each) -> each.rounds().size()).summaryStatistics();
        return (words.isEmpty() ? "" : words + "; ") + run.profile() + ", " +
            (rounds.getMin() == rounds.getMax() ? "" : rounds.getMin() + " to ") + rounds.getMax() +
            (1 == rounds.getMax() ? " round" : " rounds") + (run.isScaled() ? ", a quick look" : "");
    }

    private static Axis axis(final List<CaseResult> cases, final List<String> keys)
    {
        final double largest = keys.stream().flatMap((key) -> cases.stream().map((each) -> each.numbers(key)))
            .flatMapToDouble(Arrays::stream).max().orElse(0);
        final Unit.Shown unit = Unit.of(keys.get(0)).shown(keys.get(0), largest);
        return new Axis(unit.title(), Scale.LINEAR, unit.divisor());
    }
}
