// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

import com.sun.management.UnixOperatingSystemMXBean;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;

/**
 * Openings: of the files that a killed process left, of a new process until its first durable record, and of many
 * journals that are not used then.
 */
final class OpenTrials
{
    /** Bytes of records that are not durable when a process is killed, if most are. */
    private static final int NOT_DURABLE = 4 * 1024 * 1024;
    private static final int WARM_UPS = 3;
    private static final int WARM_UP_RECORDS = 10_000;
    private static final int SETTLE_MS = 3000;

    private OpenTrials()
    {
    }

    /**
     * Measures the time from the call that opens to the return of the first append. One process fills the journal and
     * kills itself, the next process opens it. That process is warm, because it has filled and opened small journals
     * before.
     */
    static void open(final Setup setup) throws Exception
    {
        final long count = Math.max(1, setup.args().number("length") / setup.recordLength());
        if ("fill".equals(setup.args().text(BenchmarkCase.STEP)))
        {
            fillAndDie(setup.in("left"), count);
        }
        for (int i = 0; i < WARM_UPS; i++)
        {
            final Source source = new Source(setup.recordLength());
            try (Subject subject = setup.in("warm-up-" + i).open())
            {
                source.append(subject, Math.min(WARM_UP_RECORDS, count));
            }
            try (Subject subject = setup.in("warm-up-" + i).open())
            {
                source.append(subject, 1);
                source.check(subject);
            }
        }
        final Source source = new Source(setup.recordLength());
        final long start = System.nanoTime();
        try (Subject subject = setup.in("left").open())
        {
            source.append(subject, 1);
            Child.print("openMs", (System.nanoTime() - start) / Unit.NS_PER_MS);
            Child.print("lostCount", count + 1 - Source.Digest.of(subject).count());
        }
    }

    private static void fillAndDie(final Setup setup, final long count) throws Exception
    {
        final Subject subject = setup.open();
        final Source source = new Source(setup.recordLength());
        final long step =
            Workload.OPEN_DURABLE == setup.workload() ? Math.max(1, NOT_DURABLE / setup.recordLength()) : count;
        // Waits for an fsync after each step of records, except for the last records.
        while (count - source.count() > step)
        {
            source.append(subject, Math.min(step, count - source.count() - step) - 1);
            source.appendDurably(subject);
        }
        source.append(subject, count - source.count());
        subject.flush();
        new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        throw new IllegalStateException("not killed");
    }

    /** A cold start: no class is loaded and nothing is compiled before. */
    static void start(final Setup setup) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        final long start = System.nanoTime();
        try (Subject subject = setup.open())
        {
            source.appendDurably(subject);
            final double openedMs = (System.nanoTime() - start) / Unit.NS_PER_MS;
            final long sinceStartMs =
                System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
            Child.print("openedDurableMs", openedMs);
            Child.print("processDurableMs", sinceStartMs);
            source.check(subject);
        }
    }

    /** The cost of journals that are open and not used: processor time, threads, descriptors. */
    static void idle(final Setup setup) throws Exception
    {
        final int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        final long descriptorsBefore = descriptors();
        final List<Subject> journals = new ArrayList<>();
        for (int i = 0; i < setup.args().length("threads"); i++)
        {
            journals.add(setup.in("journal-" + i).open());
            new Source(setup.recordLength()).append(journals.get(i), 1);
        }
        final long ms = setup.args().number("ms");
        // Wait until each journal has prepared its next segment.
        Thread.sleep(Math.min(SETTLE_MS, ms));
        StreamTrial.awaitIdle();
        final long cpuBefore = MeasuredInterval.cpuNs();
        Thread.sleep(ms);
        Child.print("idleProcessorPercent", (MeasuredInterval.cpuNs() - cpuBefore) / Unit.NS_PER_MS * 100 / ms);
        Child.print("threadsCount", ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore);
        Child.print("descriptorsCount", descriptors() - descriptorsBefore);
        for (final Subject journal : journals)
        {
            journal.close();
        }
    }

    private static long descriptors()
    {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix ?
            unix.getOpenFileDescriptorCount() : 0;
    }
}
