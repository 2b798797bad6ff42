// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.recommend.Measurements.Figure;
import io.journal.store.Backend;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Evaluates committed measurements again: the documented recommendations must match the code. */
class CommittedResultsTest
{
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** The lines of a file that are needed. */
    private record Run(SortedMap<Integer, Map<BackendConfig, Map<Figure, Double>>> rounds, JsonNode verdict)
    {
        /** Most cases of a round: those of the first stage. */
        int triedCount()
        {
            return rounds.values().stream().mapToInt(Map::size).max().orElseThrow();
        }

        Set<BackendConfig> finalists()
        {
            return rounds.get(rounds.lastKey()).keySet();
        }

        boolean isFinal(final int round)
        {
            return rounds.get(round).keySet().equals(finalists());
        }

        Requirement requirement()
        {
            final JsonNode parameters = verdict.get("parameters");
            final JsonNode rate = parameters.get("rate");
            return new Requirement(
                Requirement.Durability.valueOf(parameters.get("survive").asText().toUpperCase(Locale.ROOT)),
                parameters.get("recordLength").asInt(),
                rate.isNumber() ? rate.asLong() : Requirement.UNKNOWN_RATE);
        }
    }

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
        final Run run = read(Path.of("../docs/results", name + ".jsonl"));
        assertEquals(expected, run.verdict.get("values").get("recommended").asText());
        assertEquals(expected, evaluate(run).recommended().label());
    }

    private static Verdict evaluate(final Run run)
    {
        final int first = run.rounds.firstKey();
        final boolean isAlone = 1 == run.triedCount();
        final Measurements last = new Measurements();
        final Measurements all = new Measurements();
        run.rounds.forEach((round, measured) ->
        {
            // The first trial of all shows how long one takes.
            if (round != first || isAlone)
            {
                all.add(measured);
                if (run.isFinal(round))
                {
                    last.add(measured);
                }
            }
        });
        final Requirement requirement = run.requirement();
        final List<BackendConfig> cases = BackendConfig.all(requirement.recordLength());
        return Verdict.of(
            cases.stream().filter(run.finalists()::contains).toList(),
            cases.stream().filter((each) -> !run.finalists().contains(each)).toList(), last, all, requirement);
    }

    private static Run read(final Path file) throws IOException
    {
        final SortedMap<Integer, Map<BackendConfig, Map<Figure, Double>>> rounds = new TreeMap<>();
        final List<String> lines = Files.readAllLines(file);
        JsonNode verdict = null;
        for (final String text : lines.subList(1, lines.size()))
        {
            final JsonNode line = MAPPER.readTree(text);
            final JsonNode parameters = line.get("parameters");
            if ("verdict".equals(line.get("case").asText()))
            {
                verdict = line;
            }
            else if (!parameters.has("segmentLength"))
            {
                final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
                for (final Figure figure : Figure.values())
                {
                    figures.put(figure, line.get("values").get(figure.key).asDouble());
                }
                rounds.computeIfAbsent(line.get("round").asInt(), (round) -> new LinkedHashMap<>()).put(
                    new BackendConfig(
                        Backend.valueOf(parameters.get("backend").asText()), parameters.get("windowLength").asInt()),
                    figures);
            }
        }

        return new Run(rounds, Objects.requireNonNull(verdict, "no verdict: file=" + file));
    }
}
