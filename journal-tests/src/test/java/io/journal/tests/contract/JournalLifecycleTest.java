// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.RecordClaim;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@InMemory
class JournalLifecycleTest extends JournalFixture
{
    // Appended, written and forced sequences.
    @EachBackendAndWindow
    void forceCoversAllAppendedRecords(final Backend backend, final int window)
    {
        final Journal journal = closing(repeatable(backend).writeWindow(window).open());
        for (int i = 0; i < 30; i++)
        {
            appendNumbered(journal, i, 900);
            final long forcedBefore = journal.forcedSequence();
            assertEquals(journal.lastSequence() - i, forcedBefore);

            journal.force();
            assertEquals(journal.lastSequence(), journal.writtenSequence());
            assertEquals(journal.lastSequence(), journal.forcedSequence());
            assertEquals(journal.counters().appendedPosition(), journal.counters().forcedPosition());

            journal.force();
            assertEquals(journal.counters().appendedPosition(), journal.counters().forcedPosition());
        }
    }

    @EachBackend
    void awaitForcedForcesRecordsThatAreNotDurableYet(final Backend backend)
    {
        final Journal journal = closing(repeatable(backend).open());
        appendNumbered(journal, 10, 100);
        assertEquals(0, journal.forcedSequence());

        journal.awaitForced(4);
        assertEquals(10, journal.forcedSequence());
        assertEquals(journal.counters().appendedPosition(), journal.counters().forcedPosition());

        appendNumbered(journal, 1, 100);
        journal.awaitForced(10);
        assertEquals(10, journal.forcedSequence());
        journal.awaitForced(11);
        assertEquals(11, journal.forcedSequence());
    }

    @EachBackendAndWindow
    void manyThreadsAwaitTheirRecords(final Backend backend, final int window)
    {
        final int threads = 4;
        final int count = 25;
        final Journal journal = closing(builder(directory(), backend).writeWindow(window).open());
        final List<Background> waiting = new ArrayList<>();
        final Object lock = new Object();
        for (int i = 0; i < threads; i++)
        {
            waiting.add(Background.start(
                "waiting",
                () ->
                {
                    for (int j = 0; j < count; j++)
                    {
                        final long sequence;
                        synchronized (lock)
                        {
                            appendNumbered(journal, 1, 2000);
                            sequence = journal.lastSequence();
                        }
                        journal.awaitForced(sequence);
                        assertTrue(journal.forcedSequence() >= sequence);
                    }
                }));
        }
        waiting.forEach(Background::join);

        assertEquals(threads * count, journal.forcedSequence());
        assertNumbered(1, threads * count, readAll(journal));
    }

