// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.util.Set;
import java.util.function.Function;

import io.journal.JournalReader.Limit;
import io.journal.streams.EventReader;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.axonframework.messaging.eventhandling.EventMessage;

/** The durable events after a position, without an end. */
final class LiveStream extends PagedStream
{
    private final EventReader reader;
    private final Query query;
    private final Function<EventView, Entry<EventMessage>> decoder;
    private final Set<LiveStream> listeners;
    private long position;

    /**
     * @param listeners that the stream belongs to as long as its callback is to be run when events become durable.
     */
    LiveStream(
        final EventReader reader,
        final Query query,
        final long position,
        final Function<EventView, Entry<EventMessage>> decoder,
        final Set<LiveStream> listeners)
    {
        this.reader = reader;
        this.query = query;
        this.position = position;
        this.decoder = decoder;
        this.listeners = listeners;
    }

    @Override
    void fill()
    {
        if (position < reader.head(Limit.FORCED))
        {
            position = reader.read(query, Range.from(position).first(PAGE).durable(),
                (event) -> page.add(decoder.apply(event)));
        }
    }

    @Override
    public void setCallback(final Runnable callback)
    {
        listeners.add(this);
        super.setCallback(callback);
    }

    @Override
    public void close()
    {
        listeners.remove(this);
        super.close();
    }
}
