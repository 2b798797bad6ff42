// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.RecordClaim;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@InMemory
class JournalLifecycleTest extends JournalFixture
{
    @EachBackendAndWindow
    void nothingIsForcedBeforeItIsAppendedAlsoInTheMiddleOfARoll(final Backend backend, final int window)
    {
        final AtomicReference<Journal> journal = new AtomicReference<>();
        final AtomicLong checks = new AtomicLong();
        // The appender reads the clock after it has begun the next segment and before it publishes anything in it.
        final EpochClock clock = () ->
        {
            if (null != journal.get())
            {
                Background.start("agent", () -> workAndCheck(journal.get())).join();
                checks.incrementAndGet();
            }
            return TIME_MS;
        };
        final Journal opened = closing(repeatable(backend).writeWindow(window).clock(clock).open());
        appendNumbered(opened, 20, 2500);
        journal.set(opened);
        appendNumbered(opened, 10, 2500);
        journal.set(null);
        assertTrue(checks.get() > 0);
        assertNumbered(1, 30, readAll(opened));
    }

    private static void workAndCheck(final Journal journal) throws Exception
    {
        for (int i = 0; i < 3; i++)
        {
            journal.backgroundAgent().doWork();
            final long forcedSequence = journal.forcedSequence();
            assertTrue(forcedSequence <= journal.lastSequence());
            final long forcedPosition = journal.counters().forcedPosition();
            assertTrue(
                forcedPosition <= journal.counters().appendedPosition(),
                () -> "forcedPosition=" + forcedPosition + ", endPosition=" + journal.counters().appendedPosition());
        }
    }

    @EachBackend(except = Backend.MAPPED)
    void recordsGatherInTheWriteWindowUntilItIsFull(final Backend backend)
    {
        final Journal journal = closing(repeatable(backend).writeWindow(8192).open());
        final byte[] before = contentOf(segment(directory(), 0));
        appendNumbered(journal, 5, 1000);
        assertEquals(0, journal.writtenSequence());
        assertEquals(5, journal.lastSequence());
        assertArrayEquals(before, contentOf(segment(directory(), 0)));

        appendNumbered(journal, 5, 1000);
        assertTrue(journal.writtenSequence() >= 5, () -> "writtenSequence=" + journal.writtenSequence());
        assertTrue(journal.writtenSequence() < 10, () -> "writtenSequence=" + journal.writtenSequence());
    }

    @EachBackend(except = Backend.MAPPED)
    void readerOfTheSameJournalSeesWhatIsInTheWriteWindow(final Backend backend)
    {
        try (Journal journal = repeatable(backend).writeWindow(64 * 1024).open();
            JournalReader reader = journal.openReader())
        {
            for (int i = 1; i <= 100; i++)
            {
                appendNumbered(journal, 1, 100);
                assertEquals(i - 1, journal.writtenSequence());
                assertNumbered(i, i, poll(reader));
                assertEquals(i, journal.writtenSequence());
            }
        }
    }

