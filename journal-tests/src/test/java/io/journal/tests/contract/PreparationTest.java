// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The background agent prepares segments step by step, and fsyncs complete segments at the same time or later. */
class PreparationTest extends JournalFixture
{
    private static final int LENGTH = 4 * 1024 * 1024;
    private static final int RECORD_LENGTH = 60_000;
    private static final int RECORDS = LENGTH / RECORD_LENGTH;

    private final List<Throwable> errors = new ArrayList<>();

    @EachBackend
    void agentHasOtherDutiesBetweenTheSteps(final Backend backend) throws Exception
    {
        try (Journal journal = configured(backend).force(ForcePolicy.every(Duration.ZERO)).open())
        {
            // The agent fills the rest of the first segment, then the next segment.
            for (int round = 0; round < 3 + 1; round++)
            {
                assertEquals(0, journal.counters().preparedSegments());
                appendNumbered(journal, 1, 10);
                doWork(journal);
                assertEquals(journal.lastSequence(), journal.forcedSequence());
            }
            assertEquals(1, journal.counters().preparedSegments());
            assertEquals(List.of(), spares());
            assertRecords(journal);
        }
    }

    @EachBackend
    void agentFillsAheadAsFarAsTheJournalHasGrown(final Backend backend)
    {
        final AtomicLong written = new AtomicLong();
        final StepStore store = new StepStore(backend.store(directory()), new StepStore.AllSteps()
        {
            @Override
            public boolean beforeWrite(final String name, final long offset, final int length)
            {
                written.addAndGet(name.startsWith("0") ? length : 0);
                return true;
            }
        });
        try (Journal journal = configured(backend).segmentLength(32 * 1024 * 1024).store(store).open())
        {
            runAgent(journal);
            assertEquals(5 * 1024 * 1024, written.get(), 16 * 1024);
            assertEquals(0, journal.counters().preparedSegments());
            appendNumbered(journal, 17 * 1024 * 1024 / RECORD_LENGTH, RECORD_LENGTH);
            runAgent(journal);
            assertTrue(journal.counters().preparedSegments() > 0);
        }
    }

    @EachBackend
    void appenderFinishesWhatTheAgentHasBegun(final Backend backend) throws Exception
    {
        try (Journal journal = opened(backend))
        {
            fillNewest(journal);
            journal.backgroundAgent().doWork();
            journal.backgroundAgent().doWork();
            assertEquals(1, journal.counters().preparedSegments());
            appendNumbered(journal, 2 * RECORDS - 1, RECORD_LENGTH);
            assertEquals(2, journal.counters().segments());
            assertEquals(List.of(), spares());
        }
        assertReopens(backend);
    }

