package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Evicts a file from the page cache before each read, and measures which share of the read bytes came from the device,
 * because eviction is only a request.
 */
public final class ColdRead
{
    private static final String HOW = "cold";
    private static final String SHARE = "fromDeviceShare";
    private static final Path IO = Path.of("/proc/self/io");
    private static final double MOST = 0.9;
    private static final int PERCENT = 100;

    private final Path file;
    private final boolean isEnabled;
    private String how = "";
    private long deviceBytes;
    private long readBytes;
    private boolean isDeviceReadKnown = true;

    private ColdRead(final Path file, final boolean isEnabled)
    {
        this.file = file;
        this.isEnabled = isEnabled;
    }

    /** In any other profile than the cold one, all calls have no effect. */
    public static ColdRead of(final Profile profile, final Path file)
    {
        return new ColdRead(file, Profile.COLD == profile);
    }

    /**
     * Evicts the file; call just before reading it.
     *
     * @throws IllegalStateException if this system offers no way to do it.
     */
    public void begin() throws IOException, InterruptedException
    {
        if (isEnabled)
        {
            how = PageCache.drop(file);
            deviceBytes -= deviceBytes();
        }
    }

    /**
     * Call just after reading the file.
     *
     * @param length bytes that were read.
     */
    public void end(final long length)
    {
        if (isEnabled)
        {
            deviceBytes += deviceBytes();
            readBytes += length;
        }
    }

    /**
     * Prints how the file was evicted, and the share of read bytes that came from the device, if the system reports it.
     */
    public void print()
    {
        found().forEach((key, value) -> System.out.println(key + '=' + value));
    }

    Map<String, String> found()
    {
        if (!isEnabled)
        {
            return Map.of();
        }

        return isDeviceReadKnown ?
            Map.of(HOW, how, SHARE, Double.toString(Math.min(1, (double)deviceBytes / readBytes))) :
            Map.of(HOW, how);
    }

    /**
     * Summary of how cold the reads were.
     *
     * @param labels of the cases that read.
     */
    public static String describe(final Results results, final List<String> labels)
    {
        final String how = results.texts(labels.get(0), HOW).get(0);
        double least = 1;
        String leastCold = "";
        for (final String label : labels)
        {
            if (!results.has(label, SHARE))
            {
                return how + "; this system does not report how much was read from the device";
            }
            final double share = results.spread(label, SHARE).min();
            if (share < least)
            {
                least = share;
                leastCold = label;
            }
        }

        if (least >= 1)
        {
            return how + "; all reads came from the device";
        }
        return least >= MOST ?
            String.format(Locale.ROOT, "%s; %.0f %% or more of each read came from the device", how, PERCENT * least) :
            String.format(
                Locale.ROOT, "%s; warning: not all reads were cold; %s: only %.0f %% came from the device", how,
                leastCold, PERCENT * least);
    }

    private long deviceBytes()
    {
        try
        {
            return Long.parseLong(Machine.value(Files.readAllLines(IO), "read_bytes"));
        }
        catch (final IOException | RuntimeException ex)
        {
            isDeviceReadKnown = false;
            return 0;
        }
    }
}
