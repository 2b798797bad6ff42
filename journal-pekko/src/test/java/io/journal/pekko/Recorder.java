// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import java.util.ArrayList;
import java.util.List;

import org.apache.pekko.actor.ActorRef;
import org.apache.pekko.actor.Props;
import org.apache.pekko.actor.Status;
import org.apache.pekko.persistence.AbstractPersistentActor;
import org.apache.pekko.persistence.DeleteMessagesSuccess;
import org.apache.pekko.persistence.RecoveryCompleted;
import org.apache.pekko.persistence.SaveSnapshotSuccess;
import org.apache.pekko.persistence.SnapshotOffer;
import scala.Option;

/** Persists what it is sent, and tells an observer what happens. */
final class Recorder extends AbstractPersistentActor
{
    /** What it has recovered: the events, after the snapshot if there is one. */
    record Recovered(List<Object> events, long sequenceNr)
    {
    }

    /** An event is durable. */
    record Persisted(Object event, long sequenceNr)
    {
    }

    record Rejected(Throwable cause)
    {
    }

    record Delete(long toSequenceNr)
    {
    }

    record Save(Object state)
    {
    }

    private final String id;
    private final ActorRef observer;
    private final List<Object> events = new ArrayList<>();

    Recorder(final String id, final ActorRef observer)
    {
        this.id = id;
        this.observer = observer;
    }

    static Props props(final String id, final ActorRef observer)
    {
        return Props.create(Recorder.class, () -> new Recorder(id, observer));
    }

    @Override
    public String persistenceId()
    {
        return id;
    }

    @Override
    public Receive createReceiveRecover()
    {
        return receiveBuilder()
            .match(SnapshotOffer.class, (offer) -> events.add(offer.snapshot()))
            .match(RecoveryCompleted.class, (completed) -> tell(new Recovered(List.copyOf(events), lastSequenceNr())))
            .matchAny(events::add)
            .build();
    }

    @Override
    public Receive createReceive()
    {
        return receiveBuilder()
            .match(Delete.class, (delete) -> deleteMessages(delete.toSequenceNr()))
            .match(Save.class, (save) -> saveSnapshot(save.state()))
            .match(DeleteMessagesSuccess.class, this::tell)
            .match(SaveSnapshotSuccess.class, this::tell)
            .match(List.class, (all) -> persistAll((Iterable<?>)all, this::onPersisted))
            .matchAny((event) -> persist(event, this::onPersisted))
            .build();
    }

    private void onPersisted(final Object event)
    {
        tell(new Persisted(event, lastSequenceNr()));
    }

    private void tell(final Object message)
    {
        observer.tell(message, getSelf());
    }

    @Override
    public void onPersistFailure(final Throwable cause, final Object event, final long sequenceNr)
    {
        tell(new Status.Failure(cause));
    }

    @Override
    public void onPersistRejected(final Throwable cause, final Object event, final long sequenceNr)
    {
        tell(new Rejected(cause));
    }

    @Override
    public void onRecoveryFailure(final Throwable cause, final Option<Object> event)
    {
        tell(new Status.Failure(cause));
    }
}
