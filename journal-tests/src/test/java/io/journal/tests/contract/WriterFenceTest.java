package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.verify.JournalRepair;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static io.journal.tests.support.JournalFixture.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalFixture.appendNumbered;
import static io.journal.tests.support.JournalFixture.assertNumbered;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Writers that lose the lock or the directory while they are at work. In all cases what was acknowledged by either
 * writer is there in the end.
 */
class WriterFenceTest
{
    private static final String CURSOR = "consumer";

    @TempDir
    private Path parent;

    private Path directory()
    {
        return parent.resolve("journal");
    }

    private JournalBuilder builder(final Backend backend)
    {
        return JournalFixture.builder(directory(), backend).backgroundThread(false);
    }

    private Journal open(final Backend backend)
    {
        return builder(backend).open();
    }

    private void dropLock() throws IOException
    {
        Files.delete(directory().resolve("journal.lock"));
    }

    /** What a writer that has lost its journal tries to do. */
    private enum Attempt
    {
        APPEND
        {
            @Override
            void make(final Journal journal)
            {
                appendNumbered(journal, 1, 10);
            }
        },

        FORCE
        {
            @Override
            void make(final Journal journal)
            {
                journal.force();
            }
        },

        AWAIT_FORCED
        {
            @Override
            void make(final Journal journal)
            {
                journal.awaitForced(journal.lastSequence());
            }
        },

        SAVE_CURSOR
        {
            @Override
            void make(final Journal journal)
            {
                journal.cursor(CURSOR).save(journal.forcedSequence());
            }
        },

        CREATE_CURSOR
        {
            @Override
            void make(final Journal journal)
            {
                journal.cursor("another");
            }
        },

        DELETE_CURSOR
        {
            @Override
            void make(final Journal journal)
            {
                journal.deleteCursor(CURSOR);
            }
        },

        SAVE_SNAPSHOT
        {
            @Override
            void make(final Journal journal)
            {
                journal.snapshots().save(journal.forcedSequence(), (output) -> output.write(1));
            }
        },

        PRUNE
        {
            @Override
            void make(final Journal journal)
            {
                journal.prune(journal.lastSequence() + 1);
            }
        },

        TRUNCATE
        {
            @Override
            void make(final Journal journal)
            {
                journal.truncateAfter(1);
            }
        },

        ROLL
        {
            @Override
            void make(final Journal journal)
            {
                journal.roll();
            }
        };

        abstract void make(Journal journal);
    }

