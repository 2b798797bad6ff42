package io.journal.bench.article;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * The JDK's APIs for fsync. They reopen the file: fsync applies to the file, not to the descriptor.
 */
enum Sync
{
    /** FileChannel.force(true). */
    CHANNEL
    {
        @Override
        void force(final Path file) throws IOException
        {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
            {
                channel.force(true);
            }
        }
    },

    /** FileChannel.force(false). */
    CHANNEL_CONTENT
    {
        @Override
        void force(final Path file) throws IOException
        {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
            {
                channel.force(false);
            }
        }
    },

    /** FileDescriptor.sync(). */
    DESCRIPTOR
    {
        @Override
        void force(final Path file) throws IOException
        {
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw"))
            {
                opened.getFD().sync();
            }
        }
    },

    /** MappedByteBuffer.force(), piece by piece. */
    MAPPED
    {
        private static final int MOST = 1 << 30;

        @Override
        void force(final Path file) throws IOException
        {
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE))
            {
                final long length = channel.size();
                for (long offset = 0; offset < length; offset += MOST)
                {
                    final MappedByteBuffer piece =
                        channel.map(FileChannel.MapMode.READ_WRITE, offset, Math.min(MOST, length - offset));
                    piece.force();
                }
            }
        }
    };

    String label()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    abstract void force(Path file) throws IOException;
}
