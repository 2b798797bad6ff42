// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.streams.EventStreams;
import org.axonframework.eventsourcing.eventstore.AggregateBasedStorageEngineTestSuite;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.processing.streaming.token.GlobalSequenceTrackingToken;
import org.axonframework.messaging.eventhandling.processing.streaming.token.TrackingToken;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Axon's suite for storage engines of aggregates. */
class AggregateBasedJournalEventStorageEngineTest
    extends AggregateBasedStorageEngineTestSuite<AggregateBasedJournalEventStorageEngine>
{
    @TempDir
    private Path directory;

    private EventStreams streams;

    @Override
    protected AggregateBasedJournalEventStorageEngine buildStorageEngine()
    {
        streams = EventStreams.open(Journal.builder(directory).segmentLength(1024 * 1024).open());
        return new AggregateBasedJournalEventStorageEngine(streams, converter);
    }

    @Override
    protected ProcessingContext processingContext()
    {
        return null;
    }

    @Override
    protected long globalSequenceOfEvent(final long position)
    {
        return position;
    }

    @Override
    protected TrackingToken trackingTokenAt(final long position)
    {
        return new GlobalSequenceTrackingToken(position);
    }

    @Override
    protected EventMessage convertPayload(final EventMessage event)
    {
        return event.withConvertedPayload(String.class, converter);
    }

    @AfterEach
    void close()
    {
        streams.close();
    }
}
