package io.journal.bench.workload;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Records;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import io.journal.bench.subject.SubjectKind;

/**
 * Appends a number of bytes without waiting for durability, by one thread or by several: the rate until everything is
 * in the page cache, a burst, and the rate until everything is on the device. Then reads everything back.
 * <p>
 * {@code length} bytes, or as many as fit {@code ms}; with {@code isOfFile}, values are those of plain files, and the
 * replay of the reopened journal is measured as well.
 */
final class StreamTrial
{
    private static final int WARM_UP_RECORDS = 300_000;
    private static final int WARM_UP_LENGTH = 64;
    private static final int WARM_UP_SHARE = 4;
    private static final int RECORDS_PER_CLOCK = 64;
    // On Linux: bytes that this process has written to the page cache.
    private static final Path OWN_IO = Path.of("/proc/self/io");
    private static final String WRITTEN = "write_bytes:";
    private static final long CHECK_MS = 100;
    private static final int IDLE_CHECKS = 3;
    private static final int MAX_CHECKS = 100;
    private static final double NS_PER_MS = 1e6;
    private static final double BYTES_PER_GB = 1e9;

    private final SubjectKind kind;
    private final Setup setup;
    private final Arguments args;
    private final int recordLength;
    private final int threads;
    private final Source source;
    private long unchecked;

    StreamTrial(final SubjectKind kind, final Setup setup, final Arguments args)
    {
        this.kind = kind;
        this.setup = setup.in("measured");
        this.args = args;
        recordLength = setup.recordLength();
        threads = (int)args.number("threads", 1);
        source = new Source(recordLength);
    }

    void run() throws Exception
    {
        compile();
        final long length = args.number("length");
        final long count = Math.max(threads, length / recordLength);
        final long mostNs = TimeUnit.MILLISECONDS.toNanos(args.number("ms", Integer.MAX_VALUE));
        final boolean isOfFile = args.is("isOfFile");
        try (Subject subject = kind.open(setup))
        {
            do
            {
                append(subject, Math.max(threads, count / WARM_UP_SHARE), mostNs);
            }
            while (kind.isRemoving() || args.is("recycling") ? 0 == subject.removed() : false);
            subject.flush();
            awaitIdle(setup.directory());
            System.gc();
            final Duration cpuBefore = cpuTime();
            final MeasuredInterval interval = MeasuredInterval.start();
            final long appended = append(subject, count, mostNs);
            subject.flush();
            final double amount = isOfFile ? appended * recordLength : appended;
            interval.rate(isOfFile ? "writeBytesPerSecond" : "recordsPerSecond", amount);
            final double cpuMs = cpuTime().minus(cpuBefore).toNanos() / NS_PER_MS;
            force(subject);
            interval.rate(isOfFile ? "durableBytesPerSecond" : "durableRecordsPerSecond", amount);
            interval.print("");
            Child.print("processorOfAGbMs", cpuMs / (appended * recordLength / BYTES_PER_GB));
            awaitUnchanged(subject::removed);
            check(subject);
        }
        if (kind.isJournal())
        {
            try (Subject other = JournalSubject.reopenedElsewhere(setup))
            {
                check(other);
            }
        }
        if (isOfFile)
        {
            measureReplay();
        }
    }

    private void measureReplay() throws Exception
    {
        System.gc();
        final MeasuredInterval interval = MeasuredInterval.start();
        final Digest found = new Digest();
        try (Subject subject = kind.open(setup))
        {
            subject.replay(found);
            interval.rate("readBytesPerSecond", (double)found.count() * recordLength);
        }
        interval.print("read");
    }

    /** In files of its own, so that the code is compiled however few records are measured. */
    private void compile() throws Exception
    {
        final Source warm = new Source(recordLength);
        try (Subject subject = kind.open(Setup.of(args).in("warm-up")))
        {
            final long count = Math.min(WARM_UP_RECORDS, args.number("length"));
            warm.append(subject, count, Math.min(WARM_UP_LENGTH, recordLength));
            warm.append(subject, count / recordLength, recordLength);
            subject.flush();
        }
    }

    /** Returns the number of records. */
    private long append(final Subject subject, final long count, final long mostNs) throws Exception
    {
        if (threads > 1)
        {
            final long all = appendShared(subject, count / threads);
            unchecked += all;
            return all;
        }
        final long start = System.nanoTime();
        long appended = 0;
        // Looks at the clock only now and then: a plain file is written without one.
        while (appended < count && (0 == appended || System.nanoTime() - start < mostNs))
        {
            final long step = Math.min(RECORDS_PER_CLOCK, count - appended);
            source.append(subject, step, recordLength);
            appended += step;
        }
        return appended;
    }

    private long appendShared(final Subject subject, final long each) throws Exception
    {
        final byte[] bytes = source.bytes();
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try
        {
            final CyclicBarrier start = new CyclicBarrier(threads);
            final Callable<Void> appending = () ->
            {
                start.await();
                for (long number = 0; number < each; number++)
                {
                    subject.append(bytes, Records.offset(number), recordLength);
                }
                return null;
            };
            final List<Future<Void>> running = new ArrayList<>();
            for (int i = 0; i < threads; i++)
            {
                running.add(executor.submit(appending));
            }
            for (final Future<Void> thread : running)
            {
                thread.get();
            }
            return each * threads;
        }
        finally
        {
            executor.shutdownNow();
        }
    }

    /** Fsyncs everything: by the journal's own call, or file by file. */
    private void force(final Subject subject) throws IOException
    {
        if (subject instanceof JournalSubject journal)
        {
            journal.force();
            return;
        }
        try (Stream<Path> files = Files.walk(setup.directory()))
        {
            for (final Path file : files.filter(Files::isRegularFile).toList())
            {
                try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE))
                {
                    channel.force(false);
                }
            }
        }
    }

    private void check(final Subject subject) throws Exception
    {
        if (threads > 1)
        {
            // The order depends on the threads.
            final Digest found = new Digest();
            subject.replay(found);
            if (found.count() != unchecked)
            {
                throw new IllegalStateException(
                    "replay differs: appended=" + unchecked + ", replayed=" + found.count());
            }
            return;
        }
        source.check(subject);
    }

    private static Duration cpuTime()
    {
        return ProcessHandle.current().info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** Until no subject prepares files any more, as far as what this process writes shows it. */
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
