// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.journal.streams.Condition;
import io.journal.streams.ConflictException;
import io.journal.streams.Event;
import io.journal.streams.EventStreams;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.axonframework.eventsourcing.eventstore.AggregateBasedConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.AggregateBasedConsistencyMarker.AggregateSequencer;
import org.axonframework.eventsourcing.eventstore.AggregateBasedEventStorageEngineUtils;
import org.axonframework.eventsourcing.eventstore.AggregateSequenceNumberPosition;
import org.axonframework.eventsourcing.eventstore.AppendCondition;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EmptyAppendTransaction;
import org.axonframework.eventsourcing.eventstore.SourcingCondition;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.LegacyResources;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.MessageStream.Entry;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventstreaming.EventCriterion;
import org.axonframework.messaging.eventstreaming.Tag;
import org.jspecify.annotations.Nullable;

/**
 * Stores events of aggregates, as Axon Framework 4 did: an event has one tag, its aggregate, or none. Within an
 * aggregate events are numbered, and appends conflict if they would use a number again. All else is as with
 * {@link JournalEventStorageEngine}, which is to be preferred for a new application. It may take over the events that
 * this engine has stored; the other way round does not work.
 */
public final class AggregateBasedJournalEventStorageEngine extends JournalEngine
{
    /**
     * An engine on an event store, which should have no other events than those of Axon.
     *
     * @param streams   that hold the events.
     * @param converter of payloads to bytes.
     */
    public AggregateBasedJournalEventStorageEngine(final EventStreams streams, final EventConverter converter)
    {
        super(streams, converter);
    }

    @Override
    public CompletableFuture<AppendTransaction<?>> appendEvents(
        final AppendCondition condition,
        final @Nullable ProcessingContext context,
        final List<TaggedEventMessage<?>> events)
    {
        try
        {
            AggregateBasedEventStorageEngineUtils.assertValidTags(events);
            if (events.isEmpty())
            {
                return CompletableFuture.completedFuture(EmptyAppendTransaction.INSTANCE);
            }
            final AggregateBasedConsistencyMarker before = AggregateBasedConsistencyMarker.from(condition);
            final AggregateSequencer sequencer = before.createSequencer();
            final List<Event> stored = new ArrayList<>();
            final Map<Tag, Long> firstSequences = new LinkedHashMap<>();
            for (final TaggedEventMessage<?> event : events)
            {
                long sequence = EventFormat.NO_SEQUENCE;
                for (final Tag aggregate : event.tags())
                {
                    sequence = sequencer.incrementAndGetSequenceOf(aggregate.value());
                    firstSequences.putIfAbsent(aggregate, sequence);
                }
                stored.add(EventFormat.encode(event, sequence, converter));
            }
            return CompletableFuture.completedFuture(new Transaction(before,
                () -> append(stored, firstSequences), (position) -> sequencer.toMarker()));
        }
        catch (final RuntimeException ex)
        {
            return CompletableFuture.failedFuture(ex);
        }
    }

    /** The numbers that are there can be read before the append, whose conditions see to it that none is added. */
    private long append(final List<Event> events, final Map<Tag, Long> firstSequences)
    {
        final List<Condition> conditions = new ArrayList<>();
        firstSequences.forEach((aggregate, firstSequence) ->
        {
            final Query query = Query.tags(EventFormat.encode(aggregate));
            final long[] newest = { 0 };
            streams.read(query, Range.ALL.backwards().first(1), (event) ->
            {
                newest[0] = event.position();
                final long sequence = sequence(event);
                if (sequence >= firstSequence)
                {
                    throw new ConflictException("sequence of " + aggregate + " is taken: found=" + sequence +
                        ", new=" + firstSequence, conditions.size(), event.position());
                }
            });
            conditions.add(new Condition(query, newest[0]));
        });
        return streams.append(events, conditions.toArray(Condition[]::new)).last();
    }

    @Override
    public MessageStream<EventMessage> source(
        final SourcingCondition condition, final @Nullable ProcessingContext context)
    {
        // Axon expects the sequence 0 of an aggregate without events.
        final Map<Tag, Long> sequences = new HashMap<>();
        for (final EventCriterion criterion : condition.criteria().flatten())
        {
            AggregateBasedEventStorageEngineUtils.resolveAggregateIdentifier(criterion.tags());
            criterion.tags().forEach((aggregate) -> sequences.put(aggregate, 0L));
        }
        if (sequences.isEmpty())
        {
            throw new IllegalArgumentException("an aggregate is sourced by its tag: " + condition);
        }
        final Query query = new Query(sequences.keySet().stream()
            .map((tag) -> new Query.Item(Set.of(), Set.of(EventFormat.encode(tag)))).toList());
        final long firstSequence = AggregateSequenceNumberPosition.toSequenceNumber(condition.start());
        return new SourcingStream(streams, query, 0, (event) ->
        {
            sequences.put(aggregate(event), sequence(event));
            return entry(event);
        }, (position) -> marker(sequences)).filter((entry) ->
        {
            final Long sequence = entry.getResource(LegacyResources.AGGREGATE_SEQUENCE_NUMBER_KEY);
            return null == sequence || sequence >= firstSequence;
        });
    }

    /** {@return the sequence of an event that has the tag of an aggregate} */
    private static long sequence(final EventView event)
    {
        final long sequence = EventFormat.sequence(event);
        if (EventFormat.NO_SEQUENCE == sequence)
        {
            throw new IllegalStateException("not appended by the engine of aggregates: position=" + event.position() +
                ", tags=" + event.tags());
        }
        return sequence;
    }

    private static ConsistencyMarker marker(final Map<Tag, Long> sequences)
    {
        return sequences.entrySet().stream()
            .map((each) -> new AggregateBasedConsistencyMarker(each.getKey().value(), each.getValue()))
            .map(ConsistencyMarker.class::cast).reduce(ConsistencyMarker::upperBound).orElseThrow();
    }

    @Override
    Entry<EventMessage> entry(final EventView event)
    {
        final Entry<EventMessage> entry = super.entry(event);
        final long sequence = EventFormat.sequence(event);
        if (EventFormat.NO_SEQUENCE == sequence)
        {
            return entry;
        }
        final Tag aggregate = aggregate(event);
        return entry.withResource(LegacyResources.AGGREGATE_TYPE_KEY, aggregate.key())
            .withResource(LegacyResources.AGGREGATE_IDENTIFIER_KEY, aggregate.value())
            .withResource(LegacyResources.AGGREGATE_SEQUENCE_NUMBER_KEY, sequence);
    }

    private static Tag aggregate(final EventView event)
    {
        return EventFormat.decode(event.tags().iterator().next());
    }
}
