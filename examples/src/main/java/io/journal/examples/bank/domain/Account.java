package io.journal.examples.bank.domain;

/**
 * An account at one moment.
 *
 * @param accountId  its number.
 * @param owner      name of its owner.
 * @param openedAtMs when it was opened, in milliseconds since 1970-01-01 UTC; 0 if unknown.
 * @param cents      its balance.
 * @param version    number of events that concern it; the opening is the first.
 */
public record Account(long accountId, String owner, long openedAtMs, long cents, long version)
{
    static Account opened(final Event.AccountOpened event)
    {
        return new Account(event.accountId(), event.owner(), event.openedAtMs(), 0, 1);
    }

    /** The account after an event that added money, or took it if negative. */
    Account add(final long addedCents)
    {
        return new Account(accountId, owner, openedAtMs, cents + addedCents, version + 1);
    }
}
