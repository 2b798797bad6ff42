// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;

/**
 * A result file of JSON lines: a header, then a line for each case and round, written as results arrive. Keys of values
 * end with their unit. If writing fails, a method throws an {@link UncheckedIOException} that names the file.
 */
public record RawFile(Writer out, String name) implements AutoCloseable
{
    public static final int VERSION = 2;
    /** Name of the only value of a case that failed: the cause. */
    public static final String FAILED = "failed";

    /** Rejects lines in which something is missing, of another type, or follows. */
    public static final ObjectMapper JSON = JsonMapper.builder()
        .enable(
            DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
            DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .build();

    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?(E-?\\d+)?");

    /** @param file to overwrite. */
    public static RawFile open(final Path file) throws IOException
    {
        Files.createDirectories(file.toAbsolutePath().resolve("..").normalize());
        return new RawFile(Files.newBufferedWriter(file, StandardCharsets.UTF_8), file.toString());
    }

    public void begin(final Header header)
    {
        write(JSON.valueToTree(header).toString());
    }

    public void add(final Line line)
    {
        final ObjectNode node = JSON.createObjectNode().put("round", line.round()).put("case", line.label());
        putAll(node.putObject("parameters"), line.parameters());
        putAll(node.putObject("values"), line.values());
        write(node.toString());
    }

    /** A text that is a number is written as a number. */
    private static void putAll(final ObjectNode node, final Map<String, String> texts)
    {
        texts.forEach((name, text) -> node.set(
            name, NUMBER.matcher(text).matches() ? node.rawValueNode(new RawValue(text)) : node.textNode(text)));
    }

    private void write(final String text)
    {
        try
        {
            out.write(text + System.lineSeparator());
            // Flush, so that an interrupted run keeps the results so far.
            out.flush();
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    @Override
    public void close()
    {
        try
        {
            out.close();
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    private UncheckedIOException failed(final IOException cause)
    {
        return new UncheckedIOException("results cannot be written: " + name + ": " + cause.getMessage(), cause);
    }

    /**
     * The experiment and the machine.
     *
     * @param experiment kind of experiment.
     * @param scale      fraction of the full size that was run, at most 1.
     * @param command    command line as typed.
     * @param plan       describes what is done.
     * @param machine    its facts, by name.
     */
    public record Header(
        int version, String experiment, String profile, double scale, String command, String plan,
        Map<String, String> machine)
    {
    }

    /** Values of one case in one round. */
    public record Line(
        int round, @JsonProperty("case") String label, Map<String, String> parameters, Map<String, String> values)
    {
    }
}
