// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.force;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.internal.Engine;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.write.AgentRunner;
import io.journal.internal.write.BackgroundAgent;
import io.journal.internal.write.DurabilityListener;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The listener for durability acknowledgements, so that appenders need not wait for fsyncs. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForcedListenerTest extends JournalFixture
{
    private final ForceGate gate = new ForceGate();
    private final List<Long> notified = new CopyOnWriteArrayList<>();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    /** Opens a journal without a background thread. */
    private Journal open(final Backend backend, final ForcePolicy policy)
    {
        return gate.builder(directory(), backend).force(policy).errorHandler(errors::add).open();
    }

    @EachBackend
    void backgroundAgentNotifiesTheListenerOfDurableSequences(final Backend backend) throws Exception
    {
        try (Journal journal = open(backend, ForcePolicy.manual()))
        {
            appendNumbered(journal, 2, 10);
            journal.force();
            journal.onForced(notified::add);
            journal.backgroundAgent().doWork();
            // The listener is not notified of records that were durable when it was registered.
            assertEquals(List.of(), notified);

            appendNumbered(journal, 1, 10);
            journal.backgroundAgent().doWork();
            assertEquals(List.of(), notified);
            journal.awaitForced(3);
            assertEquals(List.of(), notified);
            journal.backgroundAgent().doWork();
            journal.backgroundAgent().doWork();
            assertEquals(List.of(3L), notified);

            appendNumbered(journal, 1, 10);
            journal.force();
            appendNumbered(journal, 1, 10);
            journal.force();
            journal.backgroundAgent().doWork();
            assertEquals(List.of(3L, 5L), notified);
            appendNumbered(journal, 1, 10);
        }
        assertEquals(List.of(3L, 5L, 6L), notified);
    }

    @EachBackend
    void periodicFsyncNotifiesTheListenerInTheSameDutyCycle(final Backend backend) throws Exception
    {
        try (Journal journal = open(backend, ForcePolicy.every(Duration.ZERO)))
        {
            journal.onForced(notified::add);
            for (long sequence = 1; sequence <= 3; sequence++)
            {
                appendNumbered(journal, 1, 10);
                journal.backgroundAgent().doWork();
                assertEquals(sequence, notified.size());
                assertEquals(sequence, notified.get(notified.size() - 1));
            }
        }
        assertEquals(3, notified.size());
    }

    @EachBackend
    void agentThreadNotifiesTheListenerOfEveryDurableSequence(final Backend backend)
    {
        for (final ForcePolicy policy : new ForcePolicy[]{ ForcePolicy.manual(), ForcePolicy.everyRecord(),
            ForcePolicy.every(Duration.ZERO), ForcePolicy.every(Duration.ofMillis(2)) })
        {
            notified.clear();
            final int count = 100;
            try (Journal journal = builder(temp.resolve(policy.toString()), backend).force(policy).open())
            {
                journal.onForced(notified::add);
                appendNumbered(journal, count, 10);
                journal.awaitForced(count);
                while (notified.isEmpty() || count != notified.get(notified.size() - 1))
                {
                    Thread.onSpinWait();
                }
                appendNumbered(journal, 1, 10);
            }
            assertRising(notified);
            assertEquals(count + 1, notified.get(notified.size() - 1));
        }
    }

    @EachBackend
    void restingAgentIsWokenByTheNextRecord(final Backend backend) throws Exception
    {
        for (final Duration interval : List.of(Duration.ZERO, Duration.ofMillis(1)))
        {
            notified.clear();
            final Path path = temp.resolve(interval.toString());
            try (Journal journal = builder(path, backend).force(ForcePolicy.every(interval))
                .backgroundThread(false).open())
            {
                final AtomicReference<Thread> thread = new AtomicReference<>();
                journal.onForced((sequence) ->
                {
                    thread.set(Thread.currentThread());
                    notified.add(sequence);
                });
                final BackgroundAgent agent = (BackgroundAgent)journal.backgroundAgent();
                // The agent's thread would idle for a day if nothing woke it.
                final AgentRunner runner =
                    new AgentRunner(agent, ((Engine)journal).forcer.wakeup(), Duration.ofDays(1).toNanos());
                runner.start();
                for (int i = 1; i <= 10; i++)
                {
                    appendNumbered(journal, 1, 10);
                    while (notified.size() < i || agent.roleName().equals(thread.get().getName()))
                    {
                        Thread.onSpinWait();
                    }
                }
                runner.stop();
            }
        }
    }

    private static void assertRising(final List<Long> notified)
    {
        for (int i = 1; i < notified.size(); i++)
        {
            assertTrue(notified.get(i - 1) <= notified.get(i), notified::toString);
        }
    }

    @EachBackend
    void listenerThatThrowsIsReportedAndNotifiedAgain(final Backend backend) throws Exception
    {
        final IllegalStateException onPurpose = new IllegalStateException("on purpose");
        try (Journal journal = open(backend, ForcePolicy.every(Duration.ZERO)))
        {
            journal.onForced((sequence) ->
            {
                notified.add(sequence);
                throw onPurpose;
            });
            for (int i = 1; i <= 3; i++)
            {
                appendNumbered(journal, 1, 10);
                journal.backgroundAgent().doWork();
                assertEquals(i, errors.size());
                assertSame(onPurpose, errors.get(i - 1));
            }
            assertEquals(List.of(1L, 2L, 3L), notified);
            appendNumbered(journal, 1, 10);
        }
        assertEquals(List.of(1L, 2L, 3L, 4L), notified);
        assertEquals(4, errors.size());
        assertNumbered(1, 4, readAll(directory(), backend));
    }

    @EachBackend
    void secondListenerIsRejectedAndTheFirstOneKept(final Backend backend) throws Exception
    {
        try (Journal journal = open(backend, ForcePolicy.manual()))
        {
            journal.onForced(notified::add);
            final IllegalStateException error =
                assertThrows(IllegalStateException.class,
                    () -> journal.onForced((sequence) -> notified.add(-sequence)));
            assertEquals("a durability listener is registered already", error.getMessage());
            assertThrows(NullPointerException.class, () -> journal.onForced(null));

            appendNumbered(journal, 2, 10);
            journal.force();
            assertThrows(IllegalStateException.class, () -> journal.onForced(notified::add));
            journal.backgroundAgent().doWork();
        }
        assertEquals(List.of(2L), notified);
    }

    @EachBackend
    void listenerMayCloseTheJournalOnTheBackgroundAgentsThread(final Backend backend)
    {
        final AtomicReference<Thread> closer = new AtomicReference<>();
        final CountDownLatch isClosed = new CountDownLatch(1);
        final Journal journal = builder(directory(), backend).force(ForcePolicy.every(Duration.ZERO)).open();
        journal.onForced((sequence) ->
        {
            notified.add(sequence);
            closer.set(Thread.currentThread());
            journal.close();
            isClosed.countDown();
        });
        appendNumbered(journal, 1, 10);
        journal.awaitForced(1);
        // Wait until the other thread has closed the journal.
        while (isClosed.getCount() > 0)
        {
            Thread.onSpinWait();
        }
        journal.close();

        assertTrue(Thread.currentThread() != closer.get());
        assertClosed(() -> appendNumbered(journal, 1, 10));
        assertRising(notified);
        assertNumbered(1, 1, readAll(directory(), backend));
    }

    @EachBackend
    void sequencesRiseForAListenerThatClosesTheJournal(final Backend backend) throws Exception
    {
        for (final boolean isByAgent : new boolean[]{ true, false })
        {
            notified.clear();
            final Journal journal = open(backend, ForcePolicy.manual());
            final long before = journal.lastSequence();
            journal.onForced((sequence) ->
            {
                notified.add(sequence);
                journal.close();
            });
            appendNumbered(journal, 1, 10);
            if (isByAgent)
            {
                journal.force();
                appendNumbered(journal, 1, 10);
                journal.backgroundAgent().doWork();
                assertEquals(List.of(before + 1, before + 2), notified);
            }
            else
            {
                journal.close();
                assertEquals(List.of(before + 1), notified);
            }
            assertTrue(journal.isClosed());
            assertEquals(List.of(), errors, "closed files are not checked");
            assertNumbered(1, journal.lastSequence(), readAll(directory(), backend));
        }
    }

    @EachBackend
    void sequencesRiseWhenAnotherThreadClosesDuringANotification(final Backend backend) throws Exception
    {
        final CountDownLatch isNotifying = new CountDownLatch(1);
        final AtomicBoolean isContinued = new AtomicBoolean();
        final AtomicBoolean isFirst = new AtomicBoolean(true);
        final Journal journal = open(backend, ForcePolicy.manual());
        journal.onForced((sequence) ->
        {
            if (isFirst.getAndSet(false))
            {
                isNotifying.countDown();
                while (!isContinued.get())
                {
                    Thread.onSpinWait();
                }
            }
            notified.add(sequence);
        });
        appendNumbered(journal, 1, 10);
        journal.force();
        final Background agent = Background.start("agent", () -> journal.backgroundAgent().doWork());
        isNotifying.await();
        appendNumbered(journal, 1, 10);
        final Background closing = Background.start("closing", journal::close);
        while (journal.forcedSequence() < 2)
        {
            closing.check();
            Thread.onSpinWait();
        }
        // The closing thread either waits for the notification in progress, or has ended.
        while (closing.thread().isAlive() && Thread.State.RUNNABLE == closing.thread().getState())
        {
            Thread.onSpinWait();
        }

        isContinued.set(true);
        agent.join();
        closing.join();
        assertEquals(List.of(1L, 2L), notified);
    }

    @EachBackend
    void listenerIsNotifiedOfTheLastFsyncOfAFailedJournal(final Backend backend)
    {
        final Journal journal = open(backend, ForcePolicy.manual());
        journal.onForced(notified::add);
        appendNumbered(journal, 2, 10);
        journal.force();
        appendNumbered(journal, 1, 10);
        gate.failForces();
        assertThrows(JournalException.class, journal::force);

        closeFallible(journal);
        assertEquals(List.of(2L), notified);
    }

    @Test
    void listenerRegisteredDuringATruncationIsNotifiedOfTheRecordsThatReplaceTheTruncatedOnes()
    {
        final Truncating durable = new Truncating(100, 50);
        durable.listener.register(notified::add);

        assertTrue(durable.listener.notifyIfBehind());
        assertEquals(List.of(60L), notified);
    }

    @Test
    void listenerNotifiedDuringATruncationIsNotifiedOfTheRecordsThatReplaceTheTruncatedOnes()
    {
        // The durable sequence is read at registration, to see that the listener is behind, to notify it, afterwards,
        // and again before the next notification.
        final Truncating durable = new Truncating(40, 40, 100, 100, 50);
        durable.listener.register(notified::add);

        assertTrue(durable.listener.notifyIfBehind());
        assertTrue(durable.listener.notifyIfBehind());
        // The listener is not notified of 100, which is no longer durable.
        assertEquals(List.of(60L, 60L), notified);
    }

    /** Durable sequences as they are read. The records after 50 are truncated before 50 is read, and replaced later. */
    private final class Truncating implements LongSupplier
    {
        private final DurabilityListener listener = new DurabilityListener(new FailureLatch("test"), this, errors::add);
        private final Iterator<Long> sequences;

        Truncating(final long... sequences)
        {
            this.sequences = Arrays.stream(sequences).boxed().toList().iterator();
        }

        @Override
        public long getAsLong()
        {
            final long sequence = sequences.hasNext() ? sequences.next() : 60;
            if (50 == sequence)
            {
                listener.truncatedAfter(50);
            }

            return sequence;
        }
    }
}
