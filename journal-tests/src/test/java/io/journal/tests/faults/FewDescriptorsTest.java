// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter;
import io.journal.tests.crash.Promises;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A process is out of file descriptors, or nearly so: a call that needs another descriptor throws, leaks none, and
 * succeeds once there are descriptors.
 */
@Tag("slow")
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs Linux, to limit and count descriptors")
class FewDescriptorsTest extends JournalFixture
{
    private static final int MOST = 7;
    private static final String ALL = "all";
    private static final String FIRST = "first";

    @EachBackend
    void operationsCanBeRetriedAfterDescriptorExhaustion(final Backend backend) throws Exception
    {
        runInChild(backend, ALL);
    }

    /** The JDK needs descriptors to initialize its channels, and does not try that again. */
    @EachBackend
    void firstJournalOfAProcessIsOpenedOnceThereAreDescriptors(final Backend backend) throws Exception
    {
        // Each number of descriptors is tested with one backend at least.
        runInChild(backend, FIRST + (1 + backend.ordinal() % 3));
    }

    private void runInChild(final Backend backend, final String what) throws Exception
    {
        try (ChildJvm child = new ChildJvm(
            temp, List.of("/bin/sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""), FewDescriptorsTest.class,
            temp.resolve("journal"), backend, what))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
            // Otherwise there were enough descriptors for every call.
            assertTrue(child.highest("refused") > 0, child::toString);
        }
    }

    /**
     * @param args directory, backend, what to do.
     */
    public static void main(final String[] args) throws Exception
    {
        FaultedWriter.halt(900);
        final Path path = Path.of(args[0]);
        final Backend backend = Backend.valueOf(args[1]);
        if (ALL.equals(args[2]))
        {
            doAll(path, backend);
        }
        else
        {
            openFirst(path, backend, Integer.parseInt(args[2].substring(FIRST.length())));
        }
        FaultedWriter.say("refused", Scarcity.refused);
        Runtime.getRuntime().halt(0);
    }

    private static void openFirst(final Path path, final Backend backend, final int free) throws Exception
    {
        // Also load the classes of the test: here they lie in directories, so loading them needs descriptors.
        loadClasses((name) -> false);
        final Scarcity scarcity = new Scarcity(free);
        final JournalBuilder builder = Journal.builder(path).segmentLength(64 * 1024).backend(backend);
        scarcity.meet(() -> builder.open().close());
        scarcity.meet(() -> Journal.openReadOnly(path).close());
    }

    /** Uses everything with more and more descriptors, starting with none. */
    private static void doAll(final Path path, final Backend backend) throws Exception
    {
        loadClasses((name) -> true);
        use(path, backend, new Scarcity(Integer.MAX_VALUE));
        for (int free = 0; free <= MOST; free++)
        {
            use(path, backend, new Scarcity(free));
            assertEquals(List.of(), openWithin(path), "descriptors are left open");
        }
    }

    /** Uses a journal in steps. Each step is tried with few descriptors first, and then done. */
    private static void use(final Path path, final Backend backend, final Scarcity scarcity) throws IOException
    {
        final JournalBuilder builder = KilledWriter.builder(path, backend)
            .backgroundThread(false)
            .recycleSegments(backend == Backend.MAPPED);
        final Journal[] opened = new Journal[1];
        scarcity.meet(() -> opened[0] = builder.open(), () -> null != opened[0]);
        try (Journal journal = opened[0])
        {
            Promises.readAll(journal);
            // A cursor that was never saved holds no descriptor to free.
            scarcity.meet(() -> journal.deleteCursor("unsaved"));
            scarcity.meet(() -> journal.cursor("unsaved"));
            final long first = journal.lastSequence() + 1;
            for (int i = 0; i < 30; i++)
            {
                scarcity.meet(
                    () -> journal.appender().append(1, KilledWriter.record(1, journal.lastSequence() + 1, 3000)));
                assertEquals(first + i, journal.lastSequence());
                scarcity.meet(journal::force);
            }
            scarcity.meet(journal::roll);
            scarcity.meet(() -> journal.appender().append(1, KilledWriter.record(1, first + 30, 10)));
            scarcity.meet(() -> journal.openReader().close());
            scarcity.meet(() -> Promises.readAll(journal));
            scarcity.meet(() -> journal.cursor("consumer-" + journal.lastSequence()));
            scarcity.meet(() -> journal.cursor("consumer-" + journal.lastSequence()).save(first));
            assertEquals(first, journal.cursor("consumer-" + journal.lastSequence()).sequence());
            try (JournalReader reader = journal.openReader())
            {
                scarcity.meet(() -> reader.seek(first));
                scarcity.meet(() -> assertEquals(1, reader
                    .poll((buffer, offset, length, header) -> KilledWriter.check(buffer, offset, length, first), 1)));
            }
            scarcity.meet(() -> Journal.openReadOnly(path).close());
            scarcity.meet(() -> journal.prune(first));
            scarcity.meet(() -> journal.deleteCursor("consumer-" + journal.lastSequence()));
            journal.force();
            Promises.readAll(journal);
        }
    }

