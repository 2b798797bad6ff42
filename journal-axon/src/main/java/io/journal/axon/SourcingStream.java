// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.LongFunction;

import io.journal.JournalReader.Limit;
import io.journal.streams.EventStreams;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.messaging.core.Context;
import org.axonframework.messaging.core.SimpleEntry;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.TerminalEventMessage;
import org.jspecify.annotations.Nullable;

/**
 * The written events that match when the stream is made, then an entry with the consistency marker. That entry is there
 * once the last event is durable: whoever has sourced may tell the outside what follows from the events, for example
 * that a command is refused. Usually it is durable already, because the transaction that appended it has ended.
 */
final class SourcingStream extends PagedStream
{
    private final LongFunction<ConsistencyMarker> marker;
    private final long head;
    private boolean isRead;
    private @Nullable CompletableFuture<Void> durable;

    /**
     * @param marker of the position up to which was looked.
     */
    SourcingStream(
        final EventStreams streams,
        final Query query,
        final long position,
        final Function<EventView, Entry<EventMessage>> decoder,
        final LongFunction<ConsistencyMarker> marker)
    {
        super(streams, query, position, decoder);
        this.marker = marker;
        head = streams.head(Limit.WRITTEN);
    }

    @Override
    synchronized void fill()
    {
        if (!isRead)
        {
            readPage(Range.from(position).to(head));
            isRead = page.size() < PAGE;
        }
        if (page.isEmpty() && isDurable())
        {
            page.add(new SimpleEntry<>(TerminalEventMessage.INSTANCE,
                Context.with(ConsistencyMarker.RESOURCE_KEY, marker.apply(position))));
            end(null);
        }
    }

    private boolean isDurable()
    {
        if (null == durable)
        {
            durable = streams.durable(lastMatch);
            if (!durable.isDone())
            {
                // If it is done by now, the callback has called fill() again, which has added the entry.
                durable.whenComplete((ignored, failure) -> runCallback());
                return false;
            }
        }
        // If it has failed, joining throws.
        return durable.isDone() && null == durable.join();
    }
}
