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
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
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
 * Fills the template of the page: answers and figures, claims, method, runs. Parts that only scripts need are
 * compressed: the chart library and the descriptions of charts. Reads the resources of this package.
 */
final class Page
{
    private static final String ECHARTS = "/META-INF/resources/webjars/echarts/5.5.0/echarts.min.js";
    private static final Map<String, String> PUBLISHED = new TreeMap<>(Map.of(
        "sequential.csv", "Sequential writes and reads: the article and its comments", "sweep.csv",
        "Reads with buffers of many lengths, on three systems", "figures.csv", "Single numbers of the other articles",
        "sources.csv", "Sources"));

    private Page()
    {
    }

    static String of(final List<ResultFile> files) throws IOException
    {
        final List<Run> runs = files.stream().map((file) -> new Run(file, Charts.of(file))).toList();
        final Summary summary = new Summary(runs);
        final Optional<Recommendation> recommendation = summary.recommendation();
        final List<Answer> figures = Charts.first(files);
        final Map<String, Chart> charts = new LinkedHashMap<>();
        Stream.concat(runs.stream().flatMap((run) -> run.charts().stream()), figures.stream().map(Answer::chart))
            .forEach((chart) -> charts.put(chart.name(), chart));
        final Map<String, Object> model = new LinkedHashMap<>();
        model.put("style", text("report.css"));
        model.put("script", text("report.js"));
        model.put("echarts", packed(text(ECHARTS)));
        model.put("charts", packed(new ObjectMapper().writeValueAsString(charts.values())));
        model.put("machine", machine(recommendation.map(Recommendation::run).orElse(runs.get(0)).file()));
        model.put("recommendation", recommendation.orElse(null));
        model.put("overview", summary.overview().orElse(null));
        model.put("figures", figures);
        model.put("articles", summary.articles());
        model.put("claims", Claim.of(files));
        model.put("runs", runs);
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

    /** The compressed text, encoded so that a script element may contain it. */
    private static String packed(final String text) throws IOException
    {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes))
        {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    private static String machine(final ResultFile file)
    {
        return file.fact("CPU") + "; " + file.fact("file system").replaceAll(" \\(.*", "") + "; JDK " +
            file.fact("JDK").replaceAll(",.*", "");
    }

    static String text(final String resource)
    {
        return read(resource, (in) -> new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }

    /** Missing fields are empty. */
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
        String when()
        {
            return file.fact("date").replaceAll("T(\\d\\d:\\d\\d).*", " $1");
        }

        List<String> warnings()
        {
            final List<String> warnings = new ArrayList<>(file.warnings());
            file.failures().forEach((failure) -> warnings.add("Failed: " + failure));
            if (file.roundCount() < Tables.MIN_ROUNDS && !file.isFaithful())
            {
                warnings.add("Fewer than three rounds: nothing is stated.");
            }
            if (file.isScaled())
            {
                warnings.add("A quick look, smaller than the experiment.");
            }
            return warnings;
        }

        Map<String, String> facts()
        {
            final Map<String, String> facts = new LinkedHashMap<>(file.header().machine());
            facts.put("plan", file.header().plan());
            facts.put("command", file.header().command());
            return facts;
        }
    }
}
