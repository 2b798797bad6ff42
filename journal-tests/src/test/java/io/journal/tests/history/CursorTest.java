package io.journal.tests.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.internal.read.RecordsGoneException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore.Step;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.InMemory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@InMemory
class CursorTest extends JournalFixture
{
    @EachBackend
    void newCursorIsBeforeTheOldestRecord(final Backend backend)
    {
        final Journal journal = closing(open(directory(), backend));
        final JournalCursor early = journal.cursor("early");
        appendNumbered(journal, 7, 100);
        final JournalCursor late = journal.cursor("late");

        assertEquals(0, early.sequence());
        assertEquals(0, late.sequence());
        assertEquals(7, early.lag());
        assertEquals(7, late.lag());
        assertEquals("late", late.name());
        assertEquals(List.of("early", "late"), journal.cursorNames());
    }

    @EachBackend
    void numberOfOpenFilesDoesNotGrowWithThatOfCursors(final Backend backend) throws IOException
    {
        final Path descriptors = Path.of("/proc/self/fd");
        assumeTrue(Files.isDirectory(descriptors), "needs /proc/self/fd");
        final int count = 60;
        final Journal journal = closing(open(directory(), backend));
        appendNumbered(journal, 2, 100);
        for (int round = 1; round <= 2; round++)
        {
            for (int i = 0; i < count; i++)
            {
                journal.cursor("tenant-" + i).save(round);
            }
        }
        int open = 0;
        for (final String name : Objects.requireNonNull(descriptors.toFile().list()))
        {
            final Path descriptor = descriptors.resolve(name);
            open += Files.isSymbolicLink(descriptor) && target(descriptor).endsWith(".cursor") ? 1 : 0;
        }
        assertTrue(open <= 2 * 16, "open=" + open);
        for (int i = 0; i < count; i++)
        {
            assertEquals(2, journal.cursor("tenant-" + i).sequence());
        }
    }

    private static String target(final Path descriptor)
    {
        try
        {
            return Files.readSymbolicLink(descriptor).toString();
        }
        catch (final IOException ex)
        {
            // Closed since it was listed.
            return "";
        }
    }

    @EachBackend(and = Backend.class)
    void savedSequenceIsRestoredOnOpen(final Backend writer, final Backend next)
    {
        try (Journal journal = open(directory(), writer))
        {
            appendNumbered(journal, 10, 100);
            journal.cursor("a").save(4);
            journal.cursor("b").save(10);
            journal.cursor("a").save(5);
            journal.cursor("b").save(6);
            journal.cursor("new");
        }
        try (Journal journal = open(directory(), next))
        {
            assertEquals(List.of("a", "b", "new"), journal.cursorNames());
            assertEquals(5, journal.cursor("a").sequence());
            assertEquals(5, journal.cursor("a").lag());
            assertEquals(6, journal.cursor("b").sequence());
            assertEquals(0, journal.cursor("new").sequence());
            journal.cursor("a").save(9);
        }
        final Journal journal = closing(open(directory(), writer));
        assertEquals(9, journal.cursor("a").sequence());
    }

    @EachBackend
    void sameNameIsTheSameCursor(final Backend backend)
    {
        try (Journal journal = open(directory(), backend))
        {
            assertSame(journal.cursor("a"), journal.cursor("a"));
            assertNotSame(journal.cursor("a"), journal.cursor("b"));
        }
        final Journal journal = closing(open(directory(), backend));
        assertSame(journal.cursor("a"), journal.cursor("a"));
    }

    @EachBackend
    void savingForcesTheRecordFirst(final Backend backend)
    {
        final Journal journal =
            closing(builder(directory(), backend).writeWindow(64 * 1024).backgroundThread(false).open());
        appendNumbered(journal, 5, 100);
        assertEquals(0, journal.forcedSequence());

        journal.cursor("a").save(3);

        assertTrue(journal.forcedSequence() >= 3);
        assertEquals(3, journal.cursor("a").sequence());
    }

    @EachBackend
    void savingForcesAtOnceUnderAPeriodicPolicy(final Backend backend)
    {
        // The background agent does not run.
        final Journal journal = closing(builder(directory(), backend)
            .force(ForcePolicy.every(Duration.ofHours(1))).backgroundThread(false).open());
        appendNumbered(journal, 5, 100);
        journal.cursor("a").save(5);

        assertEquals(5, journal.forcedSequence());
    }

