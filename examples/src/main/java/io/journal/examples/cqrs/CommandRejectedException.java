package io.journal.examples.cqrs;

/**
 * Thrown if a rule of the bank rejects a command. Nothing was written and nothing has changed.
 */
public final class CommandRejectedException extends Exception
{
    private static final long serialVersionUID = 1L;

    CommandRejectedException(final String message)
    {
        super(message);
    }
}