    /** Takes all descriptors but a few. */
    private static final class Scarcity
    {
        private static int refused;

        private final int free;

        Scarcity(final int free)
        {
            this.free = free;
        }

        void meet(final Runnable step) throws IOException
        {
            final boolean[] isDone = new boolean[1];
            meet(() ->
            {
                step.run();
                isDone[0] = true;
            }, () -> isDone[0]);
        }

        void meet(final Runnable step, final BooleanSupplier isDone) throws IOException
        {
            if (free < Integer.MAX_VALUE)
            {
                final Deque<FileInputStream> taken = take();
                try
                {
                    step.run();
                }
                catch (final CorruptJournalException ex)
                {
                    throw new AssertionError("free=" + free, ex);
                }
                catch (final JournalException ex)
                {
                    refused++;
                }
                finally
                {
                    CloseHelper.closeAll(taken);
                }
            }
            if (!isDone.getAsBoolean())
            {
                try
                {
                    step.run();
                }
                catch (final JournalException ex)
                {
                    throw new AssertionError("not again: free=" + free, ex);
                }
            }
        }

        private Deque<FileInputStream> take() throws IOException
        {
            final Deque<FileInputStream> taken = new ArrayDeque<>();
            try
            {
                while (true)
                {
                    taken.push(new FileInputStream("/dev/null"));
                }
            }
            catch (final IOException ex)
            {
                for (int i = 0; i < free && !taken.isEmpty(); i++)
                {
                    taken.pop().close();
                }
            }
            return taken;
        }
    }

    /** Files of a directory that this process has open; other descriptors of the JVM do not matter. */
    private static List<String> openWithin(final Path directory) throws IOException
    {
        final String path = directory.toRealPath().toString();
        final String[] descriptors = new File("/proc/self/fd").list();
        return Stream.of(descriptors)
            .map((name) -> target(Path.of("/proc/self/fd", name)))
            .filter((target) -> target.startsWith(path))
            .toList();
    }

    private static String target(final Path descriptor)
    {
        try
        {
            return Files.readSymbolicLink(descriptor).toString();
        }
        catch (final IOException ex)
        {
            // The descriptor was closed in the meantime, like that of the directory listing itself.
            return "";
        }
    }

    /**
     * Loads classes in advance that would otherwise be loaded when no descriptor is left.
     *
     * @param isInitialized whether a class is also initialized, by its name.
     */
    private static void loadClasses(final Predicate<String> isInitialized) throws Exception
    {
        final Path classes = Path.of(Journal.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        try (Stream<Path> files = Files.walk(classes))
        {
            for (final Path file : files.filter((path) -> path.toString().endsWith(".class")).toList())
            {
                final String path = classes.relativize(file).toString();
                if (!path.contains("-info"))
                {
                    final String name = path.substring(0, path.length() - ".class".length()).replace('/', '.');
                    Class.forName(name, isInitialized.test(name), Journal.class.getClassLoader());
                }
            }
        }
    }
}
