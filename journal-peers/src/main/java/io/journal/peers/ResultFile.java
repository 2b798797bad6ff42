package io.journal.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.journal.bench.run.Machine;

/**
 * Reads and writes results: JSON lines, the first of which describes the machine and the command.
 */
final class ResultFile
{
    private static final ObjectMapper JSON = new ObjectMapper();
    // Of one run and one place; the others describe the machine.
    private static final List<String> DROPPED = List.of("files", "JVM flags");

    private ResultFile()
    {
    }

    static void writeHeader(final Path file, final Path directory, final List<String> command) throws IOException
    {
        final Map<String, String> facts = new LinkedHashMap<>(Machine.facts(directory));
        facts.keySet().removeAll(DROPPED);
        facts.put("command", String.join(" ", command));
        Files.writeString(file, JSON.writeValueAsString(facts) + "\n");
    }

    static void append(final Path file, final Result result) throws IOException
    {
        Files.writeString(file, JSON.writeValueAsString(result) + "\n", StandardOpenOption.APPEND);
    }

    /** Facts of the machine that measured. */
    static Map<String, String> header(final Path file) throws IOException
    {
        return JSON.readValue(Files.readAllLines(file).get(0), new TypeReference<>()
        {
        });
    }

    static List<Result> read(final Path file) throws IOException
    {
        final List<Result> results = new ArrayList<>();
        final List<String> lines = Files.readAllLines(file);
        for (final String line : lines.subList(1, lines.size()))
        {
            results.add(JSON.readValue(line, Result.class));
        }
        return results;
    }
}
