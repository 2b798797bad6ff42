package io.journal.examples.cqrs;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * The query side: answers from the events that the projection has applied so far. Thread-safe.
 * <p>
 * Each answer is consistent: it contains both sides of a transfer, or neither. It may lag behind the journal: a client
 * that must read its own writes first waits for the sequence of its command.
 */
public final class AccountsView
{
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Long2ObjectHashMap<AccountSummary> accounts = new Long2ObjectHashMap<>();
    private final Updater updater = new Updater();
    private long totalCents;
    private long appliedSequence;
    private boolean isStopped;
    private Throwable failure;

    AccountsView()
    {
    }

    /**
     * Returns an account.
     *
     * @param accountId of the account.
     * @return the account, or empty if there is none.
     * @throws IllegalStateException if the projection has stopped.
     */
    public Optional<AccountSummary> account(final long accountId)
    {
        lock.lock();
        try
        {
            checkRunning();
            return Optional.ofNullable(accounts.get(accountId));
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Returns the totals of all accounts.
     *
     * @return the totals.
     * @throws IllegalStateException if the projection has stopped.
     */
    public BankTotals totals()
    {
        lock.lock();
        try
        {
            checkRunning();
            return new BankTotals(appliedSequence, accounts.size(), totalCents);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Waits until queries reflect an event.
     *
     * @param sequence of the event, as returned by {@link CommandHandler#handle(Command)}.
     * @param timeout  maximum time to wait.
     * @throws TimeoutException      if the timeout expires first.
     * @throws InterruptedException  if the thread is interrupted while waiting.
     * @throws IllegalStateException if the projection has stopped.
     */
    public void awaitSequence(final long sequence, final Duration timeout)
        throws InterruptedException, TimeoutException
    {
        long remainingNs = TimeUnit.NANOSECONDS.convert(timeout);
        lock.lockInterruptibly();
        try
        {
            checkRunning();
            while (appliedSequence < sequence)
            {
                if (remainingNs <= 0)
                {
                    throw new TimeoutException(
                        "not seen in time: sequence=" + sequence + ", appliedSequence=" + appliedSequence);
                }
                remainingNs = changed.awaitNanos(remainingNs);
                checkRunning();
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Applies an event: makes it visible to queries and wakes waiting threads.
     */
    void apply(final long sequence, final Event event)
    {
        lock.lock();
        try
        {
            event.accept(updater);
            appliedSequence = sequence;
            changed.signalAll();
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Stops the view. Queries and waiting threads get an exception from now on, instead of ever staler answers.
     *
     * @param cause of the failure, or null if the bank is being closed. Only the first call has an effect.
     */
    void stop(final Throwable cause)
    {
        lock.lock();
        try
        {
            if (!isStopped)
            {
                isStopped = true;
                failure = cause;
                changed.signalAll();
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    private void checkRunning()
    {
        if (null != failure)
        {
            throw new IllegalStateException("the projection failed: appliedSequence=" + appliedSequence, failure);
        }
        if (isStopped)
        {
            throw new IllegalStateException("the bank is closed");
        }
    }

    /**
     * A class of its own, so that these methods are not part of the public view.
     */
    private final class Updater implements Event.Visitor
    {
        @Override
        public void on(final Event.AccountOpened event)
        {
            accounts.put(event.accountId(), new AccountSummary(event.accountId(), event.openedAtMs(), 0, 0));
        }

        @Override
        public void on(final Event.Deposited event)
        {
            add(event.accountId(), event.amountCents());
        }

        @Override
        public void on(final Event.Withdrawn event)
        {
            add(event.accountId(), -event.amountCents());
        }

        @Override
        public void on(final Event.Transferred event)
        {
            add(event.fromAccountId(), -event.amountCents());
            add(event.toAccountId(), event.amountCents());
        }

        private void add(final long accountId, final long cents)
        {
            final AccountSummary account = accounts.get(accountId);
            if (null == account)
            {
                throw new IllegalStateException("event of an account that was never opened: accountId=" + accountId);
            }
            accounts.put(accountId, account.add(cents));
            totalCents += cents;
        }
    }
}
