package io.journal.bench.run;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * What was built: numbers are those of one commit.
 */
final class Build
{
    private static final String PROPERTIES = "commit.properties";

    private Build()
    {
    }

    /**
     * The commit, and whether there were changes besides.
     */
    static String commit()
    {
        final Properties properties = new Properties();
        try (InputStream in = Build.class.getResourceAsStream(PROPERTIES))
        {
            if (null != in)
            {
                properties.load(in);
            }
        }
        catch (final IOException ignore)
        {
            // As if it had been built outside a checkout.
        }

        return commit(properties);
    }

    static String commit(final Properties properties)
    {
        final String id = properties.getProperty("git.commit.id", "");
        if (id.isEmpty())
        {
            return "unknown: not built in a git checkout";
        }

        return id + (Boolean.parseBoolean(properties.getProperty("git.dirty")) ? ", and changes not in it" : "");
    }
}
