// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalReader.Limit;
import io.journal.streams.ConflictException;
import io.journal.streams.Event;
import io.journal.streams.EventHandler;
import io.journal.streams.EventStreams;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.apache.pekko.actor.AbstractExtensionId;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.actor.ExtendedActorSystem;
import org.apache.pekko.actor.Extension;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.Tagged;
import org.apache.pekko.serialization.Serialization;
import org.apache.pekko.serialization.SerializationExtension;
import org.jspecify.annotations.Nullable;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;
import scala.jdk.javaapi.FutureConverters;

/**
 * The event store that the plugins of one actor system share.
 * <p>
 * The events of a persistence id are a stream by key, so a sequence number is a version. A sequence number that Pekko
 * has used for no event is an event of the type {@link #SKIPPED}. Deletions and lists of snapshots are events beside
 * the stream, of which the newest one counts: {@link #saveState}.
 */
final class Store implements Extension
{
    static final String EVENT = "event";
    static final String SKIPPED = "skipped";
    static final String DELETED = "deleted";
    /** Tag of the first event of each stream. */
    static final String FIRST = "pekko:first";

    private static final int SKIPPED_AT_ONCE = 10_000;
    private static final byte[] NO_BYTES = {};
    private static final Range NEWEST = Range.ALL.backwards().first(1);

    /** The newest event of a stream; its position and sequence number are 0 if there is none. */
    record Newest(long position, long sequenceNr)
    {
    }

    private static final class Id extends AbstractExtensionId<Store>
    {
        @Override
        public Store createExtension(final ExtendedActorSystem system)
        {
            final Store store = new Store(openJournal(system.settings()), SerializationExtension.get(system));
            system.registerOnTermination(store.streams::close);

            return store;
        }
    }

    private static final Id ID = new Id();

    final Journal journal;
    final EventStreams streams;
    private final Serialization serialization;
    // Of the queries that wait; those that are completed are removed.
    final Set<CompletableFuture<Void>> changes = ConcurrentHashMap.newKeySet();

    Store(final Journal journal, final Serialization serialization)
    {
        this.journal = journal;
        this.serialization = serialization;
        try
        {
            streams = EventStreams.open(journal);
        }
        catch (final RuntimeException ex)
        {
            journal.close();
            throw ex;
        }
    }

    static Store get(final ActorSystem system)
    {
        return ID.get(system);
    }

    private static Journal openJournal(final ActorSystem.Settings settings)
    {
        final String directory = settings.config().getString("journal.pekko.directory");
        if (directory.isEmpty())
        {
            throw new IllegalArgumentException("journal.pekko.directory is not set: name the journal's directory");
        }
        final JournalBuilder builder = Journal.builder(Path.of(directory));
        settings.setup().get(JournalSetup.class).ifPresent((setup) -> setup.apply(builder));

        return builder.open();
    }

    /** The event to store, with the tags that an event adapter has given it. */
    Event encode(final PersistentRepr repr)
    {
        final Set<String> tags = new HashSet<>();
        PersistentRepr untagged = repr;
        if (repr.payload() instanceof Tagged)
        {
            final Tagged tagged = (Tagged)repr.payload();
            tags.addAll(CollectionConverters.asJava(tagged.tags()));
            untagged = repr.withPayload(tagged.payload());
        }
        if (1 == repr.sequenceNr())
        {
            tags.add(FIRST);
        }

        return new Event(EVENT, tags, bytes(untagged));
    }

    byte[] bytes(final PersistentRepr repr)
    {
        return serialization.serialize(repr).get();
    }

    PersistentRepr decode(final byte[] bytes)
    {
        return serialization.deserialize(bytes, PersistentRepr.class).get();
    }

    /** An event as it was persisted; it has the time of the journal, unless it was stored with another one. */
    PersistentRepr decode(final EventView event)
    {
        final PersistentRepr repr = decode(event.data());
        return 0 == repr.timestamp() ? repr.withTimestamp(event.time().toEpochMilli()) : repr;
    }

