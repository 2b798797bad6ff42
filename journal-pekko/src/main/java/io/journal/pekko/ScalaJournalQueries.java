// SPDX-License-Identifier: Apache-2.0
package io.journal.pekko;

import org.apache.pekko.NotUsed;
import org.apache.pekko.persistence.query.EventEnvelope;
import org.apache.pekko.persistence.query.Offset;
import org.apache.pekko.persistence.query.scaladsl.CurrentEventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.scaladsl.CurrentEventsByTagQuery;
import org.apache.pekko.persistence.query.scaladsl.CurrentPersistenceIdsQuery;
import org.apache.pekko.persistence.query.scaladsl.EventsByPersistenceIdQuery;
import org.apache.pekko.persistence.query.scaladsl.EventsByTagQuery;
import org.apache.pekko.persistence.query.scaladsl.PersistenceIdsQuery;
import org.apache.pekko.persistence.query.scaladsl.ReadJournal;
import org.apache.pekko.stream.scaladsl.Source;

/** {@link JournalQueries} for Scala. */
public final class ScalaJournalQueries implements ReadJournal, CurrentEventsByPersistenceIdQuery,
    EventsByPersistenceIdQuery, CurrentEventsByTagQuery, EventsByTagQuery, CurrentPersistenceIdsQuery,
    PersistenceIdsQuery
{
    private final JournalQueries queries;

    ScalaJournalQueries(final JournalQueries queries)
    {
        this.queries = queries;
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByPersistenceId(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr)
    {
        return queries.currentEventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr).asScala();
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByPersistenceId(
        final String persistenceId, final long fromSequenceNr, final long toSequenceNr)
    {
        return queries.eventsByPersistenceId(persistenceId, fromSequenceNr, toSequenceNr).asScala();
    }

    @Override
    public Source<EventEnvelope, NotUsed> currentEventsByTag(final String tag, final Offset offset)
    {
        return queries.currentEventsByTag(tag, offset).asScala();
    }

    @Override
    public Source<EventEnvelope, NotUsed> eventsByTag(final String tag, final Offset offset)
    {
        return queries.eventsByTag(tag, offset).asScala();
    }

    /**
     * {@return all events that are there, of all persistence ids}
     *
     * @param offset after which they are.
     */
    public Source<EventEnvelope, NotUsed> currentEvents(final Offset offset)
    {
        return queries.currentEvents(offset).asScala();
    }

    /**
     * {@return all events, of all persistence ids, then live ones}
     *
     * @param offset after which they are.
     */
    public Source<EventEnvelope, NotUsed> events(final Offset offset)
    {
        return queries.events(offset).asScala();
    }

    @Override
    public Source<String, NotUsed> currentPersistenceIds()
    {
        return queries.currentPersistenceIds().asScala();
    }

    @Override
    public Source<String, NotUsed> persistenceIds()
    {
        return queries.persistenceIds().asScala();
    }
}
