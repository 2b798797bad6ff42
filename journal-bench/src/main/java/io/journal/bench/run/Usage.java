package io.journal.bench.run;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import com.sun.management.OperatingSystemMXBean;

/**
 * What a process has used so far, as far as the system tells: processor time everywhere, the rest on Linux.
 */
public final class Usage
{
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path STATUS = Path.of("/proc/thread-self/status");
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
            final List<String> status = Files.readAllLines(STATUS);
            usage.values.put("Switches", Long.parseLong(Machine.value(status, "voluntary_ctxt_switches")) +
                Long.parseLong(Machine.value(status, "nonvoluntary_ctxt_switches")));
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
        final Usage now = now();
        values.forEach((key, value) -> System.out.println(prefix + key + '=' + (now.values.get(key) - value)));
    }

    private static long stalledUs(final String resource) throws IOException
    {
        final String some = Files.readAllLines(PRESSURE.resolve(resource)).get(0);
        return Long.parseLong(some.substring(some.indexOf("total=") + "total=".length()));
    }
}
