package io.journal.bench.run;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;

/**
 * The commit of this build: results are only comparable within one commit.
 */
final class Build
{
    private static final String PROPERTIES = "commit.properties";

    private Build()
    {
    }

    /**
     * The commit, and whether the working tree had uncommitted changes.
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
            // Reported as a build outside a checkout.
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

        return id + (Boolean.parseBoolean(properties.getProperty("git.dirty")) ? ", with uncommitted changes" : "");
    }
}
