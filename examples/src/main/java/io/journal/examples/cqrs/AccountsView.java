package io.journal.examples.cqrs;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * The side of the queries: answers from what the projection has brought so far. Any number of threads may ask.
 * <p>
 * Each answer is taken between two events, so both sides of a transfer are in it, or neither. It may be a little old: a
 * client that has to see a command of its own waits for its sequence before it asks.
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
     * Looks an account up.
     *
     * @param accountId of the account.
     * @return the account, if there is one.
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
     * Sums up.
     *
     * @return all accounts together.
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
     * Waits until an event is seen by queries.
     *
     * @param sequence of the event, as returned by {@link CommandHandler#handle(Command)}.
     * @param timeout  how long to wait at most.
     * @throws TimeoutException      if it took longer.
     * @throws InterruptedException  if the thread was interrupted meanwhile.
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
     * Applies an event. Queries see it, and those who wait are woken.
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
     * Says that nothing more will come: whoever asks or waits is told, instead of getting ever older answers.
     *
     * @param cause why, or null if the bank is being closed. The first call counts.
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
     * Not part of what the view offers to all.
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
