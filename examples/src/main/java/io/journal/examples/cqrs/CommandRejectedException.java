package io.journal.examples.cqrs;

/**
 * A command was refused by a rule of the bank. Nothing was written and nothing has changed.
 */
public final class CommandRejectedException extends Exception
{
    private static final long serialVersionUID = 1L;

    CommandRejectedException(final String message)
    {
        super(message);
    }
}
