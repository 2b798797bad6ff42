// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

import com.typesafe.config.Config;
import io.journal.JournalReader.Limit;
import io.journal.streams.Event;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.dispatch.Futures;
import org.apache.pekko.dispatch.MessageDispatcher;
import org.apache.pekko.persistence.AtomicWrite;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.journal.japi.AsyncWriteJournal;
import scala.concurrent.Future;
import scala.jdk.javaapi.CollectionConverters;

/**
 * The journal plugin. A write is acknowledged when it is durable; writes that wait at the same time share an fsync.
 * <p>
 * A write whose events cannot be serialized, or are too long, is rejected. If the journal has failed, is full or
 * closed, or another actor has used the sequence number ({@link io.journal.streams.ConflictException}), it fails with
 * that exception.
 */
public final class JournalWriter extends AsyncWriteJournal
{
    private final ActorSystem system = context().system();
    private final MessageDispatcher replayDispatcher;

    /**
     * Called by Pekko.
     *
     * @param config of the plugin.
     */
    public JournalWriter(final Config config)
    {
        replayDispatcher = system.dispatchers().lookup(config.getString("replay-dispatcher"));
    }

    @Override
    public Future<Iterable<Optional<Exception>>> doAsyncWriteMessages(final Iterable<AtomicWrite> writes)
    {
        final Store store = store();
        final List<Optional<Exception>> rejections = new ArrayList<>();
        long last = 0;
        for (final AtomicWrite write : writes)
        {
            final List<Event> events;
            try
            {
                events = CollectionConverters.asJava(write.payload()).stream().map(store::encode).toList();
            }
            catch (final Exception ex)
            {
                rejections.add(Optional.of(ex));
                continue;
            }
            try
            {
                last = store.append(write.persistenceId(), write.lowestSequenceNr(), events);
                rejections.add(Optional.empty());
            }
            catch (final IllegalArgumentException ex)
            {
                // Too long: nothing was appended.
                rejections.add(Optional.of(ex));
            }
        }

        return store.durable(last, rejections);
    }

    @Override
    public Future<Long> doAsyncReadHighestSequenceNr(final String persistenceId, final long fromSequenceNr)
    {
        final Store store = store();
        // An actor that starts again while its writes are in progress must not act on events that may get lost.
        final Store.Newest newest = store.newest(persistenceId);
        return store.durable(newest.position(), newest.sequenceNr());
    }

    @Override
    public Future<Void> doAsyncReplayMessages(
        final String persistenceId,
        final long fromSequenceNr,
        final long toSequenceNr,
        final long max,
        final Consumer<PersistentRepr> replay)
    {
        final Store store = store();
        return Futures.future(() ->
        {
            store.replay(persistenceId, fromSequenceNr, toSequenceNr, max,
                (event) -> replay.accept(store.decode(event)));
            return null;
        }, replayDispatcher);
    }

    @Override
    public Future<Void> doAsyncDeleteMessagesTo(final String persistenceId, final long toSequenceNr)
    {
        final Store store = store();
        final long to = Math.min(toSequenceNr, store.newest(persistenceId).sequenceNr());
        if (to > store.deletedTo(persistenceId))
        {
            store.saveState(
                Store.DELETED, persistenceId, ByteBuffer.allocate(Long.BYTES).putLong(to).array());
        }

        return store.durable(store.streams.head(Limit.WRITTEN), null);
    }

    /** Not taken by the constructor: if the journal cannot be opened, each call fails with the reason. */
    private Store store()
    {
        return Store.get(system);
    }
}
