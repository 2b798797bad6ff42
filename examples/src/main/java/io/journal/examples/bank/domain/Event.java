package io.journal.examples.bank.domain;

/**
 * What has happened. Events are stored permanently and never validated again, even if the rules became stricter since.
 */
public sealed interface Event
{
    /** {@return the fingerprint of the command of which this is the result: see {@link Command#fingerprint()}} */
    long fingerprint();

    /**
     * Calls the visitor's method for this kind of event.
     *
     * @param visitor to call.
     */
    void accept(Visitor visitor);

    /**
     * Has a method for each kind of event, so that a new kind does not compile until every visitor handles it.
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
     * @param owner      name of its owner.
     * @param openedAtMs milliseconds since 1970-01-01 UTC; 0 if unknown. It is part of the event because a replay must
     *                   not read the clock: it would return another time.
     */
    record AccountOpened(long accountId, String owner, long openedAtMs) implements Event
    {
        @Override
        public long fingerprint()
        {
            return Fingerprint.ofOpening(accountId, owner);
        }

        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /**
     * Money was deposited.
     *
     * @param accountId   of the account.
     * @param amountCents the amount.
     */
    record Deposited(long accountId, long amountCents) implements Event
    {
        @Override
        public long fingerprint()
        {
            return Fingerprint.ofDeposit(accountId, amountCents);
        }

        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /**
     * Money was withdrawn.
     *
     * @param accountId   of the account.
     * @param amountCents the amount.
     */
    record Withdrawn(long accountId, long amountCents) implements Event
    {
        @Override
        public long fingerprint()
        {
            return Fingerprint.ofWithdrawal(accountId, amountCents);
        }

        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }

    /**
     * Money was transferred. A single event, not one per account, so that a crash cannot leave half of a transfer.
     *
     * @param fromAccountId of the account it was withdrawn from.
     * @param toAccountId   of the account it was deposited to.
     * @param amountCents   the amount.
     */
    record Transferred(long fromAccountId, long toAccountId, long amountCents) implements Event
    {
        @Override
        public long fingerprint()
        {
            return Fingerprint.ofTransfer(fromAccountId, toAccountId, amountCents);
        }

        @Override
        public void accept(final Visitor visitor)
        {
            visitor.on(this);
        }
    }
}
