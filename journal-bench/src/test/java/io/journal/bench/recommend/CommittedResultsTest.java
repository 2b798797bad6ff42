// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.journal.bench.run.RawFile;
import io.journal.bench.subject.BackendConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Evaluates committed measurements again: the documented recommendations must match the code. */
class CommittedResultsTest
{
    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
    void defaultStaysInEachOfTenRuns(final int run) throws IOException
    {
        assertRecommended("MAPPED", "recommend-" + run);
    }

    @ParameterizedTest
    @CsvSource({
        "xfs, MAPPED",
        "ext4-sync, MAPPED",
        "btrfs, FILE_CHANNEL",
        "100-iops, MAPPED",
        "tmpfs, MAPPED",
        "1-mib-1, MAPPED",
        "1-mib-2, MAPPED",
        "1-mib-3, MAPPED",
    })
    void documentedBackendIsRecommendedElsewhere(final String name, final String expected) throws IOException
    {
        assertRecommended(expected, "recommend-" + name);
    }

    private static void assertRecommended(final String expected, final String name) throws IOException
    {
        final List<RawFile.Line> lines = new ArrayList<>();
        final List<String> texts = Files.readAllLines(Path.of("../docs/results", name + ".jsonl"));
        for (final String text : texts.subList(1, texts.size()))
        {
            lines.add(RawFile.JSON.readValue(text, RawFile.Line.class));
        }
        final RawFile.Line verdict = lines.get(lines.size() - 1);
        assertEquals("verdict", verdict.label());
        assertEquals(expected, verdict.values().get("recommended"));
        // Some also compared segment lengths.
        lines.removeIf((line) -> line == verdict || line.label().startsWith("segments"));
        final String rate = verdict.parameters().get("rate");
        assertEquals(expected, evaluate(lines, new Requirement(
            Requirement.Durability.valueOf(verdict.parameters().get("survive").toUpperCase(Locale.ROOT)),
            Integer.parseInt(verdict.parameters().get("recordLength")),
            "unknown".equals(rate) ? Requirement.UNKNOWN_RATE : Long.parseLong(rate))).recommended().label());
    }

    private static Verdict evaluate(final List<RawFile.Line> lines, final Requirement requirement)
    {
        final TreeMap<Integer, List<RawFile.Line>> rounds =
            lines.stream().collect(Collectors.groupingBy(RawFile.Line::round, TreeMap::new, Collectors.toList()));
        final boolean isAlone = rounds.values().stream().allMatch((round) -> 1 == round.size());
        final List<BackendConfig> cases = BackendConfig.all(requirement.recordLength());
        final List<BackendConfig> finalists = among(cases, rounds.lastEntry().getValue());
        final Measurements last = new Measurements();
        final Measurements all = new Measurements();
        // The first trial of all shows how long one takes.
        rounds.tailMap(rounds.firstKey(), isAlone).values().forEach((round) ->
        {
            final List<BackendConfig> measured = among(cases, round);
            all.addAll(Measurements.of(measured, round));
            if (measured.equals(finalists))
            {
                last.addAll(Measurements.of(measured, round));
            }
        });
        return Verdict.of(
            finalists, cases.stream().filter((each) -> !finalists.contains(each)).toList(), last, all, requirement);
    }

    private static List<BackendConfig> among(final List<BackendConfig> cases, final List<RawFile.Line> round)
    {
        final List<String> labels = round.stream().map(RawFile.Line::label).toList();
        return cases.stream().filter((each) -> labels.contains(each.label())).toList();
    }
}
