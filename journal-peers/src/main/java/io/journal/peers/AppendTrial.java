package io.journal.peers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * One thread appends, without waiting for durability. The time ends when everything is in the page cache.
 */
final class AppendTrial
{
    /** Of all threads of the process, also in the kernel on their behalf; in steps of some 10 ms. */
    static final String CPU = "processor s/GB";
    private static final int WARM_UP_RECORDS = 300_000;
    private static final int WARM_UP_LENGTH = 64;
    private static final int WARM_UP_RECORDS_AS_MEASURED = 30_000;
    private static final int WARM_UP_SHARE = 4;
    // On Linux: bytes that this process has written to the page cache.
    private static final Path OWN_IO = Path.of("/proc/self/io");
    private static final String WRITTEN = "write_bytes:";
    private static final long CHECK_MS = 100;
    private static final int IDLE_CHECKS = 3;
    private static final int MAX_CHECKS = 100;
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    private AppendTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        compile(measured, settings.withDirectory("warm-up"));
        final Source source = new Source(measured.recordLength());
        try (Peer peer = measured.peer().open(settings.withDirectory("measured")))
        {
            do
            {
                source.append(peer, measured.count() / WARM_UP_SHARE, measured.recordLength());
            }
            while (measured.peer().removesRecords() && 0 == peer.removed());
            peer.flush();
            awaitIdle(settings.directory());
            MemoryWarmUp.run(settings.memory(), measured.amount() * 2);

            final Duration cpuBefore = cpuTime();
            final long start = System.nanoTime();
            source.append(peer, measured.count(), measured.recordLength());
            peer.flush();
            final long durationNs = System.nanoTime() - start;
            final long cpuNs = cpuTime().minus(cpuBefore).toNanos();
            awaitUnchanged(peer::removed);
            source.check(peer);
            final double nsPerByte = (double)cpuNs / measured.count() / measured.recordLength();
            return Map.of(Trial.RATE, measured.count() * NS_PER_S / durationNs, CPU, nsPerByte);
        }
    }

    private static Duration cpuTime()
    {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** In files of its own, so that the code is compiled however few records are measured. */
    private static void compile(final Case measured, final PeerSettings settings) throws Exception
    {
        final Source source = new Source(measured.recordLength());
        try (Peer peer = measured.peer().open(settings))
        {
            source.append(peer, WARM_UP_RECORDS, Math.min(WARM_UP_LENGTH, measured.recordLength()));
            source.append(peer, WARM_UP_RECORDS_AS_MEASURED, measured.recordLength());
            peer.flush();
        }
    }

    /** Until no peer prepares files any more, as far as what this process writes shows it. */
    static void awaitIdle(final Path directory) throws IOException, InterruptedException
    {
        final boolean isShown = Files.isReadable(OWN_IO);
        awaitUnchanged(() -> isShown ? written(Files.readAllLines(OWN_IO)) : length(directory));
    }

    private static void awaitUnchanged(final Measure measure) throws IOException, InterruptedException
    {
        long last = -1;
        int idle = 0;
        for (int i = 0; i < MAX_CHECKS && idle < IDLE_CHECKS; i++)
        {
            final long value = measure.get();
            idle = value == last ? idle + 1 : 0;
            last = value;
            Thread.sleep(CHECK_MS);
        }
    }

    private static long written(final List<String> lines)
    {
        return lines.stream().filter((line) -> line.startsWith(WRITTEN))
            .mapToLong((line) -> Long.parseLong(line.substring(WRITTEN.length()).trim())).sum();
    }

    private static long length(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.walk(directory))
        {
            return files.mapToLong((file) -> 1 + file.toFile().length()).sum();
        }
    }

    /** A value that changes as long as work goes on. */
    private interface Measure
    {
        long get() throws IOException;
    }
}
