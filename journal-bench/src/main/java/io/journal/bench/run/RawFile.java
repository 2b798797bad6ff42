package io.journal.bench.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Writes results as they arrive, as JSON lines or CSV.
 * <p>
 * The first line of JSON is a header:
 * {@code {"version":2,"experiment":..,"profile":..,"scale":..,"command":..,"plan":..,"machine":{..}}}. Then follows a
 * line per case and round: {@code {"round":1,"case":..,"parameters":{..},"values":{..}}}. Keys of values end with their
 * unit. CSV has the header as comments, and a row per value, with the parameters as {@code name=value} in one cell.
 */
public final class RawFile implements AutoCloseable
{
    private static final int VERSION = 2;
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?(E-?\\d+)?");
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Writer out;
    private final String name;
    private final boolean isCsv;
    private final boolean isOurs;

    private RawFile(final Writer out, final String name, final boolean isCsv, final boolean isOurs)
    {
        this.out = out;
        this.name = name;
        this.isCsv = isCsv;
        this.isOurs = isOurs;
    }

    /**
     * @param file to overwrite; CSV if its name ends with {@code .csv}.
     */
    public static RawFile open(final Path file) throws IOException
    {
        return new RawFile(
            Files.newBufferedWriter(file, StandardCharsets.UTF_8), file.toString(), file.toString().endsWith(".csv"),
            true);
    }

    /**
     * JSON lines.
     *
     * @param out not closed by this class.
     */
    public static RawFile json(final PrintWriter out)
    {
        return new RawFile(out, "standard output", false, false);
    }

    /**
     * Reads the header of a file of JSON lines.
     *
     * @return the command that wrote it, or an empty string if unknown.
     */
    static String commandOf(final Path file)
    {
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8))
        {
            return JSON.readTree(lines.readLine()).path("command").asText();
        }
        catch (final IOException ex)
        {
            // Damaged, or not a result file.
            return "";
        }
    }

    /**
     * Writes the header.
     *
     * @throws UncheckedIOException if writing fails.
     */
    public void begin(final Facts facts)
    {
        if (isCsv)
        {
            println("# version: " + VERSION);
            facts.texts().forEach((key, value) -> println("# " + key + ": " + value));
            facts.machine().forEach((key, value) -> println("# " + key + ": " + value));
            println("round,case,parameters,key,value");
        }
        else
        {
            final ObjectNode line = JsonNodeFactory.instance.objectNode().put("version", VERSION);
            line.setAll(object(facts.texts()));
            line.set("machine", object(facts.machine()));
            println(line);
        }
        flush();
    }

    /**
     * Adds the values of one case in one round.
     *
     * @throws UncheckedIOException if writing fails.
     */
    public void add(
        final int round, final String label, final Map<String, String> parameters, final Map<String, String> found)
    {
        if (isCsv)
        {
            final String joined =
                parameters.entrySet().stream().map(Object::toString).collect(Collectors.joining("; "));
            found.forEach((key, value) -> println(
                String.join(",", Integer.toString(round), cell(label), cell(joined), cell(key), cell(value))));
        }
        else
        {
            final ObjectNode line = JsonNodeFactory.instance.objectNode().put("round", round).put("case", label);
            line.set("parameters", object(parameters));
            line.set("values", object(found));
            println(line);
        }
        // An interrupted run keeps what was measured so far.
        flush();
    }

    @Override
    public void close()
    {
        try
        {
            if (isOurs)
            {
                out.close();
            }
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    private void println(final String line)
    {
        try
        {
            out.write(line + System.lineSeparator());
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    /**
     * A lost result must be an error, and a PrintWriter swallows failures.
     */
    private void flush()
    {
        try
        {
            out.flush();
            if (out instanceof PrintWriter printing && printing.checkError())
            {
                throw new IOException("write failed");
            }
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

    private void println(final ObjectNode line)
    {
        try
        {
            println(JSON.writeValueAsString(line));
        }
        catch (final JsonProcessingException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static ObjectNode object(final Map<String, String> texts)
    {
        final ObjectNode object = JsonNodeFactory.instance.objectNode();
        texts.forEach((key, text) ->
        {
            if (!NUMBER.matcher(text).matches())
            {
                object.put(key, text);
            }
            else if (text.matches("-?\\d{1,18}"))
            {
                object.put(key, Long.parseLong(text));
            }
            else
            {
                object.put(key, Double.parseDouble(text));
            }
        });

        return object;
    }

    private static String cell(final String text)
    {
        final boolean isPlain = text.chars().noneMatch((c) -> ',' == c || '"' == c || c < ' ');
        return isPlain ? text : '"' + text.replace("\"", "\"\"") + '"';
    }

    /**
     * Header of a result: what was run, and where.
     *
     * @param experiment name of the command.
     * @param profile    profile of the run.
     * @param scale      fraction of the full size that was run, at most 1.
     * @param command    command line as typed.
     * @param plan       describes what is done.
     * @param machine    its facts, by name.
     */
    public record Facts(
        String experiment, Profile profile, double scale, String command, String plan, Map<String, String> machine)
    {
        /**
         * All but the machine, by name.
         */
        public Map<String, String> texts()
        {
            final Map<String, String> texts = new LinkedHashMap<>();
            texts.put("experiment", experiment);
            texts.put("profile", profile.label());
            texts.put("scale", 1 == scale ? "1" : Double.toString(scale));
            texts.put("command", command);
            texts.put("plan", plan);
            return texts;
        }
    }
}
