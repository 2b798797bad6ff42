// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;

/**
 * One measured interval of a trial: the time since its start, and the resource usage of this process: CPU time
 * everywhere; page faults, context switches of live threads, and pressure stall information on Linux.
 */
public final class MeasuredInterval
{
    private static final Path THREADS = Path.of("/proc/self/task");
    // Indexes after the bracketed command name.
    private static final int MINOR_FAULTS = 7;
    private static final int MAJOR_FAULTS = 9;

    private final Map<String, Long> usage = usage();
    private final long startNs = System.nanoTime();

    public static MeasuredInterval start()
    {
        return new MeasuredInterval();
    }

    public long elapsedNs()
    {
        return System.nanoTime() - startNs;
    }

    public double rate(final double amount)
    {
        return amount * Unit.NS_PER_S / elapsedNs();
    }

    public void print(final String prefix)
    {
        final Map<String, Long> used = new LinkedHashMap<>();
        addTo(used);
        used.forEach((key, value) -> Child.print(prefix + key, value));
    }

    /** Adds the resource usage since the start to that of other intervals. */
    public void addTo(final Map<String, Long> sums)
    {
        usage().forEach((key, now) -> sums.merge(key, Math.max(0, now - usage.getOrDefault(key, now)), Long::sum));
    }

    private static Map<String, Long> usage()
    {
        final Map<String, Long> usage = new LinkedHashMap<>();
        usage.put("CpuUs", TimeUnit.NANOSECONDS.toMicros(cpuNs()));
        final List<String> stat = Machine.ownStat();
        if (!stat.isEmpty())
        {
            usage.put("MinorFaults", Long.parseLong(stat.get(MINOR_FAULTS)));
            usage.put("MajorFaults", Long.parseLong(stat.get(MAJOR_FAULTS)));
            usage.put("Switches", switches());
        }
        // System-wide: time in which some task was stalled.
        for (final String what : List.of("Io", "Memory", "Cpu"))
        {
            Machine.read(Path.of("/proc/pressure", what.toLowerCase(Locale.ROOT))).stream().findFirst().ifPresent(
                (some) -> usage.put(what + "StallUs", Long.parseLong(some.replaceAll(".*total=", ""))));
        }
        return usage;
    }

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
