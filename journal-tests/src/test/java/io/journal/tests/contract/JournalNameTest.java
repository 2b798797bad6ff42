// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.List;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.LogRecords;
import io.journal.tests.support.StepStore;
import org.agrona.CloseHelper;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Names by which several journals of a process are distinguished. */
class JournalNameTest extends JournalFixture
{
    @Test
    void threadsOfSeveralJournalsHaveDifferentNames()
    {
        final Set<String> names = ConcurrentHashMap.newKeySet();
        final ForcePolicy atOnce = ForcePolicy.every(Duration.ZERO);
        try (
            Journal orders =
                builder(temp.resolve("orders"), Backend.MAPPED).force(atOnce).backgroundThread(true).open();
            Journal named = builder(temp.resolve("a"), Backend.MAPPED).force(atOnce).backgroundThread(true)
                .name("ledger").open())
        {
            for (final Journal journal : List.of(orders, named))
            {
                journal.onForced((sequence) -> names.add(Thread.currentThread().getName()));
                appendNumbered(journal, 1, 10);
            }
            final Set<String> wanted = Set.of("journal-agent " + orders.path(), "journal-agent ledger");
            while (!names.containsAll(wanted))
            {
                Thread.onSpinWait();
            }
            assertEquals(wanted, names);
        }
        assertThrows(NullPointerException.class, () -> Journal.builder(directory()).name(null));
    }

    @EachBackend
    void failedJournalAndItsLogAreNamed(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(StepStore.Step.FORCE);
        final JournalBuilder builder = builder(backend, device).name("ledger").backgroundThread(false);
        try (LogRecords log = new LogRecords())
        {
            final Journal journal = builder.open();
            appendNumbered(journal, 1, 10);
            device.fail();
            for (int i = 0; i < 2; i++)
            {
                final JournalException thrown = assertThrows(JournalException.class, journal::force);
                assertTrue(thrown.getMessage().contains("journal=ledger"), thrown::getMessage);
            }
            CloseHelper.quietClose(journal);

            final Journal background = builder(temp.resolve("other"), backend)
                .store(new StepStore(backend.store(temp.resolve("other")), (step, name) ->
                {
                    if (StepStore.Step.CREATE == step && name.contains("00001"))
                    {
                        throw new IOException("injected");
                    }
                    return true;
                })).name("other").backgroundThread(false).open();
            try (background)
            {
                doWork(background);
                assertTrue(log.messages().stream().anyMatch((message) -> message.endsWith("journal=other")),
                    () -> log.messages().toString());
            }
        }
    }
}
