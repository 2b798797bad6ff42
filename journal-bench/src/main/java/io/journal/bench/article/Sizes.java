package io.journal.bench.article;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;

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
        return parse(text, memory());
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

    /**
     * Memory of the machine or container.
     */
    static long memory()
    {
        return ((OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getTotalMemorySize();
    }
}
