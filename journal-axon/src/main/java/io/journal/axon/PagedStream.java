// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.function.Function;

import io.journal.streams.EventStreams;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.jspecify.annotations.Nullable;

/**
 * Reads events page by page, in the thread that asks for them, which may so wait for a disk. Thread-safe; the callback
 * is run without the lock.
 */
abstract class PagedStream implements MessageStream<EventMessage>
{
    /** Maximum number of events that are read at once. */
    static final int PAGE = 100;

    final EventStreams streams;
    /** What was read and is not taken yet. */
    final Queue<Entry<EventMessage>> page = new ArrayDeque<>();
    /** Up to which events were read. */
    long position;
    /** Of the last event that was read. */
    long lastMatch;
    private final Query query;
    private final Function<EventView, Entry<EventMessage>> decoder;
    private boolean isEnded;
    private @Nullable Throwable error;
    private volatile Runnable callback = () ->
    {
    };

    /**
     * @param position of the last event that is not read.
     */
    PagedStream(
        final EventStreams streams,
        final Query query,
        final long position,
        final Function<EventView, Entry<EventMessage>> decoder)
    {
        this.streams = streams;
        this.query = query;
        this.position = position;
        this.decoder = decoder;
    }

    /** Called with the lock held when the page is empty: fills it if there is more, or ends the stream. */
    abstract void fill();

    final synchronized void readPage(final Range range)
    {
        position = streams.read(query, range.first(PAGE), (event) ->
        {
            lastMatch = event.position();
            page.add(decoder.apply(event));
        });
    }

    /** Nothing more is read. */
    final synchronized void end(final @Nullable RuntimeException cause)
    {
        error = isEnded ? error : cause;
        isEnded = true;
    }

    @Override
    public final synchronized Optional<Entry<EventMessage>> next()
    {
        final Optional<Entry<EventMessage>> next = peek();
        page.poll();
        return next;
    }

    @Override
    public final synchronized Optional<Entry<EventMessage>> peek()
    {
        if (page.isEmpty() && !isEnded)
        {
            try
            {
                fill();
            }
            catch (final RuntimeException ex)
            {
                end(ex);
            }
        }
        return Optional.ofNullable(page.peek());
    }

    @Override
    public final boolean hasNextAvailable()
    {
        return peek().isPresent();
    }

    @Override
    public void setCallback(final Runnable newCallback)
    {
        callback = newCallback;
        runCallback();
    }

    final void runCallback()
    {
        try
        {
            callback.run();
        }
        catch (final RuntimeException ex)
        {
            end(ex);
        }
    }

    @Override
    public final synchronized Optional<Throwable> error()
    {
        return isCompleted() ? Optional.ofNullable(error) : Optional.empty();
    }

    @Override
    public final synchronized boolean isCompleted()
    {
        return isEnded && page.isEmpty();
    }

    @Override
    public synchronized void close()
    {
        page.clear();
        end(null);
    }
}
