// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

import io.journal.examples.bank.domain.Rejection.Reason;

/**
 * A client's request to change something. The constructor checks the values, and {@link #decide} the rule, which needs
 * the state. Commands are not stored; the resulting events are.
 */
public sealed interface Command
{
    /** Longest name of an owner, in characters. */
    int MAX_OWNER_LENGTH = 60;
    /** Largest number of accounts. */
    int MAX_ACCOUNTS = 100_000;
    /** Limit of the total in cents: JavaScript clients store it as a double, which is exact up to this. */
    long MAX_TOTAL_CENTS = 9_000_000_000_000_000L;

    /** {@return the account whose version a client may expect: see {@link CommandRequest}} */
    long accountId();

    /**
     * {@return the event that the command leads to} Changes nothing, and throws if a rule forbids the command. The time
     * becomes part of the event, because a replay must not read the clock.
     */
    Event decide(Accounts accounts, long nowMs) throws Rejection;

    /** Opens an account. */
    record OpenAccount(long accountId, String owner) implements Command
    {
        public OpenAccount
        {
            check(accountId > 0, "An account has a number from 1.");
            check(null != owner && !owner.isBlank() && owner.length() <= MAX_OWNER_LENGTH,
                "An owner has a name of 1 to " + MAX_OWNER_LENGTH + " characters.");
            // UTF-8 cannot represent half of a surrogate pair, so after a restart the owner would have another name.
            check(owner.codePoints().noneMatch((c) -> Character.SURROGATE == Character.getType(c)),
                "The name of the owner is not valid text.");
        }

        @Override
        public Event decide(final Accounts accounts, final long nowMs) throws Rejection
        {
            Rejection.unless(null == accounts.get(accountId), Reason.ACCOUNT_EXISTS,
                () -> "Account " + accountId + " is open already.");
            Rejection.unless(accounts.all().size() < MAX_ACCOUNTS, Reason.LIMIT,
                () -> "The bank has " + MAX_ACCOUNTS + " accounts, and room for no more.");
            return new Event.AccountOpened(accountId, owner, nowMs);
        }
    }

    /** Deposits money. */
    record Deposit(long accountId, long cents) implements Command
    {
        public Deposit
        {
            check(cents > 0, "The amount must be more than 0.");
        }

        @Override
        public Event decide(final Accounts accounts, final long nowMs) throws Rejection
        {
            Rejection.requireAccount(accounts, accountId);
            Rejection.unless(cents <= MAX_TOTAL_CENTS - accounts.totalCents(), Reason.LIMIT,
                () -> "That is more money than this bank can count.");
            return new Event.Deposited(accountId, cents);
        }
    }

    /** Withdraws money. */
    record Withdraw(long accountId, long cents) implements Command
    {
        public Withdraw
        {
            check(cents > 0, "The amount must be more than 0.");
        }

        @Override
        public Event decide(final Accounts accounts, final long nowMs) throws Rejection
        {
            Rejection.requireMoney(accounts, accountId, cents);
            return new Event.Withdrawn(accountId, cents);
        }
    }

    /** Moves money between two accounts. */
    record Transfer(long accountId, long toAccountId, long cents) implements Command
    {
        public Transfer
        {
            check(cents > 0, "The amount must be more than 0.");
            check(accountId != toAccountId, "A transfer needs two accounts.");
        }

        @Override
        public Event decide(final Accounts accounts, final long nowMs) throws Rejection
        {
            Rejection.requireMoney(accounts, accountId, cents);
            Rejection.requireAccount(accounts, toAccountId);
            return new Event.Transferred(accountId, toAccountId, cents);
        }
    }

    private static void check(final boolean isValid, final String message)
    {
        if (!isValid)
        {
            throw new IllegalArgumentException(message);
        }
    }
}
