package io.journal.examples.bank.command;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;

import io.journal.JournalAppender;
import io.journal.JournalFullException;
import io.journal.examples.bank.codec.EventCodec;
import io.journal.examples.bank.domain.Bank;
import io.journal.examples.bank.domain.CommandRejectedException;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.domain.Event;
import io.journal.examples.bank.journal.BankJournal;

/**
 * Executes commands. One thread decides all of them, one after the other, so the rules need no locks; it appends their
 * events without waiting for the device. The journal's background agent fsyncs meanwhile, as often as the device
 * allows, and each fsync answers all commands whose events it covers (group commit).
 * <p>
 * On a cluster it is the same: what is committed takes the place of what is fsynced. Thread-safe.
 */
public final class CommandSide implements AutoCloseable
{
    /** Most commands on their way; further ones are refused. */
    public static final int MAX_PENDING = 8_192;

    private static final int MAX_BATCH = 512;

    private final BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    private final Semaphore room = new Semaphore(MAX_PENDING);
    private final BankJournal journal;
    private final DurableAnswers answers;
    private final SnapshotSaver snapshots;
    private final long snapshotInterval;
    private final Thread thread = new Thread(this::run, "bank-writer");
    private volatile boolean isOpen = true;
    private volatile Throwable failure;

    // Used by the writing thread only.
    private final JournalAppender appender;
    private final EventCodec codec = new EventCodec();
    private final Bank bank;
    private long appliedSequence;
    /** Of the last snapshot that was due. */
    private long triedSequence;

    private CommandSide(final BankJournal journal, final Recovery state, final SnapshotPolicy policy)
    {
        this.journal = journal;
        appender = journal.appender();
        bank = state.bank();
        appliedSequence = state.sequence();
        answers = new DurableAnswers(journal.forcedSequence());
        snapshots = new SnapshotSaver(journal, policy.isPruning(), state.startUp().snapshotSequence());
        snapshotInterval = policy.everyEvents();
    }

    /**
     * Starts the command side.
     *
     * @param journal of the bank. Its listener and its appender are from now on the command side's.
     * @param state   as recovered from that journal. It is from now on the writing thread's.
     * @param policy  of snapshots.
     * @return the command side, ready for commands.
     */
    public static CommandSide start(final BankJournal journal, final Recovery state, final SnapshotPolicy policy)
    {
        final CommandSide commands = new CommandSide(journal, state, policy);
        journal.onForced(commands.answers::onForced);
        commands.thread.setDaemon(true);
        commands.thread.start();
        return commands;
    }

    /**
     * Submits a command.
     *
     * @param request of the client.
     * @return the answer, once it is durable. It completes on the journal's background agent, which must not be kept
     *         waiting: continue on another thread. If it completes with an exception, the client cannot know whether
     *         the command was executed, and sends it again with the same id.
     * @throws BankBusyException     if too many commands are on their way; nothing has changed.
     * @throws IllegalStateException if the bank is closed or has failed; nothing has changed.
     */
    public CompletableFuture<Answer> submit(final CommandRequest request) throws BankBusyException
    {
        checkOpen();
        if (!room.tryAcquire())
        {
            throw new BankBusyException("too many commands at a time: limit=" + MAX_PENDING);
        }

        final Pending pending = new Pending(request);
        pending.future.whenComplete((answer, error) -> room.release());
        enqueue(() -> execute(pending), pending.future);
        return pending.future;
    }

    /**
     * Saves a snapshot. Commands continue meanwhile.
     *
     * @return the last event in it, once it is saved.
     * @throws BankBusyException if one is being saved already.
     */
    public CompletableFuture<Long> saveSnapshot() throws BankBusyException
    {
        checkOpen();
        if (!snapshots.begin())
        {
            throw new BankBusyException("a snapshot is being saved");
        }

        final CompletableFuture<Long> saved = new CompletableFuture<>();
        enqueue(() -> save(saved), saved);
        return saved;
    }

    /** {@return the last event in the newest snapshot, 0 if there is none} */
    public long snapshotSequence()
    {
        return snapshots.savedSequence();
    }

    /** {@return the number of commands on their way} */
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
     * Ends the command side: commands on their way are answered with the cause. The writing thread calls it if storage
     * or this program has failed; also call it when an fsync failed, which happens on another thread.
     *
     * @param cause of the failure.
     */
    public void fail(final Throwable cause)
    {
        if (null == failure)
        {
            failure = cause;
        }
        answers.fail(new IllegalStateException("the bank has failed: it is not known what was executed", cause));
    }

