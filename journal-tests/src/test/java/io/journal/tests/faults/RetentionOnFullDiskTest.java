// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep.Kind;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.MemoryDirectory;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import static io.journal.tests.support.JournalFixture.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalFixture.appendNumbered;
import static io.journal.tests.support.JournalFixture.assertNumbered;
import static io.journal.tests.support.JournalFixture.doWork;
import static io.journal.tests.support.JournalFixture.readAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A disk with room for what retention keeps and little more. The background agent never runs, as if it were behind. Two
 * backends are enough, because in memory the others are the same as the second.
 */
class RetentionOnFullDiskTest
{
    private static final int RECORD_LENGTH = 1000;
    private static final int KEPT_SEGMENTS = 3;
    private static final int ROOM = (KEPT_SEGMENTS + 3) * SEGMENT_LENGTH + JournalDirectory.CONTROL_LENGTH;
    private static final int RECORDS = 3000;

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void streamGoesOnWhereRetentionMakesRoom(final Backend backend)
    {
        for (final boolean isRecycling : new boolean[]{ false, true })
        {
            final FaultStore store = new FaultStore(backend);
            try (Journal journal = retaining(store).recycleSegments(isRecycling).open())
            {
                store.capacity(ROOM);
                appendNumbered(journal, RECORDS, RECORD_LENGTH);

                assertHoldsTheNewest(journal);
                assertTrue(store.usedBytes() <= ROOM);
                assertEquals(0, journal.counters().refusals());
            }
            try (Journal journal = retaining(store).open())
            {
                assertHoldsTheNewest(journal);
            }
        }
    }

    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void sharedAppenderAndAHandlerMakeRoom(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = retaining(store).recycleSegments(true).open();
            JournalReader reader = journal.openReader())
        {
            appendNumbered(journal, 1, RECORD_LENGTH);
            store.capacity(ROOM);
            reader.poll((buffer, offset, length, header) -> appendNumbered(journal, RECORDS - 1, RECORD_LENGTH), 1);

            assertHoldsTheNewest(journal);
        }
    }

    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void streamStopsWhereAConsumerHoldsRetentionBackAndGoesOnOnceItHasPassed(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = retaining(store).open())
        {
            final JournalCursor cursor = journal.cursor("consumer");
            store.capacity(ROOM);

            assertThrows(JournalFullException.class, () -> appendNumbered(journal, RECORDS, RECORD_LENGTH));
            final long last = journal.lastSequence();
            assertEquals(1, journal.firstSequence());
            assertNumbered(1, last, readAll(journal));
            assertEquals(1, journal.counters().refusals());

            cursor.save(last);
            appendNumbered(journal, 3 * SEGMENT_LENGTH / RECORD_LENGTH, RECORD_LENGTH);
            assertTrue(journal.firstSequence() > 1 && journal.firstSequence() <= last + 1);
            assertNumbered(journal.firstSequence(), journal.lastSequence(), readAll(journal));
        }
    }

    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void withoutRetentionNothingIsFsyncedOrDropped(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = JournalFixture.repeatable(directory, store, () -> 1).open())
        {
            store.capacity(ROOM);
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, RECORDS, RECORD_LENGTH));
            assertEquals(0, journal.forcedSequence());
            assertNumbered(1, journal.lastSequence(), readAll(journal));
        }
    }

    /**
     * The append reports the full disk, which the caller can do something about; the background agent reports the
     * damage.
     */
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void damageThatRetentionMeetsIsAddedToTheFullDisk(final Backend backend) throws IOException
    {
        final FaultStore store = new FaultStore(backend);
        try (Journal journal = retaining(store).open())
        {
            appendNumbered(journal, 5 * SEGMENT_LENGTH / RECORD_LENGTH, RECORD_LENGTH);
            journal.force();
            for (int ordinal = 1; ordinal <= 4; ordinal++)
            {
                store.flip(JournalFiles.segment(ordinal), SegmentHeader.LENGTH + Long.BYTES, 3);
            }
            store.capacity(store.usedBytes());

            final JournalFullException ex = assertThrows(
                JournalFullException.class, () -> appendNumbered(journal, RECORDS, RECORD_LENGTH));
            assertInstanceOf(CorruptJournalException.class, ex.getCause().getSuppressed()[0]);
            assertFalse(journal.counters().isFailed());
            assertEquals(1, journal.counters().refusals());
            assertEquals(1, journal.firstSequence());
        }
    }

    /** A failed fsync must not be retried: the records may be lost although the retry succeeds. */
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void failedFsyncOfAnOldSegmentEndsTheJournal(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        final Journal journal = retaining(store).open();
        store.capacity(ROOM);
        store.faults((step) -> Kind.FORCE == step.kind() && step.name().endsWith(".journal") && isOld(step.name()) ?
            Fault.error() : Fault.none());

        final JournalException ex =
            assertThrows(JournalException.class, () -> appendNumbered(journal, RECORDS, RECORD_LENGTH));
        assertTrue(!(ex instanceof JournalFullException), ex::toString);
        assertTrue(journal.counters().isFailed());
        assertEquals(1, journal.firstSequence());
        assertEquals(0, journal.forcedSequence());
        JournalFixture.closeFallible(journal);
    }

    /** The append waits for retention, however long the device takes. */
    @Tag("slow")
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void appendWaitsForTheRetentionThatIsUnderWay(final Backend backend) throws Exception
    {
        final FaultStore store = new FaultStore(backend);
        final CountDownLatch isDropping = new CountDownLatch(1);
        final CountDownLatch isFull = new CountDownLatch(1);
        final StepStore slowStore = new StepStore(store, (step, name) ->
        {
            if (StepStore.Step.DELETE == step && JournalFiles.segment(0).equals(name))
            {
                isDropping.countDown();
                awaitLongAfter(isFull);
            }
            return true;
        });
        try (Journal journal = retaining(slowStore).open())
        {
            appendNumbered(journal, 5 * SEGMENT_LENGTH / RECORD_LENGTH, RECORD_LENGTH);
            journal.force();
            store.capacity(store.usedBytes());
            final CompletableFuture<Void> agent = CompletableFuture.runAsync(() -> doWork(journal));
            isDropping.await();
            isFull.countDown();

            appendNumbered(journal, 2 * SEGMENT_LENGTH / RECORD_LENGTH, RECORD_LENGTH);

            assertTrue(journal.firstSequence() > 1);
            assertEquals(0, journal.counters().refusals());
            agent.get();
        }
    }

    /** Waits for the latch, and then longer than an append waits for another change of the journal's range. */
    private static void awaitLongAfter(final CountDownLatch latch)
    {
        try
        {
            latch.await();
            Thread.sleep(1500);
        }
        catch (final InterruptedException ex)
        {
            throw new AssertionError(ex);
        }
    }

    private static boolean isOld(final String name)
    {
        return List.of(JournalFiles.segment(0), JournalFiles.segment(1)).contains(name);
    }

    private void assertHoldsTheNewest(final Journal journal)
    {
        final long first = journal.firstSequence();
        final int recordsInASegment = SEGMENT_LENGTH / RECORD_LENGTH;
        assertTrue(first > RECORDS - (KEPT_SEGMENTS + 3) * recordsInASegment, () -> "first=" + first);
        assertTrue(first <= RECORDS - (KEPT_SEGMENTS - 1) * recordsInASegment / 2, () -> "first=" + first);
        assertNumbered(first, RECORDS, readAll(journal));
    }

    private JournalBuilder retaining(final SegmentStore store)
    {
        return JournalFixture.repeatable(directory, store, () -> 1)
            .retention(Retention.bytes((long)KEPT_SEGMENTS * SEGMENT_LENGTH));
    }
}
