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
}
