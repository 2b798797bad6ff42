// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.util.List;

import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.tests.crash.KilledWriter;
import io.journal.tests.crash.Promises;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Small file systems fill up under writers in other processes, are freed again, or become read-only.
 * {@link FullDiskTest} tests single steps; here a killed JVM would be detected as well.
 */
@Tag("soak")
class MountedDiskTest extends JournalFixture
{
    private static final int MEGABYTES = 12;
    private static final int PIECES = 6;
    // These records need more than one segment.
    private static final int MORE = 200;

    @EachBackend(and = MountedDisk.Kind.class)
    void writersResumeWheneverThereIsSpaceAgain(final Backend backend, final MountedDisk.Kind kind) throws Exception
    {
        final MountedDisk disk = closing(MountedDisk.mount(kind, temp, MEGABYTES));
        disk.take(PIECES);
        final ChildJvm child = closing(writer(disk, backend, 3, Integer.MAX_VALUE));
        child.await("opened");
        for (int i = 0; i < PIECES; i++)
        {
            final long last = child.await("full");
            disk.giveBack();
            assertTrue(child.awaitBeyond("forced", last + MORE), child::toString);
        }
        final long last = child.await("full");
        child.send("prune");
        assertTrue(child.awaitBeyond("forced", last + MORE), child::toString);
        child.send("stop");

        assertEquals(0, child.awaitEnd(), child::toString);
        assertFalse(child.hasSaid("failed"), child::toString);
        assertFalse(child.hasSaid("refused"), child::toString);
        assertTrue(child.hasSaid("uncopied"), child::toString);
        verify(disk, child);
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void journalOfAKilledWriterOpensOnAFullDiskOrOnceThereIsSpace(final Backend backend, final MountedDisk.Kind kind)
        throws Exception
    {
        final MountedDisk disk = closing(MountedDisk.mount(kind, temp, MEGABYTES));
        disk.take(PIECES);
        long forced = 0;
        for (int i = 0; i < PIECES; i++)
        {
            try (ChildJvm killed = writer(disk, backend, 1 + i % 2, Integer.MAX_VALUE))
            {
                killed.await("full");
                killed.kill();
                forced = Math.max(forced, killed.highest("forced"));
            }
            try (ChildJvm next = writer(disk, backend, 1, 10))
            {
                assertEquals(0, next.awaitEnd(), next::toString);
                // Opening may be refused, but only because the disk is full.
                assertTrue(next.highest("opened") >= forced || 1 == next.highest("unopened"), next::toString);
            }
            disk.giveBack();
            try (ChildJvm next = writer(disk, backend, 1, 10))
            {
                assertEquals(0, next.awaitEnd(), next::toString);
                assertTrue(next.highest("opened") >= forced, next::toString);
                forced = Math.max(forced, next.highest("forced"));
                verify(disk, next);
            }
        }
    }

    @EachBackend
    void acknowledgedRecordsSurviveADiskThatRejectsWrites(final Backend backend) throws Exception
    {
        try (MountedDisk disk = MountedDisk.mount(MountedDisk.Kind.EXT4, temp, 2 * MEGABYTES);
            ChildJvm child = writer(disk, backend, 2, Integer.MAX_VALUE))
        {
            child.awaitBeyond("forced", MORE);
            disk.abortWrites();

            assertEquals(0, child.awaitEnd(), child::toString);
            assertTrue(child.hasSaid("failed"), child::toString);

            disk.mountAgain();
            verify(disk, child);
        }
    }

    private ChildJvm writer(final MountedDisk disk, final Backend backend, final int threads, final int records)
    {
        return new ChildJvm(
            temp, List.of(), FaultedWriter.class, disk.path.resolve("journal"), backend, threads, records,
            disk.path);
    }

    private static void verify(final MountedDisk disk, final ChildJvm child)
    {
        try (Journal journal = KilledWriter.builder(disk.path.resolve("journal"), Backend.FILE_CHANNEL)
            .backgroundThread(false)
            .open())
        {
            Promises.readAll(journal);
            assertTrue(journal.lastSequence() >= child.highest("forced"), () -> journal + ", " + child);
            assertTrue(journal.cursor(FaultedWriter.CURSOR).sequence() >= child.highest("saved"), child::toString);
        }
    }
}
