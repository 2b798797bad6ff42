package io.journal.examples.cqrs;

/**
 * A client's request. It may be rejected. Commands are not stored.
 */
public sealed interface Command
{
    /**
     * Calls the visitor's method for this kind of command.
     *
     * @param visitor to call.
     * @return the resulting event.
     * @throws CommandRejectedException if the visitor rejects the command.
     */
    Event accept(Visitor visitor) throws CommandRejectedException;

    /**
     * Has a method for each kind of command, so that a new kind does not compile until every visitor handles it.
     */
    interface Visitor
    {
        Event on(OpenAccount command) throws CommandRejectedException;

        Event on(Deposit command) throws CommandRejectedException;

        Event on(Withdraw command) throws CommandRejectedException;

        Event on(Transfer command) throws CommandRejectedException;
    }

    /**
     * Opens an account.
     *
     * @param accountId of the new account.
     */
    record OpenAccount(long accountId) implements Command
    {
        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }
    }

    /**
     * Deposits money.
     *
     * @param accountId   of the account.
     * @param amountCents more than 0.
     */
    record Deposit(long accountId, long amountCents) implements Command
    {
        public Deposit
        {
            checkAmount(amountCents);
        }

        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }
    }

    /**
     * Withdraws money.
     *
     * @param accountId   of the account.
     * @param amountCents more than 0.
     */
    record Withdraw(long accountId, long amountCents) implements Command
    {
        public Withdraw
        {
            checkAmount(amountCents);
        }

        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }
    }

    /**
     * Moves money between two accounts.
     *
     * @param fromAccountId of the account to withdraw from.
     * @param toAccountId   of the account to deposit to, a different one.
     * @param amountCents   more than 0.
     */
    record Transfer(long fromAccountId, long toAccountId, long amountCents) implements Command
    {
        public Transfer
        {
            checkAmount(amountCents);
            if (fromAccountId == toAccountId)
            {
                throw new IllegalArgumentException("transfer within one account: accountId=" + fromAccountId);
            }
        }

        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }
    }

    private static void checkAmount(final long amountCents)
    {
        if (amountCents <= 0)
        {
            throw new IllegalArgumentException("amount must be more than 0: amountCents=" + amountCents);
        }
    }
}
