// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.force;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Threads that wait for a shared fsync, on a device whose speed the test controls. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class GroupCommitTest extends JournalFixture
{
    private static final Duration LONG = Duration.ofDays(1);

    private final ForceGate gate = new ForceGate();
    private final List<Background> threads = new ArrayList<>();

    private Journal open(final Backend backend, final ForcePolicy policy)
    {
        return gate.builder(directory(), backend).force(policy).open();
    }

    private static long append(final JournalAppender appender, final long sequence)
    {
        return appender.append(-sequence, record(sequence, 50));
    }

    /** Starts a thread that waits for a record, and returns once it waits. */
    private Background awaiting(final Journal journal, final long sequence)
    {
        final Background background = Background.start("awaiting-" + sequence, () ->
        {
            journal.awaitForced(sequence);
            assertTrue(journal.forcedSequence() >= sequence);
        });
        threads.add(background);
        return background;
    }

    @EachBackend
    void sharedAppenderAppendsDuringAnFsync(final Backend backend)
    {
        final int count = 8;
        final Journal journal = closing(open(backend, ForcePolicy.everyRecord()));
        final JournalAppender appender = journal.sharedAppender();
        final int before = gate.forces();
        final ForceGate.Hold hold = gate.hold();
        threads.add(Background.start("leading", () -> assertEquals(1, append(appender, 1))));
        hold.awaitReached();
        for (int i = 0; i < count; i++)
        {
            final long sequence = 2 + i;
            final Background background = Background.start(
                "appending-" + i, () -> assertEquals(sequence, append(appender, sequence)));
            background.awaitParked();
            threads.add(background);
        }
        assertEquals(1 + count, journal.lastSequence());
        assertEquals(0, journal.forcedSequence());

        hold.release();
        threads.forEach(Background::join);
        assertEquals(1 + count, journal.forcedSequence());
        assertEquals(before + 2, gate.forces());
        assertNumbered(1, 1 + count, readAll(journal));
    }

    @EachBackend
    void awaitTimesOutWhileAnFsyncHangsAndAnotherThreadAppends(final Backend backend)
    {
        final Journal journal = closing(open(backend, ForcePolicy.manual()));
        final JournalAppender appender = journal.appender();
        append(appender, 1);
        journal.force();
        append(appender, 2);
        final ForceGate.Hold hold = gate.hold();
        awaiting(journal, 2);
        hold.awaitReached();
        final AtomicBoolean isOver = new AtomicBoolean();
        final Background appending = Background.start("appending", () ->
        {
            // Few enough records that no complete segment has to be fsynced.
            for (long sequence = 3; !isOver.get() && sequence < 100; sequence++)
            {
                append(appender, sequence);
                Thread.yield();
            }
        });
        for (final Duration timeout : List.of(
            Duration.ZERO, Duration.ofNanos(1), Duration.ofMillis(30), Duration.ofMillis(-3)))
        {
            assertFalse(journal.awaitForced(2, timeout));
        }
        // A record that is durable is not waited for.
        journal.awaitForced(1);
        assertTrue(journal.awaitForced(1, Duration.ZERO));
        assertTrue(journal.awaitForced(1, Duration.ofSeconds(Long.MAX_VALUE)));
        assertEquals(1, journal.forcedSequence());
        isOver.set(true);
        appending.join();

        final Background patient = Background.start("patient", () -> assertTrue(journal.awaitForced(2, LONG)));
        patient.awaitParked();
        hold.release();
        patient.join();
        threads.forEach(Background::join);
        assertTrue(journal.awaitForced(2, Duration.ZERO));
    }

    @EachBackend
    void timedOutWaiterDoesNotBlockTheOthers(final Backend backend)
    {
        final Journal journal = closing(open(backend, ForcePolicy.manual()));
        final JournalAppender appender = journal.appender();
        append(appender, 1);
        final ForceGate.Hold hold = gate.hold();
        awaiting(journal, 1);
        hold.awaitReached();
        append(appender, 2);
        // First in the queue, so that it would be the next to lead; gone by then.
        final Background impatient = Background.start(
            "impatient", () -> assertFalse(journal.awaitForced(2, Duration.ofMillis(20))));
        ForceGate.awaitWaitingOrEnded(impatient);
        awaiting(journal, 2).awaitParked();
        awaiting(journal, 2).awaitParked();
        impatient.join();

        hold.release();
        threads.forEach(Background::join);
        assertEquals(2, journal.forcedSequence());
    }

    @EachBackend
    void closeReleasesAllWaiters(final Backend backend)
    {
        final Journal journal = open(backend, ForcePolicy.every(LONG));
        // The first fsync does not wait for the interval.
        assertEquals(0, journal.lastSequence());
        final JournalAppender appender = journal.appender();
        for (int sequence = 1; sequence <= 4; sequence++)
        {
            append(appender, sequence);
            awaiting(journal, sequence).awaitParked();
        }

        journal.close();
        threads.forEach(Background::join);
        journal.awaitForced(4);
        assertTrue(journal.awaitForced(4, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> journal.awaitForced(5));
        assertClosed(journal::force);
        assertClosed(() -> append(appender, 5));
        assertClosed(() -> appender.claim(1));
    }

    @EachBackend
    void closeWaitsForAHangingFsyncAndReleasesAllWaiters(final Backend backend)
    {
        final Journal journal = open(backend, ForcePolicy.everyRecord());
        final JournalAppender appender = journal.sharedAppender();
        final ForceGate.Hold hold = gate.hold();
        threads.add(Background.start("leading", () -> append(appender, 1)));
        hold.awaitReached();
        for (int sequence = 2; sequence <= 5; sequence++)
        {
            final long expected = sequence;
            final Background background =
                Background.start("appending", () -> assertEquals(expected, append(appender, expected)));
            background.awaitParked();
            threads.add(background);
        }
        final Background closing = Background.start("closing", journal::close);
        while (!journal.isClosed())
        {
            Thread.onSpinWait();
        }
        closing.awaitParked();
        assertClosed(() -> append(appender, 6));

        hold.release();
        threads.forEach(Background::join);
        closing.join();
        assertNumbered(1, 5, readAll(directory(), backend));
    }

    @EachBackend
    void waiterFailsWhenTheFsyncOfCloseFails(final Backend backend)
    {
        final Journal journal = open(backend, ForcePolicy.every(LONG));
        final JournalAppender appender = journal.sharedAppender();
        append(appender, 1);
        for (int i = 0; i < 3; i++)
        {
            final Background background = Background.start(
                "awaiting", () -> assertThrows(JournalException.class, () -> journal.awaitForced(1)));
            background.awaitParked();
            threads.add(background);
        }
        gate.failForces();

        assertThrows(JournalException.class, journal::close);
        threads.forEach(Background::join);
        assertThrows(JournalException.class, () -> journal.awaitForced(1));
    }

    @EachBackend
    void interruptsEndNeitherLeaderNorFollower(final Backend backend)
    {
        final Journal journal = closing(open(backend, ForcePolicy.manual()));
        append(journal.appender(), 1);
        final int before = gate.forces();
        final ForceGate.Hold hold = gate.hold();
        for (final boolean isLimited : new boolean[]{ true, false, true })
        {
            threads.add(Background.start("interrupted", () ->
            {
                if (isLimited)
                {
                    assertTrue(journal.awaitForced(1, LONG));
                }
                else
                {
                    journal.awaitForced(1);
                }
                assertEquals(1, journal.forcedSequence());
                assertTrue(Thread.interrupted());
            }));
            hold.awaitReached();
            threads.get(threads.size() - 1).awaitParked();
        }
        for (int i = 0; i < 100; i++)
        {
            threads.forEach((background) -> background.thread().interrupt());
            Thread.yield();
        }
        assertEquals(0, journal.forcedSequence());
        assertTrue(threads.stream().allMatch((background) -> background.thread().isAlive()));
        hold.release();
        threads.forEach(Background::join);
        assertEquals(before + 1, gate.forces());
        append(journal.appender(), 2);
        journal.awaitForced(2);
    }

    @EachBackend
    void interruptStormOverTheSharedAppenderLosesNothing(final Backend backend)
    {
        final int count = 4;
        final int records = 60;
        try (Journal journal = open(backend, ForcePolicy.everyRecord()))
        {
            final JournalAppender appender = journal.sharedAppender();
            for (int i = 0; i < count; i++)
            {
                final int thread = i;
                threads.add(Background.start("appending-" + i, () ->
                {
                    for (int k = 0; k < records; k++)
                    {
                        final long sequence = appender.append((long)thread << 32 | k, record(k, 700));
                        assertTrue(journal.forcedSequence() >= sequence);
                    }
                }));
            }
            while (threads.stream().anyMatch((background) -> background.thread().isAlive()))
            {
                threads.forEach((background) -> background.thread().interrupt());
                Thread.yield();
            }
            threads.forEach(Background::join);
        }
        final Journal journal = closing(reopen(backend));
        assertTrue(journal.recoveryReport().isCleanlyClosed());
        final int[] next = new int[count];
        readAll(journal).forEach(
            (entry) -> assertEquals(next[(int)(entry.tag() >>> 32)]++, (int)entry.tag(), entry::toString));
        assertEquals((long)count * records, journal.lastSequence());
    }
}
