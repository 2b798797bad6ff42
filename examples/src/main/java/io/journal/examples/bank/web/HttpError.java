package io.journal.examples.bank.web;

/**
 * A request that is answered with an error; nothing has changed.
 */
final class HttpError extends Exception
{
    private static final long serialVersionUID = 1;

    private final int status;

    HttpError(final int status, final String message)
    {
        super(message, null, false, false);
        this.status = status;
    }

    int status()
    {
        return status;
    }
}