    /**
     * Refuses further commands, executes those on their way and waits until they are answered. Idempotent. The
     * journal is closed afterwards.
     *
     * @throws IllegalStateException if a callback of an answer calls this: it would wait for itself.
     */
    @Override
    public void close()
    {
        if (answers.isAnswering())
        {
            throw new IllegalStateException("a callback of an answer must not close the bank");
        }
        if (isOpen)
        {
            isOpen = false;
            tasks.add(this::end);
        }
        try
        {
            thread.join();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            return;
        }
        // Submitted while the thread ended: refused, since it is the closing thread that runs them.
        for (Runnable task = tasks.poll(); null != task; task = tasks.poll())
        {
            runTask(task);
        }
        snapshots.close();
    }

    private void enqueue(final Runnable task, final CompletableFuture<?> result)
    {
        tasks.add(task);
        if (!thread.isAlive())
        {
            // It ended between the check and the addition, and the closing thread may have looked before.
            result.completeExceptionally(new IllegalStateException("the bank is closed"));
        }
    }

    private void run()
    {
        final List<Runnable> batch = new ArrayList<>(MAX_BATCH);
        // After a failure as well, until the bank is closed: each command gets an answer.
        while (isOpen || !tasks.isEmpty())
        {
            try
            {
                batch.add(tasks.take());
            }
            catch (final InterruptedException ex)
            {
                fail(ex);
                continue;
            }
            tasks.drainTo(batch, MAX_BATCH - 1);
            batch.forEach(this::runTask);
            batch.clear();
            runTask(this::saveDueSnapshot);
        }
    }

    private void runTask(final Runnable task)
    {
        try
        {
            task.run();
        }
        catch (final Throwable ex)
        {
            fail(ex);
        }
    }

    private void execute(final Pending pending)
    {
        if (null != failure || Thread.currentThread() != thread)
        {
            pending.future.completeExceptionally(ended());
            return;
        }

        try
        {
            decide(pending);
            answers.add(pending);
        }
        catch (final JournalFullException ex)
        {
            pending.future.completeExceptionally(new BankBusyException("the journal is full: " + ex.getMessage()));
        }
        catch (final Throwable ex)
        {
            // The journal may hold the event that the state does not, or only in part, as when memory runs out: further
            // decisions would be wrong.
            fail(ex);
            pending.future.completeExceptionally(ex);
        }
    }

    private void decide(final Pending pending)
    {
        try
        {
            pending.decided(decideAndAppend(pending.request), appliedSequence);
        }
        catch (final CommandRejectedException ex)
        {
            // A rejection waits as well: it may depend on an event that is not durable yet and could still be lost.
            pending.decided(Answer.rejected(ex), appliedSequence);
        }
    }

    private Answer decideAndAppend(final CommandRequest request) throws CommandRejectedException
    {
        final long executedSequence = bank.executedSequence(request);
        if (executedSequence > 0)
        {
            return Answer.repeated(executedSequence);
        }

        final Event event = bank.decide(request);
        codec.encode(request.id(), event);
        final long sequence = appender.append(codec.tag(), codec.buffer(), 0, codec.length());
        // Applied after the append: if that throws, the state still matches the journal.
        bank.apply(sequence, request.id(), event);
        appliedSequence = sequence;
        return Answer.executed(sequence);
    }

    private void saveDueSnapshot()
    {
        // After one that failed, as on a full disk, the next is due an interval later.
        if (snapshotInterval > 0 &&
            appliedSequence - Math.max(triedSequence, snapshots.savedSequence()) >= snapshotInterval &&
            null == failure && snapshots.begin())
        {
            final long sequence = appliedSequence;
            triedSequence = sequence;
            final CompletableFuture<Long> saved = new CompletableFuture<>();
            saved.exceptionally((ex) ->
            {
                System.getLogger(CommandSide.class.getName()).log(
                    System.Logger.Level.WARNING, "no snapshot was saved: sequence=" + sequence, ex);
                return null;
            });
            snapshots.save(sequence, bank, saved);
        }
    }

    private void save(final CompletableFuture<Long> saved)
    {
        if (null == failure)
        {
            snapshots.save(appliedSequence, bank, saved);
        }
        else
        {
            // The state may hold only a part of the last event.
            snapshots.refuse(saved, ended());
        }
    }

    private void end()
    {
        if (null == failure)
        {
            // Answers those that still wait, after those that the listener is answering.
            journal.force();
            answers.onForced(journal.forcedSequence());
        }
    }

    private void checkOpen()
    {
        if (null != failure || !isOpen)
        {
            throw ended();
        }
    }

    private IllegalStateException ended()
    {
        return null == failure ? new IllegalStateException("the bank is closed") :
            new IllegalStateException("the bank has failed", failure);
    }
}
