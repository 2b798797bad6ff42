package io.journal.bench.article.readers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Strategies to read all lines of a text, or a single one: from the discussion below the article in 2012.
 */
enum LineStrategy
{
    /** The JDK's BufferedReader. */
    BUFFERED_READER
    {
        @Override
        long readAll(final Path file, final LineIndex index) throws IOException
        {
            long characters = 0;
            try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.US_ASCII))
            {
                for (String line = in.readLine(); null != line; line = in.readLine())
                {
                    characters += line.length();
                }
            }

            return characters;
        }

        @Override
        String line(final Path file, final LineIndex index, final int number) throws IOException
        {
            try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.US_ASCII))
            {
                for (int i = 0; i < number; i++)
                {
                    in.readLine();
                }
                return in.readLine();
            }
        }
    },

    /** Scans arrays for line ends and keeps an index of offsets. */
    OFFSET_INDEX
    {
        @Override
        long readAll(final Path file, final LineIndex index) throws IOException
        {
            return index.build(file);
        }

        @Override
        String line(final Path file, final LineIndex index, final int number) throws IOException
        {
            return index.line(file, number);
        }
    };

    /**
     * Reads all lines.
     *
     * @param index built on the way, if the strategy uses one.
     * @return number of characters without line ends.
     */
    abstract long readAll(Path file, LineIndex index) throws IOException;

    /**
     * Opens the file and reads one line.
     *
     * @param index as built by {@link #readAll}.
     */
    abstract String line(Path file, LineIndex index, int number) throws IOException;
}
