package io.journal.examples.bank.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import io.journal.Snapshots;
import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.domain.Bank;

/**
 * Saves snapshots without stopping the writing thread: that encodes the state into memory, and continues to append
 * while another thread writes, fsyncs and renames the file. Used by the writing thread, except for
 * {@link #savedSequence}.
 */
final class SnapshotSaver
{
    private final Snapshots snapshots;
    private final SnapshotPolicy policy;
    private CompletableFuture<Long> saving = CompletableFuture.completedFuture(0L);
    private long triedSequence;
    private volatile long savedSequence;

    SnapshotSaver(final Snapshots snapshots, final SnapshotPolicy policy, final long savedSequence)
    {
        this.snapshots = snapshots;
        this.policy = policy;
        this.savedSequence = savedSequence;
        triedSequence = savedSequence;
    }

    /** Sequence of the newest snapshot, 0 if there is none. */
    long savedSequence()
    {
        return savedSequence;
    }

    /** Saves a snapshot if the policy says so. After one that failed, as on a full disk, the next is due later. */
    void saveIfDue(final long sequence, final Bank bank)
    {
        if (policy.everyEvents() > 0 && sequence - triedSequence >= policy.everyEvents() && saving.isDone())
        {
            save(sequence, bank).exceptionally((ex) ->
            {
                System.getLogger(SnapshotSaver.class.getName()).log(
                    System.Logger.Level.WARNING, "no snapshot was saved: sequence=" + sequence, ex);
                return null;
            });
        }
    }

    /** Returns the last event in the snapshot, once that is saved; in the one that is being saved, if there is one. */
    CompletableFuture<Long> save(final long sequence, final Bank bank)
    {
        if (saving.isDone())
        {
            triedSequence = sequence;
            final byte[] state = SnapshotCodec.encode(bank);
            saving = new CompletableFuture<>();
            final CompletableFuture<Long> saved = saving;
            // A thread of its own: writing may take long, and the next one comes much later.
            final Thread thread = new Thread(() -> write(sequence, state, saved), "bank-snapshot");
            thread.setDaemon(true);
            thread.start();
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
            // Reported to whoever asked for the snapshot; the one before it is still there.
        }
    }

    private void write(final long sequence, final byte[] state, final CompletableFuture<Long> saved)
    {
        try
        {
            // Fsyncs the journal first: no snapshot is ahead of its journal.
            snapshots.save(sequence, (output) -> output.write(state));
            savedSequence = sequence;
            if (policy.isPruning())
            {
                snapshots.prune();
            }
            saved.complete(sequence);
        }
        catch (final Throwable ex)
        {
            saved.completeExceptionally(ex);
        }
    }
}
