// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;

import io.journal.Journal;
import io.journal.JournalException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Errors in the background, and the user's handler for them: if the handler throws, both errors are logged, and no
 * thread ends.
 */
class ErrorHandlerTest
{
    private static final byte[] RECORD = { 1, 2, 3 };
    // Keep a reference, because the log manager would forget the logger.
    private static final Logger LOGGER = Logger.getLogger("io.journal.replicated");

    @TempDir
    private Path directory;
    private final FakeLeader leader = new FakeLeader();
    private final List<Throwable> errors = new CopyOnWriteArrayList<>();
    private final List<Throwable> logged = new CopyOnWriteArrayList<>();

    @BeforeEach
    void captureLog()
    {
        LOGGER.setFilter((record) -> !logged.add(record.getThrown()));
    }

    @AfterEach
    void releaseLog()
    {
        LOGGER.setFilter(null);
    }

    private void throwOn(final Throwable error)
    {
        errors.add(error);
        throw new IllegalStateException("the handler's", error);
    }

    @Test
    void listenerIsCalledAgainAfterTheHandlerHasThrown()
    {
        final InternalError ofLeader = new InternalError("the leader's");
        final AtomicLong notified = new AtomicLong();
        try (ReplicatedJournal journal = TestCluster
            .patient(ReplicatedJournal.builder("a:9000").errorHandler(this::throwOn)).connect(leader::connect))
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
            leader.fail(ofLeader);
            TestCluster.await("the leader's error", () -> errors.contains(ofLeader));

            journal.appender().append(RECORD);
            TestCluster.await("another call", () -> 2 == notified.get());
            // Each error, and what the handler has thrown for it.
            assertEquals(4, logged.size());
            assertTrue(logged.containsAll(errors), logged::toString);
        }
    }

    /** Like a handler that ends the process while a shutdown hook closes the journal. */
    @Test
    @Timeout(value = 600, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void handlerMayWaitForAThreadThatUsesTheJournal()
    {
        final AtomicReference<ReplicatedJournal> connected = new AtomicReference<>();
        try (ReplicatedJournal journal = TestCluster.patient(ReplicatedJournal.builder("a:9000").errorHandler((error) ->
        {
            CompletableFuture.runAsync(() -> connected.get().force()).join();
            errors.add(error);
        })).connect(leader::connect))
        {
            connected.set(journal);
            journal.appender().append(RECORD);
            leader.fail(new InternalError("the leader's"));
            TestCluster.await("the handler", () -> 1 == errors.size());
        }
    }

    @Test
    void maintenanceContinuesAfterTheHandlerHasThrown()
    {
        final AtomicInteger calls = new AtomicInteger();
        final Member member = new FakeMember()
        {
            @Override
            public boolean isLeader()
            {
                calls.incrementAndGet();
                throw new IllegalStateException("the member's");
            }
        };
        try (Journal journal = Journal.open(directory.resolve("journal")))
        {
            final Maintenance maintenance =
                new Maintenance(0, TestCluster.machine(journal, 1), member, Long.MAX_VALUE, this::throwOn);
            maintenance.start();

            TestCluster.await("another attempt", () -> calls.get() > 1);

            maintenance.close();
            assertNull(member.failure());
            assertEquals("the member's", logged.get(0).getMessage());
            assertEquals("the handler's", logged.get(1).getMessage());
        }
    }

    @Test
    void memberEndsAfterTheHandlerHasThrown()
    {
        final String members = Ports.members(1);
        try (Journal journal = Journal.builder(directory.resolve("journal")).maxRecordLength(64).open();
            // The machine cannot apply the first term.
            Member member = new AeronMember(
                TestCluster.single(directory, members).maxRecordLength(1_024).errorHandler(this::throwOn),
                TestCluster.machine(journal, 1)))
        {
            TestCluster.await("the failure", () -> null != member.failure());
            TestCluster.await("the end of all parts", () -> arePortsFree(members));
            assertTrue(member.failure().getMessage().contains("maxRecordLength=64, expected=1024"));
            assertTrue(logged.stream().anyMatch((ex) -> "the handler's".equals(ex.getMessage())));
        }
    }

    private static boolean arePortsFree(final String members)
    {
        try
        {
            Channels.checkPorts(Members.parse(members), 0);
            return true;
        }
        catch (final JournalException ex)
        {
            return false;
        }
    }
}
