// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import com.typesafe.config.Config;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.apache.pekko.Done;
import org.apache.pekko.NotUsed;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.dispatch.Futures;
import org.apache.pekko.dispatch.MessageDispatcher;
import org.apache.pekko.persistence.Persistence;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.ReadJournalProvider;
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
import scala.jdk.javaapi.FutureConverters;

/**
 * Queries: {@code PersistenceQuery.get(system).getReadJournalFor(JournalQueries.class, JournalQueries.IDENTIFIER)}. For
 * Scala: {@link ScalaJournalQueries}.
 * <p>
 * Sources pass durable events in order, without gaps or duplicates, and read as fast as there is demand. A source that
 * is not "current" continues with live events. The offset of an event, {@link Sequence}, is its position in the
 * journal; a query continues after an offset. Deleted events are left out by persistence id only.
 */
public final class JournalQueries
    implements ReadJournalProvider, ReadJournal, CurrentEventsByPersistenceIdQuery, EventsByPersistenceIdQuery,
    CurrentEventsByTagQuery, EventsByTagQuery, CurrentPersistenceIdsQuery, PersistenceIdsQuery
{
    /** Path of the default configuration. */
    public static final String IDENTIFIER = "journal.pekko.query";

    private static final int BATCH = 128;

    private final Store store;
    private final Persistence persistence;
    private final String journalPlugin;
    private final MessageDispatcher dispatcher;

    /**
     * Called by Pekko.
     *
     * @param system that the queries are for.
     * @param config of the plugin.
     */
    public JournalQueries(final ExtendedActorSystem system, final Config config)
    {
        store = Store.get(system);
        persistence = Persistence.get(system);
        journalPlugin = config.getString("journal-plugin");
        dispatcher = system.dispatchers().lookup(config.getString("dispatcher"));
    }

    @Override
    public ScalaJournalQueries scaladslReadJournal()
    {
        return new ScalaJournalQueries(this);
    }

    @Override
    public JournalQueries javadslReadJournal()
    {
        return this;
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByPersistenceId(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr)
    {
        return events(persistenceId, fromSequenceNr, toSequenceNr, false);
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByPersistenceId(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr)
    {
        return events(persistenceId, fromSequenceNr, toSequenceNr, true);
    }

    private Source<EventEnvelope, NotUsed> events(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr, final boolean isLive)
    {
        return source(() ->
        {
            final long from = Math.max(fromSequenceNr, store.deletedTo(persistenceId) + 1);
            final long after = store.position(persistenceId, from - 1);
            return new Selection(Query.stream(persistenceId), from, toSequenceNr, after,
                from <= toSequenceNr ? end(isLive) : after);
        }, this::envelopes);
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByTag(final String tag, final Offset offset)
    {
        return events(byTag(tag), offset, false);
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByTag(final String tag, final Offset offset)
    {
        return events(byTag(tag), offset, true);
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
        return events(Query.types(Store.EVENT), offset, false);
    }

    /**
     * {@return all events, of all persistence ids, then live ones}
     *
     * @param offset after which they are.
     */
    public Source<EventEnvelope, NotUsed> events(final Offset offset)
    {
        return events(Query.types(Store.EVENT), offset, true);
    }

    private Source<EventEnvelope, NotUsed> events(final Query query, final Offset offset, final boolean isLive)
    {
        if (!(offset instanceof Sequence) && !Offset.noOffset().equals(offset))
        {
            throw new IllegalArgumentException("not an offset of this journal: offset=" + offset);
        }
        final long after = offset instanceof Sequence ? ((Sequence)offset).value() : 0;

        return source(() -> new Selection(query, 1, Long.MAX_VALUE, after, end(isLive)), this::envelopes);
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds()
    {
        return persistenceIds(false);
    }

    @Override
    public Source<String, NotUsed> persistenceIds()
    {
        return persistenceIds(true);
    }

    private Source<String, NotUsed> persistenceIds(final boolean isLive)
    {
        // An application may use the tag as well, for events that are not the first.
        return source(() -> new Selection(Query.tags(Store.FIRST), 1, Long.MAX_VALUE, 0, end(isLive)),
            (event) -> 1 == event.version() ? List.of(event.stream()) : List.of());
    }

    private long end(final boolean isLive)
    {
        return isLive ? Long.MAX_VALUE : store.durablePosition();
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

    private <T> Source<T, NotUsed> source(
        final Callable<Selection> selection, final Function<EventView, List<T>> mapping)
    {
        return Source.<List<T>, Poll<T>>unfoldResourceAsync(
            () -> FutureConverters.asJava(Futures.future(() -> new Poll<>(selection.call(), mapping), dispatcher)),
            Poll::next, Poll::close)
            .mapConcat((batch) -> batch);
    }

    /**
     * What a source passes.
     *
     * @param from  sequence number of the first event.
     * @param to    sequence number of the last event, with which the source ends.
     * @param after position after which it begins.
     * @param end   position with which it ends.
     */
    private record Selection(Query query, long from, long to, long after, long end)
    {
    }

    /** A query in progress: reads a batch when there is demand for it, or when there may be more. */
    private final class Poll<T>
    {
        private final Selection selection;
        private final Function<EventView, List<T>> mapping;
        private long position;
        private long end;
        private volatile CompletableFuture<Void> change = new CompletableFuture<>();
        private volatile boolean isClosed;

        Poll(final Selection selection, final Function<EventView, List<T>> mapping)
        {
            this.selection = selection;
            this.mapping = mapping;
            position = selection.after;
            end = selection.end;
        }

        CompletionStage<Optional<List<T>>> next()
        {
            final CompletableFuture<Optional<List<T>>> batch = new CompletableFuture<>();
            dispatcher.execute(() -> poll(batch));
            return batch;
        }

        private void poll(final CompletableFuture<Optional<List<T>>> result)
        {
            // Taken first, so that no event is missed that becomes durable after the read.
            final CompletableFuture<Void> taken = store.change();
            change = taken;
            try
            {
                final List<T> batch = new ArrayList<>();
                while (batch.isEmpty() && !isClosed && position < Math.min(end, store.durablePosition()))
                {
                    position = store.streams.read(selection.query,
                        Range.from(position).to(end).first(BATCH).durable(), (event) -> add(event, batch));
                }
                if (batch.isEmpty() && !isClosed && position < end)
                {
                    taken.thenRunAsync(() -> poll(result), dispatcher);
                    return;
                }
                result.complete(batch.isEmpty() ? Optional.empty() : Optional.of(batch));
            }
            // Serializers throw checked exceptions without declaring them.
            catch (final Throwable ex)
            {
                result.completeExceptionally(ex);
            }
            taken.complete(null);
        }

        private void add(final EventView event, final List<T> batch)
        {
            if (event.version() >= selection.from && event.version() <= selection.to)
            {
                batch.addAll(mapping.apply(event));
            }
            if (event.version() >= selection.to)
            {
                end = Math.min(end, event.position());
            }
        }

        CompletionStage<Done> close()
        {
            isClosed = true;
            change.complete(null);
            return CompletableFuture.completedFuture(Done.getInstance());
        }
    }
}
