package io.journal.bench.article;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * State of a file before it is written.
 */
enum Layout
{
    /** Filled with zeros and fsynced. */
    FILLED,

    /** No file. */
    EXTEND,

    /** Length set, no space allocated. */
    SPARSE,

    /** Space allocated by fallocate(1), nothing written. */
    FALLOCATE;

    String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    boolean isPossible(final Path directory) throws IOException, InterruptedException
    {
        if (FALLOCATE != this)
        {
            return true;
        }

        final Path file = directory.resolve("fallocated");
        try
        {
            return 0 == fallocate(file, 1);
        }
        catch (final IOException ex)
        {
            return false;
        }
        finally
        {
            Files.deleteIfExists(file);
        }
    }

    /**
     * Prepares a file and fsyncs it.
     */
    void lay(final Path file, final long length, final int pageLength) throws IOException, InterruptedException
    {
        Files.deleteIfExists(file);
        if (EXTEND == this)
        {
            return;
        }

        if (FALLOCATE == this && 0 != fallocate(file, length))
        {
            throw new IOException("fallocate failed: file=" + file + ", length=" + length);
        }
        try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw"))
        {
            if (SPARSE == this)
            {
                opened.setLength(length);
            }
            else if (FILLED == this)
            {
                final byte[] zeros = new byte[pageLength];
                for (long offset = 0; offset < length; offset += pageLength)
                {
                    opened.write(zeros, 0, (int)Math.min(pageLength, length - offset));
                }
            }
            opened.getFD().sync();
        }
    }

    private static int fallocate(final Path file, final long length) throws IOException, InterruptedException
    {
        return new ProcessBuilder("fallocate", "--length", Long.toString(length), file.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    }
}
