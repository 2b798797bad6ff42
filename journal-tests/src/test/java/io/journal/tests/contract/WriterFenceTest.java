// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.verify.JournalRepair;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.function.ThrowingConsumer;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Writers that lose the lock or the directory while in use. Records acknowledged by either writer are never lost. */
class WriterFenceTest extends JournalFixture
{
    private static final String CURSOR = "consumer";

    private JournalBuilder builder(final Backend backend)
    {
        return builder(directory(), backend).backgroundThread(false);
    }

    @Override
    protected Journal open(final Backend backend)
    {
        return builder(backend).open();
    }

    private void dropLock() throws IOException
    {
        Files.delete(directory().resolve("journal.lock"));
    }

    /** Calls of a writer that has lost its journal. */
    private enum Attempt
    {
        APPEND((journal) -> appendNumbered(journal, 1, 10)),
        FORCE((journal) -> journal.force()),
        AWAIT_FORCED((journal) -> journal.awaitForced(journal.lastSequence())),
        SAVE_CURSOR((journal) -> journal.cursor(CURSOR).save(journal.forcedSequence())),
        CREATE_CURSOR((journal) -> journal.cursor("another")),
        DELETE_CURSOR((journal) -> journal.deleteCursor(CURSOR)),
        SAVE_SNAPSHOT((journal) -> journal.snapshots().save(journal.forcedSequence(), (output) -> output.write(1))),
        PRUNE((journal) -> journal.prune(journal.lastSequence() + 1)),
        TRUNCATE((journal) -> journal.truncateAfter(1)),
        ROLL((journal) -> journal.roll());

        final Consumer<Journal> attempt;

        Attempt(final Consumer<Journal> attempt)
        {
            this.attempt = attempt;
        }
    }

    @EachBackend(and = Attempt.class)
    void writerIsFencedByTheNextOne(final Backend backend, final Attempt attempt) throws IOException
    {
        final Journal first = closing(openWithSegments(backend));
        appendNumbered(first, 3, 100);
        final long last = first.lastSequence();
        dropLock();
        try (Journal second = open(backend))
        {
            second.cursor(CURSOR).save(5);
            appendNumbered(second, 4, 200);
            second.force();

            final JournalException ex = assertThrows(JournalException.class, () -> attempt.attempt.accept(first));
            assertInstanceOf(JournalLockedException.class, ex, () -> attempt + ": " + ex);
            assertThrows(JournalException.class, () -> appendNumbered(first, 1, 10));
            assertThrows(JournalException.class, first::force);
            assertTrue(first.counters().isFailed());
            appendNumbered(second, 4, 300);
        }
        assertLeftBySecond(last);
    }

    private Journal openWithSegments(final Backend backend)
    {
        final Journal journal = open(backend);
        journal.cursor(CURSOR).save(0);
        while (journal.counters().appendedPosition() < SEGMENT_LENGTH + 8192)
        {
            appendNumbered(journal, 1, 1000);
        }
        journal.force();
        return journal;
    }

    private void assertLeftBySecond(final long last)
    {
        final Journal third = closing(open(Backend.FILE_CHANNEL));
        assertNumbered(1, last + 8, readAll(third));
        assertEquals(List.of(CURSOR), third.cursorNames());
        assertEquals(5, third.cursor(CURSOR).sequence());
        assertEquals(0, third.snapshots().load((input) -> assertEquals(-1, input.read())));
        assertEquals(0, third.recoveryReport().tornLength());
    }

    @EachBackend(and = Attempt.class)
    void journalThatReplacedAMovedOneIsNotChanged(final Backend backend, final Attempt attempt)
        throws IOException
    {
        final Journal first = openWithSegments(backend);
        final long last = first.lastSequence();
        final Path moved = temp.resolve("moved");
        Files.move(directory(), moved);
        copy(moved, directory());
        try (Journal second = open(backend))
        {
            second.cursor(CURSOR).save(5);
            appendNumbered(second, 4, 200);
            second.force();
            try
            {
                attempt.attempt.accept(first);
                // These calls succeed: the records go into the directory that was moved.
                assertTrue(
                    attempt == Attempt.APPEND || attempt == Attempt.FORCE || attempt == Attempt.AWAIT_FORCED,
                    attempt::name);
            }
            catch (final JournalException ex)
            {
                assertTrue(ex.getMessage().contains("was removed, moved or replaced"), ex::toString);
            }
            closeQuietly(first);
            assertTrue(first.counters().isFailed());
            appendNumbered(second, 4, 300);
        }
        assertLeftBySecond(last);
    }

