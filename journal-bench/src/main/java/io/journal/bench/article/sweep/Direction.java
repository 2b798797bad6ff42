package io.journal.bench.article.sweep;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;

import io.journal.bench.article.Content;

/**
 * Moves a file byte by byte through a stream, buffered unless the buffer length is 0.
 */
enum Direction
{
    READ
    {
        @Override
        void prepare(final Path file, final long length) throws IOException
        {
            Content.write(file, length);
        }

        @Override
        long move(final Path file, final long length, final int bufferLength) throws IOException
        {
            long sum = 0;
            try (InputStream in = input(file, bufferLength))
            {
                for (int next = in.read(); next >= 0; next = in.read())
                {
                    sum += next;
                }
            }

            return sum;
        }

        @Override
        String streamName(final int bufferLength)
        {
            return 0 == bufferLength ? "FileInputStream" : "BufferedInputStream";
        }
    },

    WRITE
    {
        @Override
        void prepare(final Path file, final long length)
        {
            // Each pass creates the file.
        }

        @Override
        long move(final Path file, final long length, final int bufferLength) throws IOException
        {
            long sum = 0;
            try (OutputStream out = output(file, bufferLength))
            {
                for (long offset = 0; offset < length; offset++)
                {
                    final int next = Content.at(offset) & 0xFF;
                    sum += next;
                    out.write(next);
                }
            }

            return sum;
        }

        @Override
        String streamName(final int bufferLength)
        {
            return 0 == bufferLength ? "FileOutputStream" : "BufferedOutputStream";
        }
    };

    /**
     * Prepares the file for a pass.
     */
    abstract void prepare(Path file, long length) throws IOException;

    /**
     * Opens the file, moves all of it and closes it.
     *
     * @return sum of its bytes, unsigned.
     */
    abstract long move(Path file, long length, int bufferLength) throws IOException;

    abstract String streamName(int bufferLength);

    final void check(final Path file, final long length, final long expectedSum, final long sum) throws IOException
    {
        if (expectedSum != sum)
        {
            throw new IllegalStateException("wrong checksum: expected=" + expectedSum + ", found=" + sum);
        }
        Content.verify(file, length);
    }

    final String rateKey()
    {
        return label() + "BytesPerSecond";
    }

    final String label()
    {
        return READ == this ? "read" : "write";
    }

    private static InputStream input(final Path file, final int bufferLength) throws IOException
    {
        final InputStream bare = new FileInputStream(file.toFile());
        return 0 == bufferLength ? bare : new BufferedInputStream(bare, bufferLength);
    }

    private static OutputStream output(final Path file, final int bufferLength) throws IOException
    {
        final OutputStream bare = new FileOutputStream(file.toFile());
        return 0 == bufferLength ? bare : new BufferedOutputStream(bare, bufferLength);
    }
}
