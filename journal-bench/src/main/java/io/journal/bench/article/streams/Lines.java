package io.journal.bench.article.streams;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.LongStream;

import io.journal.bench.article.Content;

/**
 * Content of the files: lines as long as a buffer, of one repeated byte and a line separator. The last line is
 * truncated.
 */
final class Lines
{
    static final byte VALUE = 123;

    private static final int CHUNK_LENGTH = 64 * 1024;

    private final byte[] line;

    /** @param lineLength including the separator. */
    Lines(final int lineLength)
    {
        final byte[] separator = newSeparator();
        line = new byte[lineLength];
        Arrays.fill(line, VALUE);
        System.arraycopy(separator, 0, line, lineLength - separator.length, separator.length);
    }

    static byte[] newSeparator()
    {
        return System.lineSeparator().getBytes(StandardCharsets.US_ASCII);
    }

    byte[] line()
    {
        return line;
    }

    /** The byte at an offset in the file. */
    byte at(final long offset)
    {
        return line[(int)(offset % line.length)];
    }

    /** Sum of the bytes before an offset. */
    long sum(final long length)
    {
        return length / line.length * sumOfLine(line.length) + sumOfLine(length % line.length);
    }

    private long sumOfLine(final long length)
    {
        return LongStream.range(0, length).map(this::at).sum();
    }

    /** Writes a new file, independently of the measured code. */
    void write(final Path file, final long length) throws IOException
    {
        final byte[] bytes = new byte[Math.max(1, CHUNK_LENGTH / line.length) * line.length];
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
