// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.journal.bench.article.Articles;
import io.journal.bench.experiment.Experiment;
import io.journal.bench.jmh.JmhRatios;
import io.journal.bench.workload.Journals;
import io.journal.bench.workload.Peers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The documents say what the committed results say. */
class CommittedDocumentsTest
{
    private static final Path DOCS = Path.of("../docs");
    private static final Path RESULTS = DOCS.resolve("results");
    private static final Pattern LINK = Pattern.compile("\\[([^\\]]*\\d[^\\]]*)]\\(results/([\\w-]+)\\.md\\)");
    private static final Pattern NUMBER = Pattern.compile("\\d[\\d,]*(?:\\.\\d+)?(?: M(?!B))?");
    private static final Pattern MEASURED = Pattern.compile(
        "\\d[\\d,.]*(?: M)? (?:records/s|MB/s|ns|µs|ms|times as)");

    static Stream<Path> results() throws IOException
    {
        try (Stream<Path> files = Files.list(RESULTS))
        {
            return files.filter((file) -> file.toString().endsWith(".jsonl")).sorted().toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("results")
    void tablesAreThoseOfTheResults(final Path file) throws IOException
    {
        final ResultFile result = ResultFile.read(file);

        assertEquals(
            new Tables(result).markdown(), Files.readString(RESULTS.resolve(result.name() + ".md")),
            "write them again: report docs/results --page=docs/report.html");
    }

    @ParameterizedTest
    @ValueSource(strings = { "benchmarks.md", "benchmarks-method.md", "benchmarks-compared.md" })
    void numbersOfThePagesAreInTheTablesThatTheyName(final String page) throws IOException
    {
        final String text = Files.readString(DOCS.resolve(page));
        final List<MatchResult> links = LINK.matcher(text).results().toList();
        for (final MatchResult link : links)
        {
            final List<String> known =
                NUMBER.matcher(Files.readString(RESULTS.resolve(link.group(2) + ".md"))).results()
                    .map(MatchResult::group).toList();
            NUMBER.matcher(link.group(1)).results().forEach((number) -> assertTrue(
                known.contains(number.group()), page + ": " + link.group() + ": not there: " + number.group()));
        }
        final String unlinked = LINK.matcher(text).replaceAll("");
        assertFalse(MEASURED.matcher(unlinked).find(), () -> page + ": names no result: " +
            MEASURED.matcher(unlinked).results().map(MatchResult::group).toList());
    }

    @Test
    void thePagesAreShort() throws IOException
    {
        int words = 0;
        for (final String page : List.of("benchmarks.md", "benchmarks-method.md", "benchmarks-compared.md"))
        {
            words += Files.readString(DOCS.resolve(page)).split("\\s+").length;
        }

        assertTrue(words <= 2700, "words=" + words);
    }

    @Test
    void thePageIsSmall() throws IOException
    {
        assertTrue(Files.size(DOCS.resolve("report.html")) <= 1_000_000);
    }

    @Test
    void everyExperimentIsNamedInTheMethod() throws IOException
    {
        final String text = Files.readString(DOCS.resolve("benchmarks-method.md")) +
            Files.readString(DOCS.resolve("benchmarks-compared.md"));
        Stream.of(Articles.table(), Journals.table(), Peers.table(), JmhRatios.table()).flatMap(List::stream)
            .map(Experiment::name).forEach((name) -> assertTrue(text.contains('`' + name + '`'), name));
    }

    @Test
    void eachStatementOfTheArticlesIsComparedWithTwoCasesThatAreThere() throws IOException
    {
        final List<ResultFile> files = new ArrayList<>();
        for (final Path file : results().toList())
        {
            files.add(ResultFile.read(file));
        }

        final List<Claim> claims = Claim.of(files);

        assertEquals(List.of(), claims.stream().filter((each) -> each.measured().startsWith("not measured")).toList());
        assertTrue(claims.stream().map(Claim::id).distinct().count() > 15);
        final Map<String, String> first = PublishedResults.rows("claims.csv").get(0);
        assertEquals(List.of("id", "says", "number", "result", "key", "of", "to"), List.copyOf(first.keySet()));
    }
}
