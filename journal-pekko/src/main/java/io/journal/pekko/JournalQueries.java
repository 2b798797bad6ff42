// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.Supplier;

import com.typesafe.config.Config;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.Sequence;
import org.apache.pekko.persistence.query.javadsl.CurrentEventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentEventsByTagQuery;
import org.apache.pekko.persistence.query.javadsl.CurrentPersistenceIdsQuery;
import org.apache.pekko.persistence.query.javadsl.EventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.javadsl.EventsByTagQuery;
import org.apache.pekko.persistence.query.javadsl.PersistenceIdsQuery;
import org.apache.pekko.persistence.query.javadsl.ReadJournal;
import org.apache.pekko.stream.javadsl.Source;
import scala.jdk.javaapi.CollectionConverters;

/**
 * Queries: {@code PersistenceQuery.get(system).getReadJournalFor(JournalQueries.class, JournalQueries.IDENTIFIER)}. For
 * Scala: {@link ScalaJournalQueries}.
 * <p>
 * Sources pass durable events in order, without gaps or duplicates, and read as fast as there is demand. A source that
 * is not "current" continues with live events. The offset of an event, {@link Sequence}, is its position in the
 * journal; a query continues after an offset. Deleted events are left out by persistence id only.
 */
public final class JournalQueries implements ReadJournal, CurrentEventsByPersistenceIdQuery, EventsByPersistenceIdQuery,
    CurrentEventsByTagQuery, EventsByTagQuery, CurrentPersistenceIdsQuery, PersistenceIdsQuery
{
    /** Path of the default configuration. */
    public static final String IDENTIFIER = "journal.pekko.query";

    private static final int BATCH = 128;
    private static final Query ALL = Query.types(Store.EVENT);

    private final Store store;
    private final Persistence persistence;
    private final String journalPlugin;
    private final Executor dispatcher;

    JournalQueries(final ExtendedActorSystem system, final Config config)
    {
        store = Store.get(system);
        persistence = Persistence.get(system);
        journalPlugin = config.getString("journal-plugin");
        dispatcher = system.dispatchers().lookup(config.getString("dispatcher"));
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByPersistenceId(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr)
    {
        return source(() -> events(persistenceId, fromSequenceNr, toSequenceNr, store.durablePosition()));
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByPersistenceId(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr)
    {
        return source(() -> events(persistenceId, fromSequenceNr, toSequenceNr, Long.MAX_VALUE));
    }

    private Poll<EventEnvelope> events(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr, final long upTo)
    {
        final long from = Math.max(fromSequenceNr, store.deletedTo(persistenceId) + 1);
        final long after = store.position(persistenceId, from - 1);
        final Poll<EventEnvelope> poll = new Poll<>(
            Query.stream(persistenceId), after, from <= toSequenceNr ? upTo : after, this::envelopes);
        poll.from = from;
        poll.to = toSequenceNr;

        return poll;
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByTag(final String tag, final Offset offset)
    {
        return currentEvents(byTag(tag), offset);
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByTag(final String tag, final Offset offset)
    {
        return events(byTag(tag), offset);
    }

    private static Query byTag(final String tag)
    {
        return Query.of(Set.of(Store.EVENT), Set.of(tag));
    }

    /**
     * {@return all events that are there, of all persistence ids}
     *
     * @param offset after which they are.
     */
    public Source<EventEnvelope, NotUsed> currentEvents(final Offset offset)
    {
        return currentEvents(ALL, offset);
    }

    /**
     * {@return all events, of all persistence ids, then live ones}
     *
     * @param offset after which they are.
     */
    public Source<EventEnvelope, NotUsed> events(final Offset offset)
    {
        return events(ALL, offset);
    }

    private Source<EventEnvelope, NotUsed> currentEvents(final Query query, final Offset offset)
    {
        final long after = position(offset);
        return source(() -> new Poll<>(query, after, store.durablePosition(), this::envelopes));
    }

    private Source<EventEnvelope, NotUsed> events(final Query query, final Offset offset)
    {
        final long after = position(offset);
        return source(() -> new Poll<>(query, after, Long.MAX_VALUE, this::envelopes));
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds()
    {
        return source(() -> new Poll<>(
            Query.tags(Store.FIRST), 0, store.durablePosition(), JournalQueries::persistenceId));
    }

    @Override
    public Source<String, NotUsed> persistenceIds()
    {
        return source(() -> new Poll<>(Query.tags(Store.FIRST), 0, Long.MAX_VALUE, JournalQueries::persistenceId));
    }

    /** An application may use the tag as well, so it proves nothing. */
    private static List<String> persistenceId(final EventView event)
    {
        return 1 == event.version() ? List.of(event.stream()) : List.of();
    }

    private static long position(final Offset offset)
    {
        if (offset instanceof Sequence)
        {
            return ((Sequence)offset).value();
        }
        if (Offset.noOffset().equals(offset))
        {
            return 0;
        }
        throw new IllegalArgumentException("not an offset of this journal: offset=" + offset);
    }

    private List<EventEnvelope> envelopes(final EventView event)
    {
        if (!Store.EVENT.equals(event.type()))
        {
            return List.of();
        }
        final Offset offset = Offset.sequence(event.position());
        final PersistentRepr repr = store.decode(event);

        return CollectionConverters.asJava(persistence.adaptersFor(journalPlugin).get(repr.payload().getClass())
            .fromJournal(repr.payload(), repr.manifest()).events()).stream()
            .map((payload) -> new EventEnvelope(
                offset, repr.persistenceId(), repr.sequenceNr(), payload, repr.timestamp(), repr.metadata()))
            .toList();
    }

    private <T> Source<T, NotUsed> source(final Supplier<Poll<T>> start)
    {
        return Source.<List<T>, Poll<T>>unfoldResourceAsync(
            () -> Store.async(start, dispatcher), Poll::next, Poll::close)
            .mapConcat((batch) -> batch);
    }

    /** A query in progress: reads a batch when there is demand for it, or when there may be more. */
    private final class Poll<T>
    {
        private final Query query;
        private final Function<EventView, List<T>> mapping;
        private long from;
        private long to = Long.MAX_VALUE;
        private long position;
        private long upTo;
        private volatile boolean isClosed;

        /**
         * @param upTo position where the query ends; {@link Long#MAX_VALUE} if it does not.
         */
        Poll(final Query query, final long after, final long upTo, final Function<EventView, List<T>> mapping)
        {
            this.query = query;
            this.mapping = mapping;
            this.upTo = upTo;
            position = after;
        }

        CompletionStage<Optional<List<T>>> next()
        {
            final CompletableFuture<Optional<List<T>>> batch = new CompletableFuture<>();
            dispatcher.execute(() -> poll(batch));
            return batch;
        }

        private void poll(final CompletableFuture<Optional<List<T>>> result)
        {
            try
            {
                // Taken first, so that no event is missed that becomes durable after the read.
                final CompletableFuture<Void> change = store.change();
                final List<T> batch = new ArrayList<>();
                while (batch.isEmpty() && !isClosed && position < Math.min(upTo, store.durablePosition()))
                {
                    position = store.streams.read(
                        query, Range.from(position).first(BATCH).durable(), (event) -> add(event, batch));
                }
                if (!batch.isEmpty())
                {
                    result.complete(Optional.of(batch));
                }
                else if (isClosed || position >= upTo)
                {
                    result.complete(Optional.empty());
                }
                else
                {
                    change.thenRunAsync(() -> poll(result), dispatcher);
                }
            }
            catch (final RuntimeException ex)
            {
                result.completeExceptionally(ex);
            }
        }

        private void add(final EventView event, final List<T> batch)
        {
            if (event.version() >= from && event.version() <= to)
            {
                batch.addAll(mapping.apply(event));
            }
            if (event.version() >= to)
            {
                upTo = Math.min(upTo, event.position());
            }
        }

        CompletionStage<Done> close()
        {
            isClosed = true;
            return CompletableFuture.completedFuture(Done.getInstance());
        }
    }
}
