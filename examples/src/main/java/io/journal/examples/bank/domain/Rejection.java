// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

import java.util.Locale;
import java.util.function.Supplier;

/**
 * Thrown if a rule forbids a command; nothing has changed. The message is for people, the reason for programs. It has
 * no stack trace, because a rejection is an answer, not a fault.
 */
public final class Rejection extends Exception
{
    private static final long serialVersionUID = 1;

    /** The rule that forbids a command. */
    public enum Reason
    {
        NO_ACCOUNT, ACCOUNT_EXISTS, OVERDRAFT, LIMIT, VERSION_CONFLICT
    }

    private final Reason reason;

    private Rejection(final Reason reason, final String message)
    {
        super(message, null, false, false);
        this.reason = reason;
    }

    /** {@return the rule that forbids the command} */
    public Reason reason()
    {
        return reason;
    }

    static void unless(final boolean isAllowed, final Reason reason, final Supplier<String> message) throws Rejection
    {
        if (!isAllowed)
        {
            throw new Rejection(reason, message.get());
        }
    }

    static Account requireAccount(final Accounts accounts, final long accountId) throws Rejection
    {
        final Account account = accounts.get(accountId);
        unless(null != account, Reason.NO_ACCOUNT, () -> "There is no account " + accountId + ".");
        return account;
    }

    static void requireMoney(final Accounts accounts, final long accountId, final long cents) throws Rejection
    {
        final long balance = requireAccount(accounts, accountId).cents();
        unless(balance >= cents, Reason.OVERDRAFT,
            () -> "Account " + accountId + " has " + euros(balance) + ", which is less than " + euros(cents) + ".");
    }

    private static String euros(final long cents)
    {
        return String.format(Locale.ROOT, "€%,d.%02d", cents / 100, cents % 100);
    }
}