    static Stream<Arguments> attempts()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Arrays.stream(Attempt.values()).map((attempt) -> Arguments.of(backend, attempt)));
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void writerIsFencedByTheNextOne(final Backend backend, final Attempt attempt) throws IOException
    {
        try (Journal first = open(backend))
        {
            first.cursor(CURSOR).save(0);
            while (first.counters().appendedPosition() < SEGMENT_LENGTH + 8192)
            {
                appendNumbered(first, 1, 1000);
            }
            first.force();
            appendNumbered(first, 3, 100);
            final long last = first.lastSequence();
            dropLock();
            try (Journal second = open(backend))
            {
                second.cursor(CURSOR).save(5);
                appendNumbered(second, 4, 200);
                second.force();

                final JournalException ex = assertThrows(JournalException.class, () -> attempt.make(first));
                assertInstanceOf(JournalLockedException.class, ex, () -> attempt + ": " + ex);
                assertThrows(JournalException.class, () -> appendNumbered(first, 1, 10));
                assertThrows(JournalException.class, first::force);
                assertTrue(first.counters().isFailed());

                appendNumbered(second, 4, 300);
            }
            try (Journal third = open(Backend.FILE_CHANNEL))
            {
                assertNumbered(1, last + 8, JournalFixture.readAll(third));
                assertEquals(List.of(CURSOR), third.cursorNames());
                assertEquals(5, third.cursor(CURSOR).sequence());
                assertEquals(0, third.snapshots().load((input) -> assertEquals(-1, input.read())));
                assertEquals(0, third.recoveryReport().tornLength());
            }
        }
    }

    @ParameterizedTest
    @MethodSource("attempts")
    void journalThatTookThePlaceOfAMovedOneIsLeftAsItIs(final Backend backend, final Attempt attempt)
        throws IOException
    {
        final Journal first = open(backend);
        first.cursor(CURSOR).save(0);
        while (first.counters().appendedPosition() < SEGMENT_LENGTH + 8192)
        {
            appendNumbered(first, 1, 1000);
        }
        first.force();
        final long last = first.lastSequence();
        final Path moved = parent.resolve("moved");
        Files.move(directory(), moved);
        JournalFixture.copy(moved, directory());
        try (Journal second = open(backend))
        {
            second.cursor(CURSOR).save(5);
            appendNumbered(second, 4, 200);
            second.force();

            try
            {
                attempt.make(first);
                // What it appends and forces is in the directory that was moved.
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
        try (Journal third = open(Backend.FILE_CHANNEL))
        {
            assertNumbered(1, last + 8, JournalFixture.readAll(third));
            assertEquals(List.of(CURSOR), third.cursorNames());
            assertEquals(5, third.cursor(CURSOR).sequence());
            assertEquals(0, third.snapshots().load((input) -> assertEquals(-1, input.read())));
        }
    }

    /** What lets records be written that have waited in a write window. */
    private enum Write
    {
        FORCE
        {
            @Override
            void make(final Journal journal)
            {
                journal.force();
            }
        },

        AGENT
        {
            @Override
            void make(final Journal journal) throws Exception
            {
                journal.backgroundAgent().doWork();
                journal.backgroundAgent().doWork();
            }
        },

        READER
        {
            @Override
            void make(final Journal journal)
            {
                JournalFixture.readAll(journal);
            }
        },

        FULL_WINDOW
        {
            @Override
            void make(final Journal journal)
            {
                appendNumbered(journal, 100, 1000);
            }
        },

        CLOSE
        {
            @Override
            void make(final Journal journal)
            {
                journal.close();
            }
        };

        abstract void make(Journal journal) throws Exception;
    }

    static Stream<Arguments> writes()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Arrays.stream(Write.values()).map((write) -> Arguments.of(backend, write)));
    }

    @ParameterizedTest
    @MethodSource("writes")
    void recordsInAWriteWindowAreNotWrittenOverThoseOfTheNextWriter(final Backend backend, final Write write)
        throws Exception
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
                write.make(first);
                // Of a mapped journal nothing waits for a reader.
                assertTrue(Write.AGENT == write || Write.READER == write && Backend.MAPPED == backend, write::name);
            }
            catch (final JournalException ex)
            {
                assertTrue(isLocked(ex), ex::toString);
            }
            closeQuietly(first);
            assertTrue(first.counters().isFailed());
        }
        assertNumbered(1, last, JournalFixture.readAll(directory(), backend));
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
        assertNumbered(1, 10, JournalFixture.readAll(directory(), backend));
        closeQuietly(first);
    }

    @EachBackend
    void truncationThatStalledChangesNothingOfTheNextWriter(final Backend backend) throws IOException
    {
        final Journal[] second = { null };
        final boolean[] isTruncating = { false };
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            // The first step that the truncation makes behind its intent.
            if (isTruncating[0] && null == second[0] && Step.FORCE_DIRECTORY == step)
            {
                dropLock();
                second[0] = open(backend);
                appendNumbered(second[0], 10, 300);
                second[0].force();
            }
            return true;
        });
        final Journal first = builder(backend).store(store).open();
        appendNumbered(first, 20, 100);
        first.force();
        isTruncating[0] = true;

        assertTrue(isLocked(assertThrows(JournalException.class, () -> first.truncateAfter(10))));
        second[0].close();
        assertNumbered(1, 20, JournalFixture.readAll(directory(), backend));
        closeQuietly(first);
    }

    private static void closeQuietly(final Journal journal)
    {
        try
        {
            journal.close();
        }
        catch (final JournalException ignore)
        {
            // Nobody was told before, which is not what is tested here.
        }
    }

    @EachBackend
    void claimIsNotCommittedOverTheRecordsOfTheNextWriter(final Backend backend) throws IOException
    {
        try (Journal first = open(backend))
        {
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
            assertNumbered(1, 6, JournalFixture.readAll(directory(), backend));
        }
    }

    @EachBackend
    void claimIsNotAbortedOverTheRecordsOfTheNextWriter(final Backend backend) throws IOException
    {
        final Journal first = open(backend);
        appendNumbered(first, 3, 100);
        first.force();
        final RecordClaim claim = first.appender().claim(100);
        dropLock();
        try (Journal second = open(backend))
        {
            appendNumbered(second, 3, 100);
            second.force();
            claim.close();
            assertThrows(JournalException.class, first::close);
        }
        assertNumbered(1, 6, JournalFixture.readAll(directory(), backend));
    }

    @EachBackend
    void closingAFencedWriterThrowsAndChangesNothing(final Backend backend) throws IOException
    {
        final Journal first = open(backend);
        appendNumbered(first, 3, 100);
        dropLock();
        try (Journal second = open(backend))
        {
            appendNumbered(second, 3, 100);
            second.force();
            assertTrue(isLocked(assertThrows(JournalException.class, first::close)));
        }
        assertNumbered(1, 6, JournalFixture.readAll(directory(), backend));
    }

    @EachBackend
    void lockThatOtherCodeOfTheProcessDroppedLetsNoTwoWritersAcknowledge(final Backend backend) throws Exception
    {
        try (Journal first = open(backend))
        {
            appendNumbered(first, 5, 100);
            first.force();
            // Closing any descriptor of the file drops the lock of the process.
            Files.readAllBytes(directory().resolve("journal.lock"));

            try (JournalLockTest.Child second = JournalLockTest.Child.start(directory(), backend))
            {
                second.assertOpen(5);
                second.append(5);
                assertTrue(isLocked(assertThrows(JournalException.class, () -> appendNumbered(first, 1, 100))));
                assertThrows(JournalException.class, first::force);
                second.append(5);
                second.kill();
            }
        }
        assertNumbered(1, 15, JournalFixture.readAll(directory(), backend));
    }

    /** What a writer does just before the next one fences it, after that one has read the files. */
    private enum LastAct
    {
        APPEND
        {
            @Override
            void make(final Journal journal)
            {
                appendNumbered(journal, 40, 1000);
            }
        },

        FORCE
        {
            @Override
            void make(final Journal journal)
            {
                appendNumbered(journal, 3, 100);
                journal.force();
            }
        },

        PRUNE
        {
            @Override
            void make(final Journal journal)
            {
                journal.prune(journal.lastSequence());
            }
        },

        TRUNCATE
        {
            @Override
            void make(final Journal journal)
            {
                journal.truncateAfter(journal.lastSequence() - 3);
            }
        },

        SAVE_CURSOR
        {
            @Override
            void make(final Journal journal)
            {
                journal.cursor(CURSOR).save(journal.forcedSequence());
            }
        };

        abstract void make(Journal journal);
    }

    static Stream<Arguments> lastActs()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Arrays.stream(LastAct.values()).map((act) -> Arguments.of(backend, act)));
    }

    @ParameterizedTest
    @MethodSource("lastActs")
    void whatAWriterDoesWhileTheNextOneOpensIsKept(final Backend backend, final LastAct act) throws IOException
    {
        try (Journal first = open(backend))
        {
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
                if (Step.WRITE == step && "journal.mark".equals(name) && !isDone[0])
                {
                    isDone[0] = true;
                    // The first writer finds its lock file, as if only the lock were lost.
                    final Path other = directory().resolve("other");
                    Files.move(lock, other);
                    Files.move(lost, lock);
                    act.make(first);
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
                assertNumbered(first.firstSequence(), first.lastSequence(), JournalFixture.readAll(second));
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
        REMOVED
        {
            @Override
            void happenTo(final Path directory) throws IOException
            {
                remove(directory);
            }
        },

        EMPTIED
        {
            @Override
            void happenTo(final Path directory) throws IOException
            {
                remove(directory);
                Files.createDirectory(directory);
            }
        },

        MOVED
        {
            @Override
            void happenTo(final Path directory) throws IOException
            {
                Files.move(directory, directory.resolveSibling("moved"));
            }
        },

        REPLACED
        {
            @Override
            void happenTo(final Path directory) throws IOException
            {
                Files.move(directory, directory.resolveSibling("moved"));
                JournalFixture.copy(directory.resolveSibling("moved"), directory);
            }
        },

        LOCK_REMOVED
        {
            @Override
            void happenTo(final Path directory) throws IOException
            {
                Files.delete(directory.resolve("journal.lock"));
            }
        };

        abstract void happenTo(Path directory) throws IOException;

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

    static Stream<Arguments> losses()
    {
        return Arrays.stream(Backend.values())
            .flatMap((backend) -> Arrays.stream(Loss.values()).map((loss) -> Arguments.of(backend, loss)));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void lossOfTheDirectoryIsNoticedInTheBackground(final Backend backend, final Loss loss) throws Exception
    {
        final List<Throwable> errors = new CopyOnWriteArrayList<>();
        final Journal journal = builder(backend).errorHandler(errors::add).open();
        appendNumbered(journal, 3, 100);
        journal.force();
        loss.happenTo(directory());

        while (!journal.counters().isFailed())
        {
            journal.backgroundAgent().doWork();
        }
        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).getMessage().contains("was removed, moved or replaced"), errors::toString);
        assertThrows(JournalException.class, () -> appendNumbered(journal, 1, 100));
        assertThrows(JournalException.class, journal::force);
        journal.close();
    }

    @ParameterizedTest
    @MethodSource("losses")
    void lossOfTheDirectoryIsNoticedByARoll(final Backend backend, final Loss loss) throws Exception
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 3, 100);
        journal.force();
        // The next segment is prepared.
        journal.backgroundAgent().doWork();
        loss.happenTo(directory());

        final JournalException ex =
            assertThrows(JournalException.class, () -> appendNumbered(journal, 100, 1000));
        assertTrue(ex.getMessage().contains("was removed, moved or replaced"), ex::toString);
        assertTrue(journal.lastSequence() < 70);
        assertThrows(JournalException.class, journal::force);
        journal.close();
    }

    @ParameterizedTest
    @MethodSource("losses")
    void lossOfTheDirectoryIsNoticedWhenClosing(final Backend backend, final Loss loss) throws Exception
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 3, 100);
        journal.force();
        loss.happenTo(directory());

        final JournalException ex = assertThrows(JournalException.class, journal::close);
        assertTrue(ex.getMessage().contains("was removed, moved or replaced"), ex::toString);
        journal.close();
    }

    @EachBackend
    void nothingIsMadeInADirectoryThatTookTheJournalsPlace(final Backend backend) throws Exception
    {
        final Path moved = parent.resolve("moved");
        try (Journal first = open(backend))
        {
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
        assertNumbered(1, 202, JournalFixture.readAll(directory(), backend));
        assertTrue(JournalFixture.readAll(moved, backend).size() >= 3);
    }

    private static boolean isLocked(final Throwable ex)
    {
        for (Throwable cause = ex; null != cause; cause = cause.getCause())
        {
            if (cause instanceof JournalLockedException || String.valueOf(cause.getMessage())
                .contains("was removed, moved or replaced"))
            {
                return true;
            }
        }

        return false;
    }
}
