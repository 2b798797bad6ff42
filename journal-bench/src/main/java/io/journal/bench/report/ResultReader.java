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
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.journal.bench.run.ResultFormat;
import io.journal.bench.run.ResultFormat.Header;
import io.journal.bench.run.ResultFormat.Line;

import static io.journal.bench.run.ResultFormat.JSON;

/**
 * Reads result files: JSON lines as written by {@link io.journal.bench.run.RawFile}. A damaged file is rejected with
 * the line number, never read in part.
 */
final class ResultReader
{
    static final String SUFFIX = ".jsonl";

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
            final JsonNode first = parse(lines.readLine());
            final JsonNode version = first.path("version");
            if (version.isNumber() && ResultFormat.VERSION != version.asInt())
            {
                throw refused("unknown version: expected=" + ResultFormat.VERSION + ", found=" + version);
            }
            final Header header = bind(first, Header.class);
            for (String line = lines.readLine(); null != line; line = lines.readLine())
            {
                lineNumber++;
                add(bind(parse(line), Line.class));
            }
            final List<CaseResult> sorted = cases.values().stream()
                .sorted(Comparator.comparing(CaseResult::parameters, DisplayNames::compare)
                    .thenComparing(CaseResult::label))
                .toList();
            return new ResultFile(
                name(), file, header.experiment(), header.profile(), header.scale(), header.command(), header.plan(),
                header.machine(), sorted);
        }
        catch (final CharacterCodingException ex)
        {
            throw refused("not text: " + ex);
        }
    }

    private String name()
    {
        final String name = String.valueOf(file.getFileName());
        final String stem = name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
        // Used in links and file names.
        return stem.replaceAll("[^A-Za-z0-9_.-]", "-");
    }

    private void add(final Line line)
    {
        final CaseResult measured = cases.computeIfAbsent(
            line.label(), (label) -> new CaseResult(label, line.parameters(), new TreeMap<>()));
        if (null != measured.rounds().put(line.round(), line.values()))
        {
            throw refused("duplicate case and round: case=" + line.label() + ", round=" + line.round());
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

    private <T> T bind(final JsonNode line, final Class<T> type) throws IOException
    {
        try
        {
            return JSON.treeToValue(line, type);
        }
        catch (final JsonMappingException ex)
        {
            throw refused("not a result line: missing or of another type: " + ex.getPath().stream()
                .map(JsonMappingException.Reference::getFieldName).collect(Collectors.joining(".")));
        }
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
