// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
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
    private static final Path THREADS = Path.of("/proc/self/task");
    private static final Map<String, Path> PRESSURES = Map.of(
        "IoStallUs", Path.of("/proc/pressure/io"), "MemoryStallUs", Path.of("/proc/pressure/memory"), "CpuStallUs",
        Path.of("/proc/pressure/cpu"));
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
        final List<String> stat = Machine.ownStat();
        if (!stat.isEmpty())
        {
            usage.put("MinorFaults", Long.parseLong(stat.get(MINOR_FAULTS)));
            usage.put("MajorFaults", Long.parseLong(stat.get(MAJOR_FAULTS)));
            usage.put("Switches", switches());
        }
        // System-wide: time in which some task was stalled.
        PRESSURES.forEach((key, file) -> Machine.read(file).stream().findFirst().ifPresent((some) -> usage.put(
            key, Long.parseLong(some.substring(some.indexOf("total=") + "total=".length())))));
        return usage;
    }

    /** CPU time of this process. */
    public static long cpuNs()
    {
        return ((OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    private static long switches()
    {
        try (Stream<Path> threads = Files.list(THREADS))
        {
            return threads.map((thread) -> Machine.read(thread.resolve("status"))).flatMap(List::stream)
                .filter((line) -> line.contains("voluntary_ctxt_switches"))
                .mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
        }
        catch (final IOException ex)
        {
            return 0;
        }
    }
}
