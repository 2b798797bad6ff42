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
     * Saves a snapshot after so many events, and prunes the history. After a snapshot that failed, as on a full disk,
     * the next is due an interval later.
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
     * Returns the last event in the snapshot, once the snapshot is saved. If a snapshot is being saved, returns the
     * last event in that one.
     */
    CompletableFuture<Long> save(final long sequence, final Bank bank)
    {
        if (saving.isDone())
        {
            triedSequence = sequence;
            final byte[] state = SnapshotCodec.encode(bank);
            saving = CompletableFuture.supplyAsync(() ->
            {
                // Fsyncs the journal first: no snapshot is ahead of its journal.
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