    @EachBackend
    void segmentThatAHandlerSeesIsNotUsedAgain(final Backend backend) throws Exception
    {
        try (Journal journal = configured(backend).recycleSegments(true).open();
            JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 2 * RECORDS + 1, RECORD_LENGTH);
            final List<Path> before = spares();
            final int polled = reader.poll((buffer, offset, length, header) ->
            {
                final byte[] found = bytes(buffer, offset, length);
                journal.prune(RECORDS + 1);
                assertEquals(before, assertDoesNotThrow(this::spares));
                appendNumbered(journal, 2 * RECORDS, RECORD_LENGTH);
                assertArrayEquals(found, bytes(buffer, offset, length));
            }, 1);
            assertEquals(1, polled);

            // No reader is inside the segment any more.
            final int spares = spares().size();
            journal.prune(2 * RECORDS + 1);
            assertEquals(spares + 1, spares().size());
        }
    }

    @EachBackend
    void segmentWhoseFsyncFailsIsDiscarded(final Backend backend) throws Exception
    {
        final FailingSteps device =
            new FailingSteps((step, name) -> StepStore.Step.FORCE == step && JournalFiles.segment(1).equals(name));
        try (Journal journal = configured(backend, device).errorHandler(errors::add).open())
        {
            device.fail();
            for (int i = 0; i < 10 && errors.isEmpty(); i++)
            {
                doWork(journal);
            }
            device.work();
            assertEquals(1, errors.size());
            assertEquals(List.of(), spares());
            assertEquals(0, journal.counters().preparedSegments());
            assertFalse(Files.exists(segment(directory(), 1)));
            appendNumbered(journal, RECORDS + 1, RECORD_LENGTH);
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void segmentThatFailsAfterItsRenameIsMadeAnew(final Backend backend) throws Exception
    {
        final AtomicInteger opened = new AtomicInteger();
        final StepStore.Steps device = new StepStore.AllSteps()
        {
            @Override
            public void beforeOpen(final String name) throws IOException
            {
                // Fail twice: for the agent, then for the appender.
                if (JournalFiles.segment(1).equals(name) && opened.incrementAndGet() <= 2)
                {
                    throw new IOException("on purpose");
                }
            }
        };
        try (Journal journal = configured(backend, device).errorHandler(errors::add).open())
        {
            runAgent(journal);
            assertEquals(1, errors.size());
            assertThrows(JournalException.class, () -> appendNumbered(journal, RECORDS + 1, RECORD_LENGTH));
            assertEquals(2, opened.get());
            assertRecords(journal);
            appendNumbered(journal, RECORDS, RECORD_LENGTH);
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void segmentWhoseNameMayNotBeDurableIsGone(final Backend backend)
    {
        final FailingSteps device = new FailingSteps(StepStore.Step.FORCE_DIRECTORY);
        final Journal journal = configured(backend, device).errorHandler(errors::add).open();
        device.fail();
        runAgent(journal);
        assertThrows(JournalException.class, journal::force);
        closeFallible(journal);
        // The segment is deleted because its name may not be durable, even if the next opening's fsync succeeds.
        assertFalse(Files.exists(segment(directory(), 1)));
        configured(backend).open().close();
    }

    /** A roll that fails halfway fails the journal, so the next segment has to be mapped before the roll. */
    @EachBackend
    void segmentOfTheLastWriterIsMappedBeforeItIsNeeded(final Backend backend)
    {
        try (Journal journal = opened(backend))
        {
            runAgent(journal);
            assertEquals(1, journal.counters().preparedSegments());
        }
        final AtomicBoolean isFailing = new AtomicBoolean();
        final StepStore.Steps device = new StepStore.AllSteps()
        {
            @Override
            public void beforeMap(final String name) throws IOException
            {
                if (isFailing.get())
                {
                    throw new IOException("on purpose");
                }
            }
        };
        try (Journal journal = configured(backend, device).open())
        {
            isFailing.set(true);
            appendNumbered(journal, RECORDS + 1, RECORD_LENGTH);
            assertEquals(2, journal.counters().segments());
            isFailing.set(false);
            assertRecords(journal);
        }
    }

    @EachBackend
    void fencedWriterLeavesTheSegmentOfTheNextOneAlone(final Backend backend) throws Exception
    {
        final Journal fenced = configured(backend).errorHandler(errors::add).open();
        appendNumbered(fenced, 3, 100);
        fillNewest(fenced);
        doWork(fenced);
        assertEquals(1, fenced.counters().preparedSegments());
        Files.delete(directory().resolve("journal.lock"));
        try (Journal journal = opened(backend))
        {
            appendNumbered(journal, RECORDS + 1, RECORD_LENGTH);
            assertEquals(2, journal.counters().segments());
            runAgent(fenced);
            assertThrows(JournalException.class, fenced::close);
            runAgent(journal);
            appendNumbered(journal, RECORDS, RECORD_LENGTH);
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void preparedSegmentIsLeftToTheNextOpeningByACloseAndByACrash(final Backend backend) throws Exception
    {
        final Path killed = temp.resolve("killed");
        try (Journal journal = opened(backend))
        {
            appendNumbered(journal, 3, 100);
            runAgent(journal);
            assertEquals(1, journal.counters().preparedSegments());
            copy(directory(), killed);
        }
        assertTrue(Files.exists(segment(directory(), 1)));
        assertReopens(backend);
        for (final Path path : List.of(directory(), killed))
        {
            try (Journal journal = builder(path, backend).segmentLength(LENGTH).backgroundThread(false).open())
            {
                assertEquals(3, journal.lastSequence());
                appendNumbered(journal, RECORDS, RECORD_LENGTH);
                assertRecords(journal);
            }
        }
    }

    @EachBackend
    void segmentIsFilledFurtherOnceTheDiskIsNotFullAnyMore(final Backend backend) throws Exception
    {
        final FailingSteps device =
            new FailingSteps((step, name) -> StepStore.Step.WRITE == step && JournalFiles.segment(1).equals(name));
        try (Journal journal = configured(backend, device).open())
        {
            fillNewest(journal);
            doWork(journal);
            assertEquals(1, journal.counters().preparedSegments());
            device.beFull();
            runAgent(journal);
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, RECORDS + 1, RECORD_LENGTH));
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, 1, RECORD_LENGTH));
            assertRecords(journal);
            device.work();
            appendNumbered(journal, RECORDS, RECORD_LENGTH);
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void unforcedSegmentsAreLimited(final Backend backend)
    {
        final Journal journal = closing(builder(directory(), backend).backgroundThread(false).open());
        appendNumbered(journal, 30 * 60, 1000);
        assertEquals(15, unforced(journal), () -> "left alone by the appender: " + journal.counters());
        runAgent(journal);
        assertEquals(0, unforced(journal));
    }

    private static long unforced(final Journal journal)
    {
        return (journal.counters().appendedPosition() - journal.counters().forcedPosition()) / SEGMENT_LENGTH;
    }

    private Journal opened(final Backend backend)
    {
        return configured(backend).open();
    }

    private JournalBuilder configured(final Backend backend)
    {
        return configured(backend, (step, name) -> true);
    }

    private JournalBuilder configured(final Backend backend, final StepStore.Steps steps)
    {
        return builder(backend, steps).segmentLength(LENGTH).backgroundThread(false);
    }

    /** The opening has filled the first step of four. */
    private static void fillNewest(final Journal journal)
    {
        for (int i = 0; i < 3; i++)
        {
            doWork(journal);
        }
    }

    private void assertReopens(final Backend backend) throws IOException
    {
        assertEquals(List.of(), spares());
        try (Journal journal = opened(backend))
        {
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            assertRecords(journal);
        }
    }

    private static void assertRecords(final Journal journal)
    {
        assertNumbered(1, journal.lastSequence(), readAll(journal));
    }

    private List<Path> spares() throws IOException
    {
        try (Stream<Path> paths = Files.list(directory()))
        {
            return paths.filter((path) -> path.getFileName().toString().startsWith("spare-")).toList();
        }
    }
}
