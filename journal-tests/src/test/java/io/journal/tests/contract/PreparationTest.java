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
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.tests.support.EachBackend;
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

    @EachBackend
    void agentHasOtherDutiesBetweenTheSteps(final Backend backend) throws Exception
    {
        try (Journal journal = configured(backend).force(ForcePolicy.every(Duration.ZERO)).open())
        {
            int rounds = 0;
            while (0 == journal.counters().preparedSegments())
            {
                appendNumbered(journal, 1, 10);
                journal.backgroundAgent().doWork();
                assertEquals(journal.lastSequence(), journal.forcedSequence());
                rounds++;
            }
            // The agent fills the rest of the first segment, then the next segment.
            assertEquals(3 + 1, rounds);
            assertEquals(List.of(), spares());
            assertRecords(journal);
        }
    }

    @EachBackend
    void agentFillsAheadAsFarAsTheJournalHasGrown(final Backend backend) throws Exception
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
        final int length = 32 * 1024 * 1024;
        try (Journal journal = configured(backend).segmentLength(length).store(store).open())
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
    void fileOfAPrunedSegmentIsUsedNext(final Backend backend) throws Exception
    {
        try (Journal journal = configured(backend).recycleSegments(true).open())
        {
            appendNumbered(journal, 2 * RECORDS + 1, RECORD_LENGTH);
            journal.prune(RECORDS + 1);
            assertEquals(1, spares().size());

            runAgent(journal);
            assertTrue(journal.counters().preparedSegments() > 0);
            assertEquals(List.of(), spares());
            appendNumbered(journal, RECORDS, RECORD_LENGTH);
        }
        try (Journal journal = opened(backend))
        {
            assertNumbered(journal.firstSequence(), 3 * RECORDS + 1, readAll(journal));
        }
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
        final AtomicInteger forces = new AtomicInteger();
        final List<Throwable> errors = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            if (StepStore.Step.FORCE == step && "00000000000000000001.journal".equals(name) &&
                1 == forces.incrementAndGet())
            {
                throw new IOException("on purpose");
            }
            return true;
        });
        try (Journal journal = configured(backend).store(store).errorHandler(errors::add).open())
        {
            runAgent(journal);
            assertEquals(1, errors.size());
            assertEquals(List.of(), spares());
            assertEquals(0, journal.counters().preparedSegments());
            assertFalse(Files.exists(directory().resolve("00000000000000000001.journal")));
            appendNumbered(journal, RECORDS + 1, RECORD_LENGTH);
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void segmentThatFailsAfterItsRenameIsMadeAnew(final Backend backend) throws Exception
    {
        final AtomicInteger opened = new AtomicInteger();
        final List<Throwable> errors = new ArrayList<>();
        final StepStore store = new StepStore(backend.store(directory()), new StepStore.AllSteps()
        {
            @Override
            public void beforeOpen(final String name) throws IOException
            {
                // Fail twice: for the agent, then for the appender.
                if ("00000000000000000001.journal".equals(name) && opened.incrementAndGet() <= 2)
                {
                    throw new IOException("on purpose");
                }
            }
        });
        try (Journal journal = configured(backend).store(store).errorHandler(errors::add).open())
        {
            runAgent(journal);
            assertEquals(1, errors.size());
            final long last = appendUntilRefused(journal);
            assertEquals(2, opened.get());
            assertRecords(journal);

            appendNumbered(journal, RECORDS, RECORD_LENGTH);
            assertEquals(last + RECORDS, journal.lastSequence());
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void segmentWhoseNameMayNotBeDurableIsGone(final Backend backend) throws Exception
    {
        final AtomicBoolean isFailing = new AtomicBoolean();
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            if (isFailing.get() && StepStore.Step.FORCE_DIRECTORY == step)
            {
                throw new IOException("on purpose");
            }
            return true;
        });
        final Journal journal = configured(backend).store(store).errorHandler((ex) ->
        {
        }).open();
        isFailing.set(true);
        runAgent(journal);
        assertThrows(JournalException.class, journal::force);
        closeFallible(journal);

        // The segment is deleted because its name may not be durable, even if the next opening's fsync succeeds.
        assertFalse(Files.exists(directory().resolve("00000000000000000001.journal")));
        configured(backend).open().close();
    }

    /** A roll that fails halfway fails the journal, so the next segment has to be mapped before the roll. */
    @EachBackend
    void segmentOfTheLastWriterIsMappedBeforeItIsNeeded(final Backend backend) throws Exception
    {
        try (Journal journal = opened(backend))
        {
            runAgent(journal);
            assertEquals(1, journal.counters().preparedSegments());
        }
        final AtomicBoolean isFailing = new AtomicBoolean();
        final StepStore store = new StepStore(backend.store(directory()), new StepStore.AllSteps()
        {
            @Override
            public void beforeMap(final String name) throws IOException
            {
                if (isFailing.get())
                {
                    throw new IOException("on purpose");
                }
            }
        });
        try (Journal journal = configured(backend).store(store).open())
        {
            isFailing.set(true);
            appendNumbered(journal, RECORDS + 1, RECORD_LENGTH);
            assertEquals(2, journal.counters().segments());
            isFailing.set(false);
            assertRecords(journal);
        }
    }

    private static long appendUntilRefused(final Journal journal)
    {
        assertThrows(JournalException.class, () ->
        {
            while (true)
            {
                appendNumbered(journal, 1, RECORD_LENGTH);
            }
        });
        return journal.lastSequence();
    }

    @EachBackend
    void fencedWriterLeavesTheSegmentOfTheNextOneAlone(final Backend backend) throws Exception
    {
        final Journal fenced = configured(backend).errorHandler((ex) ->
        {
        }).open();
        appendNumbered(fenced, 3, 100);
        fillNewest(fenced);
        fenced.backgroundAgent().doWork();
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
    void closeLeavesThePreparedSegmentToTheNextOpening(final Backend backend) throws Exception
    {
        try (Journal journal = opened(backend))
        {
            appendNumbered(journal, 3, 100);
            runAgent(journal);
            assertEquals(1, journal.counters().preparedSegments());
        }
        assertTrue(Files.exists(directory().resolve("00000000000000000001.journal")));
        assertReopens(backend);
        try (Journal journal = opened(backend))
        {
            appendNumbered(journal, RECORDS, RECORD_LENGTH);
            assertRecords(journal);
        }
    }

    @EachBackend
    void truncationKeepsThePreparedSegment(final Backend backend) throws Exception
    {
        try (Journal journal = opened(backend))
        {
            appendNumbered(journal, RECORDS + 1, RECORD_LENGTH);
            runAgent(journal);
            final long prepared = journal.counters().preparedSegments();
            assertTrue(prepared > 0);
            journal.truncateAfter(3);
            // The log continues after the cut, so the prepared segments still come next.
            assertEquals(prepared, journal.counters().preparedSegments());
            runAgent(journal);
            appendNumbered(journal, 2 * RECORDS, RECORD_LENGTH);
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void segmentIsFilledFurtherOnceTheDiskIsNotFullAnyMore(final Backend backend) throws Exception
    {
        final AtomicBoolean isFull = new AtomicBoolean();
        final StepStore store = new StepStore(backend.store(directory()), (step, name) ->
        {
            if (isFull.get() && StepStore.Step.WRITE == step && "00000000000000000001.journal".equals(name))
            {
                throw new SegmentStore.NoSpaceException("on purpose", null);
            }
            return true;
        });
        try (Journal journal = configured(backend).store(store).open())
        {
            fillNewest(journal);
            journal.backgroundAgent().doWork();
            assertEquals(1, journal.counters().preparedSegments());
            isFull.set(true);
            runAgent(journal);
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, RECORDS + 1, RECORD_LENGTH));
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, 1, RECORD_LENGTH));
            assertRecords(journal);

            isFull.set(false);
            appendNumbered(journal, RECORDS, RECORD_LENGTH);
            assertRecords(journal);
        }
        assertReopens(backend);
    }

    @EachBackend
    void preparationThatWasKilledHalfwayIsContinued(final Backend backend) throws Exception
    {
        final Path killed = temp.resolve("killed");
        try (Journal journal = opened(backend))
        {
            appendNumbered(journal, 3, 100);
            runAgent(journal);
            assertEquals(1, journal.counters().preparedSegments());
            copy(directory(), killed);
        }

        try (Journal journal = configured(killed, backend).open())
        {
            assertEquals(3, journal.lastSequence());
            appendNumbered(journal, RECORDS, RECORD_LENGTH);
            assertRecords(journal);
        }
    }

    @EachBackend
    void agentFsyncsCompleteSegments(final Backend backend) throws Exception
    {
        try (Journal journal = opened(backend))
        {
            appendNumbered(journal, 3 * RECORDS, RECORD_LENGTH);
            final long complete = journal.counters().appendedPosition() / LENGTH * LENGTH;
            assertTrue(journal.counters().forcedPosition() < LENGTH);
            runAgent(journal);
            assertTrue(journal.counters().preparedSegments() > 0);
            assertTrue(journal.counters().forcedPosition() >= complete);
        }
    }

    @EachBackend
    void unforcedSegmentsAreLimited(final Backend backend) throws Exception
    {
        try (Journal journal = builder(directory(), backend).backgroundThread(false).open())
        {
            for (int i = 0; i < 30; i++)
            {
                appendNumbered(journal, 60, 1000);
            }
            assertEquals(15, unforced(journal),
                () -> "left alone by the appender: " + journal.counters());
            runAgent(journal);
            assertEquals(0, unforced(journal));
        }
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
        return configured(directory(), backend);
    }

    private static JournalBuilder configured(final Path path, final Backend backend)
    {
        return builder(path, backend).segmentLength(LENGTH).backgroundThread(false);
    }

    /** The opening has filled the first step of four. */
    private static void fillNewest(final Journal journal) throws Exception
    {
        for (int i = 0; i < 3; i++)
        {
            journal.backgroundAgent().doWork();
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
