// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PublishedResultsTest
{
    @Test
    void allRowsOfTheArticleAndItsCommentsAreThere()
    {
        final Map<String, Long> counts = PublishedResults.rows("sequential.csv").stream()
            .collect(Collectors.groupingBy((row) -> row.get("source"), TreeMap::new, Collectors.counting()));

        assertEquals(Map.of("T10", 40L, "C12", 20L, "C15", 35L, "C20", 40L, "C21", 21L, "C22", 12L), counts);
    }

    @Test
    void ratesOfTheArticleAreThoseOfWholeMilliseconds()
    {
        for (final Map<String, String> row : PublishedResults.rows("sequential.csv"))
        {
            for (final String key : List.of("writeBytesPerSecond", "readBytesPerSecond"))
            {
                final String rate = row.get(key);
                if (!row.get("length").isEmpty() && !rate.isEmpty())
                {
                    // It printed length * 1000 / ms in whole numbers, so a mistyped digit shows.
                    final long length = Long.parseLong(row.get("length"));
                    final long ms = Math.round(length * 1e3 / Long.parseLong(rate));
                    assertEquals(length * 1000 / ms, Long.parseLong(rate), row.toString());
                }
            }
        }
    }

    @Test
    void threeSystemsHaveFifteenBuffersEach()
    {
        final List<Map<String, String>> rows = PublishedResults.rows("sweep.csv");

        assertEquals(45, rows.size());
        assertEquals(
            List.of("P6-1", "P6-2", "P6-3"), rows.stream().map((row) -> row.get("source")).distinct().toList());
        for (final Map<String, String> row : rows)
        {
            final double mean = Double.parseDouble(row.get("mean"));
            assertTrue(Double.parseDouble(row.get("min")) <= mean, row.toString());
            assertTrue(Double.parseDouble(row.get("max")) >= mean, row.toString());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "sequential.csv", "sweep.csv", "figures.csv" })
    void everyRowHasASourceThatIsDescribed(final String table)
    {
        final List<String> sources =
            PublishedResults.rows("sources.csv").stream().map((row) -> row.get("source")).toList();

        assertTrue(Page.text("published/" + table).startsWith("# version: 1\n"), table);
        for (final Map<String, String> row : PublishedResults.rows(table))
        {
            assertTrue(sources.contains(row.get("source")), row.toString());
        }
    }

    @Test
    void publishedValuesAreThoseOfTheNearestFileLength()
    {
        final CaseResult here = new CaseResult(
            "RandomAccessFile", Map.of(
                "way", "RandomAccessFile", "length", "4096000", "pageLength", "4096", "variant", "ARTICLE"),
            new TreeMap<>());

        here.rounds().put(1, Map.of("readBytesPerSecond", "1e9"));
        final List<Chart.Series> series = PublishedResults.of(
            "sequential", List.of(here), "readBytesPerSecond").toList();
        assertEquals(
            List.of("article, 2011", "comment 12", "comment 20"), series.stream().map(Chart.Series::family).toList());
        assertTrue(series.get(0).isPublished());
        assertEquals("RandomAccessFile", series.get(0).name());
        assertEquals(1_422_220_000, series.get(0).points().get(0).y());
    }
}
