// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;

import io.journal.JournalReader.Limit;
import io.journal.streams.ConflictException;
import io.journal.streams.EventStreams;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.axonframework.common.infra.ComponentDescriptor;
import org.axonframework.eventsourcing.eventstore.AppendEventsTransactionRejectedException;
import org.axonframework.eventsourcing.eventstore.ConsistencyMarker;
import org.axonframework.eventsourcing.eventstore.EventStorageEngine;
import org.axonframework.messaging.core.Context;
import org.axonframework.messaging.core.MessageStream;
import org.axonframework.messaging.core.MessageStream.Entry;
import org.axonframework.messaging.core.SimpleEntry;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GlobalSequenceTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.axonframework.messaging.eventstreaming.StreamingCondition;
import org.jspecify.annotations.Nullable;

/** What both engines share: transactions, tokens, and streams of new events. A token has the position it is after. */
abstract class JournalEngine implements EventStorageEngine
{
    final EventStreams streams;
    final EventConverter converter;
    private final Set<LiveStream> listeners = ConcurrentHashMap.newKeySet();
    /** The durable position that listeners were called for. */
    private final AtomicLong notified = new AtomicLong();

    JournalEngine(final EventStreams streams, final EventConverter converter)
    {
        this.streams = Objects.requireNonNull(streams, "streams");
        this.converter = Objects.requireNonNull(converter, "converter");
    }

    /** An entry of a stream, with the token after it. */
    Entry<EventMessage> entry(final EventView event)
    {
        final TrackingToken token = new GlobalSequenceTrackingToken(event.position());
        return new SimpleEntry<>(EventFormat.message(event), TrackingToken.addToContext(Context.empty(), token));
    }

    @Override
    public MessageStream<EventMessage> stream(
        final StreamingCondition condition, final @Nullable ProcessingContext context)
    {
        return new LiveStream(EventFormat.query(condition.criteria()), position(condition.position()));
    }

    private long position(final @Nullable TrackingToken token)
    {
        if (null == token)
        {
            return streams.first() - 1;
        }
        if (token instanceof GlobalSequenceTrackingToken)
        {
            return ((GlobalSequenceTrackingToken)token).getGlobalIndex();
        }
        throw new IllegalArgumentException("token of another event store: " + token);
    }

    @Override
    public CompletableFuture<TrackingToken> firstToken(final @Nullable ProcessingContext context)
    {
        return token(streams.first() - 1);
    }

    @Override
    public CompletableFuture<TrackingToken> latestToken(final @Nullable ProcessingContext context)
    {
        return token(streams.head(Limit.FORCED));
    }

    /** By the times at which events were appended, which are not before their timestamps. */
    @Override
    public CompletableFuture<TrackingToken> tokenAt(final Instant at, final @Nullable ProcessingContext context)
    {
        return token(Math.min(streams.positionAt(at), streams.head(Limit.FORCED)));
    }

    private static CompletableFuture<TrackingToken> token(final long position)
    {
        return CompletableFuture.completedFuture(new GlobalSequenceTrackingToken(position));
    }

    @Override
    public void describeTo(final ComponentDescriptor descriptor)
    {
        descriptor.describeProperty("streams", streams);
        descriptor.describeProperty("converter", converter);
    }

    /** Called when events have become durable: one call of the listeners serves a group of transactions. */
    private void notifyListeners()
    {
        final long head = streams.head(Limit.FORCED);
        if (notified.getAndAccumulate(head, Math::max) < head)
        {
            listeners.forEach(PagedStream::runCallback);
        }
    }

    /** The durable events after a position, without an end. */
    private final class LiveStream extends PagedStream
    {
        LiveStream(final Query query, final long position)
        {
            super(JournalEngine.this.streams, query, position, JournalEngine.this::entry);
        }

        @Override
        synchronized void fill()
        {
            if (position < streams.head(Limit.FORCED))
            {
                readPage(Range.from(position).durable());
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

    /** Appends when it is committed, so that there is nothing to roll back. */
    final class Transaction implements AppendTransaction<Long>
    {
        private final ConsistencyMarker expected;
        private final LongSupplier append;
        private final LongFunction<ConsistencyMarker> marker;
        private final AtomicBoolean isFinished = new AtomicBoolean();

        /**
         * @param expected marker of the condition.
         * @param append   returns the position of the last event.
         * @param marker   after that position.
         */
        Transaction(
            final ConsistencyMarker expected, final LongSupplier append, final LongFunction<ConsistencyMarker> marker)
        {
            this.expected = expected;
            this.append = append;
            this.marker = marker;
        }

        @Override
        public CompletableFuture<Long> commit(final @Nullable ProcessingContext context)
        {
            if (isFinished.getAndSet(true))
            {
                return CompletableFuture.failedFuture(new IllegalStateException("already committed or rolled back"));
            }
            try
            {
                final long last = append.getAsLong();
                return streams.durable(last).thenApply((ignored) ->
                {
                    notifyListeners();
                    return last;
                });
            }
            catch (final ConflictException ex)
            {
                return rejected(ex);
            }
            catch (final RuntimeException ex)
            {
                return CompletableFuture.failedFuture(ex);
            }
        }

        /** Fails once the event that is the reason is durable: otherwise a power loss may take the reason back. */
        private CompletableFuture<Long> rejected(final ConflictException conflict)
        {
            final AppendEventsTransactionRejectedException rejection =
                AppendEventsTransactionRejectedException.conflictingEventsDetected(expected);
            rejection.addSuppressed(conflict);
            return streams.durable(conflict.position())
                .thenCompose((ignored) -> CompletableFuture.failedFuture(rejection));
        }

        @Override
        public void rollback(final @Nullable ProcessingContext context)
        {
            isFinished.set(true);
        }

        @Override
        public CompletableFuture<ConsistencyMarker> afterCommit(
            final Long last, final @Nullable ProcessingContext context)
        {
            return CompletableFuture.completedFuture(marker.apply(last));
        }
    }
}
