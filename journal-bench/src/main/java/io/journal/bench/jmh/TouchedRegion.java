package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A prefaulted mapping of a fully allocated file: stores to it cause no page faults.
 */
final class TouchedRegion
{
    private static final int FILL_LENGTH = 16 * 1024;
    private static final int PAGE_LENGTH = 4096;

    private TouchedRegion()
    {
    }

    static MappedByteBuffer map(final Path file, final int length) throws IOException
    {
        try (FileChannel channel = FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final ByteBuffer zeros = ByteBuffer.allocateDirect(FILL_LENGTH);
            for (long offset = 0; offset < length; offset += FILL_LENGTH)
            {
                channel.write(zeros.clear(), offset);
            }
            channel.force(false);

            final MappedByteBuffer region = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
            region.order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < length; i += PAGE_LENGTH)
            {
                region.put(i, region.get(i));
            }
            return region;
        }
    }
}
