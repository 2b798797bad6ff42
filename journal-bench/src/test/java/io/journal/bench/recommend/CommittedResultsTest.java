package io.journal.bench.recommend;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.bench.journal.BackendConfig;
import io.journal.bench.recommend.Measurements.Figure;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Evaluates committed measurements again: the documented recommendations must match the code.
 */
class CommittedResultsTest
{
    private static final BackendConfig MAPPED = new BackendConfig(Backend.MAPPED, 0);
    private static final int RECORD_LENGTH = 256;

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
    void defaultMeetsTheRequirementInEachOfTenRuns(final int run) throws IOException
    {
        final Verdict verdict = evaluate("recommend-30s-" + run, Requirement.Durability.POWER, 1000);

        assertEquals(MAPPED, verdict.recommended());
        assertTrue(
            verdict.reasons().get(0)
                .matches("Both finalists sustain at least [345]\\.\\d times the 1,000 records/s.*"),
            verdict.reasons().toString());
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 })
    void withoutARateTheDefaultStaysInEachOfTenRuns(final int run) throws IOException
    {
        assertEquals(MAPPED,
            evaluate("recommend-30s-" + run, Requirement.Durability.POWER, Requirement.UNKNOWN_RATE).recommended());
    }

    @Test
    void groupsOfRecordsMeetTheRequirementOnALoopDevice() throws IOException
    {
        final Verdict verdict = evaluate("recommend-loop", Requirement.Durability.POWER, 1000);

        assertEquals(MAPPED, verdict.recommended());
        assertTrue(verdict.table().get(0).startsWith("Append 16 records, then fsync"), verdict.table().toString());
    }

    @Test
    void appendsInMemoryMeetTheRequirement() throws IOException
    {
        final Verdict verdict = evaluate("recommend-tmpfs", Requirement.Durability.PROCESS, 1000);

        assertEquals(MAPPED, verdict.recommended());
        assertTrue(verdict.reasons().get(0).startsWith("Both finalists sustain at least "), verdict.reasons().get(0));
    }

    private static Verdict evaluate(final String name, final Requirement.Durability durability, final long rate)
        throws IOException
    {
        final SortedMap<Integer, Map<BackendConfig, Map<Figure, Double>>> rounds =
            read(Path.of("results", name + ".jsonl"));
        final Measurements last = new Measurements();
        final Measurements all = new Measurements();
        rounds.forEach((round, measured) ->
        {
            all.add(measured);
            if (1 != round)
            {
                last.add(measured);
            }
        });
        final List<BackendConfig> finalists = BackendConfig.all(RECORD_LENGTH).stream()
            .filter((each) -> rounds.tailMap(2).values().stream().anyMatch((round) -> round.containsKey(each)))
            .toList();
        return Verdict.of(finalists, List.of(), last, all, new Requirement(durability, RECORD_LENGTH, rate));
    }

    private static SortedMap<Integer, Map<BackendConfig, Map<Figure, Double>>> read(final Path file) throws IOException
    {
        final SortedMap<Integer, Map<BackendConfig, Map<Figure, Double>>> rounds = new TreeMap<>();
        final ObjectMapper mapper = new ObjectMapper();
        final List<String> lines = new ArrayList<>(Files.readAllLines(file));
        for (final String text : lines.subList(1, lines.size()))
        {
            final JsonNode line = mapper.readTree(text);
            if (line.get("round").asInt() > 0)
            {
                final JsonNode parameters = line.get("parameters");
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

        return rounds;
    }
}
