// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.domain;

/**
 * Something that has happened. Events are stored permanently and never validated again, even if the rules have become
 * stricter since.
 */
public sealed interface Event
{
    /** The kind of an event. It is an enum so that a switch expression that misses a new kind does not compile. */
    enum Kind
    {
        OPENED, DEPOSITED, WITHDRAWN, TRANSFERRED
    }

    /** {@return the kind of this event} */
    Kind kind();

    /** {@return the account} */
    long accountId();

    /** {@return the amount; 0 if no money was moved} */
    default long cents()
    {
        return 0;
    }

    /** {@return the account that the money went to; 0 if this is no transfer} */
    default long toAccountId()
    {
        return 0;
    }

    /** Changes the accounts, without checking any rule. */
    void apply(Accounts accounts);

    /** An account was opened; the time is in milliseconds since 1970-01-01 UTC, 0 if unknown. */
    record AccountOpened(long accountId, String owner, long openedAtMs) implements Event
    {
        @Override
        public Kind kind()
        {
            return Kind.OPENED;
        }

        @Override
        public void apply(final Accounts accounts)
        {
            accounts.put(new Account(accountId, owner, openedAtMs, 0, 1));
        }
    }

    /** Money was deposited. */
    record Deposited(long accountId, long cents) implements Event
    {
        @Override
        public Kind kind()
        {
            return Kind.DEPOSITED;
        }

        @Override
        public void apply(final Accounts accounts)
        {
            accounts.add(accountId, cents);
        }
    }

    /** Money was withdrawn. */
    record Withdrawn(long accountId, long cents) implements Event
    {
        @Override
        public Kind kind()
        {
            return Kind.WITHDRAWN;
        }

        @Override
        public void apply(final Accounts accounts)
        {
            accounts.add(accountId, -cents);
        }
    }

    /** Money was transferred. A single event, not one per account, so that a crash cannot leave half of a transfer. */
    record Transferred(long accountId, long toAccountId, long cents) implements Event
    {
        @Override
        public Kind kind()
        {
            return Kind.TRANSFERRED;
        }

        @Override
        public void apply(final Accounts accounts)
        {
            accounts.add(accountId, -cents);
            accounts.add(toAccountId, cents);
        }
    }
}
