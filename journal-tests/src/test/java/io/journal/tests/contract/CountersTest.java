// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalCounters;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.store.Backend;
import io.journal.tests.force.ForceGate;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.StepStore.Step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CountersTest extends RecoveryFixture
{
    @EachBackend
    void countersOfTheWriterAreCurrent(final Backend backend)
    {
        final Journal journal = model.builder(live, backend).writeWindow(64 * 1024).open();
        final JournalCounters counters = journal.counters();
        assertSame(counters, journal.counters());
        assertEquals(1, counters.segments());
        final long forces = counters.forces();
        final boolean isMapped = Backend.MAPPED == backend;

        model.append(journal, 5, 100);
        assertEquals(5, counters.appendedSequence());
        assertEquals(journal.counters().appendedPosition(), counters.appendedPosition());
        assertEquals(isMapped ? 5 : 0, counters.writtenSequence());
        assertTrue(isMapped == (counters.writtenPosition() == journal.counters().appendedPosition()));
        assertEquals(0, counters.forcedSequence());

        journal.force();
        assertEquals(5, counters.writtenSequence());
        assertEquals(5, counters.forcedSequence());
        assertEquals(journal.counters().forcedPosition(), counters.forcedPosition());
        assertEquals(forces + 1, counters.forces());
        assertTrue(counters.forceTimeNs() >= counters.maxForceTimeNs() && counters.maxForceTimeNs() > 0);

        model.appendInto(journal, 3, 5000);
        assertEquals(4, counters.segments());
        journal.force();
        journal.prune(model.size());
        assertEquals(1, counters.segments());
        assertEquals(0, counters.waiters());

        journal.close();
        assertSame(counters, journal.counters());
        assertEquals(model.size(), counters.forcedSequence());
        assertTrue(counters.toString().contains("forcedSequence=" + model.size()), counters::toString);
    }

    @EachBackend
    void countsRestartWhenTheJournalIsOpenedAgain(final Backend backend)
    {
        final JournalCounters before;
        try (Journal journal = open(live, backend))
        {
            before = journal.counters();
            for (int i = 0; i < 7; i++)
            {
                model.append(journal, 1, 100);
                journal.force();
            }
        }
        assertTrue(before.forces() >= 7);
        final Journal next = closing(open(live, backend));
        assertTrue(next.counters().forces() < 7);
        assertEquals(7, next.counters().forcedSequence());
    }

    @EachBackend
    void storageFailureIsCounted(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(Step.FORCE);
        final JournalCounters counters;
        try (Fallible fallible = new Fallible(open(live, backend, device)))
        {
            final Journal journal = fallible.journal();
            counters = journal.counters();
            model.append(journal, 3, 100);
            journal.force();
            assertFalse(counters.isFailed());
            model.append(journal, 1, 100);
            device.fail();

            assertThrows(JournalException.class, journal::force);

            assertTrue(counters.isFailed());
            assertEquals(4, counters.appendedSequence());
            assertEquals(3, counters.forcedSequence());
        }
        assertTrue(counters.isFailed());

        final Journal journal = closing(open(live, backend));
        assertFalse(journal.counters().isFailed());
        assertEquals(4, journal.lastSequence());
    }

    @EachBackend
    void appendsThatFindNoSpaceAreCounted(final Backend backend) throws Exception
    {
        final FailingSteps device = new FailingSteps(Step.CREATE);
        final Journal journal = closing(open(live, backend, device));
        final JournalCounters counters = journal.counters();
        assertEquals(0, counters.preparedSegments());
        runAgent(journal);
        journal.force();
        assertEquals(1, journal.counters().preparedSegments());
        device.beFull();
        for (int i = 0; i < 2; i++)
        {
            assertThrows(JournalFullException.class, () -> model.appendInto(journal, 3, 5000));
        }
        model.append(journal, 1, 8);
        journal.force();
        assertEquals(2, counters.refusals());
        assertEquals(0, counters.preparedSegments());
        assertFalse(counters.isFailed());

        device.work();
        runAgent(journal);
        model.append(journal, 1, 8);
        journal.force();
        assertEquals(1, counters.preparedSegments());
        assertEquals(2, counters.refusals());
    }

    @EachBackend
    void threadsWaitingForAnFsyncAreCounted(final Backend backend)
    {
        final int threads = 3;
        final ForceGate gate = new ForceGate();
        final Journal journal = closing(gate.builder(live.path, backend).open());
        final JournalCounters counters = journal.counters();
        model.append(journal, 1, 100);
        final ForceGate.Hold hold = gate.hold();
        final List<Background> waiting = new ArrayList<>();
        waiting.add(Background.start("leader", () -> journal.awaitForced(1)));
        hold.awaitReached();
        assertEquals(0, counters.waiters());
        for (int i = 0; i < threads; i++)
        {
            waiting.add(Background.start("follower", () -> journal.awaitForced(1)));
        }
        while (counters.waiters() < threads)
        {
            waiting.forEach(Background::check);
            Thread.onSpinWait();
        }
        hold.release();
        waiting.forEach(Background::join);
        assertEquals(0, counters.waiters());
    }
}
