package io.journal.replicated;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;
import io.journal.replicated.support.LogRecords;
import io.journal.replicated.support.TestCluster;
import org.agrona.ErrorHandler;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The threads of a writer's user, and the one in the background.
 */
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
        final InternalError ofEngine = new InternalError("the engine's");
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
            leader.fail(ofEngine);
            TestCluster.await("the engine's error", () -> errors.contains(ofEngine));

            journal.appender().append(RECORD);
            TestCluster.await("another call", () -> 2 == notified.get());
        }
        assertEquals(List.of(ofListener, ofEngine), errors);
    }

    @Test
    void listenerIsCalledAgainAfterTheErrorHandlerHasThrown()
    {
        final InternalError ofEngine = new InternalError("the engine's");
        final AtomicLong notified = new AtomicLong();
        try (LogRecords log = new LogRecords("io.journal.replicated"); ReplicatedJournal journal = connect((error) ->
        {
            errors.add(error);
            throw new IllegalStateException("the handler's", error);
        }))
        {
            journal.onForced((sequence) ->
            {
                notified.set(sequence);
                if (1 == sequence)
                {
                    throw new AssertionError("the listener's");
                }
            });
            journal.appender().append(RECORD);
            TestCluster.await("the listener's error", () -> 1 == errors.size());
            leader.fail(ofEngine);
            TestCluster.await("the engine's error", () -> errors.contains(ofEngine));

            journal.appender().append(RECORD);
            TestCluster.await("another call", () -> 2 == notified.get());
            // Each error, and what the handler made of it.
            assertEquals(4, log.thrown().size());
            assertTrue(log.thrown().containsAll(errors), log.thrown()::toString);
        }
    }

    /** As a handler does that ends the process, while a shutdown hook closes the journal. */
    @Test
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void errorHandlerMayWaitForAThreadThatUsesTheJournal()
    {
        final AtomicReference<ReplicatedJournal> connected = new AtomicReference<>();
        final AtomicBoolean hasReturned = new AtomicBoolean();
        try (ReplicatedJournal journal = connect((error) ->
        {
            CompletableFuture.runAsync(() -> connected.get().force()).join();
            hasReturned.set(true);
        }))
        {
            connected.set(journal);
            journal.appender().append(RECORD);
            leader.fail(new InternalError("the engine's"));
            TestCluster.await("the handler", hasReturned::get);
        }
    }

    private ReplicatedJournal connect()
    {
        return connect(errors::add);
    }

    private ReplicatedJournal connect(final ErrorHandler handler)
    {
        return TestCluster.patient(ReplicatedJournal.builder("a:9000").engine(leader).errorHandler(handler)).connect();
    }
}
