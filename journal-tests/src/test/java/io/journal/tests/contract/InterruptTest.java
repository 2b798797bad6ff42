// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.Journal;
import io.journal.JournalLockedException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class InterruptTest extends JournalFixture
{
    @EachBackendAndWindow
    void permanentlyInterruptedThreadCompletesEveryOperation(final Backend backend, final int window)
    {
        interrupted(() ->
        {
            for (int round = 0; round < 2; round++)
            {
                try (Journal journal = builder(directory(), backend).writeWindow(window).open())
                {
                    assertEquals(50L * round, journal.lastSequence());
                    assertTrue(0 == round || journal.recoveryReport().isCleanlyClosed());
                    for (int i = 0; i < 50; i++)
                    {
                        appendNumbered(journal, 1, 1500);
                        journal.awaitForced(journal.lastSequence());
                    }
                    journal.force();
                    try (JournalReader reader = journal.openReader())
                    {
                        assertNumbered(1, 50 * round + 50, poll(reader));
                        reader.seek(20);
                        assertNumbered(20, 25, poll(reader, 6));
                        reader.seekToEnd();
                        assertEquals(List.of(), poll(reader));
                    }
                    assertTrue(journal.counters().appendedPosition() > SEGMENT_LENGTH);
                }
                assertTrue(Thread.currentThread().isInterrupted());
            }
        });
    }

    @EachBackend
    void threadInterruptedBeforeEachStepCompletesEveryOperation(final Backend backend)
    {
        Background.start("interrupted", () ->
        {
            final Journal journal = interruptedBefore(() -> repeatable(backend).open());
            final JournalReader reader = interruptedBefore(journal::openReader);
            for (int i = 1; i <= 60; i++)
            {
                final int sequence = i;
                assertEquals(i, interruptedBefore(() -> journal.appender().append(
                    -sequence, record(sequence, 1500), 0, 1500)));
                interruptedBefore(() ->
                {
                    try (RecordClaim claim = journal.appender().claim(100))
                    {
                        claim.buffer().putLong(0, -1);
                    }
                    return null;
                });
                interruptedBefore(() ->
                {
                    journal.awaitForced(sequence);
                    return null;
                });
                interruptedBefore(() -> journal.backgroundAgent().doWork());
                assertNumbered(i, i, interruptedBefore(() -> poll(reader)));
            }
            interruptedBefore(() ->
            {
                reader.close();
                journal.close();
                return null;
            });
            assertNumbered(1, 60, interruptedBefore(() -> readAll(directory(), backend)));
        }).join();
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

        interrupted(() ->
        {
            try (Journal journal = Journal.builder(crashed).backend(backend).writeWindow(0).open())
            {
                assertFalse(journal.recoveryReport().isCleanlyClosed());
                assertEquals(150, journal.forcedSequence());
                assertNumbered(1, 150, readAll(journal));
            }
        });
    }

    @EachBackendAndWindow
    void interruptedThreadFollowsWithoutTheLock(final Backend backend, final int window)
    {
        final Journal journal = closing(builder(directory(), backend).writeWindow(window).open());
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
                assertEquals(25, reader.pollBackwards((buffer, offset, length, header) ->
                {
                }, 100));
                reader.seekToEnd();
                for (int i = 0; i < 5; i++)
                {
                    final Background appending = Background.start("appending", () ->
                    {
                        appendNumbered(journal, 20, 1500);
                        journal.force();
                    });
                    Thread.interrupted();
                    appending.join();
                    Thread.currentThread().interrupt();
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
    void interruptedThreadClosesTheJournalOfAnother(final Backend backend) throws InterruptedException
    {
        final CountDownLatch isAppending = new CountDownLatch(100);
        final Journal journal = open(directory(), backend);
        final Background appending = Background.start(
            "appending",
            () -> assertThrows(
                IllegalStateException.class,
                () ->
                {
                    while (true)
                    {
                        appendNumbered(journal, 1, 100);
                        isAppending.countDown();
                    }
                }));
        isAppending.await();

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
    @EachBackendAndWindow
    void interruptStormLosesNothing(final Backend backend, final int window)
    {
        final int count = 400;
        final AtomicBoolean isDone = new AtomicBoolean();
        final AtomicInteger interrupts = new AtomicInteger();
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            final Background appending = Background.start(
                "appending",
                () ->
                {
                    try
                    {
                        for (int i = 0; i < count || interrupts.get() < 100; i++)
                        {
                            appendNumbered(journal, 1, i % 1000);
                            count(interrupts);
                            if (0 == i % 5)
                            {
                                journal.awaitForced(journal.lastSequence());
                                count(interrupts);
                            }
                        }
                    }
                    finally
                    {
                        isDone.set(true);
                    }
                });
            final Background reading = Background.start(
                "reading",
                () ->
                {
                    try (JournalReader reader = journal.openReader())
                    {
                        long next = 1;
                        boolean isLast = false;
                        while (!isLast)
                        {
                            isLast = isDone.get();
                            final long first = next;
                            final var entries = poll(reader);
                            next = reader.nextSequence();
                            assertNumbered(first, next - 1, entries);
                            if (next > 10)
                            {
                                reader.seek(next - 10);
                                assertNumbered(next - 10, next - 1, poll(reader, 10));
                            }
                            count(interrupts);
                        }
                        assertEquals(journal.lastSequence() + 1, next);
                    }
                });
            final Background forcing = Background.start(
                "forcing",
                () ->
                {
                    while (!isDone.get())
                    {
                        journal.force();
                        count(interrupts);
                    }
                });

            while (!isDone.get() || reading.thread().isAlive())
            {
                appending.thread().interrupt();
                reading.thread().interrupt();
                forcing.thread().interrupt();
                Thread.yield();
            }
            appending.join();
            reading.join();
            forcing.join();

            journal.force();
            assertEquals(journal.lastSequence(), journal.forcedSequence());
            assertNumbered(1, journal.lastSequence(), readAll(journal));
        }
        final Journal journal = closing(Journal.builder(directory()).backend(backend).writeWindow(0).open());
        assertTrue(journal.recoveryReport().isCleanlyClosed());
        assertNumbered(1, journal.lastSequence(), readAll(journal));
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
