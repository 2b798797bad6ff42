package io.journal.bench.workload;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import com.sun.management.OperatingSystemMXBean;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import io.journal.bench.subject.SubjectKind;

/**
 * Openings: of what a killed process left, of a new process until its first durable record, and of many journals that
 * are not used then.
 */
final class OpenTrials
{
    /** Bytes of records that are not durable when a process is killed, if most are. */
    private static final int NOT_DURABLE = 4 * 1024 * 1024;
    private static final String LEFT = "left";
    private static final int WARM_UPS = 3;
    private static final int WARM_UP_RECORDS = 10_000;
    private static final int SETTLE_MS = 3000;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
    private static final double NS_PER_MS = 1e6;

    private OpenTrials()
    {
    }

    /**
     * From the call that opens to the return of the first append. One process fills and kills itself, the next one
     * opens; it is warm, since it filled and opened small journals before.
     */
    static void open(final SubjectKind kind, final Setup setup, final long length, final String step) throws Exception
    {
        final long count = Math.max(1, length / setup.recordLength());
        if ("fill".equals(step))
        {
            fillAndDie(kind, setup.in(LEFT), count);
        }
        for (int i = 0; i < WARM_UPS; i++)
        {
            warmUp(kind, setup.in("warm-up-" + i), count);
        }
        final Source source = new Source(setup.recordLength());
        final long start = System.nanoTime();
        try (Subject subject = kind.open(setup.in(LEFT)))
        {
            source.append(subject, 1, setup.recordLength());
            Child.print("openMs", (System.nanoTime() - start) / NS_PER_MS);
            final Digest found = new Digest();
            subject.replay(found);
            Child.print("lostCount", count + 1 - found.count());
        }
    }

    private static void fillAndDie(final SubjectKind kind, final Setup setup, final long count) throws Exception
    {
        final Subject subject = kind.open(setup);
        final int length = setup.recordLength();
        final Source source = new Source(length);
        final long step = Workload.OPEN_DURABLE == setup.workload() ? Math.max(1, NOT_DURABLE / length) : count;
        long left = count;
        // Waits for an fsync each time after so many bytes, but for the last ones.
        while (left > step)
        {
            final long next = Math.min(step, left - step);
            source.append(subject, next - 1, length);
            subject.appendDurably(source.bytes(), source.next(length), length);
            left -= next;
        }
        source.append(subject, left, length);
        subject.flush();
        new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        throw new IllegalStateException("not killed");
    }

    private static void warmUp(final SubjectKind kind, final Setup setup, final long count) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        try (Subject subject = kind.open(setup))
        {
            source.append(subject, Math.min(WARM_UP_RECORDS, count), setup.recordLength());
        }
        try (Subject subject = kind.open(setup))
        {
            source.append(subject, 1, setup.recordLength());
            source.check(subject);
        }
    }

    /** Cold: nothing is loaded or compiled before. */
    static void start(final SubjectKind kind, final Setup setup) throws Exception
    {
        final Source source = new Source(setup.recordLength());
        final long start = System.nanoTime();
        try (Subject subject = kind.open(setup))
        {
            subject.appendDurably(source.bytes(), source.next(setup.recordLength()), setup.recordLength());
            final double openedMs = (System.nanoTime() - start) / NS_PER_MS;
            final long sinceStartMs =
                System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
            Child.print("openedDurableMs", openedMs);
            Child.print("processDurableMs", sinceStartMs);
            source.check(subject);
        }
    }

    /** What open journals cost that are not used: processor time, threads, descriptors, heap. */
    static void idle(final Setup setup, final Arguments args) throws Exception
    {
        final OperatingSystemMXBean system = (OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean();
        final int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        final long descriptorsBefore = descriptors();
        final List<Subject> journals = new ArrayList<>();
        final Source source = new Source(setup.recordLength());
        final SubjectKind kind = args.one(SubjectKind.class, "subject");
        for (int i = 0; i < args.length("threads"); i++)
        {
            final Subject journal = kind.open(setup.in("journal-" + i));
            journals.add(journal);
            journal.append(source.bytes(), 0, setup.recordLength());
        }
        final long ms = args.number("ms");
        // Until each has prepared its next segment.
        Thread.sleep(Math.min(SETTLE_MS, ms));
        StreamTrial.awaitIdle(setup.directory());
        final long cpuBefore = system.getProcessCpuTime();
        Thread.sleep(ms);
        Child.print("idleProcessorPercent", (system.getProcessCpuTime() - cpuBefore) / NS_PER_MS * 100 / ms);
        Child.print("threadsCount", ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore);
        if (descriptorsBefore >= 0)
        {
            Child.print("descriptorsCount", descriptors() - descriptorsBefore);
        }
        for (final Subject journal : journals)
        {
            journal.close();
        }
    }

    private static long descriptors()
    {
        try (Stream<Path> all = Files.list(DESCRIPTORS))
        {
            return all.count();
        }
        catch (final IOException ex)
        {
            return -1;
        }
    }
}
