package io.journal.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Reserves the space of a file by writing zeros, so that a later write neither extends it nor finds the disk full.
 */
final class ZeroFilling
{
    private static final int WRITE_LENGTH = 1024 * 1024;

    private ZeroFilling()
    {
    }

    static void fill(final FileChannel channel, final int length) throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocateDirect(WRITE_LENGTH);
        for (long position = 0; position < length;)
        {
            zeros.clear().limit((int)Math.min(zeros.capacity(), length - position));
            position += channel.write(zeros, position);
        }
    }
}
