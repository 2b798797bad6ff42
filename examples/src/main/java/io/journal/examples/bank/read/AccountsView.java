// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import java.util.Comparator;
import java.util.List;

import io.journal.Snapshots;
import io.journal.examples.bank.codec.EventCodec.StoredEvent;
import io.journal.examples.bank.codec.SnapshotCodec;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.domain.Accounts;
import io.journal.examples.bank.domain.Bank;

/**
 * The read model in memory: the balances. It is not stored, and begins with the newest snapshot or with the first
 * event. Each answer is consistent: it contains both sides of a transfer, or neither. Thread-safe.
 */
public final class AccountsView implements ReadModel
{
    private final Accounts accounts;
    private long sequence;

    /** The totals of the bank: the last event they include, the number of accounts, and the cents in all accounts. */
    public record Totals(long sequence, int accounts, long cents)
    {
    }

    /** Begins with the newest snapshot, or without accounts if the parameter is null or there is no snapshot. */
    public AccountsView(final Snapshots snapshots)
    {
        final Bank bank = new Bank(() -> 0);
        sequence = null == snapshots ? 0 : snapshots.load((input) -> SnapshotCodec.decode(input, bank));
        accounts = bank.accounts();
    }

    /** {@return the accounts with the lowest numbers, by number} */
    public synchronized List<Account> accounts(final int limit)
    {
        return accounts.all().stream().sorted(Comparator.comparingLong(Account::accountId)).limit(limit).toList();
    }

    /** {@return the totals of the bank} */
    public synchronized Totals totals()
    {
        return new Totals(sequence, accounts.all().size(), accounts.totalCents());
    }

    @Override
    public synchronized long sequence()
    {
        return sequence;
    }

    @Override
    public synchronized void apply(final long newSequence, final StoredEvent stored)
    {
        stored.event().apply(accounts);
        sequence = newSequence;
    }
}
