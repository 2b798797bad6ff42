package io.journal.examples.bank.command;

import java.time.Duration;

import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Snapshots;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.codec.StoredEvent;
import io.journal.examples.bank.domain.Bank;
import io.journal.examples.bank.journal.BankJournal;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.EpochClock;

/**
 * Builds the state from the newest snapshot and the events after it. Used by one thread.
 */
public final class Recovery
{
    private static final Duration IDLE = Duration.ofMillis(20);

    private final EventCodec codec = new EventCodec();
    private final Bank bank;
    private long snapshotSequence;
    private long sequence;
    private long durationNs;

    private Recovery(final EpochClock clock)
    {
        bank = new Bank(clock);
    }

    /**
     * {@return the recovered state}
     *
     * @param journal of the bank.
     * @param clock   for the opening times of accounts.
     * @throws IllegalStateException if the journal contains a record that is not an event of this application.
     */
    public static Recovery of(final BankJournal journal, final EpochClock clock)
    {
        final Recovery recovery = new Recovery(clock);
        recovery.run(journal);
        return recovery;
    }

    /** {@return the state} */
    public Bank bank()
    {
        return bank;
    }

    /** {@return the last event in the snapshot that was loaded, 0 if there was none} */
    public long snapshotSequence()
    {
        return snapshotSequence;
    }

    /** {@return the last event in the state} */
    public long sequence()
    {
        return sequence;
    }

    /** {@return how long it took} */
    public long durationNs()
    {
        return durationNs;
    }

    private void run(final BankJournal journal)
    {
        final long startNs = System.nanoTime();
        final Snapshots snapshots = journal.snapshots();
        snapshotSequence = null == snapshots ? 0 : snapshots.load((input) -> SnapshotCodec.decode(input, bank));
        sequence = snapshotSequence;
        final long last = journal.forcedSequence();
        JournalReader reader = journal.openReader(snapshotSequence + 1);
        try
        {
            while (sequence < last)
            {
                if (0 == reader.poll(this::replay, Integer.MAX_VALUE) && !reader.await(IDLE))
                {
                    // The member of a cluster that is read may be behind.
                    reader = journal.moveOn(reader);
                }
            }
        }
        finally
        {
            reader.close();
        }
        durationNs = System.nanoTime() - startNs;
    }

    private void replay(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        final StoredEvent stored = codec.decode(buffer, offset, length, header);
        sequence = header.sequence();
        bank.apply(sequence, stored.commandId(), stored.event());
    }
}
