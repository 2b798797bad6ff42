// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Agents without threads, and an agent that an application's thread runs while another thread closes the journal. */
@Tag("slow")
class AgentThreadsTest extends JournalFixture
{
    private static final int FAILED = 5;

    @Test
    @EnabledOnOs(OS.LINUX)
    void openingsThatFailForLackOfThreadsStopNoAgent()
    {
        ChildJvm.run(
            temp, List.of("/bin/sh", "-c", "ulimit -v 4000000; exec \"$0\" -Xss32m \"$@\""), AgentThreadsTest.class,
            directory());
    }

    /** @param args directory of the journal. */
    public static void main(final String[] args) throws Exception
    {
        FaultedWriter.halt(120);
        final JournalBuilder builder = Journal.builder(Path.of(args[0])).segmentLength(64 * 1024)
            .force(ForcePolicy.every(Duration.ofMillis(5)));
        final CountDownLatch isEnded = new CountDownLatch(1);
        final List<Thread> threads = new ArrayList<>();
        assertThrows(OutOfMemoryError.class, () ->
        {
            while (true)
            {
                final Thread thread = new Thread(() -> awaitEnd(isEnded));
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
        });
        for (int i = 0; i < FAILED; i++)
        {
            assertThrows(OutOfMemoryError.class, builder::open);
        }
        isEnded.countDown();
        for (final Thread thread : threads)
        {
            thread.join();
        }

        try (Journal journal = builder.open())
        {
            final JournalAppender appender = journal.appender();
            // An agent that is not taken when it is ready runs only every ten seconds.
            assertTrue(journal.awaitForced(appender.append(new byte[8]), Duration.ofSeconds(30)));
        }
    }

    private static void awaitEnd(final CountDownLatch isEnded)
    {
        try
        {
            isEnded.await();
        }
        catch (final InterruptedException ignore)
        {
            // The thread ends.
        }
    }

    @EachBackend
    void journalIsClosedWhileAThreadRunsItsAgent(final Backend backend)
    {
        ChildJvm.run(temp, List.of(), Closing.class, temp, backend);
    }

    /** In a process of its own, which a store into unmapped memory would crash. */
    static final class Closing
    {
        private Closing()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            FaultedWriter.halt(120);
            for (int round = 0; round < 50; round++)
            {
                final Journal journal = Journal.builder(Path.of(args[0], "journal-" + round))
                    .backend(Backend.valueOf(args[1])).backgroundThread(false).open();
                final Agent agent = journal.backgroundAgent();
                journal.appender().append(new byte[100]);
                final CountDownLatch isRunning = new CountDownLatch(1);
                final Background running = Background.start("agent", () ->
                {
                    isRunning.countDown();
                    while (!journal.isClosed())
                    {
                        agent.doWork();
                    }
                    agent.doWork();
                });
                isRunning.await();
                Thread.sleep(0, 20_000 * round);
                journal.close();
                running.join();
                assertEquals(1, journal.lastSequence());
            }
        }
    }
}
