package io.journal.examples.bank.domain;

/**
 * An account at one moment.
 *
 * @param accountId    its number.
 * @param owner        name of its owner.
 * @param openedAtMs   when it was opened, in milliseconds since 1970-01-01 UTC; 0 if unknown.
 * @param balanceCents its balance.
 * @param version      number of events that concern it; the opening is the first.
 */
public record Account(long accountId, String owner, long openedAtMs, long balanceCents, long version)
{
    /**
     * {@return the account after an event that opened it}
     *
     * @param event the event.
     */
    public static Account opened(final Event.AccountOpened event)
    {
        return new Account(event.accountId(), event.owner(), event.openedAtMs(), 0, 1);
    }

    /**
     * {@return the account after an event that changed its balance}
     *
     * @param cents that were added, or taken if negative.
     */
    public Account add(final long cents)
    {
        return new Account(accountId, owner, openedAtMs, balanceCents + cents, version + 1);
    }
}
