package io.journal.bench.article;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a file holds what it should: by code that is none of what is measured.
 */
public final class Verification
{
    private static final int CHUNK_LENGTH = 64 * 1024;

    private Verification()
    {
    }

    /** What a file should hold. */
    public interface Expected
    {
        byte at(long offset);
    }

    /**
     * Reads a file and compares each byte.
     *
     * @throws IllegalStateException if one is wrong, or too many or missing.
     */
    public static void verify(final Path file, final long length, final Expected expected) throws IOException
    {
        long offset = 0;
        try (InputStream in = Files.newInputStream(file))
        {
            final byte[] bytes = new byte[CHUNK_LENGTH];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes))
            {
                for (int i = 0; i < count; i++)
                {
                    final byte wanted = expected.at(offset + i);
                    if (bytes[i] != wanted)
                    {
                        throw new IllegalStateException(
                            "wrong byte: offset=" + (offset + i) + ", expected=" + wanted + ", found=" + bytes[i]);
                    }
                }
                offset += count;
            }
        }

        if (offset != length)
        {
            throw new IllegalStateException("wrong length: expected=" + length + ", found=" + offset);
        }
    }
}
