package io.journal.bench.article;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Moves a file by whole pages from and into an array, as the comments on the article do.
 */
final class Pages
{
    private Pages()
    {
    }

    interface Writer
    {
        void write(byte[] page) throws IOException;
    }

    /** Reads a page; -1 at the end. */
    interface Reader
    {
        int read(byte[] page) throws IOException;
    }

    static int write(final Writer writer) throws IOException
    {
        final byte[] page = new byte[ArticleCase.PAGE_LENGTH];
        int sum = 0;
        int at = 0;
        for (long i = 0; i < ArticleCase.LENGTH; i++)
        {
            final byte next = (byte)i;
            sum += next;
            page[at++] = next;
            if (ArticleCase.PAGE_LENGTH == at)
            {
                writer.write(page);
                at = 0;
            }
        }

        return sum;
    }

    static int read(final Reader reader) throws IOException
    {
        final byte[] page = new byte[ArticleCase.PAGE_LENGTH];
        int sum = 0;
        int count;
        while (-1 != (count = reader.read(page)))
        {
            for (int i = 0; i < count; i++)
            {
                sum += page[i];
            }
        }

        return sum;
    }

    /** A file mapped piece by piece, each of whole pages. */
    static final class Mapped
    {
        private static final int MOST = 1 << 30;

        private final FileChannel channel;
        private final MapMode mode;
        private ByteBuffer piece = ByteBuffer.allocate(0);
        private long position;

        Mapped(final FileChannel channel, final MapMode mode)
        {
            this.channel = channel;
            this.mode = mode;
        }

        boolean isAtEnd()
        {
            return position >= ArticleCase.LENGTH;
        }

        /**
         * The mapping that holds the next page.
         */
        ByteBuffer next() throws IOException
        {
            if (!piece.hasRemaining())
            {
                piece = channel.map(mode, position, Math.min(ArticleCase.LENGTH - position, MOST));
            }
            position += ArticleCase.PAGE_LENGTH;

            return piece;
        }
    }
}
