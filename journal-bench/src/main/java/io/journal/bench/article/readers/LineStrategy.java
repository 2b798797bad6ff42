package io.journal.bench.article.readers;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Ways to go through the lines of a text, and to get at one of them: what readers of the article asked for in 2012, and
 * what its author answered.
 */
enum LineStrategy
{
    /** The JDK's. */
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

    /** Arrays that are searched for the byte that ends a line, and the offset of each line kept. */
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
     * @param index that is made on the way, if this way has one.
     * @return how many characters they have, without what ends them.
     */
    abstract long readAll(Path file, LineIndex index) throws IOException;

    /**
     * Opens the file and reads one line.
     *
     * @param index as {@link #readAll} has made it.
     */
    abstract String line(Path file, LineIndex index, int number) throws IOException;
}
