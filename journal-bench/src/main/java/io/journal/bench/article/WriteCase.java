package io.journal.bench.article;

import java.io.FileOutputStream;
import java.io.IOException;
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
    ARRAY("RandomAccessFile.byte[]-rw", (file) -> new Output.OfRandomAccessFile(new RandomAccessFile(file, "rw"))),

    BUFFERED_STREAM("BufferedOutputStream-FileOutputStream",
        (file) -> Output.stream(new FileOutputStream(file), Output.JDK_BUFFER_LENGTH)),

    STREAM("FileOutputStream", (file) -> Output.stream(new FileOutputStream(file), 0)),

    HEAP_BUFFER("RandomAccessFile.ByteBuffer-rw", (file) -> new Output.OfBuffer(
        new RandomAccessFile(file, "rw").getChannel(), ByteBuffer.allocate(ArticleCase.PAGE_LENGTH))),

    DIRECT_BUFFER("RandomAccessFile.DirectByteBuffer-rw", (file) -> new Output.OfBuffer(
        new RandomAccessFile(file, "rw").getChannel(), ByteBuffer.allocateDirect(ArticleCase.PAGE_LENGTH))),

    MAPPED("RandomAccessFile.MappedByteBuffer-rw",
        (file) -> new Output.OfMapping(new RandomAccessFile(file, "rw").getChannel(), ArticleCase.LENGTH)),

    CHANNEL_MAPPED("WritableByteChannel.MappedByteBuffer-rw", (file) -> new Output.OfMapping(
        FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE), ArticleCase.LENGTH));

    private final String title;
    private final Opening opening;

    WriteCase(final String title, final Opening opening)
    {
        this.title = title;
        this.opening = opening;
    }

    String title()
    {
        return title;
    }

    /** Returns the sum of the bytes. */
    int write(final String file) throws IOException
    {
        try (Output out = opening.open(file))
        {
            return ArticleCase.writePages(out);
        }
    }

    private interface Opening
    {
        Output open(String file) throws IOException;
    }
}