    @EachBackend
    void readerReachesTheEndOfAClosingJournal(final Backend backend)
    {
        final CountDownLatch isAgentBusy = new CountDownLatch(1);
        final CountDownLatch mayGoOn = new CountDownLatch(1);
        final Background closing;
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            if (Step.CREATE == step && Thread.currentThread().getName().startsWith("journal-agent"))
            {
                isAgentBusy.countDown();
                await(mayGoOn);
            }
            return true;
        });
        try (Journal journal = builder(directory(), backend).store(store).writeWindow(64 * 1024).open();
            JournalReader reader = journal.openReader())
        {
            try
            {
                appendNumbered(journal, 1, 100);
                journal.force();
                await(isAgentBusy);
                // The background agent is busy, so it cannot write these records.
                appendNumbered(journal, 10, 100);
                closing = Background.start("closing", journal::close);
                while (!journal.isClosed())
                {
                    closing.check();
                    Thread.onSpinWait();
                }

                reader.seekToEnd();
                assertEquals(12, reader.nextSequence());
                reader.seek(2);
                assertNumbered(2, 11, poll(reader));
                assertEquals(JournalReader.State.FOLLOWING, reader.state());
            }
            finally
            {
                mayGoOn.countDown();
            }
            closing.join();
            assertEquals(JournalReader.State.CLOSED, reader.state());
        }
    }

    @EachBackend(except = Backend.MAPPED)
    void backgroundAgentWritesTheWriteWindow(final Backend backend) throws Exception
    {
        final Journal journal = closing(repeatable(backend).writeWindow(64 * 1024).open());
        final Agent agent = journal.backgroundAgent();
        agent.doWork();
        appendNumbered(journal, 3, 100);
        agent.doWork();
        assertEquals(0, journal.writtenSequence());
        agent.doWork();
        assertEquals(3, journal.writtenSequence());
        assertEquals(0, journal.forcedSequence());

        appendNumbered(journal, 3, 100);
        agent.doWork();
        appendNumbered(journal, 3, 100);
        agent.doWork();
        assertTrue(journal.writtenSequence() >= 6);
    }

    @EachBackend
    void backgroundAgentForcesSegmentsThatAreComplete(final Backend backend) throws Exception
    {
        final Journal journal = closing(repeatable(backend).open());
        final Agent agent = journal.backgroundAgent();
        while (journal.counters().appendedPosition() < 2 * SEGMENT_LENGTH)
        {
            appendNumbered(journal, 1, 3000);
        }
        assertEquals(0, journal.forcedSequence());

        int turns = 0;
        while (agent.doWork() > 0)
        {
            turns++;
        }

        assertTrue(turns > 0);
        assertEquals(2 * SEGMENT_LENGTH, journal.counters().forcedPosition());
        assertEquals(journal.lastSequence() - 1, journal.forcedSequence());
    }

    @Test
    void backgroundAgentIsExposedWithoutAThreadAndDoesNothingOnceTheJournalIsClosed() throws Exception
    {
        final Journal journal = repeatable(Backend.MAPPED).open();
        final Agent agent = journal.backgroundAgent();
        journal.close();
        assertEquals(0, agent.doWork());

        final Journal threaded = closing(open(Backend.MAPPED));
        assertThrows(IllegalStateException.class, threaded::backgroundAgent);
    }

    // Closing and reopening.

    @EachBackend
    void emptyJournalIsReopened(final Backend backend)
    {
        for (int i = 0; i < 5; i++)
        {
            try (Journal journal = open(backend))
            {
                assertEquals(0 == i, journal.recoveryReport().isNew());
                assertEquals(0 < i, journal.recoveryReport().isCleanlyClosed());
                assertEquals(List.of(), readAll(journal));
            }
        }
        final Journal journal = closing(open(backend));
        appendNumbered(journal, 1, 10);
        assertNumbered(1, 1, readAll(journal));
    }

    @EachBackend
    void journalIsReopenedOftenEnoughToReachTheNextSegment(final Backend backend)
    {
        try (Journal journal = repeatable(backend).open())
        {
            fillSegment(journal, 2000);
        }

        // Each opening with a close takes 72 bytes.
        for (int i = 0; i < 30; i++)
        {
            try (Journal journal = reopen(backend))
            {
                assertEquals(3, journal.lastSequence());
                assertNumbered(1, 3, readAll(journal));
            }
        }
        final Journal journal = closing(reopen(backend));
        final long end = journal.counters().appendedPosition();
        assertTrue(end > SEGMENT_LENGTH - MARK_LENGTH - 32, () -> "end=" + end);
        appendNumbered(journal, 1, 10);
        assertNumbered(1, 4, readAll(journal));
    }

    @EachBackend
    void closedJournalRefuses(final Backend backend)
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 1, 10);
        journal.close();
        journal.close();

        assertTrue(journal.isClosed());
        final JournalAppender appender = journal.appender();
        assertThrows(IllegalStateException.class, () -> appender.append(new byte[1]));
        assertThrows(IllegalStateException.class, () -> appender.append(ByteBuffer.allocate(1)));
        assertThrows(IllegalStateException.class, () -> appender.append(JournalAppender.wrap(new byte[1]), 0, 1));
        assertThrows(IllegalStateException.class, () -> appender.claim(1));
        assertThrows(IllegalStateException.class, journal::force);
        assertThrows(IllegalStateException.class, journal::openReader);
        journal.awaitForced(1);
        assertEquals(1, journal.lastSequence());
        assertEquals(1, journal.forcedSequence());
        assertNumbered(1, 1, readAll(directory(), backend));
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void openClaimIsDiscardedByCloseOfItsThreadAndOfAnother(final boolean isOfAnother)
    {
        final Journal journal = open(Backend.FILE_CHANNEL);
        appendNumbered(journal, 2, 10);
        final RecordClaim claim = journal.appender().claim(500);
        claim.buffer().setMemory(0, 250, (byte)0xFF);

        if (isOfAnother)
        {
            Background.start("closing", journal::close).join();
        }
        else
        {
            journal.close();
        }

        claim.buffer().setMemory(250, 250, (byte)0xFF);
        assertThrows(IllegalStateException.class, claim::commit);
        assertEquals(0, claim.buffer().capacity());
        claim.close();
        assertEquals(2, journal.forcedSequence());
        final Journal reopened = closing(reopen(Backend.FILE_CHANNEL));
        assertTrue(reopened.recoveryReport().isCleanlyClosed());
        appendNumbered(reopened, 1, 10);
        assertNumbered(1, 3, readAll(reopened));
    }

    @EachBackend
    void errorHandlerMayCloseTheJournal(final Backend backend)
    {
        final CompletableFuture<Journal> opening = new CompletableFuture<>();
        final CountDownLatch isClosed = new CountDownLatch(1);
        // Create the first segment here, so that the background agent fails on the second.
        open(backend).close();
        segment(directory(), 1).toFile().delete();
        final FailingSteps device = new FailingSteps(
            (step, name) -> Step.CREATE == step && "spare-00000000000000000001".equals(name));
        device.fail();
        final Journal journal = closing(builder(backend, device).errorHandler((error) ->
        {
            opening.join().close();
            isClosed.countDown();
        }).open());
        appendNumbered(journal, 1, 10);
        opening.complete(journal);
        await(isClosed);
        assertTrue(journal.isClosed());
        assertNumbered(1, 1, readAll(directory(), backend));
    }

    @EachBackend
    void closeEndsThreadsThatForceAndRead(final Backend backend) throws InterruptedException
    {
        closeUnderUsers(backend, 5);
    }

    @Tag("soak")
    @EachBackend
    void closeEndsThreadsThatForceAndReadRepeatedly(final Backend backend) throws InterruptedException
    {
        closeUnderUsers(backend, 200);
    }

    private void closeUnderUsers(final Backend backend, final int rounds) throws InterruptedException
    {
        for (int round = 0; round < rounds; round++)
        {
            final CountDownLatch areRunning = new CountDownLatch(3);
            final Journal journal = open(backend);
            appendNumbered(journal, 20, 2000);
            final List<Background> users = List.of(
                Background.start("forcing", () -> runUntilClosed(areRunning, journal::force)),
                Background.start("opening", () -> runUntilClosed(areRunning, () -> journal.openReader().close())),
                Background.start("reading", () ->
                {
                    try (JournalReader reader = journal.openReader())
                    {
                        areRunning.countDown();
                        while (!journal.isClosed())
                        {
                            reader.seekToStart();
                            poll(reader);
                        }
                        reader.seekToStart();
                        assertEquals(journal.lastSequence(), poll(reader).size());
                    }
                }));
            areRunning.await();
            appendNumbered(journal, 20, 2000);
            journal.close();
            users.forEach(Background::join);
            assertEquals(journal.lastSequence(), journal.forcedSequence());
        }
        assertNumbered(1, 40 * rounds, readAll(directory(), backend));
    }

    private static void runUntilClosed(final CountDownLatch isRunning, final Runnable task)
    {
        task.run();
        isRunning.countDown();
        assertThrows(
            IllegalStateException.class,
            () ->
            {
                while (true)
                {
                    task.run();
                }
            });
    }

    @EachBackend
    void manyThreadsMayCloseAtOnce(final Backend backend)
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 10, 100);
        final CyclicBarrier start = new CyclicBarrier(4);
        final List<Background> closing = Stream.generate(() -> Background.start("closing", () ->
        {
            start.await();
            journal.close();
            // The lock is released when close returns.
            assertTrue(journal.isClosed());
            assertEquals(10, journal.forcedSequence());
        })).limit(4).toList();
        closing.forEach(Background::join);
        assertNumbered(1, 10, readAll(directory(), backend));
    }

    @EachBackend
    void appenderMayBeHandedFromThreadToThread(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        for (int i = 0; i < 20; i++)
        {
            Background.start("appending", () -> appendNumbered(journal, 50, 200)).join();
        }
        assertNumbered(1, 1000, readAll(journal));
    }

    @Test
    void toStringNamesDirectoryAndSequences()
    {
        final Journal journal = closing(open(Backend.FILE_CHANNEL));
        appendNumbered(journal, 3, 10);
        journal.force();
        for (final String part : List.of(
            directory().toString(), "lastSequence=3", "forcedSequence=3", "isClosed=false"))
        {
            assertTrue(journal.toString().contains(part), journal::toString);
        }
    }

    @Test
    void settingsHaveDefaults()
    {
        final JournalBuilder builder = Journal.builder(directory());
        assertSame(Backend.MAPPED, Internals.backend(builder));
        assertEquals(0, Internals.writeWindow(builder));
        assertTrue(Internals.isBackgroundThreaded(builder));
        final Journal journal = closing(builder.backgroundThread(false).open());
        assertEquals(JournalBuilder.DEFAULT_SEGMENT_LENGTH, journal.segmentLength());
    }

    @Tag("slow")
    @EachBackend
    void noRecordIsLongerThanSixteenMebibytes(final Backend backend)
    {
        final int longest = 16 * 1024 * 1024;
        final Journal journal = closing(
            builder(directory(), backend).segmentLength(2 * longest).backgroundThread(false).open());
        assertEquals(longest, journal.appender().maxRecordLength());
        appendNumbered(journal, 1, longest);
        assertThrows(IllegalArgumentException.class, () -> journal.appender().append(new byte[longest + 1]));
        assertNumbered(1, 1, readAll(journal));
    }
}
