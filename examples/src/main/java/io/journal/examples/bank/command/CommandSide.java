// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

import io.journal.JournalFullException;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.journal.BankJournal;

/**
 * Takes commands from many threads. One thread decides and appends, so that the rules need no locks. The journal's
 * background agent fsyncs meanwhile, as often as the device allows, and each fsync answers all commands whose events it
 * covers (group commit). On a cluster, a commit takes the place of the fsync. Thread-safe.
 */
public final class CommandSide implements AutoCloseable
{
    /** The most commands in flight; further commands are refused. */
    public static final int MAX_PENDING = 8_192;

    private final ExecutorService thread = Executors.newSingleThreadExecutor((task) -> new Thread(task, "bank-writer"));
    private final Semaphore room = new Semaphore(MAX_PENDING);
    private final BankJournal journal;
    private final DurableAnswers answers;
    // Used by the writing thread only, like the snapshots.
    private final Writer writer;
    private final SnapshotSaver snapshots;
    private volatile Throwable failure;

    /**
     * Starts the command side, with the state that was recovered from the journal. A snapshot is saved each time {@code
     * snapshotEvery} events were appended; with 0, on request only.
     */
    public CommandSide(final BankJournal journal, final Recovery state, final long snapshotEvery)
    {
        this.journal = journal;
        writer = new Writer(journal.appender(), state);
        snapshots = new SnapshotSaver(journal.snapshots(), snapshotEvery, state.snapshot());
        answers = new DurableAnswers(journal.forcedSequence());
        journal.onForced(answers::onForced);
    }

    /**
     * Submits a command. {@return the answer, once it is durable} The future completes on the thread of the journal's
     * background agent, which must not be blocked: continue on another thread. If the future completes with an
     * exception other than {@link BankBusyException}, the client cannot know whether the command was executed, and
     * sends it again with the same id. If this method throws, nothing has changed.
     */
    public CompletableFuture<Answer> submit(final CommandRequest request) throws BankBusyException
    {
        if (!room.tryAcquire())
        {
            throw new BankBusyException("too many commands at a time: limit=" + MAX_PENDING);
        }

        final CompletableFuture<Answer> answer = new CompletableFuture<>();
        answer.whenComplete((result, error) -> room.release());
        enqueue(() -> execute(request, answer), answer);
        return answer;
    }

    /** Saves a snapshot; {@return the last event in it, once it is saved} Commands continue meanwhile. */
    public CompletableFuture<Long> saveSnapshot()
    {
        final CompletableFuture<CompletableFuture<Long>> saving = new CompletableFuture<>();
        // The state after a failure may hold only a part of the last event.
        enqueue(
            () -> saving.complete(
                null == failure ? snapshots.save(writer.sequence(), writer.bank()) :
                    CompletableFuture.failedFuture(ended())),
            saving);
        return saving.thenCompose((saved) -> saved);
    }

    /** {@return the number of commands in flight} */
    public int pending()
    {
        return MAX_PENDING - room.availablePermits();
    }

    /** {@return why no more commands are executed, or null} */
    public Throwable failure()
    {
        return failure;
    }

    /**
     * Ends the command side: commands in flight are answered with the cause. The writing thread calls this if an append
     * fails. Call it when an fsync has failed, because fsyncs run on another thread.
     */
    public void fail(final Throwable cause)
    {
        if (null == failure)
        {
            failure = cause;
        }
        answers.fail(new IllegalStateException("the bank has failed: it is not known what was executed", cause));
    }

    /** Refuses further commands, executes the commands in flight and waits until they are answered. Idempotent. */
    @Override
    public void close()
    {
        if (thread.isTerminated())
        {
            return;
        }
        thread.shutdown();
        try
        {
            thread.awaitTermination(Long.MAX_VALUE, TimeUnit.NANOSECONDS);
            snapshots.finish();
            if (null == failure)
            {
                journal.force();
                answers.onForced(journal.forcedSequence());
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
        catch (final RuntimeException ex)
        {
            fail(ex);
            throw ex;
        }
    }

    private void enqueue(final Runnable task, final CompletableFuture<?> result)
    {
        try
        {
            if (null != failure)
            {
                throw ended();
            }
            thread.execute(task);
        }
        catch (final RejectedExecutionException | IllegalStateException ex)
        {
            result.completeExceptionally(ex);
            throw ended();
        }
    }

    private void execute(final CommandRequest request, final CompletableFuture<Answer> future)
    {
        try
        {
            if (null != failure)
            {
                throw ended();
            }
            final Answer answer = writer.execute(request);
            answers.add(writer.sequence(), answer, future);
            snapshots.saveIfDue(writer.sequence(), writer.bank());
        }
        catch (final JournalFullException ex)
        {
            future.completeExceptionally(new BankBusyException("the journal is full: " + ex.getMessage()));
        }
        catch (final Throwable ex)
        {
            // The journal may hold an event that the state lacks or holds only in part, for example after an
            // OutOfMemoryError. Further decisions would be wrong.
            fail(ex);
            future.completeExceptionally(ex);
        }
    }

    private IllegalStateException ended()
    {
        return null == failure ?
            new IllegalStateException("the bank is closed") : new IllegalStateException("the bank has failed", failure);
    }
}
