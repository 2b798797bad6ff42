package io.journal.bench.report;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * Reads result files: JSON lines as written by {@link io.journal.bench.run.RawFile}. A damaged file is rejected with
 * the line number, never read in part.
 */
final class ResultReader
{
    static final String SUFFIX = ".jsonl";

    private static final int VERSION = 2;
    private static final ObjectMapper JSON =
        new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final Path file;
    private final Map<String, CaseResult> cases = new LinkedHashMap<>();
    private int lineNumber = 1;

    private ResultReader(final Path file)
    {
        this.file = file;
    }

    /**
     * Reads one file.
     *
     * @throws BadResultException if it is damaged, truncated, or not a result file.
     */
    static ResultFile read(final Path file) throws IOException
    {
        return new ResultReader(file).read();
    }

    /**
     * Reads result files, and all result files in directories in order of their names. Skips empty files in a
     * directory, which are left by experiments that failed to start.
     *
     * @param warnings what was skipped.
     * @throws BadResultException if one is damaged, or a file given by name is empty.
     */
    static List<ResultFile> readAll(final List<Path> paths, final Consumer<String> warnings) throws IOException
    {
        final Map<String, ResultFile> results = new LinkedHashMap<>();
        for (final Path path : paths)
        {
            final boolean isDirectory = Files.isDirectory(path);
            for (final Path each : isDirectory ? filesIn(path) : List.of(path))
            {
                if (isDirectory && 0 == Files.size(each))
                {
                    warnings.accept("skipped, empty: " + each.getFileName());
                    continue;
                }
                final ResultFile result = read(each);
                String name = result.name();
                for (int i = 2; results.containsKey(name); i++)
                {
                    // From another directory, for example of another machine.
                    name = result.name() + '-' + i;
                }
                results.put(name, result.named(name));
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

    private ResultFile read() throws IOException
    {
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8))
        {
            final JsonNode header = parse(lines.readLine());
            final int version = number(header, "version").asInt();
            if (VERSION != version)
            {
                throw refused("unknown version: expected=" + VERSION + ", found=" + version);
            }

            final String experiment = text(header, "experiment");
            for (String line = lines.readLine(); null != line; line = lines.readLine())
            {
                lineNumber++;
                add(parse(line));
            }

            return result(header, experiment);
        }
        catch (final CharacterCodingException ex)
        {
            throw refused("not text: " + ex);
        }
    }

    private ResultFile result(final JsonNode header, final String experiment)
    {
        lineNumber = 1;
        final Map<String, String> machine = texts(header, "machine");
        final String command = text(header, "command");
        final List<CaseResult> sorted = cases.values().stream()
            .sorted(
                Comparator.comparing(CaseResult::parameters, DisplayNames::compare).thenComparing(CaseResult::label))
            .toList();
        return new ResultFile(
            name(), file, experiment, text(header, "profile"), number(header, "scale").asDouble(), command,
            text(header, "plan"), machine, sorted);
    }

    private String name()
    {
        final String name = String.valueOf(file.getFileName());
        final String stem = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
        // Used in links and file names.
        return stem.replaceAll("[^A-Za-z0-9_.-]", "-");
    }

    private void add(final JsonNode line)
    {
        final int round = number(line, "round").asInt();
        final String label = text(line, "case");
        final Map<String, String> parameters = texts(line, "parameters");
        final CaseResult measured = cases.computeIfAbsent(
            label, (key) -> new CaseResult(label, parameters, new TreeMap<>()));
        if (null != measured.rounds().put(round, texts(line, "values")))
        {
            throw refused("duplicate case and round: case=" + label + ", round=" + round);
        }
    }

    private JsonNode parse(final String line)
    {
        if (null == line)
        {
            throw refused("empty: the run did not start, or this is not a result file");
        }

        try
        {
            final JsonNode node = JSON.readTree(line);
            if (!node.isObject())
            {
                throw refused("not a result file: expected={..}, found=" + shortened(line));
            }

            return node;
        }
        catch (final JsonProcessingException ex)
        {
            throw refused("damaged or truncated: " + ex.getOriginalMessage() + ", found=" + shortened(line));
        }
    }

    private JsonNode number(final JsonNode line, final String name)
    {
        final JsonNode value = line.path(name);
        if (!value.isNumber())
        {
            throw refused("not a result line: no number named " + name);
        }

        return value;
    }

    private String text(final JsonNode line, final String name)
    {
        final JsonNode value = line.path(name);
        if (!value.isTextual())
        {
            throw refused("not a result line: no text named " + name);
        }

        return value.asText();
    }

    private Map<String, String> texts(final JsonNode line, final String name)
    {
        final JsonNode object = line.path(name);
        if (!object.isObject())
        {
            throw refused("not a result line: no object named " + name);
        }

        final Map<String, String> texts = new LinkedHashMap<>();
        object.properties().forEach((field) -> texts.put(field.getKey(), field.getValue().asText()));
        return texts;
    }

    private BadResultException refused(final String what)
    {
        return new BadResultException(file, lineNumber, what);
    }

    private static String shortened(final String line)
    {
        final int longest = 60;
        return line.length() <= longest ? line : line.substring(0, longest) + "…";
    }

    /**
     * A file is not a valid result file.
     */
    static final class BadResultException extends RuntimeException
    {
        private static final long serialVersionUID = 1;

        BadResultException(final Path directory, final String what)
        {
            super(directory + ": " + what);
        }

        BadResultException(final Path file, final int line, final String what)
        {
            super(file + ", line " + line + ": " + what);
        }
    }
}
