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
import java.util.stream.Collectors;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.dataformat.csv.CsvGenerator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;

import static io.journal.bench.run.ResultFormat.JSON;

/**
 * Writes results as they arrive: as JSON lines, see {@link ResultFormat}, or as CSV, which has the header as comments
 * and a row per value, with the parameters as {@code name=value} in one cell.
 */
public final class RawFile implements AutoCloseable
{
    private static final ObjectWriter CSV = CsvMapper.builder().enable(CsvGenerator.Feature.STRICT_CHECK_FOR_QUOTING)
        .build().writer(CsvSchema.emptySchema().withLineSeparator(System.lineSeparator()));

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

    /** JSON lines to a writer that this class does not close. */
    public static RawFile json(final PrintWriter out)
    {
        return new RawFile(out, "standard output", false, false);
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
     * @throws UncheckedIOException if writing fails.
     */
    public void begin(final ResultFormat.Header header)
    {
        if (isCsv)
        {
            final Map<String, Object> facts =
                JSON.convertValue(header, new TypeReference<LinkedHashMap<String, Object>>()
                {
                });
            facts.remove("machine");
            facts.putAll(header.machine());
            facts.forEach((key, value) -> write("# " + key + ": " + value + System.lineSeparator()));
            write("round,case,parameters,key,value" + System.lineSeparator());
        }
        else
        {
            writeJson(header);
        }
    }

    /**
     * @throws UncheckedIOException if writing fails.
     */
    public void add(final ResultFormat.Line line)
    {
        if (!isCsv)
        {
            writeJson(line);
            return;
        }

        final String parameters =
            line.parameters().entrySet().stream().map(Object::toString).collect(Collectors.joining("; "));
        write(line.values().entrySet().stream()
            .map((value) -> text(
                CSV, new Object[]{ line.round(), line.label(), parameters, value.getKey(), value.getValue() }))
            .collect(Collectors.joining()));
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

    private void writeJson(final Object line)
    {
        write(text(JSON.writer(), line) + System.lineSeparator());
    }

    private static String text(final ObjectWriter writer, final Object line)
    {
        try
        {
            return writer.writeValueAsString(line);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
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

    private UncheckedIOException failed(final IOException cause)
    {
        return new UncheckedIOException("results cannot be written: " + name + ": " + cause.getMessage(), cause);
    }
}
