// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.EventCodec.StoredEvent;
import io.journal.examples.bank.domain.Accounts;
import io.journal.examples.bank.read.Ledger;
import io.journal.examples.bank.read.LedgerQueries;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The content of a journal after kills.
 *
 * @param events number of events of each command.
 * @param cents  the money in all accounts.
 */
record History(Map<UUID, Integer> events, long cents)
{
    static History of(final Path directory)
    {
        final Map<UUID, Integer> events = new HashMap<>();
        final Accounts accounts = new Accounts();
        final EventCodec codec = new EventCodec();
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory);
            JournalReader reader = journal.openReader(JournalReader.Limit.FORCED))
        {
            while (reader.poll((buffer, offset, length, header) ->
            {
                final StoredEvent stored = codec.decode(buffer, offset, length, header);
                stored.event().apply(accounts);
                events.merge(stored.commandId(), 1, Integer::sum);
            }, Integer.MAX_VALUE) > 0)
            {
                // Repeat until there are no more events.
            }
        }
        return new History(events, accounts.totalCents());
    }

    boolean hasAll(final List<UUID> executed)
    {
        return events.keySet().containsAll(executed);
    }

    void assertEachOnce(final String message)
    {
        events.forEach((id, count) -> assertEquals(1, count, message));
    }

    /** Asserts that the ledger has the same events, including those of all answered commands. */
    void assertSameIn(final Path file, final List<UUID> executed, final String message)
    {
        try (Ledger ledger = Ledger.open(file))
        {
            assertEquals(new LedgerQueries.Audit(0, executed.size(), 0),
                ledger.queries().audit(executed.toArray(UUID[]::new)), message);
            assertEquals(
                new LedgerQueries.Totals(events.size(), 0, cents), ledger.queries().totals(), message);
        }
    }
}
