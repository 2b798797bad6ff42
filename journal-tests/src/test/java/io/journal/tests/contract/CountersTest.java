package io.journal.tests.contract;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import com.sun.management.ThreadMXBean;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalCounters;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.ReadOnlyJournal;
import io.journal.internal.files.CounterFile;
import io.journal.internal.files.JournalMeta;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.StepStore.Step;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static io.journal.tests.support.JournalDirectory.MARK;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class CountersTest extends RecoveryFixture
{
    private final List<CounterFile> files = new ArrayList<>();
    private volatile long skewMs;

    /**
     * Counters as another process sees them.
     */
    private JournalCounters outside(final JournalDirectory directory)
    {
        try
        {
            final UUID uuid = JournalMeta.read(Backend.FILE_CHANNEL.store(directory.path), false).uuid;
            final CounterFile file = new CounterFile(
                Backend.FILE_CHANNEL.store(directory.path), uuid, () -> System.currentTimeMillis() + skewMs);
            files.add(file);
            return Internals.counters(file);
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
    }

    @EachBackend
    void countersOfTheWriterAreCurrent(final Backend backend)
    {
        final Journal journal = model.builder(live, backend).writeWindow(64 * 1024).open();
        final JournalCounters counters = journal.counters();
        assertTrue(counters.isLive());
        assertEquals(1, counters.segments());
        final long forces = counters.forces();
        final boolean isMapped = Backend.MAPPED == backend;

        model.append(journal, 5, 100);
        assertEquals(5, counters.appendedSequence());
        assertEquals(journal.counters().appendedPosition(), counters.appendedPosition());
        assertEquals(isMapped ? 5 : 0, counters.writtenSequence());
        assertTrue(isMapped == (counters.writtenPosition() == journal.counters().appendedPosition()));
        assertEquals(0, counters.forcedSequence());

        journal.force();
        assertEquals(5, counters.writtenSequence());
        assertEquals(5, counters.forcedSequence());
        assertEquals(journal.counters().forcedPosition(), counters.forcedPosition());
        assertEquals(forces + 1, counters.forces());
        assertTrue(counters.forceTimeNs() >= counters.maxForceTimeNs() && counters.maxForceTimeNs() > 0);

        model.appendInto(journal, 3, 5000);
        assertEquals(4, counters.segments());
        journal.force();
        journal.prune(model.size());
        assertEquals(1, counters.segments());
        assertEquals(0, counters.waiters());

        journal.close();
        assertFalse(counters.isLive());
        assertEquals(model.size(), counters.forcedSequence());
        assertTrue(counters.toString().contains("forcedSequence=" + model.size()), counters::toString);
    }

    @EachBackend
    void otherProcessesSeeTheLastPublishedValues(final Backend backend) throws Exception
    {
        final Journal journal = closing(open(live, backend));
        final JournalCounters counters = outside(live);
        assertTrue(counters.isLive());
        assertEquals(0, counters.appendedSequence());

        model.append(journal, 5, 100);
        assertEquals(0, counters.appendedSequence());
        journal.backgroundAgent().doWork();
        assertEquals(5, counters.appendedSequence());
        assertEquals(0, counters.forcedSequence());

        model.append(journal, 1, 100);
        journal.force();
        assertSame(journal.counters(), counters);
        assertEquals(6, counters.forcedSequence());

        model.appendInto(journal, 2, 5000);
        journal.force();
        assertSame(journal.counters(), counters);
        assertEquals(3, counters.segments());
    }

    private static void assertSame(final JournalCounters expected, final JournalCounters found)
    {
        assertEquals(expected.appendedPosition(), found.appendedPosition());
        assertEquals(expected.writtenPosition(), found.writtenPosition());
        assertEquals(expected.writtenSequence(), found.writtenSequence());
        assertEquals(expected.forcedPosition(), found.forcedPosition());
        assertEquals(expected.toString(), found.toString());
    }

    @EachBackend
    void closingPublishesTheLastValues(final Backend backend)
    {
        final Journal journal = open(live, backend);
        final JournalCounters counters = outside(live);
        model.append(journal, 7, 100);
        assertTrue(counters.isLive());
        journal.close();

        assertFalse(counters.isLive());
        assertEquals(7, counters.forcedSequence());
        assertSame(journal.counters(), counters);
        assertSame(journal.counters(), outside(live));

        final Journal next = closing(open(live, backend));
        assertTrue(counters.isLive());
        assertTrue(counters.forces() < journal.counters().forces() + 7);
        assertSame(next.counters(), counters);
    }

    @EachBackend
    void countersOfADeadWriterAreNotLive(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 7, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
        final JournalCounters counters = outside(crashed);
        assertTrue(counters.isLive());
        final long timeMs = counters.timeMs();
        assertTrue(Math.abs(System.currentTimeMillis() - timeMs) < TimeUnit.HOURS.toMillis(1));
        for (final long skew : new long[]{ 60_000, -60_000, 20_000, 3_600_000 })
        {
            skewMs = skew;
            assertFalse(counters.isLive());
            assertEquals(7, counters.forcedSequence());
            assertEquals(timeMs, counters.timeMs());
        }
    }

    @EachBackend
    void unusableMarkFileLeavesTheLastValues(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 7, 100);
            journal.force();
            live.copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        for (final int length : new int[]{ 16_383, 8300, 8200, 8192, 8191, 4096, 100, 0 })
        {
            crashed.restore(image);
            final JournalCounters before = outside(crashed);
            assertTrue(before.isLive());
            crashed.cut(MARK, length);
            // What is needed of it may still be there.
            assertEquals(length >= 8192 + 136, before.isLive());
            assertEquals(7, before.forcedSequence());
            assertEquals(length >= 8192 + 136 ? 7 : 0, outside(crashed).forcedSequence());
        }

        crashed.restore(image);
        final JournalCounters before = outside(crashed);
        assertEquals(7, before.forcedSequence());
        crashed.delete(MARK);
        assertEquals(7, before.forcedSequence());
        assertFalse(outside(crashed).isLive());
        assertEquals(0, outside(crashed).forcedSequence());

        crashed.restore(image);
        crashed.adopt(MARK, new UUID(1, 2));
        assertFalse(outside(crashed).isLive());
        assertEquals(0, outside(crashed).forcedSequence());

        // Left in the middle of a change.
        crashed.restore(image);
        final JournalCounters torn = outside(crashed);
        assertEquals(7, torn.forcedSequence());
        crashed.flip(MARK, 8192, 0);
        assertEquals(7, torn.forcedSequence());
        assertEquals(0, outside(crashed).forcedSequence());
        final Journal journal = closing(open(crashed, backend));
        model.append(journal, 1, 100);
        journal.force();
        assertEquals(8, torn.forcedSequence());
    }

    @EachBackend
    void readOnlyJournalHasTheCounters(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        final JournalCounters counters;
        try (ReadOnlyJournal follower = Journal.openReadOnly(live.path))
        {
            counters = follower.counters();
            model.append(journal, 7, 100);
            journal.force();
            assertTrue(counters.isLive());
            assertSame(journal.counters(), counters);
        }
        assertFalse(counters.isLive());
        assertEquals(7, counters.forcedSequence());
    }

    @EachBackend
    void closedCountersKeepTheirValues(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        final JournalCounters counters = outside(live);
        model.append(journal, 7, 100);
        journal.force();
        assertEquals(7, counters.forcedSequence());
        files.get(0).close();
        files.get(0).close();
        model.append(journal, 7, 100);
        journal.force();

        assertFalse(counters.isLive());
        assertEquals(7, counters.forcedSequence());
    }

    @EachBackend
    void storageFailureIsVisibleToOtherProcesses(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(Step.FORCE);
        final JournalCounters counters;
        try (Journal journal = open(live, backend, device))
        {
            counters = outside(live);
            model.append(journal, 3, 100);
            journal.force();
            assertFalse(counters.isFailed());
            model.append(journal, 1, 100);
            device.fail();

            assertThrows(JournalException.class, journal::force);

            assertTrue(counters.isFailed());
            assertTrue(counters.isLive());
            assertEquals(4, counters.appendedSequence());
            assertEquals(3, counters.forcedSequence());
            assertSame(journal.counters(), counters);
        }
        assertTrue(counters.isFailed());
        assertFalse(counters.isLive());

        final Journal journal = closing(open(live, backend));
        assertFalse(counters.isFailed());
        assertEquals(4, journal.lastSequence());
    }

    @EachBackend(except = Backend.MAPPED)
    void failureOfAWriteDuringAnFsyncIsPublishedWhenTheFsyncEnds(final Backend backend)
    {
        final AtomicBoolean isBlocking = new AtomicBoolean();
        final AtomicBoolean isFailing = new AtomicBoolean();
        final CountDownLatch forcing = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        final StepStore store = new StepStore(backend.store(live.path), (step, name) ->
        {
            if (Step.FORCE == step && isBlocking.compareAndSet(true, false))
            {
                forcing.countDown();
                await(released);
            }
            if (Step.WRITE == step && isFailing.get())
            {
                throw new IOException("a device that fails: file=" + name);
            }
            return true;
        });
        final Journal journal = closing(model.builder(live, backend).store(store).open());
        final JournalCounters counters = outside(live);
        model.append(journal, 1, 100);
        isBlocking.set(true);
        final Background fsync = Background.start("fsync", () -> journal.awaitForced(1));
        await(forcing);
        isFailing.set(true);
        assertThrows(JournalException.class, () -> journal.appender().append(new byte[100]));
        isFailing.set(false);

        released.countDown();
        fsync.join();
        assertEquals(1, journal.forcedSequence());
        assertTrue(counters.isFailed());
        assertSame(journal.counters(), counters);
    }

    @EachBackend
    void appendsThatFindNoSpaceAreCounted(final Backend backend) throws Exception
    {
        final FailingSteps device = new FailingSteps(Step.CREATE);
        final Journal journal = closing(open(live, backend, device));
        final JournalCounters counters = outside(live);
        assertEquals(0, counters.preparedSegments());
        journal.backgroundAgent().doWork();
        journal.force();
        assertEquals(1, journal.counters().preparedSegments());
        device.beFull();
        for (int i = 0; i < 2; i++)
        {
            assertThrows(JournalFullException.class, () -> model.appendInto(journal, 3, 5000));
        }
        model.append(journal, 1, 8);
        journal.force();
        assertEquals(2, counters.refusals());
        assertEquals(0, counters.preparedSegments());
        assertFalse(counters.isFailed());

        device.work();
        journal.backgroundAgent().doWork();
        model.append(journal, 1, 8);
        journal.force();
        assertEquals(1, counters.preparedSegments());
        assertEquals(2, counters.refusals());
    }

    @EachBackend
    void threadsWaitingForAnFsyncAreCounted(final Backend backend)
    {
        final int threads = 3;
        final AtomicBoolean isBlocking = new AtomicBoolean();
        final CountDownLatch forcing = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        final StepStore store = new StepStore(backend.store(live.path), (step, name) ->
        {
            if (Step.FORCE == step && isBlocking.compareAndSet(true, false))
            {
                forcing.countDown();
                await(released);
            }
            return true;
        });
        final Journal journal = closing(model.builder(live, backend).store(store).open());
        final JournalCounters counters = journal.counters();
        model.append(journal, 1, 100);
        isBlocking.set(true);
        final List<Background> waiting = new ArrayList<>();
        waiting.add(Background.start("leader", () -> journal.awaitForced(1)));
        await(forcing);
        assertEquals(0, counters.waiters());
        for (int i = 0; i < threads; i++)
        {
            waiting.add(Background.start("follower", () -> journal.awaitForced(1)));
        }
        while (counters.waiters() < threads)
        {
            waiting.forEach(Background::check);
            Thread.onSpinWait();
        }
        released.countDown();
        waiting.forEach(Background::join);
        assertEquals(0, counters.waiters());
    }

    /** Continues after the mark file was truncated, in a process of its own, which such a fault may end. */
    public static final class CutOff
    {
        private CutOff()
        {
        }

        /**
         * @param args directory, backend and remaining length of the file.
         */
        public static void main(final String[] args)
        {
            final JournalDirectory directory = new JournalDirectory(Path.of(args[0]));
            try (Journal journal = open(directory.path, Backend.valueOf(args[1])))
            {
                appendNumbered(journal, 10, 100);
                journal.force();
                directory.cut(MARK, Integer.parseInt(args[2]));
                // Also in compiled code.
                for (int i = 0; i < 20_000; i++)
                {
                    journal.appender().append(new byte[10]);
                    journal.force();
                }
                System.out.println("forced " + journal.counters().forcedSequence());
            }
            catch (final JournalException ex)
            {
                System.out.println("reported " + ex);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({ "MAPPED, 8192", "FILE_CHANNEL, 0", "RANDOM_ACCESS_FILE, 4100" })
    void writerReportsATruncatedMarkFile(final Backend backend, final String length) throws Exception
    {
        final Path log = temp.resolve("output");
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea", "-Xmx128m",
            "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"), CutOff.class.getName(),
            live.path.toString(), backend.name(), length)
            .redirectErrorStream(true).redirectOutput(log.toFile()).start();

        assertTrue(process.waitFor(10, TimeUnit.MINUTES));

        final String output = Files.readString(log);
        assertEquals(0, process.exitValue(), output);
        // The background agent may have logged it before.
        assertTrue(
            output.lines().anyMatch((line) -> line.startsWith("reported ") && line.contains("journal.mark")), output);
        final Journal journal = closing(open(live, backend));
        assertTrue(journal.lastSequence() >= 10);
    }

    @EachBackend
    void gettersAllocateNothing(final Backend backend)
    {
        final ThreadMXBean threads = (ThreadMXBean)ManagementFactory.getThreadMXBean();
        assumeTrue(threads.isThreadAllocatedMemorySupported() && threads.isThreadAllocatedMemoryEnabled());
        final Journal journal = closing(open(live, backend));
        model.append(journal, 7, 100);
        journal.force();
        for (final JournalCounters counters : List.of(journal.counters(), outside(live)))
        {
            final int count = 2000;
            long sum = sum(counters, count);
            final long id = Thread.currentThread().getId();
            final long before = threads.getThreadAllocatedBytes(id);
            sum += sum(counters, count);
            final long allocated = threads.getThreadAllocatedBytes(id) - before;
            assertEquals(2L * count * 15, sum);
            assertTrue(allocated < count, () -> "bytes=" + allocated);
        }
    }

    private static long sum(final JournalCounters counters, final int count)
    {
        long sum = 0;
        for (int i = 0; i < count; i++)
        {
            sum += counters.appendedSequence() + counters.forcedSequence() + counters.segments() + counters.waiters() +
                (counters.isLive() ? 0 : 1);
        }

        return sum;
    }

    @EachBackend
    void countersAreReadWhileTheyArePublished(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        final JournalCounters counters = outside(live);
        // What cannot be read, because the writer is held up in the middle, stays as it was read last.
        assertTrue(counters.isLive());
        final AtomicBoolean isDone = new AtomicBoolean();
        final Background reader = Background.start("reader", () ->
        {
            long forces = 0;
            while (!isDone.get() || forces < 300)
            {
                final long found = counters.forces();
                assertTrue(found >= forces, () -> "forces=" + found);
                forces = found;
                final long forced = counters.forcedSequence();
                assertTrue(forced <= counters.appendedSequence());
                assertTrue(counters.isLive());
            }
        });
        for (int i = 0; i < 300; i++)
        {
            model.append(journal, 1, 100);
            journal.force();
            reader.check();
        }
        isDone.set(true);
        reader.join();
        assertEquals(300, counters.forcedSequence());
        assertTrue(journal.counters().appendedPosition() < SEGMENT_LENGTH);
    }
}
