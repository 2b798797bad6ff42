// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.Retention;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultPlan;
import io.journal.testkit.FaultStore;
import io.journal.testkit.StoreStep.Kind;
import io.journal.testkit.Tearing;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Test;

import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** What follows after a call that was refused, or that failed halfway: the next call, closing, and the next opening. */
class RetriedCallTest extends JournalFixture
{
    private static final int FRAME_LENGTH = 24;
    private static final int MIB = 1024 * 1024;
    private static final byte[] RECORD = new byte[60_000];

    private static volatile boolean isEnded;

    private Journal open(final FaultStore store) throws IOException
    {
        return closing(builder(store).open());
    }

    private JournalBuilder builder(final FaultStore store)
    {
        return Journal.builder(temp).store(store).segmentLength(SEGMENT_LENGTH).backgroundThread(false);
    }

    /** The refused append has rolled to the next segment already. */
    @EachBackendAndWindow
    void journalIsOpenedThatWasClosedAfterARefusedAppend(final Backend backend, final int window) throws Exception
    {
        final FaultStore store = new FaultStore(backend);
        final JournalBuilder builder = Journal.builder(temp).backend(backend).store(store).writeWindow(window)
            .segmentLength(4 * MIB).backgroundThread(false);
        try (Journal journal = builder.open())
        {
            journal.appender().append(new byte[2 * MIB]);
            journal.appender().append(new byte[100]);
            store.faults((step) -> Kind.WRITE == step.kind() && segmentName(1).equals(step.name()) &&
                step.offset() >= MIB ? Fault.noSpaceAfter(0) : Fault.none());
            assertThrows(JournalFullException.class, () -> journal.appender().append(new byte[2 * MIB]));
            assertTrue(store.list().contains(segmentName(1)));
            store.faults(FaultPlan.none());
        }

        try (Journal journal = builder.open())
        {
            assertEquals(2, journal.lastSequence());
            assertTrue(journal.recoveryReport().isCleanlyClosed());
            assertEquals(3, journal.appender().append(new byte[2 * MIB]));
        }
    }

    @Test
    void pruneDropsWhatAFailedPruneHasLeft() throws Exception
    {
        final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);
        try (Journal journal = open(store))
        {
            append(journal, 20);
            store.faults(FaultPlan.nth(Kind.DELETE, 3, Fault.error()));
            assertThrows(JournalException.class, () -> journal.prune(19));
            assertEquals(19, journal.prune(19));
            assertEquals(2, segments(store));
        }
    }

    @Test
    void appendIsRefusedOnceIfRetentionCannotDropASegment() throws Exception
    {
        final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);
        final JournalBuilder builder = builder(store).retention(Retention.bytes(3 * SEGMENT_LENGTH));
        try (Journal journal = builder.open())
        {
            append(journal, 12);
            journal.force();
            store.capacity(store.usedBytes());
            store.faults(FaultPlan.nth(Kind.DELETE, 1, Fault.error()));
            assertThrows(JournalFullException.class, () -> append(journal, 3));
            append(journal, 5);
        }
    }

    @Test
    void cursorIsDeletedByTheSecondCallIfTheFirstOneFails() throws Exception
    {
        final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);
        try (Journal journal = open(store))
        {
            append(journal, 2);
            final JournalCursor cursor = journal.cursor("consumer");
            cursor.save(1);
            store.faults(FaultPlan.nth(Kind.READ, 1, Fault.error()));
            assertThrows(JournalException.class, cursor::delete);
            cursor.save(2);
            assertEquals(2, cursor.sequence());

            cursor.delete();
            assertEquals(List.of(), journal.cursorNames());
            assertThrows(IllegalStateException.class, () -> cursor.save(1));
        }
    }

    /** The state has no room for another cut, and the opening pads the segment that the journal was closed in. */
    @Test
    void openingOfAFullStateMayEndAtAnyStep() throws Exception
    {
        final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);
        try (Journal journal = open(store))
        {
            assertThrows(IllegalStateException.class, () -> truncateUntilRefused(journal));
        }
        try (Journal journal = open(store))
        {
            final long sequence = journal.appender().append(new byte[8]);
            final int tail = offset(journal, sequence) + FRAME_LENGTH + 8;
            final long last = journal.appender().append(new byte[SEGMENT_LENGTH - 40 - FRAME_LENGTH - tail]);
            assertEquals(tail, offset(journal, last));
        }

        final List<CrashPoint> points = new ArrayList<>();
        store.faults((step) ->
        {
            points.add(store.crashPoint());
            return Fault.none();
        });
        final long last;
        try (Journal journal = open(store))
        {
            last = journal.lastSequence();
        }
        for (final CrashPoint point : points)
        {
            assertOpens(point.killed(), last);
            for (final FaultStore disk : point.disks(Tearing.PAGES, 5, 1))
            {
                assertOpens(disk, last);
            }
        }
    }

    private static void truncateUntilRefused(final Journal journal)
    {
        while (true)
        {
            journal.appender().append(new byte[8]);
            journal.truncateAfter(journal.appender().append(new byte[8]) - 1);
        }
    }

    private static int offset(final Journal journal, final long sequence)
    {
        final long[] position = { 0 };
        journal.get(sequence, (buffer, offset, length, header) -> position[0] = header.position());
        return (int)(position[0] & (SEGMENT_LENGTH - 1));
    }

    private void assertOpens(final FaultStore disk, final long last) throws IOException
    {
        try (Journal journal = builder(disk).open())
        {
            assertEquals(last, journal.lastSequence());
        }
    }

    @EachBackend
    void journalIsClosedByTheSecondCallIfTheFirstOneHasNoMemory(final Backend backend)
    {
        ChildJvm.run(temp, List.of(), RetriedCallTest.class, directory(), backend);
    }

    /**
     * Closes from another thread than the appending one, while the heap is full.
     *
     * @param args directory and backend.
     */
    public static void main(final String[] args) throws Exception
    {
        FaultedWriter.halt(60);
        final JournalBuilder builder =
            Journal.builder(Path.of(args[0])).backend(Backend.valueOf(args[1])).segmentLength(64 * 1024);
        final Journal journal = builder.open();
        final CountDownLatch isAppended = new CountDownLatch(1);
        final Thread appending = new Thread(() ->
        {
            appendNumbered(journal, 10, 100);
            isAppended.countDown();
            while (!isEnded)
            {
                Thread.onSpinWait();
            }
        });
        appending.start();
        isAppended.await();

        List<byte[]> heap = new ArrayList<>(1_000_000);
        for (int length = MIB; length >= 16; length /= 2)
        {
            try
            {
                while (true)
                {
                    heap.add(new byte[length]);
                }
            }
            catch (final OutOfMemoryError ignore)
            {
                // Smaller arrays may still fit.
            }
        }
        try
        {
            journal.close();
        }
        catch (final OutOfMemoryError ignore)
        {
            // The next call closes it.
        }
        heap = null;
        journal.close();
        isEnded = true;
        appending.join();
        try (Journal again = builder.open())
        {
            assertTrue(null == heap && again.recoveryReport().isCleanlyClosed());
            assertEquals(10, again.lastSequence());
        }
    }

    private static void append(final Journal journal, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            journal.appender().append(RECORD);
        }
    }

    private static long segments(final FaultStore store) throws IOException
    {
        return store.list().stream().filter(JournalFiles::isSegment).count();
    }
}
