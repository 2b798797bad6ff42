package io.journal.examples.bank.read;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.codec.StoredEvent;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Accounts;
import io.journal.examples.bank.domain.Bank;
import io.journal.examples.bank.journal.BankJournal;
import org.agrona.concurrent.SystemEpochClock;

/**
 * The read model in memory: balances. Nothing of it is stored; it begins with the newest snapshot, or with the first
 * event.
 * <p>
 * Each answer is consistent: it contains both sides of a transfer, or neither. It may lag behind the journal: a client
 * that must read its own writes first waits for the sequence of its command. Thread-safe.
 */
public final class AccountsView implements ReadModel
{
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    // Guarded by the lock.
    private final Accounts accounts;
    private long appliedSequence;
    private boolean isStopped;
    private Throwable failure;

    private AccountsView(final Accounts accounts, final long sequence)
    {
        this.accounts = accounts;
        appliedSequence = sequence;
    }

    /** {@return a view without accounts, to be built from the first event on} */
    public static AccountsView empty()
    {
        return new AccountsView(new Accounts(), 0);
    }

    /**
     * {@return a view with the accounts of the newest snapshot}
     *
     * @param journal that has the snapshot.
     */
    public static AccountsView ofSnapshot(final BankJournal journal)
    {
        final Bank bank = new Bank(SystemEpochClock.INSTANCE);
        final long sequence = journal.loadSnapshot((input) -> SnapshotCodec.decode(input, bank));
        return new AccountsView(bank.accounts(), sequence);
    }

    /**
     * Returns an account.
     *
     * @param accountId of the account.
     * @return the account, or empty if there is none.
     * @throws IllegalStateException if the view has stopped.
     */
    public Optional<Account> account(final long accountId)
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
     * Returns the accounts with the lowest numbers.
     *
     * @param limit maximum number of accounts.
     * @return the accounts, by number.
     * @throws IllegalStateException if the view has stopped.
     */
    public List<Account> accounts(final int limit)
    {
        lock.lock();
        try
        {
            checkRunning();
            return accounts.all().stream().sorted(Comparator.comparingLong(Account::accountId)).limit(limit).toList();
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
     * @throws IllegalStateException if the view has stopped.
     */
    public BankTotals totals()
    {
        lock.lock();
        try
        {
            checkRunning();
            return new BankTotals(appliedSequence, accounts.size(), accounts.totalCents());
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Waits until queries reflect an event.
     *
     * @param sequence of the event.
     * @param timeout  maximum time to wait.
     * @throws TimeoutException      if the timeout expires first.
     * @throws InterruptedException  if the thread is interrupted while waiting.
     * @throws IllegalStateException if the view has stopped.
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

    @Override
    public long sequence()
    {
        lock.lock();
        try
        {
            return appliedSequence;
        }
        finally
        {
            lock.unlock();
        }
    }

    @Override
    public void apply(final long sequence, final StoredEvent stored)
    {
        lock.lock();
        try
        {
            stored.event().accept(accounts);
            appliedSequence = sequence;
        }
        finally
        {
            lock.unlock();
        }
    }

    @Override
    public void commit()
    {
        lock.lock();
        try
        {
            changed.signalAll();
        }
        finally
        {
            lock.unlock();
        }
    }

    @Override
    public void stop(final Throwable cause)
    {
        lock.lock();
        try
        {
            isStopped = true;
            failure = cause;
            changed.signalAll();
        }
        finally
        {
            lock.unlock();
        }
    }

    @Override
    public void close()
    {
        // Memory only.
    }

    private void checkRunning()
    {
        if (null != failure)
        {
            throw new IllegalStateException("the read model failed: appliedSequence=" + appliedSequence, failure);
        }
        if (isStopped)
        {
            throw new IllegalStateException("the bank is closed");
        }
    }
}
