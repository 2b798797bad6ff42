// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.time.Duration;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A thread that waits for records while none are appended seldom wakes up. The JVM counts how often a thread waits, so
 * a slow machine only lowers the counts.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class IdleTest extends JournalFixture
{
    private static final Duration LONG = Duration.ofSeconds(30);

    @EachBackend
    void idleReaderParksUntilARecordIsAppended(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            appendNumbered(journal, 1, 10);
            journal.force();
            for (final JournalReader.Limit limit : JournalReader.Limit.values())
            {
                try (JournalReader reader = journal.openReader(limit))
                {
                    reader.seekToEnd();
                    final long waits = waits(Thread.currentThread());
                    // Like a loop around await(), which polls for 10 ms and parks twice in each call.
                    for (int i = 0; i < 3; i++)
                    {
                        assertFalse(reader.await(Duration.ofMillis(100)));
                    }
                    final long count = waits(Thread.currentThread()) - waits;
                    assertTrue(count < 30, () -> "limit=" + limit + ", waits=" + count);
                }
            }
        }
    }

    @EachBackend
    void idleReadersAreWokenByARecord(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            final Background[] waiting = new Background[5];
            for (int i = 0; i < waiting.length; i++)
            {
                final JournalReader reader = closing(journal.openReader(
                    i % 2 == 0 ? JournalReader.Limit.WRITTEN : JournalReader.Limit.FORCED));
                waiting[i] = Background.start("waiting " + i, () ->
                {
                    for (int sequence = 1; sequence <= 20; sequence++)
                    {
                        assertTrue(reader.await(LONG));
                        assertNumbered(sequence, sequence, poll(reader, 1));
                    }
                });
            }
            for (int i = 0; i < 20; i++)
            {
                for (final Background each : waiting)
                {
                    if (each.thread().isAlive())
                    {
                        each.awaitParked();
                    }
                }
                appendNumbered(journal, 1, 10);
                journal.force();
            }
            for (final Background each : waiting)
            {
                each.join();
            }
        }
    }

    @EachBackend
    void followersIntervalsGrowFromCallToCall(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            appendNumbered(journal, 1, 10);
            journal.force();
            try (ReadOnlyJournal followed = Journal.openReadOnly(directory());
                JournalReader reader = followed.openReader())
            {
                assertEquals(1, poll(reader).size());
                final long waits = waits(Thread.currentThread());
                for (int i = 0; i < 10; i++)
                {
                    assertFalse(reader.await(Duration.ofMillis(50)));
                }
                final long count = waits(Thread.currentThread()) - waits;
                assertTrue(count < 400, () -> "waits=" + count);
            }
        }
    }

    @EachBackend
    void idleAgentHasNoThreadUntilARecordIsAppended(final Backend backend)
    {
        final Duration interval = Duration.ofMillis(1);
        try (Journal journal = builder(directory(), backend).force(ForcePolicy.every(interval)).open())
        {
            checkAgent(journal);
        }
        try (Journal journal = builder(temp.resolve("buffered"), backend).writeWindow(64 * 1024).open())
        {
            checkAgent(journal);
        }
    }

    private static void checkAgent(final Journal journal)
    {
        appendNumbered(journal, 1, 10);
        while (agents().anyMatch((thread) -> thread.getName().equals("journal-agent " + journal.path())))
        {
            Thread.onSpinWait();
        }
        try (JournalReader reader = journal.openReader())
        {
            reader.seekToEnd();
            final long before = agentWaits();
            assertFalse(reader.await(Duration.ofMillis(300)));
            final long waits = agentWaits() - before;
            assertTrue(waits < 30, () -> "waits=" + waits);
        }
        appendNumbered(journal, 1, 10);
        while (journal.writtenSequence() < 2)
        {
            Thread.onSpinWait();
        }
    }

    private static Stream<Thread> agents()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter((thread) -> thread.getName().startsWith("journal-agent"));
    }

    /** The waits of the background threads that journals share. */
    private static long agentWaits()
    {
        return agents().mapToLong(IdleTest::waits).sum();
    }

    /** 0 if the thread has ended. */
    private static long waits(final Thread thread)
    {
        final ThreadInfo info = ManagementFactory.getThreadMXBean().getThreadInfo(thread.getId());
        return null == info ? 0 : info.getWaitedCount();
    }
}
