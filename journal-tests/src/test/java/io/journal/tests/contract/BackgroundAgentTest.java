// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Logger;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.force.ForceGate;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.ThrowingConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The thread that runs the background agent. A thread of the application may serve many journals. Failures that no
 * caller receives are reported, and the thread survives them.
 */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class BackgroundAgentTest extends JournalFixture
{
    private static final Duration LONG = Duration.ofMinutes(10);

    private final ForceGate gate = new ForceGate();
    private final FailingSteps root =
        new FailingSteps((step, name) -> StepStore.Step.FORCE_DIRECTORY == step && name.isEmpty());
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    @Tag("slow")
    @EachBackend
    void oneThreadServesManyJournals(final Backend backend)
    {
        final Set<Thread> before = Thread.getAllStackTraces().keySet();
        final List<Journal> journals = new ArrayList<>();
        for (int i = 0; i < 8; i++)
        {
            journals.add(closing(builder(temp.resolve("journal" + i), backend)
                .force(ForcePolicy.every(Duration.ZERO)).backgroundThread(false).open()));
        }
        for (int round = 0; round < 3; round++)
        {
            for (final Journal journal : journals)
            {
                // Rolls to the next segment.
                appendNumbered(journal, 80, 1000);
                runAgent(journal);
                assertEquals(journal.lastSequence(), journal.forcedSequence());
                assertEquals(1, journal.counters().preparedSegments());
            }
        }
        final Map<Thread, StackTraceElement[]> after = new HashMap<>(Thread.getAllStackTraces());
        after.keySet().removeAll(before);
        after.forEach((thread, stack) -> assertTrue(
            Arrays.stream(stack).noneMatch((frame) -> frame.getClassName().startsWith("io.journal.")),
            thread::toString));
    }

    /** Who has received the failure before the journal is closed. */
    private enum Seen
    {
        BY_NOBODY((journal) -> journal.backgroundAgent().doWork()),
        BY_THIS_THREAD_AND_ANOTHER((journal) ->
        {
            Background.start("other", () -> assertThrows(JournalException.class, journal::force)).join();
            assertThrows(JournalException.class, journal::force);
        });

        final ThrowingConsumer<Journal> call;

        Seen(final ThrowingConsumer<Journal> call)
        {
            this.call = call;
        }
    }

    @EachBackend(and = Seen.class)
    void closeThrowsAFailureOnceWhoeverHasReceivedIt(final Backend backend, final Seen seen) throws Throwable
    {
        final Journal journal = gate.builder(directory(), backend)
            .force(ForcePolicy.every(Duration.ZERO)).errorHandler(errors::add).open();
        appendNumbered(journal, 2, 10);
        gate.failForces();
        seen.call.accept(journal);

        final JournalException ex = assertThrows(JournalException.class, journal::close);
        assertTrue(ex.getMessage().startsWith("storage failed before"), ex::getMessage);
        assertEquals(Seen.BY_NOBODY == seen ? 1 : 0, errors.size());
        // The error is reported only once, and the first close has released all resources.
        journal.close();
        builder(directory(), backend).open().close();
    }

    @EachBackend
    void errorHandlerThatClosesTheJournalIsNotCalledAgain(final Backend backend) throws Exception
    {
        final Journal[] opened = new Journal[1];
        final Journal journal = gate.builder(directory(), backend)
            .force(ForcePolicy.every(Duration.ZERO)).errorHandler((error) ->
            {
                errors.add(error);
                assertThrows(JournalException.class, opened[0]::close);
            }).open();
        opened[0] = journal;
        appendNumbered(journal, 2, 10);
        gate.failForces();

        journal.backgroundAgent().doWork();

        assertEquals(1, errors.size());
        assertTrue(journal.isClosed());
    }

    @EachBackend
    void throwingErrorHandlerAndLoggerDoNotEndTheAgentThread(final Backend backend)
    {
        final AtomicInteger published = new AtomicInteger();
        final AtomicInteger notified = new AtomicInteger();
        final Filter throwing = (entry) ->
        {
            published.incrementAndGet();
            throw new OutOfMemoryError("on purpose");
        };
        final Logger logger = Logger.getLogger(Journal.class.getName());
        logger.setFilter(throwing);
        try (Journal journal = builder(directory(), backend)
            .force(ForcePolicy.every(Duration.ofMillis(1))).errorHandler((error) ->
            {
                throw new IllegalStateException("on purpose", error);
            }).open())
        {
            journal.onForced((sequence) ->
            {
                notified.incrementAndGet();
                throw new AssertionError("on purpose");
            });
            appendNumbered(journal, 1, 10);
            while (0 == published.get())
            {
                Thread.onSpinWait();
            }
            appendNumbered(journal, 1, 10);
            assertTrue(journal.awaitForced(2, LONG));
            // Wait until the agent's thread has called the listener: closing would call it on this thread.
            while (notified.get() < 2)
            {
                Thread.onSpinWait();
            }
        }
        finally
        {
            logger.setFilter(null);
        }
    }

    @EachBackend
    void interruptStatusSetByAListenerIsCleared(final Backend backend)
    {
        final List<Boolean> wasInterrupted = new CopyOnWriteArrayList<>();
        try (Journal journal = builder(directory(), backend).force(ForcePolicy.every(Duration.ofMillis(1))).open())
        {
            journal.onForced((sequence) ->
            {
                wasInterrupted.add(Thread.currentThread().isInterrupted());
                Thread.currentThread().interrupt();
            });
            for (int count = 1; count <= 2; count++)
            {
                appendNumbered(journal, 1, 10);
                while (wasInterrupted.size() < count)
                {
                    Thread.onSpinWait();
                }
            }
        }

        assertFalse(wasInterrupted.get(0));
        assertFalse(wasInterrupted.get(1));
    }

    // A failed fsync of a directory is never retried as if it had not failed.

    @EachBackend
    void failedDirectoryFsyncDuringPruneFailsTheJournal(final Backend backend)
    {
        try (Fallible fallible = new Fallible(builder(backend, root).backgroundThread(false).open()))
        {
            final Journal journal = fallible.journal();
            appendNumbered(journal, 100, 1500);
            root.fail();
            assertThrows(JournalException.class, () -> journal.prune(90));
            root.work();

            assertThrows(JournalException.class, journal::force);
            assertThrows(JournalException.class, () -> appendNumbered(journal, 1, 10));
        }
        builder(directory(), backend).open().close();
    }
}
