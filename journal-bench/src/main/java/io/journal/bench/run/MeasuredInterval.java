package io.journal.bench.run;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;

/**
 * One measured interval of a trial: rates since its start, and the resource usage of this process up to its end: CPU
 * time everywhere; page faults, context switches of live threads, and pressure stall information on Linux. Nothing is
 * printed before the end, so that output is not measured.
 */
public final class MeasuredInterval
{
    private static final Path STAT = Path.of("/proc/self/stat");
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Path PRESSURE = Path.of("/proc/pressure");
    // Indexes after the bracketed command name.
    private static final int MINOR_FAULTS = 7;
    private static final int MAJOR_FAULTS = 9;
    private static final long NS_PER_US = 1000;
    private static final double NS_PER_S = 1e9;

    private final Map<String, String> rates = new LinkedHashMap<>();
    private final Map<String, Long> usage = usage();
    private final long startNs = System.nanoTime();
    private long elapsedNs;

    public static MeasuredInterval start()
    {
        return new MeasuredInterval();
    }

    /** Records a rate: an amount per second since the start. */
    public void rate(final String key, final double amount)
    {
        elapsedNs = System.nanoTime() - startNs;
        rates.put(key, Double.toString(amount * NS_PER_S / elapsedNs));
    }

    public long elapsedNs()
    {
        return elapsedNs;
    }

    /**
     * Resource usage since the start, and the rates.
     *
     * @param prefix of the keys of the usage.
     */
    public Map<String, String> end(final String prefix)
    {
        final Map<String, String> found = new LinkedHashMap<>();
        used().forEach((key, value) -> found.put(prefix + key, value.toString()));
        found.putAll(rates);
        return found;
    }

    public void print(final String prefix)
    {
        end(prefix).forEach(Child::print);
    }

    /** Adds the resource usage since the start to that of other intervals. */
    public void addTo(final String prefix, final Map<String, Long> sums)
    {
        used().forEach((key, value) -> sums.merge(prefix + key, value, Long::sum));
    }

    private Map<String, Long> used()
    {
        final Map<String, Long> now = usage();
        final Map<String, Long> used = new LinkedHashMap<>();
        usage.forEach((key, value) -> used.put(key, Math.max(0, now.getOrDefault(key, value) - value)));
        return used;
    }

    private static Map<String, Long> usage()
    {
        final Map<String, Long> usage = new LinkedHashMap<>();
        usage.put("CpuUs", cpuNs() / NS_PER_US);
        try
        {
            final String stat = Files.readString(STAT);
            final String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
            usage.put("MinorFaults", Long.parseLong(words[MINOR_FAULTS]));
            usage.put("MajorFaults", Long.parseLong(words[MAJOR_FAULTS]));
            usage.put("Switches", switches());
            // System-wide: time in which some task was stalled.
            usage.put("IoStallUs", stalledUs("io"));
            usage.put("MemoryStallUs", stalledUs("memory"));
            usage.put("CpuStallUs", stalledUs("cpu"));
        }
        catch (final IOException | RuntimeException ignore)
        {
            // Not available on this system.
        }

        return usage;
    }

    /** CPU time of this process. */
    public static long cpuNs()
    {
        return ((OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long switches() throws IOException
    {
        try (Stream<Path> threads = Files.list(THREADS))
        {
            return threads.map((thread) -> Machine.read(thread.resolve("status")))
                // A thread that ended after it was listed has none.
                .filter((status) -> !status.isEmpty())
                .mapToLong((status) -> Long.parseLong(Machine.value(status, "voluntary_ctxt_switches")) +
                    Long.parseLong(Machine.value(status, "nonvoluntary_ctxt_switches")))
                .sum();
        }
    }

    private static long stalledUs(final String resource) throws IOException
    {
        final String some = Files.readAllLines(PRESSURE.resolve(resource)).get(0);
        return Long.parseLong(some.substring(some.indexOf("total=") + "total=".length()));
    }
}
