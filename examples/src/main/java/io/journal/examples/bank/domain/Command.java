package io.journal.examples.bank.domain;

/**
 * A client's request. It may be rejected. Commands are not stored.
 */
public sealed interface Command
{
    /** Longest name of an owner, in characters. */
    int MAX_OWNER_LENGTH = 60;

    /**
     * {@return the account that the command is about, whose version a client may expect: see {@link CommandRequest}}
     */
    long accountId();

    /**
     * Calls the visitor's method for this kind of command.
     *
     * @param visitor to call.
     * @return the resulting event.
     * @throws CommandRejectedException if the visitor rejects the command.
     */
    Event accept(Visitor visitor) throws CommandRejectedException;

    /** {@return the number that distinguishes this command from others with the same id: see {@link Fingerprint}} */
    long fingerprint();

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
     * @param owner     name of its owner.
     */
    record OpenAccount(long accountId, String owner) implements Command
    {
        public OpenAccount
        {
            checkAccount(accountId);
            if (owner.isBlank() || owner.length() > MAX_OWNER_LENGTH)
            {
                throw new IllegalArgumentException("owner must have 1 to " + MAX_OWNER_LENGTH + " characters");
            }
            // Half of a surrogate pair is stored as a question mark: a restart would find another owner, and another
            // fingerprint.
            if (owner.codePoints().anyMatch((c) -> Character.SURROGATE == Character.getType(c)))
            {
                throw new IllegalArgumentException("owner has half of a surrogate pair");
            }
        }

        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }

        @Override
        public long fingerprint()
        {
            return Fingerprint.ofOpening(accountId, owner);
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
            checkAccount(accountId);
            checkAmount(amountCents);
        }

        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }

        @Override
        public long fingerprint()
        {
            return Fingerprint.ofDeposit(accountId, amountCents);
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
            checkAccount(accountId);
            checkAmount(amountCents);
        }

        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }

        @Override
        public long fingerprint()
        {
            return Fingerprint.ofWithdrawal(accountId, amountCents);
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
            checkAccount(fromAccountId);
            checkAccount(toAccountId);
            checkAmount(amountCents);
            if (fromAccountId == toAccountId)
            {
                throw new IllegalArgumentException("transfer within one account: accountId=" + fromAccountId);
            }
        }

        @Override
        public long accountId()
        {
            return fromAccountId;
        }

        @Override
        public Event accept(final Visitor visitor) throws CommandRejectedException
        {
            return visitor.on(this);
        }

        @Override
        public long fingerprint()
        {
            return Fingerprint.ofTransfer(fromAccountId, toAccountId, amountCents);
        }
    }

    private static void checkAccount(final long accountId)
    {
        if (accountId <= 0)
        {
            throw new IllegalArgumentException("account number must be more than 0: accountId=" + accountId);
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