    @EachBackend
    void sequenceOutsideTheJournalIsRejected(final Backend backend)
    {
        final Journal journal = closing(open(directory(), backend));
        appendNumbered(journal, 5, 100);
        final JournalCursor cursor = journal.cursor("a");
        cursor.save(5);
        cursor.save(0);
        cursor.save(2);
        for (final long sequence : new long[]{ -1, 6, 7, Long.MIN_VALUE, Long.MAX_VALUE })
        {
            assertThrows(IllegalArgumentException.class, () -> cursor.save(sequence));
            assertEquals(2, cursor.sequence());
        }
    }

    /** Blocks a save of one cursor, for which those of others wait. */
    private static final class BlockedSave implements StepStore.Steps
    {
        private final CountDownLatch isBlocked = new CountDownLatch(1);
        private final CountDownLatch isReleased = new CountDownLatch(1);
        private volatile boolean isBlocking;

        @Override
        public boolean before(final Step step, final String name)
        {
            if (isBlocking && Step.WRITE == step && "cursors/blocked.cursor".equals(name))
            {
                isBlocking = false;
                isBlocked.countDown();
                await(isReleased);
            }
            return true;
        }
    }

    @EachBackend
    void recordThatIsPrunedWhileASaveWaitsIsRejected(final Backend backend)
    {
        final BlockedSave device = new BlockedSave();
        final Journal journal = closing(builder(backend, device).open());
        appendNumbered(journal, 30, 10_000);
        final JournalCursor blocked = journal.cursor("blocked");
        final JournalCursor cursor = journal.cursor("a");
        cursor.save(25);
        final JournalReader reader = closing(journal.openReader(journal.cursor("b")));
        assertNumbered(1, 3, poll(reader, 3));
        device.isBlocking = true;
        final Background first = Background.start("first", () -> blocked.save(30));
        await(device.isBlocked);
        final Background saving =
            Background.start("saving", () -> assertThrows(IllegalArgumentException.class, () -> cursor.save(2)));
        final Background committing =
            Background.start("committing", () -> assertThrows(RecordsGoneException.class, reader::commit));
        saving.awaitParked();
        committing.awaitParked();

        assertTrue(journal.prune(20) > 4);
        device.isReleased.countDown();

        List.of(first, saving, committing).forEach(Background::join);
        assertEquals(30, blocked.sequence());
        assertEquals(25, cursor.sequence());
        assertEquals(0, journal.cursor("b").sequence());
        assertEquals(JournalReader.State.PRUNED, reader.state());
    }

    @EachBackend
    void nameIsOneOfFewCharacters(final Backend backend) throws IOException
    {
        final List<String> good = List.of(
            "a", "A", "0", "_", "-", "a.b", "a.", "spare", "spare.cursor", "orders-view_2.cursor", "x".repeat(100));
        final List<String> bad = List.of(
            "", ".", "..", ".a", "a/b", "../a", "a\\b", "a b", "a\0", "\u00e4", "\uff21", "x".repeat(101));
        try (Journal journal = open(directory(), backend))
        {
            for (final String name : good)
            {
                assertEquals(name, journal.cursor(name).name());
            }
            for (final String name : bad)
            {
                assertThrows(IllegalArgumentException.class, () -> journal.cursor(name), name);
                journal.deleteCursor(name);
            }
            assertThrows(NullPointerException.class, () -> journal.cursor(null));
            assertEquals(good.stream().sorted().toList(), journal.cursorNames());
        }
        try (Journal journal = open(directory(), backend))
        {
            assertEquals(good.stream().sorted().toList(), journal.cursorNames());
        }
        try (Stream<Path> files = Files.list(directory().resolve("cursors")))
        {
            assertEquals(good.size(), files.count());
        }
    }

