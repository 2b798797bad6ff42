// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import org.agrona.ErrorHandler;

/** Handlers of errors in the background. Thread-safe. */
final class ErrorHandlers
{
    /** Logs errors as warnings. */
    static final ErrorHandler LOGGED = (error) -> System.getLogger("io.journal.replicated")
        .log(System.Logger.Level.WARNING, "in the background", error);

    private ErrorHandlers()
    {
    }

    /** {@return a handler that throws nothing} No background thread may end because the user's handler fails. */
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
            LOGGED.onError(ofHandler);
        }
        catch (final Throwable ignore)
        {
            // Logging has failed as well, for example without memory, so there is nowhere left to report the error.
        }
    }
}
