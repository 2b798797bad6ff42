// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class InterruptTest extends JournalFixture
{
    @EachBackendAndWindow
    void threadInterruptedBeforeEachStepCompletesEveryOperation(final Backend backend, final int window)
    {
        final Path copy = temp.resolve("copy");
        Background.start("interrupted", () ->
        {
            final Journal journal = interruptedBefore(() -> repeatable(backend).writeWindow(window).open());
            final JournalReader reader = interruptedBefore(() -> journal.openReader());
            for (int i = 1; i <= 60; i++)
            {
                final int sequence = i;
                assertEquals(i, interruptedBefore(() -> journal.appender().append(
                    -sequence, record(sequence, 1500), 0, 1500)));
                interruptedBefore(() -> journal.appender().claim(100)).close();
                interruptedBefore(() -> journal.awaitForced(sequence, Duration.ofDays(1)));
                interruptedBefore(() -> journal.backgroundAgent().doWork());
                assertNumbered(i, i, interruptedBefore(() -> poll(reader)));
                final JournalCursor cursor = interruptedBefore(() -> journal.cursor("a"));
                interruptedBefore(() -> cursor.save(sequence));
                interruptedBefore(() -> journal.cursor("gone").delete());
                interruptedBefore(() -> reader.seek(sequence));
                interruptedBefore(reader::seekToEnd);
                interruptedBefore(() -> journal.force());
            }
            assertTrue(journal.counters().appendedPosition() > SEGMENT_LENGTH);
            interruptedBefore(() -> journal.snapshots().save(60, (output) -> output.write(new byte[300_000])));
            assertEquals(60, interruptedBefore(() -> journal.snapshots().load(
                (input) -> assertEquals(300_000, input.readAllBytes().length))));
            assertEquals(1, interruptedBefore(() -> journal.snapshots().prune()));
            assertEquals(60, interruptedBefore(() -> journal.backup(copy)));
            interruptedBefore(reader::close);
            interruptedBefore(journal::close);
        }).join();
        for (final Path path : List.of(directory(), copy))
        {
            final Journal journal = closing(Journal.builder(path).backend(backend).open());
            assertNumbered(1, 60, readAll(journal));
            assertEquals(List.of("a"), journal.cursorNames());
            assertEquals(60, journal.cursor("a").sequence());
        }
    }

    private interface Step<T>
    {
        T run() throws Exception;
    }

    private static <T> T interruptedBefore(final Step<T> step) throws Exception
    {
        Thread.currentThread().interrupt();
        final T result = step.run();
        assertTrue(Thread.interrupted());

        return result;
    }

    private static void interruptedBefore(final Executable step) throws Exception
    {
        interruptedBefore(() ->
        {
            assertDoesNotThrow(step);
            return null;
        });
    }

    @EachBackend
    void interruptedThreadRecovers(final Backend backend) throws IOException
    {
        final Path crashed = temp.resolve("crashed");
        try (Journal journal = repeatable(backend).open())
        {
            appendNumbered(journal, 50, 1500);
            journal.force();
            appendNumbered(journal, 100, 1500);
            copy(directory(), crashed);
        }
        interrupted(() -> assertNumbered(1, 150, readAll(crashed, backend)));
    }

    @EachBackend
    void interruptedThreadFollowsWithoutTheLock(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).open());
        appendNumbered(journal, 100, 1500);
        journal.force();
        interrupted(() ->
        {
            try (ReadOnlyJournal followed = Journal.openReadOnly(directory());
                JournalReader reader = followed.openReader())
            {
                assertEquals(100, followed.lastSequence());
                assertEquals(100, followed.forcedSequence());
                assertNumbered(1, 100, poll(reader));
                reader.seek(20);
                assertNumbered(20, 25, poll(reader, 6));
                assertEquals(25, reader.pollBackwards(IGNORE, 100));
                reader.seekToEnd();
                for (int i = 0; i < 5; i++)
                {
                    appendNumbered(journal, 20, 1500);
                    assertNumbered(101 + 20 * i, 120 + 20 * i, poll(reader));
                }
            }
        });
    }

    @EachBackend
    void interruptedThreadFindsTheJournalLocked(final Backend backend)
    {
        final Journal journal = closing(open(directory(), backend));
        appendNumbered(journal, 1, 10);
        interrupted(() -> assertThrows(
            JournalLockedException.class, () -> open(directory(), backend)));
    }

    @EachBackend
    void interruptedThreadClosesTheJournalOfAnother(final Backend backend)
    {
        final CountDownLatch isAppending = new CountDownLatch(100);
        final Journal journal = open(directory(), backend);
        final Background appending = Background.start("appending", () -> assertClosed(() ->
        {
            while (true)
            {
                appendNumbered(journal, 1, 100);
                isAppending.countDown();
            }
        }));
        await(isAppending);
        interrupted(journal::close);
        appending.join();
        assertNumbered(1, journal.lastSequence(), readAll(directory(), backend));
    }

    /** LockSupport.park returns at once on an interrupted thread, so a close that keeps the status would spin. */
    @Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    @EachBackend(except = Backend.MAPPED)
    void interruptedThreadThatClosesParksUntilAnAppendHasEnded(final Backend backend)
    {
        final CountDownLatch isWriting = new CountDownLatch(1);
        final CountDownLatch mayWrite = new CountDownLatch(1);
        final AtomicBoolean isHeld = new AtomicBoolean();
        final Journal journal = builder(backend, (step, name) ->
        {
            if (StepStore.Step.WRITE == step && isHeld.getAndSet(false))
            {
                isWriting.countDown();
                await(mayWrite);
            }
            return true;
        }).backgroundThread(false).open();
        isHeld.set(true);
        final Background appending = Background.start("appending", () -> appendNumbered(journal, 1, 10));
        await(isWriting);
        final CountDownLatch isInterrupted = new CountDownLatch(1);
        final Background closing = Background.start("closing", () ->
        {
            Thread.currentThread().interrupt();
            isInterrupted.countDown();
            journal.close();
            assertTrue(Thread.interrupted());
        });
        await(isInterrupted);
        while (closing.thread().isInterrupted())
        {
            closing.check();
            Thread.onSpinWait();
        }

        mayWrite.countDown();
        appending.join();
        closing.join();
        assertNumbered(1, 1, readAll(directory(), backend));
    }

    @Tag("slow")
    @EachBackend
    void interruptStormLosesNothing(final Backend backend)
    {
        final AtomicBoolean isDone = new AtomicBoolean();
        final AtomicInteger interrupts = new AtomicInteger();
        try (Journal journal = builder(directory(), backend).writeWindow(1001).open())
        {
            final List<Background> users = List.of(
                Background.start("appending", () ->
                {
                    try
                    {
                        for (int i = 0; i < 300 || interrupts.get() < 100; i++)
                        {
                            appendNumbered(journal, 1, i % 1000);
                            count(interrupts);
                            journal.awaitForced(0 == i % 5 ? journal.lastSequence() : 0);
                            count(interrupts);
                        }
                    }
                    finally
                    {
                        isDone.set(true);
                    }
                }),
                Background.start("reading", () -> readWhileInterrupted(journal, isDone, interrupts)),
                Background.start("forcing", () ->
                {
                    while (!isDone.get())
                    {
                        journal.force();
                        count(interrupts);
                    }
                }));
            while (users.stream().anyMatch((user) -> user.thread().isAlive()))
            {
                users.forEach((user) -> user.thread().interrupt());
                Thread.yield();
            }
            users.forEach(Background::join);
            journal.force();
            assertEquals(journal.lastSequence(), journal.forcedSequence());
            assertNumbered(1, journal.lastSequence(), readAll(journal));
        }
        final Journal journal = closing(reopen(backend));
        assertTrue(journal.recoveryReport().isCleanlyClosed());
        assertNumbered(1, journal.lastSequence(), readAll(journal));
    }

    private static void readWhileInterrupted(
        final Journal journal, final AtomicBoolean isDone, final AtomicInteger interrupts)
    {
        try (JournalReader reader = journal.openReader())
        {
            boolean isLast = false;
            while (!isLast)
            {
                isLast = isDone.get();
                final long first = reader.nextSequence();
                final List<Entry> entries = poll(reader);
                final long next = reader.nextSequence();
                assertNumbered(first, next - 1, entries);
                reader.seek(Math.max(1, next - 10));
                assertNumbered(Math.max(1, next - 10), next - 1, poll(reader, (int)Math.min(10, next - 1)));
                reader.seek(next);
                count(interrupts);
            }
            assertEquals(journal.lastSequence() + 1, reader.nextSequence());
        }
    }

    // Clear the status, so that the next interrupt is counted as well.
    private static void count(final AtomicInteger interrupts)
    {
        if (Thread.interrupted())
        {
            interrupts.incrementAndGet();
        }
    }

    private static void interrupted(final Executable task)
    {
        Background.start(
            "interrupted",
            () ->
            {
                Thread.currentThread().interrupt();
                task.execute();
                assertTrue(Thread.currentThread().isInterrupted());
            }).join();
    }
}
