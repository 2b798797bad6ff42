// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Machine;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;

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
    private static final long WARM_UP_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int WARM_UP_SHARE = 4;
    private static final int RECORDS_PER_CLOCK = 64;
    private static final Path OWN_IO = Path.of("/proc/self/io");
    private static final long CHECK_MS = 100;
    private static final int IDLE_CHECKS = 3;
    private static final int MAX_CHECKS = 100;
    private static final double BYTES_PER_GB = 1e9;

    private final Setup all;
    private final Setup setup;
    private final Arguments args;
    private final int recordLength;
    private final int threads;
    private final Source source;
    private long unchecked;

    StreamTrial(final Setup setup)
    {
        all = setup;
        this.setup = setup.in("measured");
        args = setup.args();
        recordLength = setup.recordLength();
        threads = (int)args.number("threads", 1);
        source = new Source(recordLength);
    }

    void run() throws Exception
    {
        compile();
        final long count = Math.max(threads, args.number("length") / recordLength);
        final long mostNs = TimeUnit.MILLISECONDS.toNanos(args.number("ms", Integer.MAX_VALUE));
        final boolean isOfFile = args.is("isOfFile");
        try (Subject subject = setup.open())
        {
            do
            {
                append(subject, Math.max(threads, count / WARM_UP_SHARE), mostNs);
            }
            while (args.is("recycling") && 0 == subject.removed());
            subject.flush();
            awaitIdle();
            System.gc();
            final long cpuBefore = MeasuredInterval.cpuNs();
            final MeasuredInterval interval = MeasuredInterval.start();
            final long appended = append(subject, count, mostNs);
            subject.flush();
            final double amount = isOfFile ? appended * recordLength : appended;
            final double rate = interval.rate(amount);
            final double cpuMs = (MeasuredInterval.cpuNs() - cpuBefore) / Unit.NS_PER_MS;
            force(subject);
            Child.print(isOfFile ? "durableBytesPerSecond" : "durableRecordsPerSecond", interval.rate(amount));
            Child.print(isOfFile ? "writeBytesPerSecond" : "recordsPerSecond", rate);
            interval.print("");
            Child.print("processorOfAGbMs", cpuMs / (appended * recordLength / BYTES_PER_GB));
            awaitUnchanged(subject::removed);
            check(subject);
        }
        if (setup.kind().isJournal())
        {
            try (Subject other = JournalSubject.reopenedElsewhere(setup))
            {
                check(other);
            }
        }
        if (isOfFile)
        {
            System.gc();
            final MeasuredInterval interval = MeasuredInterval.start();
            try (Subject subject = setup.open())
            {
                final double length = (double)Source.Digest.of(subject).count() * recordLength;
                Child.print("readBytesPerSecond", interval.rate(length));
            }
            interval.print("read");
        }
    }

    /** Appends to separate files first, so that the code is compiled however few records are measured. */
    private void compile() throws Exception
    {
        try (Subject subject = all.in("warm-up").open())
        {
            final long count = Math.min(WARM_UP_RECORDS, args.number("length"));
            // If each record is fsynced, the time limit allows fewer records.
            append(subject, new Source(Math.min(WARM_UP_LENGTH, recordLength)), count, WARM_UP_NS);
            append(subject, new Source(recordLength), count / recordLength, WARM_UP_NS);
            subject.flush();
        }
    }

    private long append(final Subject subject, final long count, final long mostNs) throws Exception
    {
        if (threads > 1)
        {
            return appendShared(subject, count / threads);
        }
        return append(subject, source, count, mostNs);
    }

    private static long append(final Subject subject, final Source source, final long count, final long mostNs)
        throws Exception
    {
        final long start = System.nanoTime();
        long appended = 0;
        // The clock is read only now and then, because plain files are written without reading it.
        while (appended < count && (0 == appended || System.nanoTime() - start < mostNs))
        {
            final long step = Math.min(RECORDS_PER_CLOCK, count - appended);
            source.append(subject, step);
            appended += step;
        }
        return appended;
    }

    private long appendShared(final Subject subject, final long each) throws Exception
    {
        final CyclicBarrier start = new CyclicBarrier(threads);
        final Callable<Void> appending = () ->
        {
            start.await();
            for (long number = 0; number < each; number++)
            {
                subject.append(source.bytes(), Source.offset(number), recordLength);
            }
            return null;
        };
        final ExecutorService executor = Executors.newFixedThreadPool(threads);
        try
        {
            for (final Future<Void> thread : executor.invokeAll(Collections.nCopies(threads, appending)))
            {
                thread.get();
            }
        }
        finally
        {
            executor.shutdownNow();
        }
        unchecked += each * threads;
        return each * threads;
    }

    /** Fsyncs everything, with the journal's own call or file by file. */
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
                ColdRead.force(file);
            }
        }
    }

    private void check(final Subject subject) throws Exception
    {
        if (threads > 1)
        {
            Source.checkCount(subject, unchecked);
        }
        else
        {
            source.check(subject);
        }
    }

    /**
     * Waits until no subject prepares files any more, as shown by the bytes that this process writes to the page cache.
     */
    static void awaitIdle() throws InterruptedException
    {
        awaitUnchanged(() -> Machine.value(OWN_IO, "write_bytes"));
    }

    private static void awaitUnchanged(final Supplier<Object> changing) throws InterruptedException
    {
        Object last = null;
        int idle = 0;
        for (int i = 0; i < MAX_CHECKS && idle < IDLE_CHECKS; i++)
        {
            final Object value = changing.get();
            idle = value.equals(last) ? idle + 1 : 0;
            last = value;
            Thread.sleep(CHECK_MS);
        }
    }
}
