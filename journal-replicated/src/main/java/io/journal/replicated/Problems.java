package io.journal.replicated;

import org.agrona.ErrorHandler;

/** Where problems go that nobody else hears of. */
final class Problems
{
    static final ErrorHandler LOGGED =
        (error) -> System.getLogger("io.journal.replicated").log(System.Logger.Level.WARNING, "in the background",
            error);

    private Problems()
    {
    }

    /** A handler that throws nothing: no thread in the background may end because the user's handler fails. */
    static ErrorHandler guarded(final ErrorHandler handler)
    {
        return (error) ->
        {
            try
            {
                handler.onError(error);
            }
            catch (final Throwable ex)
            {
                log(ex, error);
            }
        };
    }

    private static void log(final Throwable ofHandler, final Throwable error)
    {
        try
        {
            LOGGED.onError(error);
            if (ofHandler != error)
            {
                LOGGED.onError(ofHandler);
            }
        }
        catch (final Throwable ignore)
        {
            // Logging fails as well, as when memory runs out: nothing is left to report it to.
        }
    }
}
