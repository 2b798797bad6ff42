package io.journal.examples.cqrs;

/**
 * What has happened. It is stored for good, and is not judged again: not even by rules that became stricter since.
 */
public sealed interface Event
{
    /**
     * Calls the method for this kind of event.
     *
     * @param visitor to be called.
     */
    void accept(Visitor visitor);

    /**
     * Has a method for each kind of event: a new kind does not compile until every visitor knows it.
     */
    interface Visitor
    {
        void on(AccountOpened event);

        void on(Deposited event);

        void on(Withdrawn event);

        void on(Transferred event);
    }

    /**
     * An account was opened.
     *
     * @param accountId  of the account.
     * @param openedAtMs when, in milliseconds since 1970-01-01 UTC; 0 if it is not known. It is part of the event since
     *                   asking the clock again would not give the same answer.
     */
    record AccountOpened(long accountId, long openedAtMs) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /**
     * Money was paid in.
     *
     * @param accountId   where to.
     * @param amountCents how much.
     */
    record Deposited(long accountId, long amountCents) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /**
     * Money was paid out.
     *
     * @param accountId   where from.
     * @param amountCents how much.
     */
    record Withdrawn(long accountId, long amountCents) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /**
     * Money was moved. One event, and not one for each account: a crash cannot leave half of it.
     *
     * @param fromAccountId where from.
     * @param toAccountId   where to.
     * @param amountCents   how much.
     */
    record Transferred(long fromAccountId, long toAccountId, long amountCents) implements Event
    {
        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }
}
