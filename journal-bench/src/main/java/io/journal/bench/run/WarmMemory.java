package io.journal.bench.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Uses as much memory as a case will write, and frees it again, then lets the disk come to rest. A virtual machine may
 * have to get memory that it has not used before from its host, page by page, which takes ten times as long as writing
 * to it and levels out everything that is measured; and the pages that an earlier case left dirty would be written back
 * during this one.
 */
final class WarmMemory
{
    private static final int WRITE_LENGTH = 1024 * 1024;
    private static final long MAX_PAUSE_MS = 2000;
    private static final long BYTES_PER_PAUSED_MS = 1024 * 1024;
    // The directory in memory may take half of it.
    private static final int SHARE = 3;

    private WarmMemory()
    {
    }

    static void of(final long bytes, final Path memory) throws IOException, InterruptedException
    {
        if (Files.isDirectory(memory))
        {
            try (TempDirectory temp = TempDirectory.below(memory, "journal-bench-warm-"))
            {
                use(temp.path().resolve("memory"), Math.min(bytes, Machine.memoryBytes() / SHARE));
            }
        }
        Child.succeeds("sync");
        Thread.sleep(Math.min(MAX_PAUSE_MS, bytes / BYTES_PER_PAUSED_MS));
    }

    private static void use(final Path file, final long bytes) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            final ByteBuffer zeros = ByteBuffer.allocateDirect(WRITE_LENGTH);
            for (long position = 0; position < bytes; position += WRITE_LENGTH)
            {
                channel.write(zeros.clear());
            }
        }
    }
}
