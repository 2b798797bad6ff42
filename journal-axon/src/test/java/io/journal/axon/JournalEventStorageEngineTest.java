// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.streams.EventStreams;
import org.axonframework.conversion.json.JacksonConverter;
import org.axonframework.eventsourcing.eventstore.StorageEngineTestSuite;
import org.axonframework.messaging.core.unitofwork.ProcessingContext;
import org.axonframework.messaging.eventhandling.conversion.DelegatingEventConverter;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.io.TempDir;

/** Axon's suite for storage engines. */
class JournalEventStorageEngineTest extends StorageEngineTestSuite<JournalEventStorageEngine>
{
    @TempDir
    private static Path directory;

    private EventStreams streams;

    @Override
    protected JournalEventStorageEngine buildStorageEngine()
    {
        streams = EventStreams.open(Journal.builder(directory).segmentLength(1024 * 1024).open());
        return new JournalEventStorageEngine(streams, new DelegatingEventConverter(new JacksonConverter()));
    }

    @Override
    protected ProcessingContext processingContext()
    {
        return null;
    }

    @AfterAll
    void close()
    {
        streams.close();
    }
}
