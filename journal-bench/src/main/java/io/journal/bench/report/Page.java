// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;

import com.fasterxml.jackson.annotation.JsonSetter;
import com.fasterxml.jackson.annotation.Nulls;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.samskivert.mustache.Mustache;
import io.journal.bench.report.Summary.Answer;
import io.journal.bench.report.Summary.Recommendation;

/**
 * Fills the template of the page: answers and figures, claims, method, runs. What only scripts need is packed: the
 * chart library, the descriptions of charts, and the numbers of runs. Reads the resources of this package.
 */
final class Page
{
    private static final String ECHARTS = "/META-INF/resources/webjars/echarts/5.5.0/echarts.min.js";
    private static final Set<String> FACTS_OF_A_RUN =
        new TreeSet<>(Set.of("date", "load", "device", "files", "warning", "commit", "JVM flags"));
    private static final Map<String, String> PUBLISHED = new TreeMap<>(Map.of(
        "sequential.csv", "Sequential writes and reads: the article and its comments", "sweep.csv",
        "Reads with buffers of many lengths, on three systems", "figures.csv", "Single numbers of the other articles",
        "sources.csv", "Sources"));

    private Page()
    {
    }

    /** The page's HTML. */
    static String of(final List<ResultFile> files) throws IOException
    {
        final List<Run> runs = files.stream().map((file) -> new Run(file, Charts.of(file))).toList();
        final Map<Map<String, String>, List<Run>> machines = runs.stream()
            .collect(Collectors.groupingBy(Run::machine, LinkedHashMap::new, Collectors.toList()));
        final Summary summary = new Summary(runs);
        final Optional<Recommendation> recommendation = summary.recommendation();
        final List<Answer> figures = Charts.first(files).stream().map((chart) -> new Answer(
            null, files.stream().filter((file) -> chart.name().startsWith(file.name() + '-') ||
                chart.name().equals(file.name())).findFirst().orElseThrow(),
            chart)).toList();
        final Map<String, Chart> charts = new LinkedHashMap<>();
        Stream.concat(runs.stream().flatMap((run) -> run.charts().stream()), figures.stream().map(Answer::chart))
            .forEach((chart) -> charts.put(chart.name(), chart));
        final Map<String, Object> numbers = new LinkedHashMap<>();
        runs.forEach((run) -> numbers.put(run.file().name(), run.rows()));
        final Map<String, Object> model = new LinkedHashMap<>();
        model.put("style", text("report.css"));
        model.put("script", text("report.js"));
        model.put("echarts", packed(text(ECHARTS)));
        model.put("data", packed(new ObjectMapper().writeValueAsString(new TreeMap<>(Map.of(
            "charts", charts.values(), "numbers", numbers)))));
        model.put("machine", machine(
            recommendation.map(Recommendation::run).orElse(runs.get(0)).machine(), machines.size() - 1));
        model.put("recommendation", recommendation.orElse(null));
        model.put("overview", summary.overview().orElse(null));
        model.put("figures", figures);
        model.put("articles", summary.articles());
        model.put("claims", Claim.of(files));
        model.put("runs", runs);
        model.put("machines", machines.entrySet());
        model.put("warnings", warnings(files));
        model.put("tables", PUBLISHED.entrySet().stream().map((table) ->
        {
            final List<Map<String, String>> rows = PublishedResults.rows(table.getKey());
            return Map.of(
                "title", table.getValue(), "names", rows.get(0).keySet(), "rows",
                rows.stream().map(Map::values).toList());
        }).toList());
        return Mustache.compiler().defaultValue("").emptyStringIsFalse(true).escapeHTML(true)
            .compile(text("report.html")).execute(model);
    }

