package io.journal.bench.article.readers;

import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Text lines of 12 to 91 characters, a function of their number.
 */
final class TextLines
{
    private static final int MAX_PADDING = 80;
    private static final int PADDING_STEP = 31;

    private TextLines()
    {
    }

    /**
     * A line without its end.
     */
    static String line(final int number)
    {
        return String.format(Locale.ROOT, "line %07d", number) +
            "x".repeat((int)((long)number * PADDING_STEP % MAX_PADDING));
    }

    /**
     * Writes lines up to a length.
     *
     * @return number of lines.
     */
    static int write(final Path file, final long length) throws IOException
    {
        int count = 0;
        try (BufferedWriter out = Files.newBufferedWriter(file, StandardCharsets.US_ASCII))
        {
            for (long written = 0; written < length; count++)
            {
                final String line = line(count);
                out.write(line);
                out.write('\n');
                written += line.length() + 1;
            }
        }

        return count;
    }
}
