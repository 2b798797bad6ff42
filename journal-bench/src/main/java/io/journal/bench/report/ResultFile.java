// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.journal.bench.run.RawFile;
import io.journal.bench.run.RawFile.Header;
import io.journal.bench.run.RawFile.Line;
import io.journal.bench.run.Unit;

import static io.journal.bench.run.RawFile.JSON;

/**
 * The contents of a result file, as {@link RawFile} writes it: one run of one experiment. A
 * damaged file is rejected with the line number, never read in part.
 *
 * @param name  in the report and of its charts: the file name, made unique.
 * @param cases sorted by their parameters.
 */
public record ResultFile(String name, Path file, Header header, List<CaseResult> cases)
{
    static final String SUFFIX = ".jsonl";
    static final String PERCENTILE = "p\\d+Us|maxUs";

    /** Timestamps and resource usage. */
    private static final String NO_FINDING =
        "startMs|endMs|tookMs|lateUs|elapsedNs|disturbedPercent|.*[cC]puUs|.*StallUs|.*Faults|.*Switches|" +
            "(passes|bytes|records|segments)Count|bytes|sum";

    private static final int LONGEST_SHOWN = 60;

    static final class BadResultException extends RuntimeException
    {
        private static final long serialVersionUID = 1;

        BadResultException(final String message)
        {
            super(message);
        }
    }

    /**
     * Reads result files, and all result files in directories in order of their names.
     *
     * @throws BadResultException if a file is damaged.
     */
    static List<ResultFile> readAll(final List<Path> paths) throws IOException
    {
        final Map<String, ResultFile> results = new LinkedHashMap<>();
        for (final Path path : paths)
        {
            for (final Path each : Files.isDirectory(path) ? filesIn(path) : List.of(path))
            {
                final ResultFile result = read(each);
                String name = result.name();
                for (int i = 2; results.containsKey(name); i++)
                {
                    // From another directory, for example of another machine.
                    name = result.name() + '-' + i;
                }
                results.put(name, new ResultFile(name, each, result.header(), result.cases()));
            }
        }
        return List.copyOf(results.values());
    }

    private static List<Path> filesIn(final Path directory) throws IOException
    {
        try (Stream<Path> entries = Files.list(directory))
        {
            return entries.filter((entry) -> entry.toString().endsWith(SUFFIX)).sorted().toList();
        }
    }

    /**
     * Reads one file.
     *
     * @throws BadResultException if it is damaged, truncated, or not a result file.
     */
    static ResultFile read(final Path file) throws IOException
    {
        int lineNumber = 1;
        try (BufferedReader lines = Files.newBufferedReader(file))
        {
            final Header header = parse(lines.readLine(), Header.class);
            final Map<String, CaseResult> cases = new LinkedHashMap<>();
            for (String text = lines.readLine(); null != text; text = lines.readLine())
            {
                lineNumber++;
                add(cases, parse(text, Line.class));
            }
            // Used in links and file names.
            final String name =
                String.valueOf(file.getFileName()).replaceFirst("\\.jsonl$", "").replaceAll("[^A-Za-z0-9_.-]", "-");
            return new ResultFile(name, file, header, sorted(cases));
        }
        catch (final CharacterCodingException | BadResultException ex)
        {
            throw new BadResultException(file + ", line " + lineNumber + ": " +
                (ex instanceof BadResultException ? ex.getMessage() : "not text: " + ex));
        }
    }

    /** What a run measured, without a file. */
    public static ResultFile of(final String name, final Header header, final List<Line> lines)
    {
        final Map<String, CaseResult> cases = new LinkedHashMap<>();
        lines.forEach((line) -> add(cases, line));
        return new ResultFile(name, Path.of(name + SUFFIX), header, sorted(cases));
    }

    private static void add(final Map<String, CaseResult> cases, final Line line)
    {
        if (null != cases.computeIfAbsent(
            line.label(), (label) -> new CaseResult(label, line.parameters(), new TreeMap<>())).rounds()
            .put(line.round(), line.values()))
        {
            throw new BadResultException(
                "duplicate case and round: case=" + line.label() + ", round=" + line.round());
        }
    }

    private static List<CaseResult> sorted(final Map<String, CaseResult> cases)
    {
        final Comparator<Map<String, String>> order =
            DisplayNames.orderOf(cases.values().stream().map(CaseResult::parameters).toList());
        return cases.values().stream()
            .sorted(Comparator.comparing(CaseResult::parameters, order).thenComparing(CaseResult::label)).toList();
    }

    private static <T> T parse(final String line, final Class<T> type)
    {
        if (null == line)
        {
            throw new BadResultException("empty: the run did not start, or this is not a result file");
        }

        final String found =
            ", found=" + (line.length() <= LONGEST_SHOWN ? line : line.substring(0, LONGEST_SHOWN) + "…");
        try
        {
            final JsonNode node = JSON.readTree(line);
            if (!node.isObject())
            {
                throw new BadResultException("not a result file: expected={..}" + found);
            }
            final JsonNode version = node.path("version");
            if (version.isNumber() && RawFile.VERSION != version.asInt())
            {
                throw new BadResultException("unknown version: expected=" + RawFile.VERSION + ", found=" + version);
            }
            return JSON.treeToValue(node, type);
        }
        catch (final JsonProcessingException ex)
        {
            final String path = ex instanceof JsonMappingException mapping ? mapping.getPath().stream()
                .map(JsonMappingException.Reference::getFieldName).collect(Collectors.joining(".")) : "";
            throw new BadResultException(path.isEmpty() ?
                "damaged or truncated: " + ex.getOriginalMessage() + found :
                "not a result line: missing or of another type: " + path);
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

    /** Rounds in which every case was measured; round 0 holds conclusions. */
    int roundCount()
    {
        return cases.stream().filter((each) -> each.rounds().lastKey() > 0)
            .mapToInt((each) -> each.rounds().size()).min().orElse(0);
    }

    /** What else influenced the values. */
    List<String> warnings()
    {
        final List<String> warnings = new ArrayList<>();
        final long disturbed = cases.stream().filter((each) -> each.has("disturbedPercent")).count();
        if (disturbed > 0)
        {
            warnings.add(disturbed + " cases were disturbed: other processes took processor time.");
        }
        cases.stream().flatMap((each) -> each.texts("aboveDevice").stream())
            .flatMap((keys) -> List.of(keys.split(" ")).stream())
            .collect(Collectors.groupingBy((key) -> key, TreeMap::new, Collectors.counting()))
            .forEach((key, count) -> warnings.add(DisplayNames.value(key, profile()) +
                " exceeded the device's rate " + count + " times: served by the page cache."));
        return warnings;
    }

    /** Whether a value is a result, not resource usage or a percentile. */
    boolean isFinding(final String key)
    {
        return Unit.NONE != Unit.of(key) && !key.matches(NO_FINDING) &&
            !(key.matches(PERCENTILE) && cases.stream().anyMatch(CaseResult::hasLatencies));
    }

    /** Keys of numeric values, of any case, in alphabetical order. */
    Set<String> keys()
    {
        return cases.stream().flatMap((each) -> each.keys().stream()).collect(Collectors.toCollection(TreeSet::new));
    }
}
