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
import java.util.concurrent.CyclicBarrier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

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
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
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

    @Test
    void journalIsAppendedToByOneThreadOrByMany()
    {
        try (Journal journal = open(Backend.MAPPED))
        {
            final JournalAppender appender = journal.appender();
            final IllegalStateException ex = assertThrows(IllegalStateException.class, journal::sharedAppender);
            assertTrue(ex.getMessage().contains("appender()"), ex.getMessage());
            assertSame(appender, journal.appender());
        }
        try (Journal journal = open(Backend.MAPPED))
        {
            final JournalAppender appender = journal.sharedAppender();
            final IllegalStateException ex = assertThrows(IllegalStateException.class, journal::appender);
            assertTrue(ex.getMessage().contains("sharedAppender()"), ex.getMessage());
            assertSame(appender, journal.sharedAppender());
        }
    }

    @Test
    void ofTwoThreadsThatTakeDifferentAppendersOneIsRejected()
    {
        for (int round = 0; round < 50; round++)
        {
            final Set<String> taken = ConcurrentHashMap.newKeySet();
            final CyclicBarrier start = new CyclicBarrier(2);
            final Journal journal =
                closing(builder(temp.resolve("round-" + round), Backend.MAPPED).backgroundThread(false).open());
            final List<Background> taking = List.of(
                Background.start("one", () -> takeOrBeRefused(start, taken, "exclusive", journal::appender)),
                Background.start("many", () -> takeOrBeRefused(start, taken, "shared", journal::sharedAppender)));
            taking.forEach(Background::join);
            assertEquals(1, taken.size(), taken::toString);
        }
    }

    private static void takeOrBeRefused(
        final CyclicBarrier start, final Set<String> taken, final String name, final Runnable take) throws Exception
    {
        start.await();
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

    @EachBackendAndWindow
    void recordsAcknowledgedBeforeCloseAreKept(final Backend backend, final int window) throws InterruptedException
    {
        for (final boolean isShared : new boolean[]{ false, true })
        {
            final Set<Long> acknowledged = ConcurrentHashMap.newKeySet();
            final CountDownLatch isAppending = new CountDownLatch(200);
            final Journal journal = builder(directory(), backend).writeWindow(window).open();
            final long before = journal.lastSequence();
            final JournalAppender appender = isShared ? journal.sharedAppender() : journal.appender();
            final List<Background> appending =
                Stream.generate(() -> Background.start("appending", () -> assertClosed(() ->
                {
                    while (true)
                    {
                        acknowledged.add(appender.append(record(7, 100)));
                        isAppending.countDown();
                    }
                }))).limit(isShared ? 4 : 1).toList();
            isAppending.await();
            journal.close();
            appending.forEach(Background::join);

            final long last = journal.lastSequence();
            assertEquals(LongStream.rangeClosed(before + 1, last).boxed().collect(Collectors.toSet()), acknowledged);
            assertEquals(last, journal.forcedSequence());
            final List<Entry> found = readAll(directory(), backend);
            assertEquals(last, found.size());
            found.forEach((entry) -> assertArrayEquals(record(7, 100), entry.bytes()));
        }
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
        final Journal journal = closing(builder(backend, device).backgroundThread(false).open());
        final JournalAppender appender = journal.sharedAppender();
        device.beFull();
        final CountDownLatch refused = new CountDownLatch(3);
        for (int i = 0; i < 3; i++)
        {
            threads.add(Background.start("appending-" + i, () ->
            {
                for (int k = 0; k < 100;)
                {
                    try
                    {
                        appender.append(record(k, 1000));
                        k++;
                    }
                    catch (final JournalFullException ex)
                    {
                        refused.countDown();
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
        assertEquals(300, readAll(journal).size());
    }

    @Test
    void sharedAppenderRefusesClaims()
    {
        final Journal journal = closing(open(Backend.MAPPED));
        final JournalAppender appender = journal.sharedAppender();
        assertThrows(IllegalStateException.class, () -> appender.claim(10));
        assertThrows(IllegalStateException.class, () -> appender.claim(7, 10));
        assertEquals(1, appender.append(new byte[10]));
    }
}
