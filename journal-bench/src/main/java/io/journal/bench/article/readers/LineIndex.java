package io.journal.bench.article.readers;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Index of the line offsets of a file, for random access to lines.
 */
final class LineIndex
{
    private static final int ARRAY_LENGTH = 8192;

    private long[] offsets = new long[1024];
    private int count;

    /**
     * Scans a file for line ends, an array at a time.
     *
     * @return number of characters without line ends.
     */
    long build(final Path file) throws IOException
    {
        final byte[] array = new byte[ARRAY_LENGTH];
        long offset = 0;
        count = 0;
        try (InputStream in = new FileInputStream(file.toFile()))
        {
            for (int length = in.read(array); length >= 0; length = in.read(array))
            {
                for (int i = 0; i < length; i++)
                {
                    if ('\n' == array[i])
                    {
                        addEnd(offset + i + 1);
                    }
                }
                offset += length;
            }
        }

        return offset - count;
    }

    String line(final Path file, final int number) throws IOException
    {
        final long begin = offsets[number];
        final byte[] bytes = new byte[(int)(offsets[number + 1] - 1 - begin)];
        try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r"))
        {
            in.seek(begin);
            in.readFully(bytes);
        }

        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private void addEnd(final long offset)
    {
        count++;
        if (count == offsets.length)
        {
            offsets = Arrays.copyOf(offsets, 2 * count);
        }
        offsets[count] = offset;
    }
}