    /**
     * Appends events to a stream, all or none.
     *
     * @param sequenceNr of the first event.
     * @return position of the last event, which is not durable yet.
     * @throws ConflictException if the sequence number is used already.
     */
    long append(final String persistenceId, final long sequenceNr, final List<Event> events)
    {
        try
        {
            return streams.appendTo(persistenceId, sequenceNr - 1, events).last();
        }
        catch (final ConflictException ex)
        {
            if (newest(persistenceId).sequenceNr >= sequenceNr)
            {
                throw ex;
            }
            skipTo(persistenceId, sequenceNr - 1);
            return streams.appendTo(persistenceId, sequenceNr - 1, events).last();
        }
    }

    /** An event that was rejected has used its number; events from another store may not begin at 1. */
    private void skipTo(final String persistenceId, final long sequenceNr)
    {
        long version = streams.version(persistenceId);
        while (version < sequenceNr)
        {
            final Event skipped = new Event(SKIPPED, 0 == version ? Set.of(FIRST) : Set.of(), NO_BYTES);
            final int count = 0 == version ? 1 : (int)Math.min(SKIPPED_AT_ONCE, sequenceNr - version);
            streams.appendTo(persistenceId, version, Collections.nCopies(count, skipped));
            version += count;
        }
    }

    Newest newest(final String persistenceId)
    {
        return newest(persistenceId, Long.MAX_VALUE);
    }

    private Newest newest(final String persistenceId, final long upTo)
    {
        final Newest[] newest = { new Newest(0, 0) };
        streams.read(Query.stream(persistenceId), NEWEST.to(upTo),
            (event) -> newest[0] = new Newest(event.position(), event.version()));

        return newest[0];
    }

    /** Position of the last event of a stream up to a sequence number, found by bisection; 0 if there is none. */
    long position(final String persistenceId, final long sequenceNr)
    {
        if (sequenceNr < 1)
        {
            return 0;
        }
        final Newest newest = newest(persistenceId);
        long low = 1;
        long high = newest.position;
        while (newest.sequenceNr > sequenceNr && low < high)
        {
            final long middle = low + high >>> 1;
            if (newest(persistenceId, middle).sequenceNr < sequenceNr)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return high;
    }

    /** Passes the durable events from a sequence number to another to a handler; those that are deleted are not. */
    void replay(
        final String persistenceId, final long from, final long to, final long limit, final EventHandler handler)
    {
        final long first = Math.max(from, deletedTo(persistenceId) + 1);
        if (first <= to)
        {
            streams.read(
                Query.of(Set.of(EVENT), Set.of(Query.STREAM_PREFIX + persistenceId)),
                Range.from(position(persistenceId, first - 1)).to(position(persistenceId, to)).first(limit).durable(),
                handler);
        }
    }

    long deletedTo(final String persistenceId)
    {
        final byte[] state = state(DELETED, persistenceId);
        return null == state ? 0 : ByteBuffer.wrap(state).getLong();
    }

    /** What {@link #saveState} has saved last; null if there is nothing. */
    byte @Nullable [] state(final String type, final String persistenceId)
    {
        final byte[][] state = new byte[1][];
        streams.read(Query.of(Set.of(type), Set.of(type + ':' + persistenceId)), NEWEST,
            (event) -> state[0] = event.data());

        return state[0];
    }

    /** Saves something about a persistence id in the place of what was saved before; returns its position. */
    long saveState(final String type, final String persistenceId, final byte[] state)
    {
        return streams.append(List.of(new Event(type, Set.of(type + ':' + persistenceId), state))).last();
    }

    /** A future of a result that is true once the events up to a position are durable. */
    <T> Future<T> durable(final long position, final T result)
    {
        final CompletableFuture<T> future = new CompletableFuture<>();
        streams.durable(position).whenComplete((ignored, failure) ->
        {
            changes.forEach((change) -> change.complete(null));
            if (null == failure)
            {
                future.complete(result);
            }
            else
            {
                future.completeExceptionally(failure);
            }
        });

        return FutureConverters.asScala(future);
    }

    /** A future that completes when more events are durable than when this was called, or when the caller does it. */
    CompletableFuture<Void> change()
    {
        final CompletableFuture<Void> change = new CompletableFuture<>();
        changes.add(change);
        change.whenComplete((ignored, failure) -> changes.remove(change));

        return change;
    }

    long durablePosition()
    {
        return streams.head(Limit.FORCED);
    }
}
