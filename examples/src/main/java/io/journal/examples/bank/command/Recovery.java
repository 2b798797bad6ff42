// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import java.time.Duration;

import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Snapshots;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.EventCodec.StoredEvent;
import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.domain.Bank;
import io.journal.examples.bank.journal.BankJournal;
import org.agrona.concurrent.EpochClock;

/**
 * The state, built from the newest snapshot and the events after it.
 *
 * @param bank       the state.
 * @param snapshot   last event in the snapshot, 0 if there was none.
 * @param sequence   last event in the state.
 * @param durationNs duration of the recovery.
 */
public record Recovery(Bank bank, long snapshot, long sequence, long durationNs)
{
    private static final Duration IDLE = Duration.ofMillis(20);

    /**
     * {@return the recovered state} The clock is for the opening times of accounts opened from now on. Throws if the
     * journal contains a record that is not an event of this application.
     */
    public static Recovery of(final BankJournal journal, final EpochClock clock)
    {
        final long startNs = System.nanoTime();
        final Bank bank = new Bank(clock);
        final Snapshots snapshots = journal.snapshots();
        final long snapshot = null == snapshots ? 0 : snapshots.load((input) -> SnapshotCodec.decode(input, bank));
        final long last = journal.forcedSequence();
        final EventCodec codec = new EventCodec();
        final RecordHandler replay = (buffer, offset, length, header) ->
        {
            final StoredEvent stored = codec.decode(buffer, offset, length, header);
            bank.apply(header.sequence(), stored.commandId(), stored.event());
        };
        JournalReader reader = journal.openReader(snapshot + 1);
        try
        {
            while (reader.nextSequence() <= last)
            {
                if (0 == reader.poll(replay, Integer.MAX_VALUE) && !reader.await(IDLE))
                {
                    // On a cluster, the member whose journal is read may be behind another member.
                    reader = journal.moveOn(reader);
                }
            }
            return new Recovery(bank, snapshot, reader.nextSequence() - 1, System.nanoTime() - startNs);
        }
        finally
        {
            reader.close();
        }
    }
}
