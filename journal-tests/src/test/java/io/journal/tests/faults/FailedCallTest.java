// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Calls that change a journal in use, with each of their steps failing in turn: the caller gets an exception, all
 * resources are released, and the next opening finds the state before or after the call.
 */
class FailedCallTest extends RecoveryFixture
{
    private static final long NEVER = -1;

    private static final Set<Step> REPORTED = EnumSet.complementOf(EnumSet.of(Step.MAKE_DIRECTORY));

    /** A truncated segment that cannot be deleted is left to the next opening. */
    private static final Set<Step> REPORTED_BY_TRUNCATION = EnumSet.complementOf(
        EnumSet.of(Step.MAKE_DIRECTORY, Step.DELETE));

    private int failEachStep(final Backend backend, final Consumer<Journal> call, final Consumer<Journal> check)
    {
        return failEachStep(backend, REPORTED, call, check);
    }

    /**
     * @param failed steps that the caller is told of.
     * @param check  of what the next opening finds.
     * @return how many steps have failed.
     */
    private int failEachStep(
        final Backend backend, final Set<Step> failed, final Consumer<Journal> call, final Consumer<Journal> check)
    {
        int failing = 0;
        boolean wasReached = true;
        while (wasReached)
        {
            begin();
            final AtomicInteger left = new AtomicInteger((int)NEVER);
            final StepStore store = new StepStore(backend.store(live.path), (step, name) ->
            {
                if (failed.contains(step) && left.get() > NEVER && 0 == left.getAndDecrement())
                {
                    throw new IOException("a device that fails: step=" + step + ", file=" + name);
                }
                return true;
            });
            try (Fallible fallible = new Fallible(model.builder(live, backend).store(store).open()))
            {
                final Journal journal = fallible.journal();
                model.appendInto(journal, 3, 3000);
                journal.force();
                model.append(journal, 1, 3000);
                left.set(failing);
                wasReached = isReached(() -> call.accept(fallible.journal()), left, failing);
            }
            try (Journal reopened = open(live, backend))
            {
                check.accept(reopened);
            }
            failing++;
        }

        return failing - 1;
    }

    private static boolean isReached(final Runnable call, final AtomicInteger left, final int failing)
    {
        try
        {
            call.run();
        }
        catch (final JournalException ex)
        {
            assertEquals(NEVER, left.get(), ex::toString);
            return true;
        }

        assertTrue(left.get() > NEVER, () -> "not reported: step=" + failing);
        left.set((int)NEVER);
        return false;
    }

    @EachBackend
    void failedTruncationThrowsAndIsCompleteOrNotBegun(final Backend backend)
    {
        final int failures =
            failEachStep(backend, REPORTED_BY_TRUNCATION, (journal) -> journal.truncateAfter(20), (reopened) ->
            {
                final long last = reopened.lastSequence();
                assertTrue(20 == last || model.size() == last, () -> "last=" + last);
                model.assertHolds(reopened, last);
            });

        assertTrue(failures > 4, () -> "failures=" + failures);
    }

    @EachBackend
    void failedTruncationLeavesNoDamageToItsReaders(final Backend backend)
    {
        final int failures = failEachStep(
            backend,
            REPORTED_BY_TRUNCATION,
            (journal) ->
            {
                try (JournalReader before = journal.openReader(); JournalReader behind = journal.openReader())
                {
                    final List<Entry> found = new ArrayList<>(poll(before, 5));
                    poll(behind);
                    truncate(journal, () ->
                    {
                        readOn(before, found);
                        final long last = found.size();
                        assertTrue(20 == last || model.size() == last, () -> "last=" + last);
                        model.assertHolds(found, last);
                        assertEquals(
                            20 == last ? JournalReader.State.TRUNCATED : JournalReader.State.FOLLOWING,
                            behind.state());
                        for (long sequence = 1; sequence <= model.size(); sequence++)
                        {
                            assertEquals(sequence <= last, journal.get(sequence, into(new ArrayList<>())));
                        }
                    });
                }
            },
            (reopened) -> model.assertHolds(reopened, reopened.lastSequence()));

        assertTrue(failures > 4, () -> "failures=" + failures);
    }

    private static void truncate(final Journal journal, final Runnable onFailure)
    {
        try
        {
            journal.truncateAfter(20);
        }
        catch (final JournalException ex)
        {
            assertDoesNotThrow(onFailure::run);
            throw ex;
        }
    }

    @EachBackend
    void failedPruneThrowsAndIsCompleteOrNotBegun(final Backend backend)
    {
        final int failures = failEachStep(backend, (journal) -> journal.prune(50), (reopened) ->
        {
            final long first = reopened.firstSequence();
            assertTrue(1 == first || first > 20 && first <= 50, () -> "first=" + first);
            assertEquals(model.size(), reopened.lastSequence());
            assertEquals(model.size() - first + 1, readAll(reopened).size());
        });

        assertTrue(failures > 4, () -> "failures=" + failures);
    }

    @EachBackend
    void failedCloseThrowsAndReleasesEverything(final Backend backend)
    {
        final int failures = failEachStep(backend, Journal::close, (reopened) -> model.assertHolds(reopened));

        assertTrue(failures > 0, () -> "failures=" + failures);
    }

    @EachBackend
    void failedJournalRejectsChangesOfHistory(final Backend backend)
    {
        failEachStep(
            backend,
            (journal) ->
            {
                try
                {
                    journal.force();
                }
                catch (final JournalException ex)
                {
                    assertThrows(JournalException.class, () -> journal.truncateAfter(20));
                    assertThrows(JournalException.class, () -> journal.prune(50));
                    assertThrows(JournalException.class, journal::roll);
                    assertThrows(JournalException.class, () -> journal.cursor("a").save(1));
                    throw ex;
                }
            },
            (reopened) -> model.assertHolds(reopened));
    }
}
