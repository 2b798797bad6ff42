package io.journal.bench.article;

import java.io.BufferedOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The cases of a comment on the article that only write, an array of a page at a time, under the comment's names.
 */
enum WriteCase
{
    ARRAY("RandomAccessFile.byte[]-rw")
    {
        @Override
        int write(final String file) throws IOException
        {
            try (RandomAccessFile opened = new RandomAccessFile(file, "rw"))
            {
                return OriginalCase.writePages(opened::write);
            }
        }
    },

    BUFFERED_STREAM("BufferedOutputStream-FileOutputStream")
    {
        @Override
        int write(final String file) throws IOException
        {
            try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file)))
            {
                return OriginalCase.writePages(out::write);
            }
        }
    },

    STREAM("FileOutputStream")
    {
        @Override
        int write(final String file) throws IOException
        {
            try (OutputStream out = new FileOutputStream(file))
            {
                return OriginalCase.writePages(out::write);
            }
        }
    },

    HEAP_BUFFER("RandomAccessFile.ByteBuffer-rw")
    {
        @Override
        int write(final String file) throws IOException
        {
            return writeThrough(file, ByteBuffer.allocate(OriginalCase.PAGE_LENGTH));
        }
    },

    DIRECT_BUFFER("RandomAccessFile.DirectByteBuffer-rw")
    {
        @Override
        int write(final String file) throws IOException
        {
            return writeThrough(file, ByteBuffer.allocateDirect(OriginalCase.PAGE_LENGTH));
        }
    },

    MAPPED("RandomAccessFile.MappedByteBuffer-rw")
    {
        @Override
        int write(final String file) throws IOException
        {
            try (FileChannel channel = new RandomAccessFile(file, "rw").getChannel())
            {
                return writeMapped(channel);
            }
        }
    },

    CHANNEL_MAPPED("WritableByteChannel.MappedByteBuffer-rw")
    {
        @Override
        int write(final String file) throws IOException
        {
            try (FileChannel channel = FileChannel.open(
                Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE))
            {
                return writeMapped(channel);
            }
        }
    };

    private final String title;

    WriteCase(final String title)
    {
        this.title = title;
    }

    String title()
    {
        return title;
    }

    /**
     * @return sum of the bytes.
     */
    abstract int write(String file) throws IOException;

    private static int writeThrough(final String file, final ByteBuffer buffer) throws IOException
    {
        try (FileChannel channel = new RandomAccessFile(file, "rw").getChannel())
        {
            return OriginalCase.writePages((page) -> channel.write(buffer.clear().put(page).flip()));
        }
    }

    private static int writeMapped(final FileChannel channel) throws IOException
    {
        final OriginalCase.Mapped mapped = new OriginalCase.Mapped(channel, FileChannel.MapMode.READ_WRITE);
        return OriginalCase.writePages((page) -> mapped.next().put(page));
    }
}
