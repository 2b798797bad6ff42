// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

import java.util.Collection;
import java.util.Collections;

import org.agrona.collections.Long2ObjectHashMap;

/**
 * All accounts, as they are after some event. Not thread-safe.
 */
public final class Accounts
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

    /** {@return the money in all accounts} */
    public long totalCents()
    {
        return totalCents;
    }

    /** Adds a newly opened account, or an account from a snapshot. */
    public void put(final Account account)
    {
        accounts.put(account.accountId(), account);
        totalCents += account.cents();
    }

    /** Adds money to an account; a negative amount is withdrawn. */
    void add(final long accountId, final long cents)
    {
        final Account old = accounts.get(accountId);
        if (null == old)
        {
            throw new IllegalStateException("event of an account that was never opened: accountId=" + accountId);
        }
        accounts.put(
            accountId, new Account(accountId, old.owner(), old.openedAtMs(), old.cents() + cents, old.version() + 1));
        totalCents += cents;
    }
}
