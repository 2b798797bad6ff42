// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.RecordBatch;
import io.journal.store.Backend;
import io.journal.tests.force.ForceGate;
import io.journal.tests.format.FormatOracle;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.InMemory;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The shared appender. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@InMemory
class SharedAppenderTest extends JournalFixture
{
    private final List<Background> threads = new ArrayList<>();

    @EachBackend
    void journalIsAppendedToByOneThreadOrByMany(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            final JournalAppender appender = journal.appender();
            final IllegalStateException ex = assertThrows(IllegalStateException.class, journal::sharedAppender);
            assertTrue(ex.getMessage().contains("appender()"), ex.getMessage());
            assertSame(appender, journal.appender());
            assertEquals(1, appender.append(-1, record(1, 10)));
        }
        try (Journal journal = builder(directory(), backend).open())
        {
            final JournalAppender appender = journal.sharedAppender();
            final IllegalStateException ex = assertThrows(IllegalStateException.class, journal::appender);
            assertTrue(ex.getMessage().contains("sharedAppender()"), ex.getMessage());
            assertSame(appender, journal.sharedAppender());
            assertEquals(2, appender.append(-2, record(2, 10)));
        }
        assertNumbered(1, 2, readAll(directory(), backend));
    }

    @EachBackend
    void ofTwoThreadsThatTakeDifferentAppendersOneIsRejected(final Backend backend)
    {
        for (int round = 0; round < 20; round++)
        {
            final Set<String> taken = ConcurrentHashMap.newKeySet();
            final CountDownLatch start = new CountDownLatch(1);
            try (Journal journal = builder(temp.resolve("round-" + round), backend).backgroundThread(false).open())
            {
                final Background one = Background.start("one", () ->
                {
                    start.await();
                    takeOrBeRefused(taken, "exclusive", journal::appender);
                });
                final Background many = Background.start("many", () ->
                {
                    start.await();
                    takeOrBeRefused(taken, "shared", journal::sharedAppender);
                });
                start.countDown();
                one.join();
                many.join();
                assertEquals(1, taken.size(), taken::toString);
            }
        }
    }

    private static void takeOrBeRefused(final Set<String> taken, final String name, final Runnable take)
    {
        try
        {
            take.run();
            taken.add(name);
        }
        catch (final IllegalStateException refused)
        {
            assertTrue(refused.getMessage().contains("taken"), refused.getMessage());
        }
    }

    @EachBackendAndWindow
    void recordsOfEachThreadKeepTheirOrderInEveryForm(final Backend backend, final int window) throws IOException
    {
        final int count = 4;
        final int rounds = 100;
        try (Journal journal = builder(directory(), backend).writeWindow(window).open())
        {
            final JournalAppender appender = journal.sharedAppender();
            for (int i = 0; i < count; i++)
            {
                final long thread = i;
                threads.add(Background.start("appending-" + i, () ->
                {
                    final RecordBatch batch = new RecordBatch();
                    long before = 0;
                    for (long k = 0; k < rounds; k++)
                    {
                        final long tag = thread << 32 | k * 6;
                        final long first = appender.append(tag, record(tag, 40));
                        assertTrue(first > before);
                        assertTrue(appender.append(tag + 1, ByteBuffer.wrap(record(tag + 1, 300))) > first);
                        appender.append(tag + 2, JournalAppender.wrap(record(tag + 2, 3)), 0, 3);
                        batch.clear();
                        batch.add(tag + 3, record(tag + 3, 0)).add(tag + 4, record(tag + 4, 99))
                            .add(tag + 5, record(tag + 5, 1));
                        before = appender.append(batch);
                        assertTrue(before >= first + 5);
                    }
                }));
            }
            threads.forEach(Background::join);

            final int[] next = new int[count];
            for (final Entry entry : readAll(journal))
            {
                assertEquals(next[(int)(entry.tag() >>> 32)]++, (int)entry.tag(), entry::toString);
                assertEquals(new Entry(
                    entry.sequence(), entry.tag(), record(entry.tag(), entry.bytes().length)), entry);
            }
            assertEquals((long)count * rounds * 6, journal.lastSequence());
            assertTrue(journal.counters().appendedPosition() > SEGMENT_LENGTH);
        }
        assertEquals(count * rounds * 6, FormatOracle.read(directory()).entries().size());
    }

    @EachBackend
    void recordsAcknowledgedBeforeCloseAreKept(final Backend backend) throws InterruptedException
    {
        final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
        final CountDownLatch isAppending = new CountDownLatch(200);
        final Journal journal = builder(directory(), backend).open();
        final JournalAppender appender = journal.sharedAppender();
        for (int i = 0; i < 4; i++)
        {
            threads.add(Background.start("appending-" + i, () -> assertClosed(() ->
            {
                while (true)
                {
                    acknowledged.add(appender.append(record(7, 100)));
                    isAppending.countDown();
                }
            })));
        }
        isAppending.await();

        journal.close();
        threads.forEach(Background::join);
        final long last = journal.lastSequence();
        assertEquals(last, acknowledged.size());
        assertEquals(last, journal.forcedSequence());
        final Set<Long> found = new HashSet<>();
        readAll(directory(), backend).forEach((entry) -> found.add(entry.sequence()));
        assertEquals(acknowledged, found);
    }

    @EachBackend(except = Backend.MAPPED)
    void failedWriteIsThrownToAllThreads(final Backend backend) throws InterruptedException
    {
        final ForceGate gate = new ForceGate();
        final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
        final CountDownLatch isAppending = new CountDownLatch(100);
        final Journal journal = gate.builder(directory(), backend).open();
        final JournalAppender appender = journal.sharedAppender();
        for (int i = 0; i < 4; i++)
        {
            threads.add(Background.start("appending-" + i, () -> assertThrows(JournalException.class, () ->
            {
                while (true)
                {
                    acknowledged.add(appender.append(record(7, 100)));
                    isAppending.countDown();
                }
            })));
        }
        isAppending.await();

        gate.failWrites();
        threads.forEach(Background::join);
        assertThrows(JournalException.class, () -> appender.append(record(7, 100)));
        assertTrue(journal.counters().isFailed());
        assertThrows(JournalException.class, journal::force);
        closeFallible(journal);

        final Set<Long> found = new HashSet<>();
        readAll(directory(), backend).forEach((entry) -> found.add(entry.sequence()));
        assertTrue(found.containsAll(acknowledged));
    }

    @EachBackend
    void threadsContinueAfterDiskFull(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(StepStore.Step.CREATE);
        try (Journal journal = builder(backend, device).backgroundThread(false).open())
        {
            final JournalAppender appender = journal.sharedAppender();
            device.beFull();
            final CountDownLatch refused = new CountDownLatch(3);
            for (int i = 0; i < 3; i++)
            {
                threads.add(Background.start("appending-" + i, () ->
                {
                    boolean isRefused = false;
                    for (int k = 0; k < 100;)
                    {
                        try
                        {
                            appender.append(record(k, 1000));
                            k++;
                        }
                        catch (final JournalFullException ex)
                        {
                            if (!isRefused)
                            {
                                isRefused = true;
                                refused.countDown();
                            }
                            Thread.yield();
                        }
                    }
                }));
            }
            while (refused.getCount() > 0)
            {
                threads.forEach(Background::check);
                Thread.onSpinWait();
            }
            device.work();
            threads.forEach(Background::join);

            assertEquals(300, journal.lastSequence());
            assertEquals(300, readAll(journal).size());
        }
        assertEquals(300, readAll(directory(), backend).size());
    }

    @EachBackend
    void sharedAppenderRefusesClaims(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).open());
        final JournalAppender appender = journal.sharedAppender();
        assertEquals(1, appender.append(new byte[10]));

        assertThrows(IllegalStateException.class, () -> appender.claim(10));
        assertThrows(IllegalStateException.class, () -> appender.claim(7, 10));

        assertEquals(2, appender.append(new byte[10]));
        assertEquals(2, readAll(journal).size());
    }
}