    /** Compressed, as text that a script element may contain. */
    private static String packed(final String text) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes))
        {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static String machine(final Map<String, String> facts, final int others)
    {
        return facts.getOrDefault("CPU", "unknown processor") + "; " +
            facts.getOrDefault("file system", "").replaceAll(" \\(.*", "") + "; JDK " +
            facts.getOrDefault("JDK", "").replaceAll(",.*", "") +
            (others > 0 ? "; and " + others + " more, see Machines" : "");
    }

    private static Set<String> warnings(final List<ResultFile> files)
    {
        final Set<String> all = new LinkedHashSet<>();
        files.stream().filter((file) -> !file.fact("warning").isEmpty())
            .forEach((file) -> all.add(file.name() + ": " + file.fact("warning")));
        if (files.stream().anyMatch(ResultFile::isScaled))
        {
            all.add("Includes quick looks: not comparable with full-size runs.");
        }
        if (files.stream().anyMatch((file) -> file.keys().contains("writeBytesPerSecond") ||
            file.keys().contains("readBytesPerSecond") && !"cold".equals(file.profile())))
        {
            all.add("Rates of the page cache are not those of the device: writes had not reached it, and reads came " +
                "from memory.");
        }
        return all;
    }

    static String text(final String resource)
    {
        return read(resource, (in) -> new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }

    /** What is missing is empty. */
    static <T> T json(final String resource, final TypeReference<T> type)
    {
        return read(resource, (in) -> new ObjectMapper().setDefaultSetterInfo(
            JsonSetter.Value.forValueNulls(Nulls.AS_EMPTY)).readValue(in, type));
    }

    interface Parser<T>
    {
        T parse(InputStream in) throws IOException;
    }

    static <T> T read(final String resource, final Parser<T> parser)
    {
        try (InputStream in = Page.class.getResourceAsStream(resource))
        {
            return parser.parse(Objects.requireNonNull(in, resource));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** A run as the template shows it. */
    record Run(ResultFile file, List<Chart> charts)
    {
        /** Facts of its machine that do not change from run to run. */
        Map<String, String> machine()
        {
            final Map<String, String> facts = new LinkedHashMap<>(file.header().machine());
            facts.keySet().removeAll(FACTS_OF_A_RUN);
            facts.replaceAll((name, fact) -> fact.replaceAll(", [\\d?]+ MiB available", "")
                .replaceAll(", [\\d,]+ MB free", ""));
            return facts;
        }

        String when()
        {
            return file.fact("date").replaceAll("T(\\d\\d:\\d\\d).*", " $1");
        }

        String size()
        {
            return file.cases().size() + " cases, " + file.roundCount() + " rounds";
        }

        List<String> warnings()
        {
            final List<String> warnings = new ArrayList<>();
            final int rounds = file.roundCount();
            if (file.cases().isEmpty())
            {
                warnings.add("The run ended before its first case.");
            }
            else if (rounds < Tables.MIN_ROUNDS && !file.isFaithful())
            {
                warnings.add("Fewer than three rounds: nothing is stated.");
            }
            warnings.addAll(file.warnings());
            if (file.isScaled())
            {
                warnings.add("A quick look, smaller than the experiment.");
            }
            return warnings;
        }

        Map<String, String> facts()
        {
            final Map<String, String> facts = new LinkedHashMap<>();
            facts.put("plan", file.header().plan());
            facts.put("command", file.header().command());
            FACTS_OF_A_RUN.forEach((name) -> facts.put(name, file.fact(name)));
            facts.put("file", String.valueOf(file.file().getFileName()));
            facts.values().removeIf(String::isEmpty);
            return facts;
        }

        /** A row of names, then one of numbers for each case. */
        List<List<String>> rows()
        {
            final List<String> keys = file.keys().stream().filter(
                (key) -> file.isFinding(key) || key.matches(ResultFile.PERCENTILE + "|.*CpuUs")).toList();
            final List<List<String>> rows = new ArrayList<>();
            rows.add(new ArrayList<>(List.of("median [min..max]")));
            rows.get(0).addAll(keys);
            file.cases().forEach((each) ->
            {
                final List<String> row = new ArrayList<>(List.of(each.label()));
                keys.forEach((key) -> row.add(Tables.cell(each, key, 1)));
                rows.add(row);
            });
            return rows;
        }
    }
}