    @EachBackendAndWindow
    void nothingIsForcedBeforeItIsWrittenNorWrittenBeforeItIsAppended(final Backend backend, final int window)
    {
        final int count = 8000;
        final CountDownLatch isWatching = new CountDownLatch(2);
        final AtomicBoolean isDone = new AtomicBoolean();
        final Journal journal = closing(builder(directory(), backend).writeWindow(window).open());
        final Background watching = Background.start(
            "watching",
            () ->
            {
                isWatching.countDown();
                long lastForced = 0;
                while (!isDone.get())
                {
                    // Read the lower sequences first: the higher ones can only grow in between.
                    final long forced = journal.forcedSequence();
                    final long written = journal.writtenSequence();
                    final long appended = journal.lastSequence();
                    assertTrue(
                        lastForced <= forced && forced <= written && written <= appended,
                        () -> "forced=" + forced + ", written=" + written + ", appended=" + appended);
                    final long forcedPosition = journal.counters().forcedPosition();
                    assertTrue(forcedPosition <= journal.counters().appendedPosition());
                    lastForced = forced;
                }
            });
        final Background forcing = Background.start(
            "forcing",
            () ->
            {
                isWatching.countDown();
                while (!isDone.get())
                {
                    journal.force();
                }
            });

        try
        {
            isWatching.await();
            appendNumbered(journal, count, 60);
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
        finally
        {
            isDone.set(true);
        }
        watching.join();
        forcing.join();
    }

    @EachBackend
    void durableRecordEndsBelowTheDurablePosition(final Backend backend)
    {
        checkForcedPositions(backend, 0, 60);
    }

    @Tag("soak")
    @EachBackendAndWindow
    void durableRecordEndsBelowTheDurablePositionUnderLoad(final Backend backend, final int window)
    {
        checkForcedPositions(backend, window, 1000);
    }

    private void checkForcedPositions(final Backend backend, final int window, final int count)
    {
        final int length = 16;
        final AtomicBoolean isDone = new AtomicBoolean();
        final long[] sequences = new long[count];
        final long[] positions = new long[count];
        try (Journal journal = builder(directory(), backend).segmentLength(1 << 20).writeWindow(window).open())
        {
            final Background appending = Background.start(
                "appending",
                () ->
                {
                    final byte[] bytes = new byte[length];
                    while (!isDone.get())
                    {
                        journal.appender().append(bytes);
                    }
                });
            try
            {
                for (int i = 0; i < count; i++)
                {
                    while (journal.lastSequence() == journal.forcedSequence())
                    {
                        appending.check();
                        Thread.onSpinWait();
                    }
                    journal.force();
                    // The position is read second, so it is never older than the sequence.
                    sequences[i] = journal.forcedSequence();
                    positions[i] = journal.counters().forcedPosition();
                }
            }
            finally
            {
                isDone.set(true);
            }
            appending.join();

            assertTrue(sequences[count - 1] > 0);
            try (JournalReader reader = journal.openReader())
            {
                for (int i = 0; i < count; i++)
                {
                    final long position = positions[i];
                    if (sequences[i] > 0)
                    {
                        reader.seek(sequences[i]);
                        reader.poll(
                            (buffer, offset, recordLength, header) -> assertTrue(
                                header.position() + FRAME_HEADER_LENGTH + length <= position,
                                () -> "sequence=" + header.sequence() + ", position=" + header.position() +
                                    ", forcedPosition=" + position),
                            1);
                    }
                }
            }
        }
    }

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

    @EachBackend
    void withoutAWriteWindowARecordIsWrittenWhenAppendReturns(final Backend backend)
    {
        final Journal journal = closing(repeatable(backend).open());
        for (int i = 1; i <= 100; i++)
        {
            appendNumbered(journal, 1, 1000);
            assertEquals(i, journal.writtenSequence());
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

    @EachBackend
    void backgroundAgentWithItsOwnThreadIsNotExposed(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        assertThrows(IllegalStateException.class, journal::backgroundAgent);
    }

    @EachBackend
    void backgroundAgentOfAClosedJournalDoesNothing(final Backend backend) throws Exception
    {
        final Journal journal = repeatable(backend).open();
        final Agent agent = journal.backgroundAgent();
        journal.close();

        assertEquals(0, agent.doWork());
    }

    @EachBackend
    void watermarkFramesDoNotDisturbReaders(final Backend backend)
    {
        final TestClock clock = new TestClock();
        try (Journal journal = builder(directory(), backend).clock(clock).open();
            JournalReader reader = journal.openReader())
        {
            for (int i = 1; i <= 120; i++)
            {
                appendNumbered(journal, 1, 50);
                clock.advance(1000);
                journal.force();
                assertNumbered(i, i, poll(reader));
            }
            assertNumbered(1, 120, readAll(journal));
        }
    }

    // Closing and reopening.

    @EachBackendAndWindow
    void closedJournalIsReopenedWithoutAScanAndContinued(final Backend backend, final int window)
    {
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            appendNumbered(journal, 100, 100);
        }

        for (int i = 1; i <= 10; i++)
        {
            try (Journal journal = builder(directory(), backend).writeWindow(window).open())
            {
                final RecoveryReport report = journal.recoveryReport();
                assertFalse(report.isNew());
                assertTrue(report.isCleanlyClosed(), report::toString);
                assertEquals(report.endPosition(), report.scanStartPosition());
                assertEquals(100L * i, report.lastSequence());
                assertEquals(0, report.tornLength());
                assertEquals("", report.tornReason());
                assertFalse(report.mayHaveLostAcknowledged());
                assertFalse(report.isRewritten());

                assertEquals(1, journal.firstSequence());
                assertEquals(100L * i, journal.lastSequence());
                assertEquals(100L * i, journal.writtenSequence());
                assertEquals(100L * i, journal.forcedSequence());
                assertNumbered(1, 100L * i, readAll(journal));
                appendNumbered(journal, 100, 100 * i);
            }
        }
        assertNumbered(1, 1100, readAll(directory(), backend));
    }

    @EachBackend
    void emptyJournalIsReopened(final Backend backend)
    {
        for (int i = 0; i < 5; i++)
        {
            try (Journal journal = open(backend))
            {
                assertEquals(0 == i, journal.recoveryReport().isNew());
                assertEquals(0 < i, journal.recoveryReport().isCleanlyClosed());
                assertEquals(1, journal.firstSequence());
                assertEquals(0, journal.lastSequence());
                assertEquals(List.of(), readAll(journal));
            }
        }
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 1, 10);
        }
        assertNumbered(1, 1, readAll(directory(), backend));
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

    @EachBackendAndWindow
    void claimOfTheClosingThreadIsAborted(final Backend backend, final int window)
    {
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        appendNumbered(journal, 2, 10);
        final RecordClaim claim = journal.appender().claim(500);
        claim.buffer().setMemory(0, 500, (byte)0xFF);

        journal.close();

        claim.buffer().setMemory(0, 500, (byte)0xFF);
        assertThrows(IllegalStateException.class, claim::commit);
        assertEquals(0, claim.buffer().capacity());
        claim.close();
        final Journal reopened = closing(reopen(backend));
        assertTrue(reopened.recoveryReport().isCleanlyClosed());
        assertNumbered(1, 2, readAll(reopened));
        appendNumbered(reopened, 1, 10);
        assertNumbered(1, 3, readAll(reopened));
    }

    @EachBackendAndWindow
    void claimOfAnotherThreadIsDiscardedByClose(final Backend backend, final int window)
        throws InterruptedException
    {
        final CountDownLatch isClaimed = new CountDownLatch(1);
        final CountDownLatch isClosed = new CountDownLatch(1);
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        final Background claiming = Background.start(
            "claiming",
            () ->
            {
                try
                {
                    appendNumbered(journal, 2, 10);
                    final RecordClaim claim = journal.appender().claim(500);
                    claim.buffer().setMemory(0, 250, (byte)0xFF);
                    isClaimed.countDown();
                    isClosed.await();
                    assertThrows(IllegalStateException.class, claim::commit);
                    claim.close();
                }
                finally
                {
                    isClaimed.countDown();
                }
            });
        isClaimed.await();

        journal.close();
        isClosed.countDown();
        claiming.join();

        assertEquals(2, journal.lastSequence());
        assertEquals(2, journal.forcedSequence());
        final Journal reopened = closing(reopen(backend));
        assertNumbered(1, 2, readAll(reopened));
        appendNumbered(reopened, 1, 10);
        assertNumbered(1, 3, readAll(reopened));
    }

    @EachBackend
    void journalIsClosedWhileAnotherThreadOpensAndClosesClaims(final Backend backend) throws InterruptedException
    {
        closeUnderClaims(backend, 12);
    }

    @Tag("soak")
    @EachBackend
    void journalIsRepeatedlyClosedWhileAnotherThreadOpensAndClosesClaims(final Backend backend)
        throws InterruptedException
    {
        closeUnderClaims(backend, 200);
    }

    private void closeUnderClaims(final Backend backend, final int rounds) throws InterruptedException
    {
        for (int round = 0; round < rounds; round++)
        {
            final int count = round % 40;
            final CountDownLatch isClaiming = new CountDownLatch(count);
            final Journal journal = open(backend);
            final long before = journal.lastSequence();
            final Background claiming = Background.start(
                "claiming",
                () -> assertThrows(
                    IllegalStateException.class,
                    () ->
                    {
                        for (int i = 0;; i++)
                        {
                            try (RecordClaim claim = journal.appender().claim(5000))
                            {
                                claim.buffer().setMemory(0, 5000, (byte)0xFF);
                                if (0 == i % 8)
                                {
                                    claim.buffer().putBytes(0, record(before + i / 8 + 1, 5000));
                                    claim.tag(-(before + i / 8 + 1)).commit();
                                }
                            }
                            isClaiming.countDown();
                        }
                    }));
            isClaiming.await();

            journal.close();
            claiming.join();

            try (Journal reopened = reopen(backend))
            {
                assertEquals(journal.lastSequence(), reopened.lastSequence());
                assertNumbered(1, journal.lastSequence(), readAll(reopened));
            }
        }
    }

    @EachBackend
    void journalIsClosedWhileAUserThreadRunsItsBackgroundAgent(final Backend backend) throws InterruptedException
    {
        closeUnderBackgroundAgent(backend, 8);
    }

    @Tag("soak")
    @EachBackend
    void journalIsRepeatedlyClosedWhileAUserThreadRunsItsBackgroundAgent(final Backend backend)
        throws InterruptedException
    {
        closeUnderBackgroundAgent(backend, 300);
    }

    private void closeUnderBackgroundAgent(final Backend backend, final int rounds) throws InterruptedException
    {
        for (int round = 0; round < rounds; round++)
        {
            final CountDownLatch isWorking = new CountDownLatch(3);
            final AtomicBoolean isClosed = new AtomicBoolean();
            final Journal journal = builder(directory(), backend).backgroundThread(false).writeWindow(4096).open();
            final Background working = Background.start(
                "working",
                () ->
                {
                    while (!isClosed.get())
                    {
                        journal.backgroundAgent().doWork();
                        isWorking.countDown();
                    }
                });
            isWorking.await();

            appendNumbered(journal, 100, 2000);
            journal.close();
            isClosed.set(true);
            working.join();
            assertEquals(100 * round + 100, journal.forcedSequence());
        }
        assertNumbered(1, 100 * rounds, readAll(directory(), backend));
    }

    @EachBackend
    void errorHandlerMayCloseTheJournal(final Backend backend) throws InterruptedException
    {
        final AtomicReference<Journal> journal = new AtomicReference<>();
        final CountDownLatch isOpen = new CountDownLatch(1);
        final CountDownLatch isClosed = new CountDownLatch(1);
        final ErrorHandler closing = (error) ->
        {
            try
            {
                isOpen.await();
                journal.get().close();
            }
            catch (final InterruptedException ex)
            {
                throw new AssertionError(ex);
            }
            finally
            {
                isClosed.countDown();
            }
        };
        // Create the first segment here, so that the background agent fails on the second.
        open(backend).close();
        segment(directory(), 1).toFile().delete();
        final FailingSteps device = new FailingSteps(
            (step, name) -> Step.CREATE == step && "spare-00000000000000000001".equals(name));
        device.fail();
        try (Journal opened = builder(backend, device).errorHandler(closing).open())
        {
            appendNumbered(opened, 1, 10);
            journal.set(opened);
            isOpen.countDown();
            isClosed.await();
            assertTrue(opened.isClosed());
        }
        assertNumbered(1, 1, readAll(directory(), backend));
    }

    @EachBackendAndWindow
    void recordsAcknowledgedBeforeAnotherThreadClosesAreKept(final Backend backend, final int window)
        throws InterruptedException
    {
        long lastBefore = 0;
        for (int round = 0; round < 5; round++)
        {
            final long acknowledged = closeUnderAnAppender(backend, window, 20 << round);
            assertTrue(acknowledged >= lastBefore + (20 << round));
            lastBefore = acknowledged;
        }
    }

    private long closeUnderAnAppender(final Backend backend, final int window, final int count)
        throws InterruptedException
    {
        final AtomicLong acknowledged = new AtomicLong();
        final CountDownLatch hasAppended = new CountDownLatch(count);
        final Journal journal = builder(directory(), backend).writeWindow(window).open();
        final Background appending = Background.start(
            "appending",
            () ->
            {
                try
                {
                    while (true)
                    {
                        final long sequence = journal.lastSequence() + 1;
                        final byte[] bytes = record(sequence, (int)(sequence % 300));
                        acknowledged.set(journal.appender().append(-sequence, bytes, 0, bytes.length));
                        hasAppended.countDown();
                    }
                }
                finally
                {
                    while (hasAppended.getCount() > 0)
                    {
                        hasAppended.countDown();
                    }
                }
            });

        hasAppended.await();
        journal.close();
        final AssertionError end = assertThrows(AssertionError.class, appending::join);
        assertClosed(() ->
        {
            throw end.getCause();
        });

        try (Journal reopened = reopen(backend))
        {
            assertTrue(reopened.recoveryReport().isCleanlyClosed(), () -> reopened.recoveryReport().toString());
            assertEquals(acknowledged.get(), reopened.lastSequence());
            assertNumbered(1, acknowledged.get(), readAll(reopened));
        }

        return acknowledged.get();
    }

    @EachBackendAndWindow
    void waitersSeeTheFsyncOfClose(final Backend backend, final int window) throws InterruptedException
    {
        closeUnderWaiters(backend, window, 4);
    }

    @Tag("soak")
    @EachBackendAndWindow
    void waitersSeeTheFsyncOfCloseRepeatedly(final Backend backend, final int window) throws InterruptedException
    {
        closeUnderWaiters(backend, window, 200);
    }

    private void closeUnderWaiters(final Backend backend, final int window, final int rounds)
        throws InterruptedException
    {
        for (int round = 0; round < rounds; round++)
        {
            final CountDownLatch areWaiting = new CountDownLatch(20);
            final Object lock = new Object();
            final Journal journal = builder(directory(), backend).writeWindow(window).open();
            final List<Background> waiting = Stream.generate(
                () -> Background.start(
                    "waiting",
                    () ->
                    {
                        while (true)
                        {
                            final long sequence;
                            synchronized (lock)
                            {
                                if (journal.isClosed())
                                {
                                    break;
                                }
                                try
                                {
                                    sequence = journal.appender().append(new byte[100]);
                                }
                                catch (final IllegalStateException ex)
                                {
                                    break;
                                }
                            }
                            journal.awaitForced(sequence);
                            assertTrue(journal.forcedSequence() >= sequence);
                            areWaiting.countDown();
                        }
                    }))
                .limit(3).toList();
            areWaiting.await();

            journal.close();
            waiting.forEach(Background::join);
        }
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
    void manyThreadsMayCloseAtOnce(final Backend backend) throws InterruptedException
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 10, 100);
        final CountDownLatch start = new CountDownLatch(4);
        final List<Background> closing = Stream.generate(
            () -> Background.start(
                "closing",
                () ->
                {
                    start.countDown();
                    start.await();
                    journal.close();
                    // The lock is released when close returns.
                    assertTrue(journal.isClosed());
                    assertEquals(10, journal.forcedSequence());
                }))
            .limit(4).toList();
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

    @EachBackend
    void toStringNamesDirectoryAndSequences(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        appendNumbered(journal, 3, 10);
        journal.force();
        final String text = journal.toString();
        assertTrue(text.contains(directory().toString()), text);
        assertTrue(text.contains("lastSequence=3"), text);
        assertTrue(text.contains("forcedSequence=3"), text);
        assertTrue(text.contains("isClosed=false"), text);
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

    @EachBackendAndWindow
    void recordsOfManyMegabytesAreReadAsTheyWere(final Backend backend, final int window)
    {
        final int segmentLength = 2 * 1024 * 1024;
        final Journal journal = closing(builder(directory(), backend)
            .segmentLength(segmentLength).backgroundThread(false).writeWindow(window).open());
        final int largest = segmentLength - (SEGMENT_LENGTH - LARGEST_RECORD);
        assertEquals(largest, journal.appender().maxRecordLength());
        appendNumbered(journal, 1, 10);
        appendNumbered(journal, 1, 1_500_001);
        appendNumbered(journal, 1, 10);
        appendNumbered(journal, 1, largest);
        assertNumbered(1, 4, readAll(journal));
    }

    @Tag("slow")
    @EachBackend
    void noRecordIsLongerThanSixteenMebibytes(final Backend backend)
    {
        final int longest = 16 * 1024 * 1024;
        try (Journal journal = builder(directory(), backend)
            .segmentLength(2 * longest).backgroundThread(false).open())
        {
            assertEquals(longest, journal.appender().maxRecordLength());
            appendNumbered(journal, 1, longest);
            assertThrows(
                IllegalArgumentException.class, () -> journal.appender().append(new byte[longest + 1]));
            assertNumbered(1, 1, readAll(journal));
        }
        assertNumbered(1, 1, readAll(directory(), backend));
    }
}
