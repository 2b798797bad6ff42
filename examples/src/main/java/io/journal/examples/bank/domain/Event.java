package io.journal.examples.bank.domain;

/**
 * What has happened. Events are stored permanently and never validated again, even if the rules became stricter since.
 */
public sealed interface Event
{
    /** Calls the visitor's method for this kind of event. */
    void accept(Visitor visitor);

    /** Has a method for each kind of event, so that a new kind does not compile until every visitor handles it. */
    interface Visitor
    {
        void on(AccountOpened event);

        void on(Deposited event);

        void on(Withdrawn event);

        void on(Transferred event);
    }

    /** An account was opened; the time is in milliseconds since 1970-01-01 UTC, 0 if unknown. */
    record AccountOpened(long accountId, String owner, long openedAtMs) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /** Money was deposited. */
    record Deposited(long accountId, long cents) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /** Money was withdrawn. */
    record Withdrawn(long accountId, long cents) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /** Money was transferred. A single event, not one per account, so that a crash cannot leave half of a transfer. */
    record Transferred(long accountId, long toAccountId, long cents) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }
}
