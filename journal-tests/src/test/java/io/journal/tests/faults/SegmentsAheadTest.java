// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalCursor;
import io.journal.JournalFullException;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep.Kind;
import io.journal.testkit.Tearing;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The segments that are made ahead while records stream in. Two backends are enough, because in memory the others are
 * the same as the second.
 */
class SegmentsAheadTest
{
    private static final int SEGMENT_LENGTH = 2 * 1024 * 1024;
    private static final int RECORD_LENGTH = 4000;
    private static final int RECORDS = 1500;
    private static final int DISKS = 4;

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    /** The store holds the files; the directory, one for each journal, holds the lock. */
    private JournalBuilder builder(final SegmentStore store) throws IOException
    {
        return Journal.builder(Files.createTempDirectory(directory, "journal")).store(store)
            .segmentLength(SEGMENT_LENGTH)
            .backgroundThread(false).errorHandler((error) ->
            {
            });
    }

    private static void stream(final Journal journal, final int records)
    {
        final byte[] record = new byte[RECORD_LENGTH];
        for (int i = 0; i < records; i++)
        {
            journal.appender().append(record);
        }
    }

    private static void runAgent(final Journal journal) throws Exception
    {
        for (int i = 0; i < 20; i++)
        {
            journal.backgroundAgent().doWork();
        }
    }

    private void assertOpens(final CrashPoint crash, final long records) throws IOException
    {
        assertOpens(crash.killed(), RECORDS);
        for (final FaultStore disk : crash.disks(Tearing.SECTORS, DISKS, 1))
        {
            assertOpens(disk, records);
        }
    }

    private void assertOpens(final FaultStore disk, final long records) throws IOException
    {
        try (Journal journal = builder(disk).open())
        {
            assertTrue(journal.lastSequence() >= records, () -> "last: " + journal.lastSequence());
            stream(journal, 1);
            assertEquals(journal.lastSequence(), JournalFixture.readAll(journal).size());
        }
    }

    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void segmentsWithoutARecordDoNoHarm(final Backend backend) throws Exception
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = builder(store).open())
        {
            stream(journal, RECORDS);
            runAgent(journal);
            assertTrue(journal.counters().preparedSegments() > 1);
            assertOpens(store.crashPoint(), 0);

            journal.force();
            assertOpens(store.crashPoint(), RECORDS);
        }
        assertOpens(store, RECORDS);
    }

    /** An opening would refuse a gap in the segments. */
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void segmentWhoseFsyncFailsLeavesNoGap(final Backend backend) throws Exception
    {
        for (final boolean isDeletionFailing : new boolean[]{ false, true })
        {
            final FaultStore store = new FaultStore(backend);
            final Journal journal = builder(store).open();
            stream(journal, RECORDS);
            journal.backgroundAgent().doWork();
            journal.force();
            final long prepared = journal.counters().preparedSegments();
            assertTrue(prepared > 1, () -> "prepared: " + prepared);
            final long newest = journal.counters().segments() - 1;

            store.faults(failing(newest + 1, newest + prepared, isDeletionFailing));
            runAgent(journal);
            store.faults(FaultPlan.none());

            assertEquals(isDeletionFailing, journal.counters().isFailed());
            assertOpens(store.crashPoint(), RECORDS);
            if (!isDeletionFailing)
            {
                assertEquals(0, journal.counters().preparedSegments());
                stream(journal, RECORDS);
            }
            JournalFixture.closeFallible(journal);
        }
    }

    private static FaultPlan failing(final long forced, final long deleted, final boolean isDeletionFailing)
    {
        return (step) ->
        {
            final boolean isFailing = Kind.FORCE == step.kind() && JournalFiles.segment(forced).equals(step.name()) ||
                isDeletionFailing && Kind.DELETE == step.kind() && JournalFiles.segment(deleted).equals(step.name());
            return isFailing ? Fault.error() : Fault.none();
        };
    }

    /** The newest segment still has a hole, while zeros are in the next ones. */
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void spaceOfSegmentsAheadIsUsedBeforeARecordIsRefused(final Backend backend) throws Exception
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = builder(store).segmentLength(4 * SEGMENT_LENGTH).open())
        {
            stream(journal, RECORDS);
            runAgent(journal);
            assertTrue(journal.counters().preparedSegments() > 0);
            // Zeros are written in steps of 1 MiB.
            final long hole = (journal.counters().appendedPosition() >> 20) + 1 << 20;
            final AtomicBoolean isFull = new AtomicBoolean(true);
            store.faults((step) ->
            {
                if (Kind.DELETE == step.kind())
                {
                    isFull.set(false);
                }
                final boolean isInHole = JournalFiles.segment(0).equals(step.name()) && step.offset() >= hole;
                return isFull.get() && isInHole && Kind.WRITE == step.kind() ? Fault.noSpaceAfter(0) : Fault.none();
            });

            stream(journal, RECORDS);

            assertFalse(isFull.get());
            assertEquals(0, journal.counters().refusals());
            assertEquals(2 * RECORDS, JournalFixture.readAll(journal).size());
        }
    }

    /** On a full disk pruned files are deleted instead of being used again. */
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void pruningFreesSpaceAlsoIfFilesAreUsedAgain(final Backend backend) throws Exception
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal =
            builder(store).recycleSegments(true).retention(Retention.bytes(4L * SEGMENT_LENGTH)).open())
        {
            final JournalCursor cursor = journal.cursor("consumer");
            store.capacity(8L * SEGMENT_LENGTH);
            assertThrows(JournalFullException.class, () -> stream(journal, 10 * RECORDS));

            journal.force();
            cursor.save(journal.lastSequence());

            assertDoesNotThrow(() -> stream(journal, 2 * RECORDS));
            assertTrue(journal.firstSequence() > 1);
        }
    }
}