    /** Calls that flush records buffered in a write window. */
    private enum Write
    {
        FORCE((journal) -> journal.force()),
        APPEND((journal) -> appendNumbered(journal, 1, 50)),
        AGENT((journal) ->
        {
            journal.backgroundAgent().doWork();
            journal.backgroundAgent().doWork();
        }),

        READER((journal) -> readAll(journal)),
        FULL_WINDOW((journal) -> appendNumbered(journal, 100, 1000)),
        CLOSE((journal) -> journal.close());

        final ThrowingConsumer<Journal> write;

        Write(final ThrowingConsumer<Journal> write)
        {
            this.write = write;
        }
    }

    @EachBackend(and = Write.class)
    void recordsInAWriteWindowAreNotWrittenOverThoseOfTheNextWriter(final Backend backend, final Write write)
        throws Throwable
    {
        final Journal first = builder(backend).writeWindow(64 * 1024).errorHandler((error) ->
        {
        }).open();
        appendNumbered(first, 3, 100);
        first.force();
        appendNumbered(first, 5, 50);
        dropLock();
        final long last;
        try (Journal second = open(backend))
        {
            appendNumbered(second, 10, 200);
            second.force();
            last = second.lastSequence();
            try
            {
                write.write.accept(first);
                // A mapped journal buffers nothing, so a read has nothing to flush.
                assertTrue(Write.AGENT == write || Write.READER == write && Backend.MAPPED == backend, write::name);
            }
            catch (final JournalException ex)
            {
                assertTrue(isLocked(ex), ex::toString);
            }
            closeQuietly(first);
            assertTrue(first.counters().isFailed());
        }
        assertNumbered(1, last, readAll(directory(), backend));
    }

    @EachBackend
    void repairFencesAWriterThatLostItsLock(final Backend backend) throws Exception
    {
        final Journal first = open(backend);
        appendNumbered(first, 10, 100);
        first.force();
        // Closing any descriptor of the file drops the lock of the process; here a deleted file stands for that.
        dropLock();
        try (JournalRepair repair = JournalRepair.open(directory()))
        {
            final JournalDirectory files = new JournalDirectory(directory());
            repair.truncate(files.record(6).position(), 6);
        }
        try (Journal second = open(backend))
        {
            appendNumbered(second, 5, 100);
            second.force();
            assertTrue(isLocked(assertThrows(JournalException.class, () -> appendNumbered(first, 1, 100))));
        }
        assertNumbered(1, 10, readAll(directory(), backend));
        closeQuietly(first);
    }

