// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.journal.bench.run.RawFile;
import io.journal.bench.run.RawFile.Header;
import io.journal.bench.run.RawFile.Line;
import io.journal.bench.run.Unit;

/**
 * The contents of a result file, as {@link RawFile} writes it: one run of one experiment. A damaged file is rejected
 * with the line number, never read in part.
 *
 * @param name  in the report and of its charts.
 * @param cases sorted by their parameters.
 */
public record ResultFile(String name, Header header, List<CaseResult> cases)
{
    static final String SUFFIX = ".jsonl";

    private static final String PERCENTILE = "p\\d+Us|maxUs";
    /** Timestamps and resource usage. */
    private static final String NO_FINDING =
        "startMs|endMs|tookMs|lateUs|elapsedNs|disturbedPercent|.*[cC]puUs|.*StallUs|.*Faults|.*Switches|" +
            "(passes|bytes|records|segments)Count|bytes|sum";

    /** The measured experiment. */
    public static ResultFile of(final String name, final Header header, final List<Line> lines)
    {
        final Map<String, CaseResult> cases = new LinkedHashMap<>();
        lines.forEach((line) -> cases.computeIfAbsent(
            line.label(), (label) -> new CaseResult(label, line.parameters(), new TreeMap<>())).rounds()
            .put(line.round(), line.values()));
        final Comparator<Map<String, String>> order =
            DisplayNames.orderOf(cases.values().stream().map(CaseResult::parameters).toList());
        return new ResultFile(name, header, cases.values().stream()
            .sorted(Comparator.comparing(CaseResult::parameters, order).thenComparing(CaseResult::label)).toList());
    }

    /** Reads all result files of a directory, in order of their names. */
    static List<ResultFile> readAll(final Path directory) throws IOException
    {
        final List<ResultFile> all = new ArrayList<>();
        try (Stream<Path> entries = Files.list(directory))
        {
            for (final Path each : entries.filter((entry) -> entry.toString().endsWith(SUFFIX)).sorted().toList())
            {
                all.add(read(each));
            }
        }
        return all;
    }

    /**
     * Reads one file.
     *
     * @throws IllegalArgumentException if it is damaged, truncated, or not a result file.
     */
    static ResultFile read(final Path file) throws IOException
    {
        final List<Line> lines = new ArrayList<>();
        int lineNumber = 1;
        try
        {
            final List<String> texts = Files.readAllLines(file);
            require(!texts.isEmpty(), "empty: the run did not start, or this is not a result file");
            final Header header = RawFile.JSON.readValue(texts.get(0), Header.class);
            require(RawFile.VERSION == header.version(), "unknown version: " + header.version());
            final Set<List<Object>> known = new HashSet<>();
            for (final String text : texts.subList(1, texts.size()))
            {
                lineNumber++;
                final Line line = RawFile.JSON.readValue(text, Line.class);
                require(known.add(List.of(line.label(), line.round())), "duplicate case and round: " + line.label());
                lines.add(line);
            }
            // The name is used in links and file names.
            final String name = String.valueOf(file.getFileName()).replace(SUFFIX, "");
            return of(name.replaceAll("[^A-Za-z0-9_.-]", "-"), header, lines);
        }
        catch (final CharacterCodingException | JsonProcessingException | IllegalArgumentException ex)
        {
            throw new IllegalArgumentException(file + ", line " + lineNumber + ": " +
                (ex instanceof JsonProcessingException json ?
                    "damaged, truncated, or no result: " + json.getOriginalMessage() :
                    ex instanceof CharacterCodingException ? "not text" : ex.getMessage()),
                ex);
        }
    }

    private static void require(final boolean holds, final String wrong)
    {
        if (!holds)
        {
            throw new IllegalArgumentException(wrong);
        }
    }

    String experiment()
    {
        return header.experiment();
    }

    String profile()
    {
        return header.profile();
    }

    boolean isFaithful()
    {
        return "faithful".equals(profile());
    }

    boolean isScaled()
    {
        return header.scale() < 1;
    }

    String fact(final String name)
    {
        return header.machine().getOrDefault(name, "");
    }

    /** The cases without conclusions, which are in round 0. */
    List<CaseResult> measured()
    {
        return cases.stream().filter((each) -> each.rounds().lastKey() > 0).toList();
    }

    /** The case that holds a recommendation. */
    Optional<CaseResult> verdict()
    {
        return cases.stream().filter((each) -> !each.texts("recommended").isEmpty()).findFirst();
    }

    /** Rounds in which every case was measured, except cases that always failed. */
    int roundCount()
    {
        return measured().stream().mapToInt((each) -> each.rounds().size() - each.texts(RawFile.FAILED).size())
            .filter((count) -> count > 0).min().orElse(0);
    }

    /** The cases that failed, with the cause, once for each round. */
    List<String> failures()
    {
        return cases.stream().flatMap((each) -> each.texts(RawFile.FAILED).stream()
            .map((cause) -> each.label() + ": " + cause)).toList();
    }

    /** Other influences on the values. */
    List<String> warnings()
    {
        final List<String> warnings = new ArrayList<>();
        final long disturbed = cases.stream().filter((each) -> each.has("disturbedPercent")).count();
        if (disturbed > 0)
        {
            warnings.add(disturbed + " cases were disturbed: other processes took processor time.");
        }
        return warnings;
    }

    /** Keys of numbers that some cases have and that are results, in their order; not resource usage or percentiles. */
    List<String> findings(final List<CaseResult> some)
    {
        final boolean hasLatencies = cases.stream().anyMatch(CaseResult::hasLatencies);
        return some.stream().flatMap((each) -> each.keys().stream()).collect(Collectors.toCollection(TreeSet::new))
            .stream().filter((key) -> Unit.NONE != Unit.of(key) && !key.matches(NO_FINDING) &&
                !(hasLatencies && key.matches(PERCENTILE)))
            .sorted(Comparator.comparing(DisplayNames::rank)).toList();
    }
}
