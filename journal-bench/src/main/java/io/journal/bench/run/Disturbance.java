// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;

/**
 * The share of processor time that others took while a case was measured: all time that was not idle, less the time of
 * this process and its ended children. It includes time stolen by a hypervisor. Only known on Linux.
 */
record Disturbance(long startNs, long busy, long own)
{
    private static final Path STAT = Path.of("/proc/stat");
    private static final Path PRESSURE = Path.of("/proc/pressure/cpu");
    // Fields of the line of all processors: user, nice, system, (idle, waiting,) interrupts, soft interrupts, stolen.
    private static final int[] BUSY = { 1, 2, 3, 6, 7, 8 };
    // Fields after the bracketed command name: user and system time of this process and of its children.
    private static final int OWN_FROM = 11;
    private static final int OWN_TO = 15;
    private static final double TICKS_PER_S = 100;
    private static final double SHORT_S = 0.5;
    private static final double LOAD_PER_PROCESSOR = 0.5;
    private static final double PRESSURE_PERCENT = 10;

    static Disturbance begin()
    {
        return new Disturbance(System.nanoTime(), busyTicks(), ownTicks());
    }

    /** Percentage of all processors that others took; 0 if it was too short to tell. */
    long end()
    {
        final double seconds = (System.nanoTime() - startNs) / Unit.NS_PER_S;
        final double ticks = busyTicks() - busy - (ownTicks() - own);
        return seconds < SHORT_S ? 0 : Math.max(0, Math.round(
            100 * ticks / TICKS_PER_S / seconds / Runtime.getRuntime().availableProcessors()));
    }

    /** A warning about other load on this machine, or an empty string. */
    static String warning()
    {
        final double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        final double pressure = Machine.read(PRESSURE).stream().filter((line) -> line.startsWith("some avg10="))
            .mapToDouble((line) -> Double.parseDouble(line.substring("some avg10=".length()).split(" ")[0]))
            .findFirst().orElse(0);
        final boolean isBusy = load >= LOAD_PER_PROCESSOR * Runtime.getRuntime().availableProcessors();
        return !isBusy && pressure < PRESSURE_PERCENT ? "" : String.format(
            Locale.ROOT, "this machine is busy: load %.2f, processes waited for a processor %.0f %% of the time",
            Math.max(0, load), pressure);
    }

    private static long busyTicks()
    {
        final String[] words = Machine.read(STAT).stream().findFirst().orElse("").split(" +");
        return Arrays.stream(BUSY).filter((i) -> i < words.length).mapToLong((i) -> Long.parseLong(words[i])).sum();
    }

    private static long ownTicks()
    {
        return Machine.ownStat().stream().skip(OWN_FROM).limit(OWN_TO - OWN_FROM).mapToLong(Long::parseLong).sum();
    }
}
