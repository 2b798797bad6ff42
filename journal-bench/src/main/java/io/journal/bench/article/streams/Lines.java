package io.journal.bench.article.streams;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import io.journal.bench.article.Content;

/**
 * Content of the files: lines as long as a buffer, of one repeated byte and a line separator. The last line is
 * truncated.
 */
final class Lines
{
    static final byte VALUE = 123;

    private static final int CHUNK_LENGTH = 64 * 1024;

    private final int lineLength;
    private final byte[] separator = newSeparator();

    /**
     * @param lineLength including the separator.
     */
    Lines(final int lineLength)
    {
        this.lineLength = lineLength;
    }

    static byte[] newSeparator()
    {
        return System.lineSeparator().getBytes(StandardCharsets.US_ASCII);
    }

    byte[] line()
    {
        final byte[] line = new byte[lineLength];
        Arrays.fill(line, VALUE);
        System.arraycopy(separator, 0, line, lineLength - separator.length, separator.length);
        return line;
    }

    /**
     * The byte at an offset in the file.
     */
    byte at(final long offset)
    {
        final int inSeparator = (int)(offset % lineLength) - (lineLength - separator.length);
        return inSeparator < 0 ? VALUE : separator[inSeparator];
    }

    /**
     * Sum of the bytes before an offset.
     */
    long sum(final long length)
    {
        long lineSum = 0;
        for (int i = 0; i < lineLength; i++)
        {
            lineSum += at(i);
        }
        long sum = length / lineLength * lineSum;
        for (int i = 0; i < length % lineLength; i++)
        {
            sum += at(i);
        }

        return sum;
    }

    /**
     * Writes a new file, independently of the measured code.
     */
    void write(final Path file, final long length) throws IOException
    {
        final byte[] bytes = new byte[Math.max(1, CHUNK_LENGTH / lineLength) * lineLength];
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = at(i);
        }
        try (OutputStream out = Files.newOutputStream(file))
        {
            for (long offset = 0; offset < length; offset += bytes.length)
            {
                out.write(bytes, 0, (int)Math.min(bytes.length, length - offset));
            }
        }
    }

    /**
     * Reads a file and compares each byte.
     *
     * @throws IllegalStateException if a byte or the length is wrong.
     */
    void verify(final Path file, final long length) throws IOException
    {
        Content.verify(file, length, this::at);
    }
}