    @EachBackend
    void deletedCursorStartsOver(final Backend backend)
    {
        try (Journal journal = open(directory(), backend))
        {
            appendNumbered(journal, 5, 100);
            final JournalCursor deleted = journal.cursor("a");
            deleted.save(4);
            journal.cursor("b").save(2);

            deleted.delete();

            assertEquals(List.of("b"), journal.cursorNames());
            assertThrows(IllegalStateException.class, () -> deleted.save(5));
            final JournalCursor again = journal.cursor("a");
            assertNotSame(deleted, again);
            assertEquals(0, again.sequence());
            // It is not that one's to delete.
            deleted.delete();
            assertSame(again, journal.cursor("a"));
            journal.deleteCursor("b");
            journal.deleteCursor("never-there");
        }
        final Journal journal = closing(open(directory(), backend));
        assertEquals(List.of("a"), journal.cursorNames());
        assertEquals(0, journal.cursor("a").sequence());
    }

    @EachBackend
    void closedJournalSavesNothing(final Backend backend)
    {
        final Journal journal = open(directory(), backend);
        appendNumbered(journal, 5, 100);
        final JournalCursor cursor = journal.cursor("a");
        cursor.save(3);
        journal.close();

        assertClosed(() -> cursor.save(4));
        assertClosed(cursor::delete);
        assertThrows(IllegalStateException.class, () -> journal.cursor("a"));
        assertThrows(IllegalStateException.class, () -> journal.deleteCursor("a"));
        assertEquals(3, cursor.sequence());
        assertEquals(2, cursor.lag());
        assertEquals(List.of("a"), journal.cursorNames());
        final Journal next = closing(open(directory(), backend));
        assertEquals(3, next.cursor("a").sequence());
    }

    @EachBackend
    void journalWithoutCursorsHasNoDirectoryForThem(final Backend backend)
    {
        try (Journal journal = open(directory(), backend))
        {
            journal.deleteCursor("a");
            assertEquals(List.of(), journal.cursorNames());
        }
        assertFalse(Files.exists(directory().resolve("cursors")));
    }

    @EachBackend
    void failedSaveEndsTheJournal(final Backend backend)
    {
        for (final Step failing : List.of(Step.WRITE, Step.FORCE))
        {
            final Path path = temp.resolve("failing-" + failing);
            final FailingSteps device =
                new FailingSteps((step, name) -> failing == step && name.startsWith("cursors/"));
            final StepStore store = new StepStore(backend.store(path), device);
            try (Journal journal = builder(path, backend).store(store).open())
            {
                appendNumbered(journal, 5, 100);
                final JournalCursor cursor = journal.cursor("a");
                cursor.save(2);
                device.fail();

                assertThrows(JournalException.class, () -> cursor.save(5));

                assertEquals(2, cursor.sequence());
                device.work();
                assertThrows(JournalException.class, () -> cursor.save(5));
                assertThrows(JournalException.class, () -> journal.appender().append(new byte[1]));
                assertThrows(JournalException.class, journal::force);
            }
            try (Journal journal = open(path, backend))
            {
                assertEquals(5, journal.lastSequence());
                assertEquals(Step.WRITE == failing ? 2 : 5, journal.cursor("a").sequence());
            }
        }
    }

    @EachBackend
    void failedCursorCreationLeavesTheJournalUsable(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(
            (step, name) -> name.startsWith("cursors/") && (Step.CREATE == step || Step.RENAME == step));
        final Journal journal = closing(builder(backend, device).open());
        appendNumbered(journal, 5, 100);
        device.beFull();
        assertThrows(JournalFullException.class, () -> journal.cursor("a"));
        device.fail();
        assertThrows(JournalException.class, () -> journal.cursor("a"));
        device.work();
        assertEquals(List.of(), journal.cursorNames());

        journal.cursor("a").save(5);
        assertEquals(6, journal.appender().append(new byte[1]));
        assertEquals(List.of("a"), journal.cursorNames());
    }

    /** The next opening's own fsync may succeed, and a consumer save in a file that a power loss takes. */
    @EachBackend
    void cursorWhoseNameMayNotBeDurableIsDeleted(final Backend backend)
    {
        final FailingSteps device =
            new FailingSteps((step, name) -> name.startsWith("cursors/") && Step.FORCE_DIRECTORY == step);
        final Journal journal = builder(backend, device).open();
        appendNumbered(journal, 5, 100);
        journal.cursor("a").save(3);
        device.fail();
        assertThrows(JournalException.class, () -> journal.cursor("b"));
        journal.close();

        device.work();
        final Journal next = closing(builder(backend, device).open());
        assertEquals(List.of("a"), next.cursorNames());
        assertEquals(3, next.cursor("a").sequence());
    }

