package io.journal.bench.run;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

/**
 * Resource usage of this process: CPU time everywhere; page faults, context switches of live threads, and pressure
 * stall information on Linux.
 */
public final class Usage
{
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path PRESSURE = Path.of("/proc/pressure");
    // Indexes after the bracketed command name.
    private static final int MINOR_FAULTS = 7;
    private static final int MAJOR_FAULTS = 9;
    private static final long NS_PER_US = 1000;

    private final Map<String, Long> values = new LinkedHashMap<>();

    private Usage()
    {
    }

    public static Usage now()
    {
        final Usage usage = new Usage();
        final OperatingSystemMXBean system =
            (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        usage.values.put("CpuUs", system.getProcessCpuTime() / NS_PER_US);
        try
        {
            final String stat = Files.readString(STAT);
            final String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            usage.values.put("MinorFaults", Long.parseLong(words[MINOR_FAULTS]));
            usage.values.put("MajorFaults", Long.parseLong(words[MAJOR_FAULTS]));
            usage.values.put("Switches", switches());
            // System-wide: time in which some task was stalled.
            usage.values.put("IoStallUs", stalledUs("io"));
            usage.values.put("MemoryStallUs", stalledUs("memory"));
            usage.values.put("CpuStallUs", stalledUs("cpu"));
        }
        catch (final IOException | RuntimeException ignore)
        {
            // Not available on this system.
        }

        return usage;
    }

    public void printSince(final String prefix)
    {
        foundSince(prefix).forEach((key, value) -> System.out.println(key + '=' + value));
    }

    /**
     * The usage since this snapshot, as key and value.
     *
     * @param prefix of the keys.
     */
    public Map<String, String> foundSince(final String prefix)
    {
        final Map<String, String> found = new LinkedHashMap<>();
        since().forEach((key, value) -> found.put(prefix + key, value.toString()));
        return found;
    }

    private Map<String, Long> since()
    {
        final Map<String, Long> now = now().values;
        final Map<String, Long> since = new LinkedHashMap<>();
        values.forEach((key, value) -> since.put(key, Math.max(0, now.getOrDefault(key, value) - value)));
        return since;
    }

    /** Usage summed over several intervals. */
    public static final class Sum
    {
        private final Map<String, Long> values = new LinkedHashMap<>();
        private Usage begun;

        public void begin()
        {
            begun = now();
        }

        public void end()
        {
            begun.since().forEach((key, value) -> values.merge(key, value, Long::sum));
        }

        public void print(final String prefix)
        {
            values.forEach((key, value) -> System.out.println(prefix + key + '=' + value));
        }
    }

    private static long switches() throws IOException
    {
        long switches = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(THREADS))
        {
            for (final Path thread : threads)
            {
                final List<String> status = status(thread);
                if (!status.isEmpty())
                {
                    switches += Long.parseLong(Machine.value(status, "voluntary_ctxt_switches")) +
                        Long.parseLong(Machine.value(status, "nonvoluntary_ctxt_switches"));
                }
            }
        }

        return switches;
    }

    private static List<String> status(final Path thread)
    {
        try
        {
            return Files.readAllLines(thread.resolve("status"));
        }
        catch (final IOException ex)
        {
            // The thread ended after it was listed.
            return List.of();
        }
    }

    private static long stalledUs(final String resource) throws IOException
    {
        final String some = Files.readAllLines(PRESSURE.resolve(resource)).get(0);
        return Long.parseLong(some.substring(some.indexOf("total=") + "total=".length()));
    }
}
