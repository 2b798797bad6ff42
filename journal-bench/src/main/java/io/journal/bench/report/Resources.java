package io.journal.bench.report;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * What this package brings along: style sheets, published numbers, claims.
 */
final class Resources
{
    private Resources()
    {
    }

    static String text(final String name) throws IOException
    {
        try (InputStream in = Resources.class.getResourceAsStream(name))
        {
            if (null == in)
            {
                throw new FileNotFoundException("not in this build: " + name);
            }

            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
