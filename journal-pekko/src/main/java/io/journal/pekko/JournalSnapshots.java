// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;

import io.journal.CorruptJournalException;
import io.journal.streams.KeyedSnapshots;
import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.ActorSystem;
import org.apache.pekko.persistence.PersistentRepr;
import org.apache.pekko.persistence.SelectedSnapshot;
import org.apache.pekko.persistence.SnapshotMetadata;
import org.apache.pekko.persistence.SnapshotSelectionCriteria;
import org.apache.pekko.persistence.snapshot.japi.SnapshotStore;
import scala.Option;
import scala.concurrent.Future;

/**
 * The snapshot store. Each snapshot is a file; which snapshots of a persistence id there are is in the journal, so a
 * snapshot that is lost or damaged is not taken for one that never was: loading it fails.
 */
public final class JournalSnapshots extends SnapshotStore
{
    private static final String SNAPSHOTS = "snapshots";

    private final ActorSystem system = context().system();

    /** Called by Pekko. */
    public JournalSnapshots()
    {
    }

    @Override
    public Future<Optional<SelectedSnapshot>> doLoadAsync(
        final String persistenceId, final SnapshotSelectionCriteria criteria)
    {
        final Optional<SelectedSnapshot> newest = list(persistenceId).stream().filter(criteria::matches)
            .max(SnapshotMetadata.ordering()).map(this::load);

        return Future.successful(newest);
    }

    private SelectedSnapshot load(final SnapshotMetadata metadata)
    {
        final KeyedSnapshots.Snapshot snapshot = store().streams.snapshots().load(key(metadata));
        if (null == snapshot)
        {
            throw new CorruptJournalException("snapshot is missing or damaged: persistenceId=" +
                metadata.persistenceId() + ", sequenceNr=" + metadata.sequenceNr() + "; with snapshot-is-optional " +
                "the events are replayed instead, which needs all of them");
        }
        final PersistentRepr repr = store().decode(snapshot.state());
        final SnapshotMetadata loaded = repr.metadata().isEmpty() ? metadata :
            metadata.withMetadata(repr.metadata().get());

        return new SelectedSnapshot(loaded, repr.payload());
    }

    @Override
    public Future<Void> doSaveAsync(final SnapshotMetadata metadata, final Object snapshot)
    {
        final Store store = store();
        final String persistenceId = metadata.persistenceId();
        PersistentRepr repr = PersistentRepr.apply(
            snapshot, metadata.sequenceNr(), persistenceId, "", false, ActorRef.noSender(), "");
        final Option<Object> extra = metadata.metadata();
        repr = extra.isEmpty() ? repr : repr.withMetadata(extra.get());
        final byte[] bytes = store.bytes(repr);

        final List<SnapshotMetadata> list = list(persistenceId);
        if (0 == store.durablePosition())
        {
            // A snapshot file names an event.
            store.journal.awaitForced(save(persistenceId, list));
        }
        final long newest = store.newest(persistenceId).position();
        store.streams.snapshots().save(key(metadata), 0 == newest ? store.durablePosition() : newest, bytes);
        list.removeIf((each) -> each.sequenceNr() == metadata.sequenceNr());
        list.add(metadata);

        return store.durable(save(persistenceId, list), null);
    }

    @Override
    public Future<Void> doDeleteAsync(final SnapshotMetadata metadata)
    {
        return delete(metadata.persistenceId(), (each) -> each.sequenceNr() == metadata.sequenceNr() &&
            (0 == metadata.timestamp() || each.timestamp() == metadata.timestamp()));
    }

    @Override
    public Future<Void> doDeleteAsync(final String persistenceId, final SnapshotSelectionCriteria criteria)
    {
        return delete(persistenceId, criteria::matches);
    }

    private Future<Void> delete(final String persistenceId, final Predicate<SnapshotMetadata> isDeleted)
    {
        final Store store = store();
        final List<SnapshotMetadata> kept = list(persistenceId);
        final List<SnapshotMetadata> deleted = kept.stream().filter(isDeleted).toList();
        if (kept.removeIf(isDeleted))
        {
            // The list first, durably: it must not name a file that is gone.
            store.journal.awaitForced(save(persistenceId, kept));
            deleted.forEach((metadata) -> store.streams.snapshots().delete(key(metadata)));
        }

        return Future.successful(null);
    }

    private static String key(final SnapshotMetadata metadata)
    {
        return metadata.persistenceId() + ':' + metadata.sequenceNr();
    }

    private List<SnapshotMetadata> list(final String persistenceId)
    {
        final List<SnapshotMetadata> list = new ArrayList<>();
        final ByteBuffer state = ByteBuffer.wrap(
            Objects.requireNonNullElse(store().state(SNAPSHOTS, persistenceId), new byte[0]));
        while (state.hasRemaining())
        {
            list.add(new SnapshotMetadata(persistenceId, state.getLong(), state.getLong()));
        }

        return list;
    }

    private long save(final String persistenceId, final List<SnapshotMetadata> list)
    {
        final ByteBuffer state = ByteBuffer.allocate(list.size() * 2 * Long.BYTES);
        list.forEach((metadata) -> state.putLong(metadata.sequenceNr()).putLong(metadata.timestamp()));

        return store().saveState(SNAPSHOTS, persistenceId, state.array());
    }

    /** As in {@link JournalWriter}. */
    private Store store()
    {
        return Store.get(system);
    }
}
