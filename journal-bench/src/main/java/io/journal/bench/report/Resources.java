package io.journal.bench.report;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;

/**
 * Resources of this package: page template, display names, published numbers, claims.
 */
final class Resources
{
    private interface Parser<T>
    {
        T parse(InputStream in) throws IOException;
    }

    private Resources()
    {
    }

    static String text(final String name)
    {
        return parse(name, (in) -> new String(in.readAllBytes(), StandardCharsets.UTF_8));
    }

    static <T> T json(final String name, final TypeReference<T> type)
    {
        return parse(name, (in) -> new ObjectMapper().readValue(in, type));
    }

    static List<Map<String, String>> csv(final String name)
    {
        return parse(name, (in) -> new CsvMapper().readerForMapOf(String.class)
            .with(CsvSchema.emptySchema().withHeader().withComments())
            .with(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS).<Map<String, String>>readValues(in).readAll());
    }

    private static <T> T parse(final String name, final Parser<T> parser)
    {
        try (InputStream in = Resources.class.getResourceAsStream(name))
        {
            if (null == in)
            {
                throw new FileNotFoundException("missing resource: " + name);
            }
            return parser.parse(in);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