    @EachBackend
    void directoryWhoseNameMayNotBeDurableIsDeleted(final Backend backend)
    {
        final FailingSteps device =
            new FailingSteps((step, name) -> name.isEmpty() && Step.FORCE_DIRECTORY == step);
        final Journal first = builder(backend, device).backgroundThread(false).open();
        appendNumbered(first, 5, 100);
        first.force();
        device.fail();
        assertThrows(JournalException.class, () -> first.cursor("a"));
        first.close();
        assertFalse(Files.exists(directory().resolve("cursors")));

        device.work();
        final Journal second = builder(backend, device).backgroundThread(false).open();
        second.cursor("a").save(3);
        device.fail();
        assertThrows(JournalException.class, () -> second.snapshots().save(3, (output) -> output.write(1)));
        second.close();
        assertFalse(Files.exists(directory().resolve("snapshots")));

        device.work();
        final Journal third = closing(builder(backend, device).open());
        assertEquals(3, third.cursor("a").sequence());
        third.snapshots().save(3, (output) -> output.write(1));
    }

    @EachBackend
    void threadsSaveSideBySide(final Backend backend)
    {
        final int threads = 4;
        final int count = 50;
        final AtomicLong saves = new AtomicLong();
        try (Journal journal = open(directory(), backend))
        {
            appendNumbered(journal, count, 100);
            final CountDownLatch start = new CountDownLatch(1);
            final List<Background> savers = new ArrayList<>();
            for (int i = 0; i < threads; i++)
            {
                final String own = "own-" + i;
                savers.add(Background.start(own, () ->
                {
                    start.await();
                    for (int sequence = 1; sequence <= count; sequence++)
                    {
                        journal.cursor(own).save(sequence);
                        journal.cursor("shared").save(sequence);
                        journal.cursor("come-and-go-" + own).delete();
                        saves.incrementAndGet();
                    }
                }));
            }
            start.countDown();
            savers.forEach(Background::join);
            assertEquals(threads * count, saves.get());
        }
        final Journal journal = closing(open(directory(), backend));
        for (int i = 0; i < threads; i++)
        {
            assertEquals(count, journal.cursor("own-" + i).sequence());
        }
        assertEquals(count, journal.cursor("shared").sequence());
        assertEquals(threads + 1, journal.cursorNames().size());
    }

    @EachBackend
    void closeStopsSavingBetweenTwoSaves(final Backend backend)
    {
        final AtomicLong saved = new AtomicLong();
        final CountDownLatch begun = new CountDownLatch(1);
        final Journal journal = open(directory(), backend);
        appendNumbered(journal, 1000, 10);
        final JournalCursor cursor = journal.cursor("a");
        final Background saver = Background.start("saver", () ->
        {
            assertThrows(IllegalStateException.class, () ->
            {
                for (int sequence = 1; sequence <= 1_000_000; sequence++)
                {
                    cursor.save(sequence % 1000);
                    saved.set(sequence % 1000);
                    begun.countDown();
                }
            });
        });
        await(begun);
        journal.close();
        saver.join();

        final Journal next = closing(open(directory(), backend));
        assertEquals(saved.get(), next.cursor("a").sequence());
    }

    @EachBackend
    void interruptedThreadSaves(final Backend backend)
    {
        try (Journal journal = open(directory(), backend))
        {
            appendNumbered(journal, 20, 100);
            Background.start("interrupted", () ->
            {
                for (int sequence = 1; sequence <= 20; sequence++)
                {
                    Thread.currentThread().interrupt();
                    journal.cursor("a").save(sequence);
                    journal.cursor("gone").delete();
                    assertTrue(Thread.interrupted());
                }
            }).join();
        }
        final Journal journal = closing(open(directory(), backend));
        assertEquals(20, journal.cursor("a").sequence());
        assertEquals(List.of("a"), journal.cursorNames());
    }
}
