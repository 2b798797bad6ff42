// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.journal.streams.Condition;
import io.journal.streams.Event;
import io.journal.streams.EventStreams;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EmptyAppendTransaction;
import org.axonframework.eventsourcing.eventstore.GlobalIndexConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.GlobalIndexPosition;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.jspecify.annotations.Nullable;

/**
 * Stores events with tags, and appends them under conditions: a dynamic consistency boundary.
 * <pre>{@code
 * EventSourcingConfigurer.create().registerEventStorageEngine(
 *     (config) -> new JournalEventStorageEngine(streams, config.getComponent(EventConverter.class)));
 * }</pre>
 * A transaction is committed when its events are durable. It is rejected when the conflicting event is durable. If
 * committing fails otherwise, the events may be there or not. A sourced stream ends when its events are durable.
 * Streaming processors see durable events only; those that were appended past the engine they see with a delay.
 * <p>
 * A marker and a token are positions of {@link EventStreams}. After {@link EventStreams#truncateAfter}, or when the
 * journal is replaced by an older backup, reset the tokens of processors; truncate while Axon is shut down. Sourcing
 * and streaming fail with {@link io.journal.streams.PrunedException} if they need events that were pruned.
 * <p>
 * The engine does not close the event store: close it after Axon was shut down. Thread-safe.
 */
public final class JournalEventStorageEngine extends JournalEngine
{
    /**
     * An engine on an event store, which should have no other events than those of Axon.
     *
     * @param streams   that hold the events.
     * @param converter of payloads to bytes.
     */
    public JournalEventStorageEngine(final EventStreams streams, final EventConverter converter)
    {
        super(streams, converter);
    }

    @Override
    public CompletableFuture<AppendTransaction<?>> appendEvents(
        final AppendCondition condition,
        final @Nullable ProcessingContext context,
        final List<TaggedEventMessage<?>> events)
    {
        if (events.isEmpty())
        {
            return CompletableFuture.completedFuture(EmptyAppendTransaction.INSTANCE);
        }
        try
        {
            final ConsistencyMarker marker = condition.consistencyMarker();
            final Condition[] conditions = ConsistencyMarker.INFINITY == marker ? new Condition[0] : new Condition[]{
                new Condition(EventFormat.query(condition.criteria()),
                    Math.max(0, GlobalIndexConsistencyMarker.position(marker))) };
            final List<Event> stored = events.stream()
                .map((event) -> EventFormat.encode(event, EventFormat.NO_SEQUENCE, converter)).toList();
            return CompletableFuture.completedFuture(new Transaction(marker,
                () -> streams.append(stored, conditions).last(), GlobalIndexConsistencyMarker::new));
        }
        catch (final RuntimeException ex)
        {
            return CompletableFuture.failedFuture(ex);
        }
    }

    @Override
    public MessageStream<EventMessage> source(
        final SourcingCondition condition, final @Nullable ProcessingContext context)
    {
        return new SourcingStream(streams, EventFormat.query(condition.criteria()),
            Math.max(0, GlobalIndexPosition.toIndex(condition.start())), this::entry,
            GlobalIndexConsistencyMarker::new);
    }
}
