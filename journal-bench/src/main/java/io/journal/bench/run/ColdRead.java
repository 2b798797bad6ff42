package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Reads of a file that is dropped from memory before each of them, and how much of them came from the device after all:
 * asking for it is not having it.
 */
public final class ColdRead
{
    private static final String HOW = "cold";
    private static final String SHARE = "fromDeviceShare";
    private static final Path IO = Path.of("/proc/self/io");
    private static final double MOST = 0.9;
    private static final int PERCENT = 100;

    private final Path file;
    private String how = "";
    private long deviceBytes;
    private long readBytes;
    private boolean isTold = true;

    public ColdRead(final Path file)
    {
        this.file = file;
    }

    /**
     * Drops the file; to be called just before it is read.
     *
     * @throws IllegalStateException if there is no way.
     */
    public void begin() throws IOException, InterruptedException
    {
        how = PageCache.drop(file);
        deviceBytes -= deviceBytes();
    }

    /**
     * To be called just after it was read.
     *
     * @param length that was.
     */
    public void end(final long length)
    {
        deviceBytes += deviceBytes();
        readBytes += length;
    }

    /**
     * Prints how it was dropped, and which share of all that was read came from the device, where the system tells.
     */
    public void print()
    {
        found().forEach((key, value) -> System.out.println(key + '=' + value));
    }

    Map<String, String> found()
    {
        return isTold ? Map.of(HOW, how, SHARE, Double.toString(Math.min(1, (double)deviceBytes / readBytes))) :
            Map.of(HOW, how);
    }

    /**
     * How cold reads were, for people.
     *
     * @param labels of the subjects that read.
     */
    public static String describe(final Results results, final List<String> labels)
    {
        final String how = results.texts(labels.get(0), HOW).get(0);
        double least = 1;
        String warmest = "";
        for (final String label : labels)
        {
            if (!results.has(label, SHARE))
            {
                return how + "; this system does not tell what came from the device after all";
            }
            final double share = results.spread(label, SHARE).min();
            if (share < least)
            {
                least = share;
                warmest = label;
            }
        }

        if (least >= 1)
        {
            return how + "; all that was read came from the device";
        }
        return least >= MOST ?
            String.format(Locale.ROOT, "%s; %.0f %% or more of each read came from the device", how, PERCENT * least) :
            String.format(
                Locale.ROOT, "%s; warning: not all reads were cold, of %s only %.0f %% came from the device", how,
                warmest, PERCENT * least);
    }

    private long deviceBytes()
    {
        try
        {
            return Long.parseLong(Machine.value(Files.readAllLines(IO), "read_bytes"));
        }
        catch (final IOException | RuntimeException ex)
        {
            isTold = false;
            return 0;
        }
    }
}
