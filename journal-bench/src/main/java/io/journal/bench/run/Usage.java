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
 * What a process has used so far, as far as the system tells: processor time everywhere, the rest on Linux. Context
 * switches are those of all threads that live.
 */
public final class Usage
{
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path PRESSURE = Path.of("/proc/pressure");
    // Places behind the name in brackets.
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
            // Of the whole machine: time in which somebody waited.
            usage.values.put("IoStallUs", stalledUs("io"));
            usage.values.put("MemoryStallUs", stalledUs("memory"));
            usage.values.put("CpuStallUs", stalledUs("cpu"));
        }
        catch (final IOException | RuntimeException ignore)
        {
            // This system tells no more.
        }

        return usage;
    }

    /**
     * Prints what was used since.
     *
     * @param prefix of the keys.
     */
    public void printSince(final String prefix)
    {
        foundSince(prefix).forEach((key, value) -> System.out.println(key + '=' + value));
    }

    /**
     * What was used since, as a case prints it.
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

    /** What was used from several beginnings to their ends. */
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

        /**
         * @param prefix of the keys.
         */
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
            // It has ended since it was listed.
            return List.of();
        }
    }

    private static long stalledUs(final String resource) throws IOException
    {
        final String some = Files.readAllLines(PRESSURE.resolve(resource)).get(0);
        return Long.parseLong(some.substring(some.indexOf("total=") + "total=".length()));
    }
}
