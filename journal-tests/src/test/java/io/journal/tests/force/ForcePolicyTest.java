// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.force;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.RecordBatch;
import io.journal.RecordClaim;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.agrona.concurrent.Agent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Force policies, and failed fsyncs under each of them. */
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ForcePolicyTest extends JournalFixture
{
    private static final ForcePolicy DAILY = ForcePolicy.every(Duration.ofDays(1));

    private final ForceGate gate = new ForceGate();

    private Journal open(final Backend backend, final ForcePolicy policy)
    {
        return gate.builder(directory(), backend).force(policy).open();
    }

    static Stream<Arguments> backendsAndPolicies()
    {
        return Arrays.stream(Backend.values()).flatMap(
            (backend) -> Stream.of(ForcePolicy.manual(), ForcePolicy.everyRecord(), DAILY)
                .map((policy) -> Arguments.of(backend, policy)));
    }

    @Test
    void policyDescribesItselfAndRejectsInvalidIntervals()
    {
        assertEquals("manual", ForcePolicy.manual().toString());
        assertEquals("everyRecord", ForcePolicy.everyRecord().toString());
        assertTrue(ForcePolicy.every(Duration.ofMillis(3)).toString().startsWith("every"));
        for (final Duration interval : List.of(
            Duration.ofNanos(-1), Duration.ofDays(1).plusNanos(1), Duration.ofSeconds(Long.MAX_VALUE, 999_999_999)))
        {
            assertThrows(IllegalArgumentException.class, () -> ForcePolicy.every(interval), interval::toString);
        }
        assertThrows(NullPointerException.class, () -> ForcePolicy.every(null));
    }

    @EachBackend
    void manualPolicyForcesOnlyOnRequest(final Backend backend) throws Exception
    {
        final Journal journal = closing(open(backend, ForcePolicy.manual()));
        runAgent(journal);
        final int before = gate.forces();
        appendNumbered(journal, 10, 100);
        for (int i = 0; i < 10; i++)
        {
            journal.backgroundAgent().doWork();
        }
        assertEquals(0, journal.forcedSequence());
        assertEquals(before, gate.forces());

        journal.awaitForced(3);
        assertEquals(10, journal.forcedSequence());
        assertEquals(before + 1, gate.forces());
        journal.awaitForced(10);
        assertTrue(journal.awaitForced(10, Duration.ZERO));
        assertEquals(before + 1, gate.forces());
    }

    @EachBackendAndWindow
    void everyRecordIsDurableWhenAppendReturns(final Backend backend, final int window)
    {
        final Journal journal =
            closing(gate.builder(directory(), backend).writeWindow(window).force(ForcePolicy.everyRecord()).open());
        final JournalAppender appender = journal.appender();
        final byte[] bytes = record(1, 50);
        assertForced(journal, appender.append(bytes));
        assertForced(journal, appender.append(7, ByteBuffer.wrap(bytes)));
        assertForced(journal, appender.append(JournalAppender.wrap(bytes), 0, 50));
        assertForced(journal, appender.appendIf(3, 8, bytes));
        assertForced(journal, appender.append(new RecordBatch().add(bytes).add(bytes)));
        assertForced(journal, appender.appendIf(6, new RecordBatch().add(bytes)));
        try (RecordClaim claim = appender.claim(20))
        {
            assertForced(journal, claim.commit());
        }
        assertEquals(8, journal.lastSequence());

        final int before = gate.forces();
        assertEquals(JournalAppender.MISMATCH, appender.appendIf(3, 8, bytes));
        appender.claim(20).close();
        assertEquals(before, gate.forces());
        for (int i = 0; i < 40; i++)
        {
            // Also across the ends of segments.
            assertForced(journal, appender.append(record(2, 5000)));
        }
    }

    @EachBackend
    void everyRecordOfTheSharedAppenderIsDurableWhenAppendReturns(final Backend backend)
    {
        final Journal journal = closing(open(backend, ForcePolicy.everyRecord()));
        final JournalAppender appender = journal.sharedAppender();
        final List<Background> all = Stream.generate(() -> Background.start("appending", () ->
        {
            final RecordBatch batch = new RecordBatch().add(record(1, 10)).add(record(2, 20));
            for (int k = 0; k < 15; k++)
            {
                assertCovered(journal, appender.append(record(k, 300)));
                assertCovered(journal, appender.append(1, ByteBuffer.wrap(record(k, 100))));
                assertCovered(journal, appender.append(1, JournalAppender.wrap(record(k, 100)), 0, 100));
                assertCovered(journal, appender.append(batch));
            }
        })).limit(4).toList();
        all.forEach(Background::join);
        assertEquals(4 * 15 * 5, journal.forcedSequence());
    }

    private static void assertForced(final Journal journal, final long sequence)
    {
        assertEquals(journal.lastSequence(), sequence);
        assertEquals(sequence, journal.forcedSequence());
    }

    private static void assertCovered(final Journal journal, final long sequence)
    {
        assertTrue(journal.forcedSequence() >= sequence, () -> "sequence=" + sequence + ", " + journal);
    }

    @EachBackend
    void backgroundAgentForcesWhenAnIntervalHasPassed(final Backend backend) throws Exception
    {
        try (Journal journal = open(backend, DAILY))
        {
            final Agent agent = journal.backgroundAgent();
            appendNumbered(journal, 2, 10);
            assertEquals(0, journal.forcedSequence());
            agent.doWork();
            assertEquals(2, journal.forcedSequence());

            runAgent(journal);
            final int before = gate.forces();
            appendNumbered(journal, 2, 10);
            for (int i = 0; i < 10; i++)
            {
                agent.doWork();
            }
            assertEquals(2, journal.forcedSequence());
            assertEquals(before, gate.forces());

            // A caller of force need not wait for the background agent.
            journal.force();
            assertEquals(4, journal.forcedSequence());
            appendNumbered(journal, 1, 10);
        }
        assertNumbered(1, 5, readAll(directory(), backend));
    }

    @EachBackend
    void backgroundAgentForcesBackToBackWhileSomethingIsUnforced(final Backend backend) throws Exception
    {
        final Journal journal = closing(open(backend, ForcePolicy.every(Duration.ZERO)));
        final Agent agent = journal.backgroundAgent();
        for (int i = 1; i <= 10; i++)
        {
            appendNumbered(journal, 1, 10);
            assertEquals(i - 1, journal.forcedSequence());
            assertTrue(agent.doWork() > 0);
            assertEquals(i, journal.forcedSequence());
            assertTrue(journal.awaitForced(i, Duration.ZERO));
        }

        final int before = gate.forces();
        for (int i = 0; i < 10; i++)
        {
            agent.doWork();
        }
        assertEquals(before, gate.forces());
    }

    @EachBackend
    void waitersAreReleasedByTheFsyncOfTheBackgroundAgent(final Backend backend) throws Exception
    {
        final Journal journal = closing(open(backend, ForcePolicy.every(Duration.ZERO)));
        appendNumbered(journal, 8, 10);
        final int before = gate.forces();
        final List<Background> waiting = new ArrayList<>();
        for (int i = 1; i <= 8; i++)
        {
            final int sequence = i;
            waiting.add(Background.start("waiting-" + i, () ->
            {
                if (0 == sequence % 2)
                {
                    journal.awaitForced(sequence);
                }
                else
                {
                    assertTrue(journal.awaitForced(sequence, Duration.ofDays(1)));
                }
                assertCovered(journal, sequence);
            }));
        }
        waiting.forEach(Background::awaitParked);
        assertFalse(journal.awaitForced(1, Duration.ZERO));
        assertFalse(journal.awaitForced(8, Duration.ofNanos(1)));
        assertEquals(before, gate.forces());

        journal.backgroundAgent().doWork();
        waiting.forEach(Background::join);
        assertEquals(before + 1, gate.forces());
    }

    @ParameterizedTest
    @MethodSource("backendsAndPolicies")
    void nothingIsAcknowledgedAfterAFailedFsync(final Backend backend, final ForcePolicy policy)
        throws Exception
    {
        final List<Throwable> errors = new ArrayList<>();
        final Journal journal =
            gate.builder(directory(), backend).force(policy).errorHandler(errors::add).open();
        final JournalAppender appender = journal.appender();
        appender.append(record(1, 10));
        journal.force();
        gate.failForces();
        final int before = gate.forces();
        if (ForcePolicy.everyRecord() == policy)
        {
            assertThrows(JournalException.class, () -> appender.append(record(2, 10)));
        }
        else
        {
            assertEquals(2, appender.append(record(2, 10)));
            if (DAILY == policy)
            {
                journal.backgroundAgent().doWork();
                assertEquals(1, errors.size());
                assertInstanceOf(JournalException.class, errors.get(0));
            }
        }
        // No call of any kind retries the fsync.
        for (final Executable call : List.<Executable>of(
            () -> journal.awaitForced(2), journal::force, () -> journal.awaitForced(2),
            () -> journal.awaitForced(2, Duration.ZERO), () -> journal.awaitForced(2, Duration.ofDays(1)),
            () -> appender.append(record(3, 10)), () -> appender.append(new RecordBatch().add(record(3, 10))),
            () -> appender.appendIf(2, 0, record(3, 10)), () -> appender.claim(10)))
        {
            assertThrows(JournalException.class, call);
        }
        journal.backgroundAgent().doWork();
        assertEquals(before + 1, gate.forces());
        assertEquals(1, journal.forcedSequence());
        // Records that were durable before stay durable.
        journal.awaitForced(1);
        assertTrue(journal.awaitForced(1, Duration.ZERO));

        closeFallible(journal);
        assertEquals(before + 1, gate.forces());
        final Journal reopened = closing(reopen(backend));
        assertTrue(reopened.recoveryReport().isRewritten());
        assertTrue(reopened.lastSequence() >= 1);
    }

    @ParameterizedTest
    @MethodSource("backendsAndPolicies")
    void failedFsyncIsThrownToAllWaiters(final Backend backend, final ForcePolicy policy) throws Exception
    {
        final AtomicInteger errors = new AtomicInteger();
        final Journal journal =
            gate.builder(directory(), backend).force(policy).errorHandler((ex) -> errors.incrementAndGet()).open();
        final JournalAppender appender = journal.sharedAppender();
        final ForceGate.Hold hold = gate.hold();
        final List<Background> all = new ArrayList<>();
        for (int i = 0; i < 6; i++)
        {
            final int number = i;
            all.add(Background.start("appending-" + i, () -> assertThrows(
                JournalException.class,
                () ->
                {
                    final long sequence = appender.append(record(number, 10));
                    if (0 == number % 2)
                    {
                        journal.awaitForced(sequence);
                    }
                    else
                    {
                        journal.awaitForced(sequence, Duration.ofDays(1));
                    }
                })));
        }
        final Background agent =
            Background.start("agent", () -> assertTrue(DAILY != policy || 0 <= journal.backgroundAgent().doWork()));
        if (DAILY != policy)
        {
            hold.awaitReached();
        }
        all.forEach(Background::awaitParked);

        gate.failForces();
        hold.release();
        agent.join();
        if (DAILY == policy && 0 == errors.get())
        {
            // The agent ran before any fsync had failed, so run it again.
            journal.backgroundAgent().doWork();
        }
        all.forEach(Background::join);
        assertEquals(0, journal.forcedSequence());
        // This thread has not waited. It gets the failure as well, once.
        assertThrows(JournalException.class, journal::force);
        closeFallible(journal);
    }

    @EachBackend(except = Backend.MAPPED)
    void failedWriteIsThrownToAllWaiters(final Backend backend)
    {
        final Journal journal = closing(open(backend, DAILY));
        final JournalAppender appender = journal.sharedAppender();
        appender.append(record(1, 10));
        final List<Background> all = Stream.generate(() -> Background.start(
            "waiting", () -> assertThrows(JournalException.class, () -> journal.awaitForced(1)))).limit(3).toList();
        all.forEach(Background::awaitParked);
        gate.failWrites();
        assertThrows(JournalException.class, () -> appender.append(record(2, 10)));
        all.forEach(Background::join);
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "needs Linux, to see what is mapped")
    void completeSegmentsAreUnmappedWhenTheyAreForced() throws IOException
    {
        final List<String> forced = new ArrayList<>();
        final List<String> mapped = new ArrayList<>();
        final String real = Files.createDirectories(directory()).toRealPath() + "/";
        final StepStore store = new StepStore(Backend.MAPPED.store(directory()), (step, name) ->
        {
            if (StepStore.Step.FORCE == step && JournalFiles.isSegment(name))
            {
                forced.add(name);
                if (Files.readAllLines(Path.of("/proc/self/maps")).stream()
                    .anyMatch((line) -> line.endsWith(real + name)))
                {
                    mapped.add(name);
                }
            }
            return true;
        });
        try (Journal journal = builder(directory(), Backend.MAPPED).backgroundThread(false).store(store).open())
        {
            appendNumbered(journal, 200, 1500);
            forced.clear();
            mapped.clear();
            journal.force();
            appendNumbered(journal, 200, 1500);
            journal.force();
        }

        assertTrue(forced.size() > 4, forced::toString);
        // Only segments that are appended to are mapped.
        assertFalse(mapped.isEmpty());
        assertTrue(mapped.size() < forced.size() / 2, () -> "forced=" + forced + ", mapped=" + mapped);
        assertNumbered(1, 400, readAll(directory(), Backend.MAPPED));
    }
}
