package io.journal.examples.bank.domain;

import java.util.Collection;
import java.util.Collections;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * All accounts after some event. Applies events and does not check the rules again: an event has happened, even if the
 * rules became stricter since. Not thread-safe.
 */
public final class Accounts implements Event.Visitor
{
    private final Long2ObjectHashMap<Account> accounts = new Long2ObjectHashMap<>();
    private long totalCents;

    /** {@return an account, or null if there is none} */
    public Account get(final long accountId)
    {
        return accounts.get(accountId);
    }

    /** {@return all accounts, in no particular order} */
    public Collection<Account> all()
    {
        return Collections.unmodifiableCollection(accounts.values());
    }

    /** {@return the number of accounts} */
    public int size()
    {
        return accounts.size();
    }

    /** {@return the money in all accounts} */
    public long totalCents()
    {
        return totalCents;
    }

    /** Adds an account from a snapshot. */
    public void restore(final Account account)
    {
        accounts.put(account.accountId(), account);
        totalCents += account.cents();
    }

    @Override
    public void on(final Event.AccountOpened event)
    {
        accounts.put(event.accountId(), Account.opened(event));
    }

    @Override
    public void on(final Event.Deposited event)
    {
        add(event.accountId(), event.cents());
    }

    @Override
    public void on(final Event.Withdrawn event)
    {
        add(event.accountId(), -event.cents());
    }

    @Override
    public void on(final Event.Transferred event)
    {
        add(event.accountId(), -event.cents());
        add(event.toAccountId(), event.cents());
    }

    private void add(final long accountId, final long cents)
    {
        final Account account = accounts.get(accountId);
        if (null == account)
        {
            throw new IllegalStateException("event of an account that was never opened: accountId=" + accountId);
        }
        accounts.put(accountId, account.add(cents));
        totalCents += cents;
    }
}
