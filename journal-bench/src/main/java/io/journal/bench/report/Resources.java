package io.journal.bench.report;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/**
 * Resources of this package: page template, published numbers, claims.
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
                throw new FileNotFoundException("missing resource: " + name);
            }

            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
