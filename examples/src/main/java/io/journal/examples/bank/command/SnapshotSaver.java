// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.journal.Snapshots;
import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.domain.Bank;

/**
 * Saves snapshots without stopping the writing thread, which encodes the state into memory and continues to append
 * while another thread writes, fsyncs and renames the file. Used by the writing thread.
 */
final class SnapshotSaver
{
    private final Snapshots snapshots;
    private final long interval;
    private long triedSequence;
    private CompletableFuture<Long> saving;

    SnapshotSaver(final Snapshots snapshots, final long interval, final long savedSequence)
    {
        this.snapshots = snapshots;
        this.interval = interval;
        triedSequence = savedSequence;
        saving = CompletableFuture.completedFuture(savedSequence);
    }

    /**
     * Saves a snapshot if the interval has passed since the last one, then prunes the history. After a failed snapshot,
     * for example on a full disk, the next is due one interval later.
     */
    void saveIfDue(final long sequence, final Bank bank)
    {
        if (interval > 0 && sequence - triedSequence >= interval && saving.isDone())
        {
            saving = save(sequence, bank).whenComplete((saved, error) ->
            {
                if (null == error)
                {
                    snapshots.prune();
                }
                else
                {
                    System.getLogger(SnapshotSaver.class.getName()).log(
                        System.Logger.Level.WARNING, "no snapshot was saved: sequence=" + sequence, error);
                }
            });
        }
    }

    /**
     * Saves a snapshot, or joins the save that is in progress. Returns the last event in that snapshot, once it is
     * saved.
     */
    CompletableFuture<Long> save(final long sequence, final Bank bank)
    {
        if (saving.isDone())
        {
            triedSequence = sequence;
            final byte[] state = SnapshotCodec.encode(bank);
            saving = CompletableFuture.supplyAsync(() ->
            {
                // Saving fsyncs the journal first, so a snapshot never contains events that a power loss can take back.
                snapshots.save(sequence, (output) -> output.write(state));
                return sequence;
            });
        }
        return saving;
    }

    /** Waits for the snapshot that is being saved. */
    void finish()
    {
        try
        {
            saving.join();
        }
        catch (final CompletionException ex)
        {
            // The failure is reported to the thread that asked for the snapshot; the previous snapshot is still there.
        }
    }
}
