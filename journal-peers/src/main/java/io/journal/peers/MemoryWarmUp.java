package io.journal.peers;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Uses memory and frees it again. A virtual machine may have to get the memory that it has not used for seconds from
 * its host, page by page, which takes ten times as long as writing to it and would be measured instead.
 */
final class MemoryWarmUp
{
    private static final int WRITE_LENGTH = 1024 * 1024;

    private MemoryWarmUp()
    {
    }

    /**
     * @param directory in memory, or on a disk of which the page cache is used.
     */
    static void run(final Path directory, final long length) throws IOException
    {
        final Path file = directory.resolve("memory-warm-up");
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            final ByteBuffer zeros = ByteBuffer.allocateDirect(WRITE_LENGTH);
            for (long position = 0; position < length; position += WRITE_LENGTH)
            {
                channel.write(zeros.clear());
            }
        }
        finally
        {
            Files.deleteIfExists(file);
        }
    }
}
