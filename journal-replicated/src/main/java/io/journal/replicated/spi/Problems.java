package io.journal.replicated.spi;

import org.agrona.ErrorHandler;

/** Where errors in the background are reported to. Thread-safe. */
public final class Problems
{
    /** Logs them as warnings. */
    public static final ErrorHandler LOGGED =
        (error) -> System.getLogger("io.journal.replicated").log(System.Logger.Level.WARNING, "in the background",
            error);

    private Problems()
    {
    }

    /**
     * {@return a handler that throws nothing} No thread in the background may end because the user's handler fails.
     *
     * @param handler called; what it throws is logged.
     */
    public static ErrorHandler guarded(final ErrorHandler handler)
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
