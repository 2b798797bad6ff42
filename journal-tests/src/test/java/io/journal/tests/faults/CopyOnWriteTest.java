// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.crash.Promises;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A file system without space refuses a page that the journal stores to, either because it copies blocks on write or
 * because the segment has a hole. The kernel then drops the store into the mapping after the program has moved on.
 */
@Tag("soak")
class CopyOnWriteTest extends JournalFixture
{
    private static final int ROUNDS = Integer.getInteger("journal.test.rounds", 2);

    @EachBackend(and = MountedDisk.CopyOnWrite.class)
    void nothingIsAcknowledgedThatTheFullDiskDidNotTake(final Backend backend, final MountedDisk.CopyOnWrite kind)
        throws Exception
    {
        final MountedDisk disk = closing(MountedDisk.mount(kind, temp));
        // Bytes written by a system call do not depend on compiled code.
        final int rounds = Backend.MAPPED == backend ? ROUNDS : Math.min(ROUNDS, 20);
        int failed = 0;
        for (int i = 0; i < rounds; i++)
        {
            disk.removeAll();
            try (ChildJvm child = ChildJvm.optimizing(
                temp, CopyOnWriteWriter.class, disk.path.resolve("journal"), backend, i))
            {
                child.await("warm");
                disk.share("journal");
                disk.fill();

                assertEquals(0, child.awaitEnd(), child::toString);
                failed += child.hasSaid("failed") ? 1 : 0;
                openWhileFull(disk, backend);
                disk.removeAllBut("journal");
                verify(disk, backend, child);
            }
        }
        System.out.println(kind + ", " + backend + ": rounds=" + rounds + ", failed=" + failed);
    }

    private static void openWhileFull(final MountedDisk disk, final Backend backend)
    {
        try
        {
            open(disk, backend).close();
        }
        catch (final CorruptJournalException ex)
        {
            throw ex;
        }
        catch (final JournalException ignore)
        {
            // Opening and closing write as well.
        }
    }

    private static void verify(final MountedDisk disk, final Backend backend, final ChildJvm child)
    {
        try (Journal journal = open(disk, backend))
        {
            Promises.readAll(journal);
            assertTrue(journal.lastSequence() >= child.highest("forced"), () -> journal + ", " + child);
            assertTrue(journal.lastSequence() >= child.highest("appended"), () -> journal + ", " + child);
        }
    }

    private static Journal open(final MountedDisk disk, final Backend backend)
    {
        return Journal.builder(disk.path.resolve("journal"))
            .backend(backend)
            .segmentLength(CopyOnWriteWriter.SEGMENT_LENGTH)
            .backgroundThread(false)
            .open();
    }
}
