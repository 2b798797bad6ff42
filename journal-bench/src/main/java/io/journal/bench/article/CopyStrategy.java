package io.journal.bench.article;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Java's ways to copy a file to one that is not there.
 */
enum CopyStrategy
{
    /** Reads a buffer, writes a buffer. */
    LOOP
    {
        @Override
        void copy(final FileChannel source, final FileChannel target, final int bufferLength) throws IOException
        {
            final ByteBuffer buffer = ByteBuffer.allocateDirect(bufferLength);
            while (source.read(buffer.clear()) >= 0)
            {
                buffer.flip();
                while (buffer.hasRemaining())
                {
                    target.write(buffer);
                }
            }
        }
    },

    TRANSFER_TO
    {
        @Override
        void copy(final FileChannel source, final FileChannel target, final int bufferLength) throws IOException
        {
            final long length = source.size();
            for (long offset = 0; offset < length;)
            {
                offset += source.transferTo(offset, length - offset, target);
            }
        }
    },

    TRANSFER_FROM
    {
        @Override
        void copy(final FileChannel source, final FileChannel target, final int bufferLength) throws IOException
        {
            final long length = source.size();
            for (long offset = 0; offset < length;)
            {
                offset += target.transferFrom(source, offset, length - offset);
            }
        }
    },

    FILES_COPY
    {
        @Override
        void copy(final Path source, final Path target, final int bufferLength) throws IOException
        {
            Files.copy(source, target);
        }
    };

    /**
     * @param bufferLength of the loop; the others decide by themselves.
     */
    void copy(final Path source, final Path target, final int bufferLength) throws IOException
    {
        try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
            FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            copy(in, out, bufferLength);
        }
    }

    void copy(final FileChannel source, final FileChannel target, final int bufferLength) throws IOException
    {
        throw new UnsupportedOperationException(name());
    }
}
