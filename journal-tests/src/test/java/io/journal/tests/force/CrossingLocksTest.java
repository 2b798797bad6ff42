// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.force;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.CorruptJournalException;
import io.journal.ForcePolicy;
import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Callbacks of the journal and concurrent changes of it do not deadlock. */
@Timeout(value = 900, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CrossingLocksTest extends JournalFixture
{
    private static final Duration LONG = Duration.ofHours(20);

    private final ForceGate gate = new ForceGate();

    @EachBackend
    void listenerMaySaveACursorDuringATruncation(final Backend backend) throws InterruptedException
    {
        final Journal journal = closing(builder(backend).backgroundThread(false).open());
        final CountDownLatch isNotified = new CountDownLatch(1);
        final CountDownLatch isCut = new CountDownLatch(1);
        journal.onForced((sequence) ->
        {
            isNotified.countDown();
            await(isCut);
            journal.cursor("mailer").save(3);
        });
        append(journal.appender(), 1, 10);
        journal.force();
        final Background agent = Background.start("agent", () -> runAgent(journal));
        isNotified.await();

        journal.truncateAfter(5);
        isCut.countDown();
        agent.join();

        assertEquals(3, journal.cursor("mailer").sequence());
        assertEquals(5, journal.lastSequence());
    }

    @EachBackend
    void listenerIsNotifiedOfRecordsThatReplaceTruncatedOnes(final Backend backend)
    {
        final Journal journal = closing(builder(backend).backgroundThread(false).open());
        final long[] notified = new long[1];
        journal.onForced((sequence) -> notified[0] = sequence);
        append(journal.appender(), 1, 10);
        journal.force();
        runAgent(journal);
        assertEquals(10, notified[0]);

        journal.truncateAfter(5);
        append(journal.appender(), 6, 7);
        runAgent(journal);
        journal.force();
        runAgent(journal);

        assertEquals(7, notified[0]);
    }

    @EachBackend
    void listenerMayAwaitAnFsyncOfItsOwnThread(final Backend backend)
    {
        final Journal journal = closing(builder(backend).backgroundThread(false).force(ForcePolicy.every(LONG)).open());
        final JournalAppender appender = journal.sharedAppender();
        final long[] appended = new long[1];
        journal.onForced((sequence) ->
        {
            if (0 == appended[0])
            {
                appended[0] = appender.append(record(2, 50));
                journal.awaitForced(appended[0]);
            }
        });
        append(appender, 1, 1);
        journal.force();

        runAgent(journal);

        assertEquals(2, appended[0]);
        assertEquals(2, journal.forcedSequence());
    }

    @EachBackend
    void readersContinueWhileATruncationWaitsForABackup(final Backend backend) throws InterruptedException
    {
        final Journal journal = closing(builder(backend).backgroundThread(false).open());
        append(journal.appender(), 1, 10);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final CountDownLatch isHeld = new CountDownLatch(1);
        final Background backup = Background.start("backup", () -> Internals.historyHeldBy(journal, () ->
        {
            isHeld.countDown();
            await(mayEnd);
        }));
        isHeld.await();
        final Background truncation = Background.start("truncation", () -> journal.truncateAfter(5));
        truncation.awaitParked();

        try (JournalReader reader = journal.openReader())
        {
            assertEquals(10, poll(reader).size());
        }

        mayEnd.countDown();
        backup.join();
        truncation.join();
        assertEquals(5, journal.lastSequence());
    }

    @EachBackend
    void positionsStayWhenTheBackgroundAgentWritesAfterATruncation(final Backend backend)
    {
        final Journal journal = closing(builder(backend).backgroundThread(false).open());
        append(journal.appender(), 1, 50);
        runAgent(journal);
        journal.truncateAfter(5);
        append(journal.appender(), 6, 6);
        runAgent(journal);

        assertEquals(6, journal.lastSequence());
        assertEquals(6, journal.writtenSequence());
        assertFalse(journal.forcedSequence() > 6);
        journal.awaitForced(6);
        assertTrue(journal.forcedSequence() >= 6);
    }

    @EachBackend
    void errorHandlerMayWaitForAThreadThatChangesHistory(final Backend backend) throws Exception
    {
        final AtomicReference<Journal> opened = new AtomicReference<>();
        final List<Throwable> reported = new ArrayList<>();
        try (Journal journal = builder(backend).backgroundThread(false).retention(Retention.bytes(1))
            .errorHandler((error) ->
            {
                reported.add(error);
                Background.start("operator", () ->
                {
                    opened.get().prune(1);
                    opened.get().truncateAfter(4);
                    opened.get().cursor("other").save(1);
                }).join();
            }).open())
        {
            opened.set(journal);
            for (int sequence = 1; sequence <= 3; sequence++)
            {
                append(journal.appender(), sequence, sequence);
                journal.roll();
            }
            append(journal.appender(), 4, 5);
            journal.force();
            // Because of the damage, retention cannot make this segment the first.
            final JournalDirectory files = new JournalDirectory(directory());
            files.flip(JournalDirectory.segmentName(2), SEGMENT_HEADER_LENGTH + 30L, 1);

            runAgent(journal);

            assertEquals(1, reported.size(), reported::toString);
            assertTrue(reported.get(0) instanceof CorruptJournalException, reported::toString);
            assertEquals(List.of("other"), journal.cursorNames());
            assertEquals(4, journal.lastSequence());
        }
    }

    private JournalBuilder builder(final Backend backend)
    {
        return gate.builder(directory(), backend);
    }

    private static void append(final JournalAppender appender, final long from, final long to)
    {
        for (long sequence = from; sequence <= to; sequence++)
        {
            assertEquals(sequence, appender.append(record(sequence, 50)));
        }
    }
}
