package io.journal.examples.bank.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.domain.Bank;
import io.journal.examples.bank.journal.BankJournal;

/**
 * Saves snapshots on a thread of its own: the writing thread encodes the state into memory, and continues to append
 * while the file is written, fsynced and renamed. One at a time.
 */
final class SnapshotSaver implements AutoCloseable
{
    private final ExecutorService executor = Executors.newSingleThreadExecutor((task) ->
    {
        final Thread thread = new Thread(task, "bank-snapshots");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicBoolean isSaving = new AtomicBoolean();
    private final BankJournal journal;
    private final boolean isPruning;
    private volatile long savedSequence;

    SnapshotSaver(final BankJournal journal, final boolean isPruning, final long savedSequence)
    {
        this.journal = journal;
        this.isPruning = isPruning;
        this.savedSequence = savedSequence;
    }

    /** Sequence of the newest snapshot, 0 if there is none. */
    long savedSequence()
    {
        return savedSequence;
    }

    /** Reserves the saver; a caller that gets true calls {@link #save} or {@link #refuse} next. */
    boolean begin()
    {
        return isSaving.compareAndSet(false, true);
    }

    /** Saves a state, which may change once this has returned, and completes the future with its sequence. */
    void save(final long sequence, final Bank bank, final CompletableFuture<Long> saved)
    {
        try
        {
            final byte[] state = SnapshotCodec.encode(bank);
            executor.execute(() -> write(sequence, state, saved));
        }
        catch (final Throwable ex)
        {
            refuse(saved, ex);
        }
    }

    /** Saves nothing, and completes the future with the reason. */
    void refuse(final CompletableFuture<Long> saved, final Throwable reason)
    {
        isSaving.set(false);
        saved.completeExceptionally(reason);
    }

    private void write(final long sequence, final byte[] state, final CompletableFuture<Long> saved)
    {
        try
        {
            journal.saveSnapshot(sequence, (output) -> output.write(state));
            savedSequence = sequence;
            if (isPruning)
            {
                journal.prune();
            }
            isSaving.set(false);
            saved.complete(sequence);
        }
        catch (final Throwable ex)
        {
            refuse(saved, ex);
        }
    }

    /** Waits for the snapshot that is being saved. */
    @Override
    public void close()
    {
        executor.shutdown();
        try
        {
            executor.awaitTermination(1, TimeUnit.MINUTES);
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }
}
