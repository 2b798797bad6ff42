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
 * The write-only cases of a comment on the article, a page at a time, under the comment's names.
 */
enum WriteCase
{
    ARRAY("RandomAccessFile.byte[]-rw", (file) ->
    {
        try (RandomAccessFile opened = new RandomAccessFile(file, "rw"))
        {
            return Pages.write(opened::write);
        }
    }),
    BUFFERED_STREAM("BufferedOutputStream-FileOutputStream", (file) ->
    {
        try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file)))
        {
            return Pages.write(out::write);
        }
    }),
    STREAM("FileOutputStream", (file) ->
    {
        try (OutputStream out = new FileOutputStream(file))
        {
            return Pages.write(out::write);
        }
    }),
    HEAP_BUFFER("RandomAccessFile.ByteBuffer-rw",
        (file) -> writeThrough(file, ByteBuffer.allocate(ArticleCase.PAGE_LENGTH))),
    DIRECT_BUFFER("RandomAccessFile.DirectByteBuffer-rw",
        (file) -> writeThrough(file, ByteBuffer.allocateDirect(ArticleCase.PAGE_LENGTH))),
    MAPPED("RandomAccessFile.MappedByteBuffer-rw",
        (file) -> writeMapped(new RandomAccessFile(file, "rw").getChannel())),
    CHANNEL_MAPPED("WritableByteChannel.MappedByteBuffer-rw",
        (file) -> writeMapped(FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE)));

    private final String title;
    private final Writing writing;

    WriteCase(final String title, final Writing writing)
    {
        this.title = title;
        this.writing = writing;
    }

    String title()
    {
        return title;
    }

    /** Returns the sum of the bytes. */
    int write(final String file) throws IOException
    {
        return writing.write(file);
    }

    private static int writeThrough(final String file, final ByteBuffer buffer) throws IOException
    {
        try (FileChannel channel = new RandomAccessFile(file, "rw").getChannel())
        {
            return Pages.write((page) -> channel.write(buffer.clear().put(page).flip()));
        }
    }

    private static int writeMapped(final FileChannel opened) throws IOException
    {
        try (FileChannel channel = opened)
        {
            final Pages.Mapped mapped = new Pages.Mapped(channel, FileChannel.MapMode.READ_WRITE);
            return Pages.write((page) -> mapped.next().put(page));
        }
    }

    private interface Writing
    {
        int write(String file) throws IOException;
    }
}
