// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.function.LongConsumer;

import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * The application's callbacks on the threads of background agents. Closing waits for an agent, but not for a callback,
 * which may be waiting for the closing thread: in {@code System.exit}, for a shutdown hook that closes the journal.
 */
public final class Callbacks
{
    private volatile BackgroundAgent[] agents = new BackgroundAgent[0];

    /** Sets the agents that call back. */
    public void agents(final BackgroundAgent... agents)
    {
        this.agents = agents;
    }

    public ErrorHandler errorHandler(final ErrorHandler handler)
    {
        return (error) ->
        {
            final BackgroundAgent agent = current();
            final boolean wasInside = enter(agent);
            try
            {
                handler.onError(error);
            }
            finally
            {
                leave(agent, wasInside);
            }
        };
    }

    public LongConsumer listener(final LongConsumer listener)
    {
        return (sequence) ->
        {
            final BackgroundAgent agent = current();
            final boolean wasInside = enter(agent);
            try
            {
                listener.accept(sequence);
            }
            finally
            {
                leave(agent, wasInside);
            }
        };
    }

    private @Nullable BackgroundAgent current()
    {
        for (final BackgroundAgent agent : agents)
        {
            if (agent.isCurrentThread())
            {
                return agent;
            }
        }
        return null;
    }

    private static boolean enter(final @Nullable BackgroundAgent agent)
    {
        final boolean wasInside = null != agent && agent.isInCallback();
        if (null != agent)
        {
            agent.isInCallback(true);
        }
        return wasInside;
    }

    /** Restores the previous state, because a callback that closes the journal may be called again inside itself. */
    private static void leave(final @Nullable BackgroundAgent agent, final boolean wasInside)
    {
        if (null != agent)
        {
            agent.isInCallback(wasInside);
        }
    }
}
