package io.journal.examples.bank.domain;

/**
 * A rule forbids a command; nothing has changed. Carries no stack trace: a rejection is an answer, not a fault.
 */
public final class CommandRejectedException extends Exception
{
    private static final long serialVersionUID = 1;

    /** The rule. */
    public enum Reason
    {
        /** There is no such account. */
        NO_ACCOUNT,
        /** The account is open already. */
        ACCOUNT_EXISTS,
        /** The account has not enough money. */
        OVERDRAFT,
        /** More accounts or more money than the bank can count. */
        LIMIT,
        /** The account has changed since the client saw it. */
        VERSION_CONFLICT,
        /** The id was used before, for another command. */
        ID_REUSED
    }

    private final Reason reason;

    CommandRejectedException(final Reason reason, final String message)
    {
        super(message, null, false, false);
        this.reason = reason;
    }

    /** {@return the rule that forbids the command} */
    public Reason reason()
    {
        return reason;
    }
}
