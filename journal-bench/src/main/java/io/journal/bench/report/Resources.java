package io.journal.bench.report;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;

/**
 * Resources of this package: page template, display names, published numbers, claims.
 */
final class Resources
{
    private Resources()
    {
    }

    static String text(final String name)
    {
        try (InputStream in = Resources.class.getResourceAsStream(name))
        {
            if (null == in)
            {
                throw new FileNotFoundException("missing resource: " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    static <T> T json(final String name, final TypeReference<T> type)
    {
        try
        {
            return new ObjectMapper().readValue(text(name), type);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    static List<Map<String, String>> csv(final String name)
    {
        try (MappingIterator<Map<String, String>> rows = new CsvMapper().readerForMapOf(String.class)
            .with(CsvSchema.emptySchema().withHeader().withComments())
            .with(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS).readValues(text(name)))
        {
            return rows.readAll();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
