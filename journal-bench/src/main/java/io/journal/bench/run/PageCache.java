package io.journal.bench.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * Has the operating system forget what it keeps of files in memory.
 */
public final class PageCache
{
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");
    private static final int DD_SECONDS = 60;

    private PageCache()
    {
    }

    /**
     * Forces a file, then drops it from memory.
     *
     * @return how.
     * @throws IllegalStateException if there is no way.
     */
    public static String drop(final Path file) throws IOException, InterruptedException
    {
        force(file);
        try
        {
            Files.writeString(DROP_CACHES, "3");
            return "drop_caches";
        }
        catch (final IOException ex)
        {
            if (advise(file))
            {
                return "advice for the file by dd";
            }
            throw new IllegalStateException(
                "cannot drop the page cache: neither " + DROP_CACHES + " nor dd's nocache; run it as root on Linux",
                ex);
        }
    }

    public static void force(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
        {
            channel.force(true);
        }
    }

    private static boolean advise(final Path file) throws InterruptedException
    {
        try
        {
            final Process dd = new ProcessBuilder("dd", "if=" + file, "iflag=nocache", "count=0")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
            return dd.waitFor(DD_SECONDS, TimeUnit.SECONDS) && 0 == dd.exitValue();
        }
        catch (final IOException ex)
        {
            return false;
        }
    }
}
