// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongToIntFunction;
import java.util.stream.LongStream;

/**
 * File content that is a function of the offset, so that misplaced bytes are detected. Used to fill files that are
 * read, and to verify files that were written.
 */
public final class Content
{
    private static final int CHUNK_LENGTH = 64 * 1024;
    // 2^64 divided by the golden ratio (Fibonacci hashing): the upper bits of its multiples are evenly distributed.
    private static final long MULTIPLIER = 0x9E3779B97F4A7C15L;
    private static final int SHIFT = 56;

    private Content()
    {
    }

    /** The byte at an offset. */
    public static byte at(final long offset)
    {
        return (byte)(offset * MULTIPLIER >>> SHIFT);
    }

    public static void write(final Path file, final long length) throws IOException
    {
        write(file, length, Content::at);
    }

    /** @param content the byte at an offset. */
    static void write(final Path file, final long length, final LongToIntFunction content) throws IOException
    {
        final byte[] bytes = new byte[CHUNK_LENGTH];
        try (OutputStream out = Files.newOutputStream(file))
        {
            for (long offset = 0; offset < length; offset += CHUNK_LENGTH)
            {
                final int count = (int)Math.min(CHUNK_LENGTH, length - offset);
                for (int i = 0; i < count; i++)
                {
                    bytes[i] = (byte)content.applyAsInt(offset + i);
                }
                out.write(bytes, 0, count);
            }
        }
    }

    /** Sum of the bytes before an offset as signed bytes, -128 to 127. */
    public static long sum(final long length)
    {
        return LongStream.range(0, length).map(Content::at).sum();
    }

    /** Sum of the bytes before an offset as unsigned bytes, 0 to 255, which {@code InputStream.read()} returns. */
    public static long unsignedSum(final long length)
    {
        return LongStream.range(0, length).map((offset) -> at(offset) & 0xFF).sum();
    }

    public static void verify(final Path file, final long length) throws IOException
    {
        verify(file, length, Content::at);
    }

    /**
     * Reads a file and compares each byte.
     *
     * @param expected the byte at an offset.
     * @throws IllegalStateException if a byte or the length is wrong.
     */
    public static void verify(final Path file, final long length, final LongToIntFunction expected) throws IOException
    {
        long offset = 0;
        try (InputStream in = Files.newInputStream(file))
        {
            final byte[] bytes = new byte[CHUNK_LENGTH];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes))
            {
                for (int i = 0; i < count; i++)
                {
                    final int wanted = expected.applyAsInt(offset + i);
                    if (bytes[i] != wanted)
                    {
                        throw new IllegalStateException(
                            "wrong byte: offset=" + (offset + i) + ", expected=" + wanted + ", found=" + bytes[i]);
                    }
                }
                offset += count;
            }
        }

        check("length", length, offset);
    }

    /** @throws IllegalStateException if a number is not the expected one. */
    public static void check(final String what, final long expected, final long found)
    {
        if (expected != found)
        {
            throw new IllegalStateException("wrong " + what + ": expected=" + expected + ", found=" + found);
        }
    }
}