    @EachBackend
    void stalledTruncationDoesNotChangeTheNextWritersJournal(final Backend backend) throws IOException
    {
        final Journal[] second = { null };
        final boolean[] isTruncating = { false };
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            // The first step at which this writer is no longer the owner, because another writer has opened the
            // journal.
            if (isTruncating[0] && null == second[0] && Step.WRITE == step && "journal.control".equals(name))
            {
                dropLock();
                second[0] = open(backend);
                appendNumbered(second[0], 10, 300);
                second[0].force();
            }
            return true;
        });
        final Journal first = builder(backend).store(store).open();
        // More than a segment, so that the truncation would delete a segment.
        appendNumbered(first, 800, 100);
        first.force();
        isTruncating[0] = true;

        assertTrue(isLocked(assertThrows(JournalException.class, () -> first.truncateAfter(10))));
        // Closing writes a state again.
        final Path crashed = temp.resolve("crashed");
        copy(directory(), crashed);
        assertNumbered(1, 810, readAll(crashed, backend));
        second[0].close();
        assertNumbered(1, 810, readAll(directory(), backend));
        closeQuietly(first);
    }

    /** The next writer appends to the segment whose name this one is about to take. */
    @EachBackend
    void stalledPreparationDoesNotDeleteTheNextWritersSegment(final Backend backend) throws Exception
    {
        final Journal[] second = { null };
        final boolean[] isOpen = { false };
        final Journal first = silent(backend).store(new StepStore(backend.store(directory()), (step, name) ->
        {
            if (isOpen[0] && null == second[0] && Step.FORCE == step && name.startsWith("spare-"))
            {
                second[0] = takeOver(backend);
            }
            return true;
        })).open();
        isOpen[0] = true;

        assertLost(first, second);
        assertNumbered(1, 100, readAll(directory(), backend));
    }

    @EachBackend
    void recycledFileDoesNotReplaceTheNextWritersSegment(final Backend backend) throws Exception
    {
        final Journal first = silent(backend).recycleSegments(true).open();
        appendNumbered(first, 90, 3000);
        first.force();
        first.backgroundAgent().doWork();
        first.prune(60);
        first.roll();
        first.force();
        final Journal[] second = { takeOver(backend) };

        assertLost(first, second);
        final List<Entry> left = readAll(directory(), backend);
        assertNumbered(left.get(0).sequence(), 190, left);
    }

    private JournalBuilder silent(final Backend backend)
    {
        return builder(backend).errorHandler((ignored) ->
        {
        });
    }

    private Journal takeOver(final Backend backend) throws IOException
    {
        dropLock();
        final Journal second = open(backend);
        appendNumbered(second, 99, 3000);
        second.force();
        return second;
    }

    /** The first writer makes its next segment; the second one appends to a segment that it has made before. */
    private void assertLost(final Journal first, final Journal[] second) throws Exception
    {
        for (int i = 0; i < 10; i++)
        {
            first.backgroundAgent().doWork();
        }
        appendNumbered(second[0], 1, 3000);
        second[0].force();
        second[0].close();
        assertTrue(isLocked(assertThrows(JournalException.class, first::force)));
        closeQuietly(first);
    }

    private enum Removal
    {
        PRUNE, TRUNCATION
    }

    /** The directory is replaced while the change that makes segments needless is fsynced. */
    @EachBackend(and = Removal.class)
    void segmentsOfAJournalThatReplacedThisOneAreNotDeleted(final Backend backend, final Removal removal)
        throws IOException
    {
        final boolean[] isRemoving = { false };
        final Journal first = builder(backend).store(new StepStore(backend.store(directory()), (step, name) ->
        {
            if (isRemoving[0] && Step.FORCE == step && "journal.control".equals(name))
            {
                isRemoving[0] = false;
                Files.move(directory(), temp.resolve("moved"));
                try (Journal second = open(backend))
                {
                    appendNumbered(second, 100, 3000);
                }
            }
            return true;
        })).open();
        appendNumbered(first, 100, 3000);
        first.force();
        isRemoving[0] = true;

        assertTrue(isLocked(assertThrows(JournalException.class, () ->
        {
            if (Removal.PRUNE == removal)
            {
                first.prune(90);
            }
            else
            {
                first.truncateAfter(3);
            }
        })));
        closeQuietly(first);
        assertNumbered(1, 100, readAll(directory(), backend));
    }

    /** Where another writer opens the journal while this one fsyncs. */
    private enum Stall
    {
        FSYNC,
        /** After the fence was read for the last time before the watermark is stored. */
        WATERMARK
    }

    @EachBackend(and = Stall.class)
    void stalledForceAcknowledgesNothingThatTheNextWriterLacks(final Backend backend, final Stall stall)
        throws IOException
    {
        final JournalDirectory files = new JournalDirectory(directory());
        // The number decides which of the two watermark slots the next writer stored last.
        for (int forces = 1; forces <= 2; forces++)
        {
            final int count = forces;
            final Journal[] second = { null };
            final ForceSteps steps = new ForceSteps();
            final Journal first =
                closing(builder(backend).store(new StepStore(backend.store(directory()), steps)).open());
            appendNumbered(first, 10, 100);
            first.force();
            final long last = first.lastSequence();
            appendNumbered(first, 1, 100);
            steps.watch(Stall.FSYNC == stall, () ->
            {
                if (null == second[0])
                {
                    dropLock();
                    second[0] = closing(open(backend));
                    second[0].truncateAfter(last);
                    for (int i = 0; i < count; i++)
                    {
                        appendNumbered(second[0], 1, 300);
                        second[0].force();
                    }
                }
            });

            assertTrue(isLocked(assertThrows(JournalException.class, first::force)));
            assertEquals(last, first.forcedSequence());
            if (Stall.FSYNC == stall)
            {
                assertEquals(last + count, files.forced().nextSequence() - 1);
                assertEquals(files.state().term(), files.forced().term());
            }
            second[0].close();
            closeQuietly(first);
            assertNumbered(1, last + count, readAll(directory(), backend));
        }
    }

    /** An opening that reads the watermark must find every record that was acknowledged before. */
    @EachBackend
    void watermarkIsStoredBeforeItsRecordsAreAcknowledged(final Backend backend)
    {
        final JournalDirectory files = new JournalDirectory(directory());
        final ForceSteps steps = new ForceSteps();
        final Journal journal =
            closing(builder(backend).store(new StepStore(backend.store(directory()), steps)).open());
        appendNumbered(journal, 10, 100);
        journal.force();
        appendNumbered(journal, 1, 100);
        final List<String> ends = new ArrayList<>();
        steps.watch(
            false, () -> ends.add((files.forced().nextSequence() - 1) + " stored, " + journal.forcedSequence()));
        journal.force();

        assertEquals(List.of("10 stored, 10", "11 stored, 10"), ends);
        assertEquals(11, journal.forcedSequence());
    }

    /** Runs an action at the fsync of a segment, or after each read of the fence that follows it. */
    private static final class ForceSteps implements StepStore.Steps
    {
        private boolean isAtFsync;
        private Executable action;
        private boolean isForced;

        void watch(final boolean isAtFsync, final Executable action)
        {
            this.isAtFsync = isAtFsync;
            this.action = action;
        }

        @Override
        public boolean before(final Step step, final String name)
        {
            if (null != action && Step.FORCE == step && name.endsWith(".journal"))
            {
                isForced = true;
                run(isAtFsync);
            }
            return true;
        }

        @Override
        public void afterRead(final String name, final long offset, final ByteBuffer bytes)
        {
            if (isForced && JournalDirectory.CONTROL.equals(name) && JournalDirectory.FENCE_OFFSET == offset)
            {
                run(!isAtFsync);
            }
        }

        private void run(final boolean isHere)
        {
            if (isHere)
            {
                assertDoesNotThrow(action);
            }
        }
    }

    private static void closeQuietly(final Journal journal)
    {
        try
        {
            journal.close();
        }
        catch (final JournalException ignore)
        {
            // This write did not notice the loss of the lock. Another test asserts that it is noticed.
        }
    }

    @EachBackend
    void claimIsNotCommittedOverTheRecordsOfTheNextWriter(final Backend backend) throws IOException
    {
        final Journal first = closing(open(backend));
        appendNumbered(first, 3, 100);
        first.force();
        final RecordClaim claim = first.appender().claim(100);
        dropLock();
        try (Journal second = open(backend))
        {
            appendNumbered(second, 3, 100);
            second.force();
            assertTrue(isLocked(assertThrows(JournalException.class, claim::commit)));
            claim.close();
        }
        assertNumbered(1, 6, readAll(directory(), backend));
    }

    @EachBackend
    void lockDroppedByOtherCodeLetsOnlyOneWriterAcknowledge(final Backend backend) throws IOException
    {
        try (Fallible fallible = new Fallible(open(backend)))
        {
            final Journal first = fallible.journal();
            appendNumbered(first, 5, 100);
            first.force();
            // Closing any descriptor of the file drops the lock of the process.
            Files.readAllBytes(directory().resolve("journal.lock"));
            final ChildJvm second = closing(JournalLockTest.startChild(temp, directory(), backend));
            second.send("5");
            assertEquals(10, second.await("last"));
            assertTrue(isLocked(assertThrows(JournalException.class, () -> appendNumbered(first, 1, 100))));
            assertThrows(JournalException.class, first::force);
            second.send("5");
            assertEquals(15, second.awaitBeyond("last", 10) ? second.highest("last") : 0);
            second.kill();
        }
        assertNumbered(1, 15, readAll(directory(), backend));
    }

    /** The last act of a writer, after the next writer has read the files and before that fences this writer. */
    private enum LastAct
    {
        APPEND((journal) -> appendNumbered(journal, 40, 1000)),
        FORCE((journal) ->
        {
            appendNumbered(journal, 3, 100);
            journal.force();
        }),

        PRUNE((journal) -> journal.prune(journal.lastSequence())),
        TRUNCATE((journal) -> journal.truncateAfter(journal.lastSequence() - 3)),
        SAVE_CURSOR((journal) -> journal.cursor(CURSOR).save(journal.forcedSequence()));

        final Consumer<Journal> act;

        LastAct(final Consumer<Journal> act)
        {
            this.act = act;
        }
    }

    @EachBackend(and = LastAct.class)
    void lastActOfAWriterIsKeptByTheNextOne(final Backend backend, final LastAct act) throws IOException
    {
        try (Fallible fallible = new Fallible(open(backend)))
        {
            final Journal first = fallible.journal();
            first.cursor(CURSOR).save(0);
            while (first.counters().appendedPosition() < 3 * SEGMENT_LENGTH)
            {
                appendNumbered(first, 1, 1000);
            }
            first.force();
            final Path lock = directory().resolve("journal.lock");
            final Path lost = directory().resolve("lost");
            Files.move(lock, lost);

            final boolean[] isDone = { false };
            final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
            {
                if (Step.WRITE == step && "journal.control".equals(name) && !isDone[0])
                {
                    isDone[0] = true;
                    // The first writer finds its lock file, as if only the lock were lost.
                    final Path other = directory().resolve("other");
                    Files.move(lock, other);
                    Files.move(lost, lock);
                    act.act.accept(first);
                    Files.move(lock, lost);
                    Files.move(other, lock);
                }
                return true;
            });
            try (Journal second = builder(backend).store(store).open())
            {
                assertTrue(isDone[0]);
                assertEquals(first.firstSequence(), second.firstSequence());
                assertEquals(first.lastSequence(), second.lastSequence());
                assertNumbered(first.firstSequence(), first.lastSequence(), readAll(second));
                assertEquals(first.cursor(CURSOR).sequence(), second.cursor(CURSOR).sequence());
                appendNumbered(second, 3, 100);
            }
            assertTrue(isLocked(assertThrows(JournalException.class, () -> appendNumbered(first, 1, 10))));
        }
        open(backend).close();
    }

    /** What happens to the directory of a journal. */
    private enum Loss
    {
        REMOVED((directory) -> remove(directory)),
        EMPTIED((directory) ->
        {
            remove(directory);
            Files.createDirectory(directory);
        }),

        MOVED((directory) -> Files.move(directory, directory.resolveSibling("moved"))),
        REPLACED((directory) ->
        {
            Files.move(directory, directory.resolveSibling("moved"));
            copy(directory.resolveSibling("moved"), directory);
        }),

        REPLACED_BY_A_FILE((directory) ->
        {
            Files.move(directory, directory.resolveSibling("moved"));
            Files.createFile(directory);
        }),

        LOCK_REMOVED((directory) -> Files.delete(directory.resolve("journal.lock"))),
        LOCK_REPLACED_BY_A_DIRECTORY((directory) ->
        {
            Files.delete(directory.resolve("journal.lock"));
            Files.createDirectory(directory.resolve("journal.lock"));
        });

        final ThrowingConsumer<Path> loss;

        Loss(final ThrowingConsumer<Path> loss)
        {
            this.loss = loss;
        }

        private static void remove(final Path directory) throws IOException
        {
            try (Stream<Path> files = Files.walk(directory))
            {
                for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
                {
                    Files.delete(file);
                }
            }
        }
    }

    /** Where the writer notices the loss. */
    private enum Notice
    {
        AGENT((journal) ->
        {
            while (!journal.counters().isFailed())
            {
                journal.backgroundAgent().doWork();
            }
        }),
        ROLL((journal) -> appendNumbered(journal, 100, 1000)),
        CLOSE((journal) -> journal.close());

        final ThrowingConsumer<Journal> call;

        Notice(final ThrowingConsumer<Journal> call)
        {
            this.call = call;
        }
    }

    @EachBackend(and = { Loss.class, Notice.class })
    void lossOfTheDirectoryIsDetected(final Backend backend, final Loss loss, final Notice notice) throws Throwable
    {
        final List<Throwable> errors = new CopyOnWriteArrayList<>();
        final Journal journal = builder(backend).errorHandler(errors::add).open();
        appendNumbered(journal, 3, 100);
        journal.force();
        if (Notice.ROLL == notice)
        {
            // The next segment is prepared.
            journal.backgroundAgent().doWork();
        }
        loss.loss.accept(directory());

        if (Notice.AGENT == notice)
        {
            notice.call.accept(journal);
        }
        else
        {
            errors.add(assertThrows(JournalException.class, () -> notice.call.accept(journal)));
        }

        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).getMessage().contains("was removed, moved or replaced"), errors::toString);
        assertTrue(journal.lastSequence() < 70);
        if (Notice.CLOSE != notice)
        {
            assertThrows(JournalException.class, () -> appendNumbered(journal, 1, 100));
            assertThrows(JournalException.class, journal::force);
        }
        closeFallible(journal);
    }

    @EachBackend
    void nothingIsCreatedInADirectoryThatReplacedTheJournals(final Backend backend) throws Exception
    {
        final Path moved = temp.resolve("moved");
        try (Fallible fallible = new Fallible(open(backend)))
        {
            final Journal first = fallible.journal();
            appendNumbered(first, 3, 100);
            first.force();
            Files.move(directory(), moved);
            try (Journal second = open(backend))
            {
                appendNumbered(second, 2, 100);
                second.force();
                assertThrows(JournalException.class, () -> appendNumbered(first, 200, 1000));
                appendNumbered(second, 200, 1000);
            }
        }
        assertNumbered(1, 202, readAll(directory(), backend));
        assertTrue(readAll(moved, backend).size() >= 3);
    }

    private static boolean isLocked(final Throwable ex)
    {
        return Stream.iterate(ex, Objects::nonNull, Throwable::getCause)
            .anyMatch((cause) -> cause instanceof JournalLockedException ||
                String.valueOf(cause.getMessage()).contains("was removed, moved or replaced"));
    }
}
