package io.journal.bench.article;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The JDK's APIs to copy a file to a new one.
 */
enum CopyStrategy
{
    /** Reads and writes a buffer of a given length; the other strategies choose their own. */
    LOOP,
    TRANSFER_TO,
    TRANSFER_FROM,
    FILES_COPY;

    void copy(final Path source, final Path target, final int bufferLength) throws IOException
    {
        if (FILES_COPY == this)
        {
            Files.copy(source, target);
            return;
        }
        try (FileChannel in = FileChannel.open(source, StandardOpenOption.READ);
            FileChannel out = FileChannel.open(target, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            if (LOOP == this)
            {
                loop(in, out, ByteBuffer.allocateDirect(bufferLength));
                return;
            }
            final long length = in.size();
            for (long offset = 0; offset < length;)
            {
                offset += TRANSFER_TO == this ? in.transferTo(offset, length - offset, out) :
                    out.transferFrom(in, offset, length - offset);
            }
        }
    }

    private static void loop(final FileChannel in, final FileChannel out, final ByteBuffer buffer) throws IOException
    {
        while (in.read(buffer.clear()) >= 0)
        {
            Output.writeAll(out, buffer.flip());
        }
    }
}
