// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.JournalException;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The threads of a writer's user, and its background thread. */
class ReplicatedJournalTest
{
    private static final byte[] RECORD = { 1, 2, 3 };

    private final FakeLeader leader = new FakeLeader();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    @Test
    void interruptedThreadEndsConnectingAndStaysInterrupted()
    {
        leader.loseLeader();
        Thread.currentThread().interrupt();

        final JournalException ex = assertThrows(JournalException.class, this::connect);

        assertTrue(Thread.interrupted());
        assertTrue(ex.getMessage().contains("interrupted before a leader answered"), ex::getMessage);
        assertTrue(leader.isClosed());
    }

    @Test
    void closeThrowsThatTheWriterWasFencedIfRecordsAreLeft()
    {
        final ReplicatedJournal journal = connect();
        leader.acknowledgeNothing();
        journal.appender().append(RECORD);
        leader.fence();
        TestCluster.await("the fence", () -> WriterState.FENCED == journal.state());

        assertThrows(FencedException.class, journal::close);
        assertTrue(leader.isClosed());
        journal.close();
    }

    @Test
    void closeDoesNotThrowAgainWhatTheThreadHasReceived()
    {
        final FencedException ex = assertThrows(FencedException.class, () ->
        {
            try (ReplicatedJournal journal = connect())
            {
                leader.acknowledgeNothing();
                journal.appender().append(RECORD);
                leader.fence();
                journal.force();
            }
        });

        assertEquals(0, ex.getSuppressed().length);
        assertTrue(leader.isClosed());
    }

    @Test
    void closeOfAFencedWriterWithoutRecordsThrowsNothing()
    {
        final ReplicatedJournal journal = connect();
        journal.appender().append(RECORD);
        journal.force();
        leader.fence();
        TestCluster.await("the fence", () -> WriterState.FENCED == journal.state());

        journal.close();
        assertEquals(WriterState.CLOSED, journal.state());
    }

    @Test
    void listenerIsCalledAgainAfterAnError()
    {
        final AssertionError ofListener = new AssertionError("the listener's");
        final InternalError ofLeader = new InternalError("the leader's");
        final AtomicLong notified = new AtomicLong();
        try (ReplicatedJournal journal = connect())
        {
            journal.onForced((sequence) ->
            {
                notified.set(sequence);
                if (1 == sequence)
                {
                    throw ofListener;
                }
            });
            journal.appender().append(RECORD);
            TestCluster.await("the listener's error", () -> errors.contains(ofListener));
            leader.fail(ofLeader);
            TestCluster.await("the leader's error", () -> errors.contains(ofLeader));

            journal.appender().append(RECORD);
            TestCluster.await("another call", () -> 2 == notified.get());
        }
        assertEquals(List.of(ofListener, ofLeader), errors);
    }

    private ReplicatedJournal connect()
    {
        return TestCluster.patient(ReplicatedJournal.builder("a:9000").errorHandler(errors::add))
            .connect(leader::connect);
    }
}
