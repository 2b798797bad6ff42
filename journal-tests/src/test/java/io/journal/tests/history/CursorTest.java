// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.internal.read.RecordsGoneException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
        for (final JournalCursor cursor : List.of(early, late))
        {
            assertEquals(0, cursor.sequence());
            assertEquals(7, cursor.lag());
            assertSame(cursor, journal.cursor(cursor.name()));
        }
        assertEquals(List.of("early", "late"), journal.cursorNames());
    }

    @EachBackend
    void savedSequenceIsRestoredOnOpen(final Backend backend)
    {
        try (Journal journal = open(directory(), backend))
        {
            appendNumbered(journal, 10, 100);
            journal.cursor("a").save(4);
            journal.cursor("b").save(10);
            journal.cursor("a").save(5);
            journal.cursor("b").save(6);
            journal.cursor("new");
        }
        final Journal journal = closing(open(directory(), backend));
        assertEquals(List.of("a", "b", "new"), journal.cursorNames());
        assertEquals(5, journal.cursor("a").sequence());
        assertEquals(5, journal.cursor("a").lag());
        assertEquals(6, journal.cursor("b").sequence());
        assertEquals(0, journal.cursor("new").sequence());
    }

    @EachBackend
    void savingForcesTheRecordFirst(final Backend backend)
    {
        for (final ForcePolicy policy : List.of(ForcePolicy.manual(), ForcePolicy.every(Duration.ofHours(1))))
        {
            // The background agent does not run.
            final Journal journal = closing(builder(temp.resolve(policy.toString()), backend)
                .writeWindow(64 * 1024).force(policy).backgroundThread(false).open());
            appendNumbered(journal, 5, 100);
            assertEquals(0, journal.forcedSequence());
            journal.cursor("a").save(3);
            assertTrue(journal.forcedSequence() >= 3);
            assertEquals(3, journal.cursor("a").sequence());
        }
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

    /** Blocks the next change of the state, for which others wait. */
    private static final class BlockedChange implements StepStore.Steps
    {
        private final CountDownLatch isBlocked = new CountDownLatch(1);
        private final CountDownLatch isReleased = new CountDownLatch(1);
        private volatile boolean isBlocking;

        @Override
        public boolean before(final Step step, final String name)
        {
            if (isBlocking && Step.WRITE == step && "journal.control".equals(name))
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
        final BlockedChange device = new BlockedChange();
        final Journal journal = closing(builder(backend, device).open());
        appendNumbered(journal, 30, 10_000);
        final JournalCursor cursor = journal.cursor("a");
        cursor.save(25);
        final JournalReader reader = closing(journal.openReader(journal.cursor("b")));
        assertNumbered(1, 3, poll(reader, 3));
        device.isBlocking = true;
        final Background pruning = Background.start("pruning", () -> assertTrue(journal.prune(20) > 4));
        await(device.isBlocked);
        final Background saving =
            Background.start("saving", () -> assertThrows(IllegalArgumentException.class, () -> cursor.save(2)));
        final Background committing =
            Background.start("committing", () -> assertThrows(RecordsGoneException.class, reader::commit));
        saving.awaitParked();
        committing.awaitParked();

        device.isReleased.countDown();

        List.of(pruning, saving, committing).forEach(Background::join);
        assertEquals(25, cursor.sequence());
        assertEquals(0, journal.cursor("b").sequence());
        assertEquals(JournalReader.State.PRUNED, reader.state());
    }

    @EachBackend
    void nameIsOneOfFewCharacters(final Backend backend)
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
            // A cursor must not delete a file that it does not own.
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
    void failedSaveEndsTheJournal(final Backend backend)
    {
        for (final Step failing : List.of(Step.WRITE, Step.FORCE))
        {
            final Path path = temp.resolve("failing-" + failing);
            final FailingSteps device =
                new FailingSteps((step, name) -> failing == step && "journal.control".equals(name));
            final StepStore store = new StepStore(backend.store(path), device);
            final Journal journal = builder(path, backend).store(store).open();
            try
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
            finally
            {
                assertThrows(JournalException.class, journal::close);
            }
            try (Journal next = open(path, backend))
            {
                assertEquals(5, next.lastSequence());
                assertEquals(Step.WRITE == failing ? 2 : 5, next.cursor("a").sequence());
            }
        }
    }

    @EachBackend
    void tooManyCursorsAreRefusedAndDeletingOneMakesRoom(final Backend backend)
    {
        final StepStore store = StepStore.unforced(backend.store(directory()));
        final List<String> names = new ArrayList<>();
        try (Journal journal = builder(directory(), backend).store(store).open())
        {
            appendNumbered(journal, 5, 100);
            final IllegalStateException ex = assertThrows(IllegalStateException.class, () ->
            {
                for (int i = 0; i < 2000; i++)
                {
                    final String name = "x".repeat(90) + "-" + (1000 + i);
                    journal.cursor(name).save(1 + i % 5);
                    names.add(name);
                }
            });
            assertTrue(ex.getMessage().contains("cursors=" + (names.size() + 1)), ex::getMessage);
            assertTrue(names.size() > 300, () -> "cursors=" + names.size());
            // The refused call changed nothing, and the existing cursors can still be saved.
            assertEquals(names, journal.cursorNames());
            journal.cursor(names.get(7)).save(5);
            appendNumbered(journal, 1, 100);
            assertThrows(IllegalStateException.class, () -> journal.cursor("y".repeat(95)));

            journal.deleteCursor(names.remove(0));
            journal.cursor("y".repeat(95)).save(6);
            names.add("y".repeat(95));
        }
        final Journal journal = closing(open(directory(), backend));
        assertEquals(names, journal.cursorNames());
        assertEquals(5, journal.cursor(names.get(6)).sequence());
        assertEquals(6, journal.cursor(names.get(names.size() - 1)).sequence());
        assertNumbered(1, 6, readAll(journal));
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
        assertThrows(JournalException.class, () -> first.snapshots().save(3, (output) -> output.write(1)));
        assertThrows(JournalException.class, first::close);
        assertFalse(Files.exists(directory().resolve("snapshots")));

        device.work();
        final Journal second = closing(builder(backend, device).open());
        second.snapshots().save(3, (output) -> output.write(1));
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
}
