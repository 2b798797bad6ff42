package io.journal.bench.article;

import io.journal.bench.run.Machine;

/**
 * Parses file lengths: bytes, or a multiple of the memory such as {@code 1.5x}.
 */
final class Sizes
{
    private Sizes()
    {
    }

    /**
     * @throws IllegalArgumentException if it is neither, or less than 1.
     */
    static long parse(final String text)
    {
        return parse(text, Machine.memoryBytes());
    }

    static long parse(final String text, final long memory)
    {
        final long length = text.endsWith("x") ?
            (long)(Double.parseDouble(text.substring(0, text.length() - 1)) * memory) : Long.parseLong(text);
        if (length < 1)
        {
            throw new IllegalArgumentException("too short: " + text);
        }

        return length;
    }
}
