package io.journal.bench.run;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

/**
 * Evicts files from the page cache.
 */
public final class PageCache
{
    private static final Path DROP_CACHES = Path.of("/proc/sys/vm/drop_caches");
    private static final Path MAPS = Path.of("/proc/self/maps");
    private static final int DD_SECONDS = 60;
    private static final int UNMAP_ATTEMPTS = 50;
    private static final int UNMAP_MS = 10;

    private PageCache()
    {
    }

    /**
     * Fsyncs a file, then evicts it. Unreachable mappings of it in this process are unmapped first, since mapped pages
     * are not evicted.
     *
     * @return the method that was used.
     * @throws IllegalStateException if this system offers no way to do it.
     */
    public static String drop(final Path file) throws IOException, InterruptedException
    {
        force(file);
        awaitUnmapped(file);
        try
        {
            Files.writeString(DROP_CACHES, "3");
            return "drop_caches";
        }
        catch (final IOException ex)
        {
            if (advise(file))
            {
                return "posix_fadvise by dd";
            }
            throw new IllegalStateException(
                "cannot evict the file from the page cache: neither " +
                    "" + DROP_CACHES + " nor dd's nocache works; run as root on Linux",
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

    /**
     * The JVM unmaps a buffer some time after a garbage collection found it unreachable.
     */
    private static void awaitUnmapped(final Path file) throws InterruptedException
    {
        for (int i = 0; i < UNMAP_ATTEMPTS && isMapped(file); i++)
        {
            System.gc();
            Thread.sleep(UNMAP_MS);
        }
        if (isMapped(file))
        {
            throw new IllegalStateException("cannot evict a mapped file: file=" + file);
        }
    }

    private static boolean isMapped(final Path file)
    {
        try
        {
            final String path = file.toRealPath().toString();
            return Files.readAllLines(MAPS).stream().anyMatch((line) -> line.endsWith(path));
        }
        catch (final IOException ex)
        {
            // Not available here.
            return false;
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
