package io.journal.bench.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;

/**
 * A result file: a header, then a line for each case and round. Keys of values end with their unit.
 * <p>
 * Written as results arrive: as JSON lines, or as CSV, which has the header as comments and a row per value, with the
 * parameters as {@code name=value} in one cell. If writing fails, a method throws an {@link UncheckedIOException} that
 * names the file.
 */
public record RawFile(Writer out, String name) implements AutoCloseable
{
    public static final int VERSION = 2;

    /** Rejects lines in which something is missing, of another type, or follows. */
    public static final ObjectMapper JSON = JsonMapper.builder()
        .enable(
            DeserializationFeature.FAIL_ON_TRAILING_TOKENS, DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
            DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES)
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
        .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
        .build();

    private static final ObjectWriter CSV = CsvMapper.builder().enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
        .build().writer(CsvSchema.emptySchema().withLineSeparator(System.lineSeparator()));

    private static final String CSV_SUFFIX = ".csv";
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9]\\d*)(\\.\\d+)?(E-?\\d+)?");

    /**
     * Opens the result files of a run, for {@code --output}, {@code --json} and {@code --report}, and writes their
     * headers.
     *
     * @param files receives them, so that the caller closes those that were opened if the next one fails.
     */
    static void openAll(
        final List<RawFile> files, final RunOptions options, final Header header, final PrintWriter out)
        throws IOException
    {
        if (null != options.output)
        {
            files.add(open(options.output));
        }
        if (options.isJson)
        {
            files.add(new RawFile(out, "standard output"));
        }
        if (null != options.report)
        {
            Files.createDirectories(options.report);
            final String stem = unused(options.report, header);
            files.add(open(options.report.resolve(stem + ".jsonl")));
            files.add(open(options.report.resolve(stem + CSV_SUFFIX)));
        }
        files.forEach((file) -> file.begin(header));
    }

    /** A name that is not taken by another command; results of the same command are replaced. */
    private static String unused(final Path directory, final Header header) throws IOException
    {
        final String stem = header.experiment() + '-' + header.profile();
        for (int i = 1;; i++)
        {
            final String name = 1 == i ? stem : stem + '-' + i;
            final Path file = directory.resolve(name + ".jsonl");
            if (Files.notExists(file) || 0 == Files.size(file) || commandOf(file).equals(header.command()))
            {
                return name;
            }
        }
    }

    /** The command that wrote a file of JSON lines; empty if it is damaged, or not a result file. */
    static String commandOf(final Path file)
    {
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8))
        {
            return JSON.readTree(lines.readLine()).path("command").asText();
        }
        catch (final IOException ex)
        {
            return "";
        }
    }

    /**
     * @param file to overwrite; CSV if its name ends with {@code .csv}.
     */
    public static RawFile open(final Path file) throws IOException
    {
        return new RawFile(Files.newBufferedWriter(file, StandardCharsets.UTF_8), file.toString());
    }

    public void begin(final Header header)
    {
        final ObjectNode facts = JSON.valueToTree(header);
        if (!name.endsWith(CSV_SUFFIX))
        {
            writeLine(facts.toString());
            return;
        }

        facts.setAll((ObjectNode)facts.remove("machine"));
        facts.properties().forEach((fact) -> writeLine("# " + fact.getKey() + ": " + fact.getValue().asText()));
        writeLine("round,case,parameters,key,value");
    }

    public void add(final Line line)
    {
        if (!name.endsWith(CSV_SUFFIX))
        {
            final ObjectNode node = JSON.createObjectNode().put("round", line.round()).put("case", line.label());
            putAll(node.putObject("parameters"), line.parameters());
            putAll(node.putObject("values"), line.values());
            writeLine(node.toString());
            return;
        }

        final String parameters =
            line.parameters().entrySet().stream().map(Object::toString).collect(Collectors.joining("; "));
        write(line.values().entrySet().stream()
            .map((value) -> csv(line.round(), line.label(), parameters, value.getKey(), value.getValue()))
            .collect(Collectors.joining()));
    }

    /** A text that is a number is written as a number. */
    private static void putAll(final ObjectNode node, final Map<String, String> texts)
    {
        texts.forEach((name, text) -> node.set(
            name, NUMBER.matcher(text).matches() ? node.rawValueNode(new RawValue(text)) : node.textNode(text)));
    }

    private static String csv(final Object... row)
    {
        try
        {
            return CSV.writeValueAsString(row);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private void writeLine(final String text)
    {
        write(text + System.lineSeparator());
    }

    private void write(final String text)
    {
        try
        {
            out.write(text);
            // An interrupted run keeps what was measured so far.
            out.flush();
            // A lost result must be an error, and a PrintWriter swallows failures.
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

    @Override
    public void close()
    {
        try
        {
            if (!(out instanceof PrintWriter))
            {
                out.close();
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

    /**
     * What was run, and where.
     *
     * @param experiment name of the command.
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
