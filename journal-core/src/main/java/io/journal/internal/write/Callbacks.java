// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.function.LongConsumer;

import io.journal.internal.files.FailureLatch;
import org.agrona.ErrorHandler;

/**
 * The application's callbacks on the background agent's thread. Closing waits for that thread, but not for a callback,
 * which may be waiting for the closing thread: in {@code System.exit}, for a shutdown hook that closes the journal.
 */
public final class Callbacks
{
    private final FailureLatch latch;
    private volatile boolean isAgentInside;

    public Callbacks(final FailureLatch latch)
    {
        this.latch = latch;
    }

    public ErrorHandler errorHandler(final ErrorHandler handler)
    {
        return (error) ->
        {
            final boolean wasInside = enter();
            try
            {
                handler.onError(error);
            }
            finally
            {
                leave(wasInside);
            }
        };
    }

    public LongConsumer listener(final LongConsumer listener)
    {
        return (sequence) ->
        {
            final boolean wasInside = enter();
            try
            {
                listener.accept(sequence);
            }
            finally
            {
                leave(wasInside);
            }
        };
    }

    private boolean enter()
    {
        final boolean isAgent = latch.isBackground();
        final boolean wasInside = isAgent && isAgentInside;
        if (isAgent)
        {
            isAgentInside = true;
        }

        return wasInside;
    }

    /** A callback that closes the journal may be called again by that, and stays inside afterwards. */
    private void leave(final boolean wasInside)
    {
        if (latch.isBackground())
        {
            isAgentInside = wasInside;
        }
    }

    boolean isAgentInside()
    {
        return isAgentInside;
    }
}
