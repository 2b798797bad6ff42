// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.testkit.CrashPoint;
import io.journal.testkit.Fault;
import io.journal.testkit.FaultStore;
import io.journal.testkit.Tearing;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A power loss at every step of a backup: the target is absent or complete, the next backup to an absent target
 * succeeds, and the source journal is unchanged.
 */
@Tag("slow")
class BackupCrashTest
{
    private static final long SEED = 1;
    private static final int DISKS = 4;
    private static final int STATE = 123;
    private static final String COPY = "copy";
    private static final String TEMPORARY = "copy.unfinished-backup";

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    @TempDir(factory = MemoryDirectory.class)
    private Path otherDirectory;

    @TempDir(factory = MemoryDirectory.class)
    private Path parentDirectory;

    private int complete;
    private int absent;
    private int again;

    /** Two backends are enough, because in memory the others are the same as the second. */
    @EachBackend(except = { Backend.RANDOM_ACCESS_FILE, Backend.DIRECT })
    void targetIsAbsentOrCompleteAfterPowerIsLost(final Backend backend) throws IOException
    {
        final FaultStore store = new FaultStore(backend);
        final FaultStore parent = new FaultStore(backend);
        // The files are in the store, the lock is in this directory.
        Files.createDirectory(parentDirectory.resolve(TEMPORARY));
        final List<CrashPoint> targets = new ArrayList<>();
        final List<CrashPoint> sources = new ArrayList<>();
        final List<Entry> entries;
        try (Journal journal = JournalFixture.repeatable(directory, store, () -> 1).open())
        {
            for (int i = 1; i <= 7; i++)
            {
                final Entry entry = Entry.of(1, i, 20_000);
                journal.appender().append(entry.tag(), entry.bytes());
            }
            journal.cursor("consumer").save(3);
            journal.snapshots().save(5, (output) -> output.write(STATE));
            parent.faults((step) ->
            {
                targets.add(parent.crashPoint());
                sources.add(store.crashPoint());
                return Fault.none();
            });
            assertEquals(7, backup(journal, parent));
            entries = Expected.read(journal);
            for (final CrashPoint point : targets)
            {
                beginAnew(journal, point, entries);
            }
        }

        for (final CrashPoint point : targets)
        {
            checkDisks(point, entries);
        }
        assertTrue(
            complete > 1 && absent > 100 && again > 100,
            () -> "complete=" + complete + ", absent=" + absent + ", again=" + again);
        for (final FaultStore disk : parent.crashPoint().disks(Tearing.SECTORS, DISKS, SEED))
        {
            assertEquals(List.of(COPY), disk.list());
            assertEquals(entries, read(disk.child(COPY)));
        }
        for (final CrashPoint point : sources)
        {
            assertEquals(entries, read(point.disk(Tearing.SECTORS, SEED)));
        }
    }

    private void beginAnew(final Journal journal, final CrashPoint point, final List<Entry> entries) throws IOException
    {
        for (final Tearing tearing : Tearing.values())
        {
            for (final FaultStore disk : point.disks(tearing, DISKS, SEED))
            {
                if (disk.list().contains(COPY))
                {
                    assertThrows(IllegalArgumentException.class, () -> backup(journal, disk));
                }
                else
                {
                    assertEquals(7, backup(journal, disk));
                    again++;
                }
                assertEquals(List.of(COPY), disk.list());
                assertEquals(entries, read(disk.child(COPY)));
            }
        }
    }

    private long backup(final Journal journal, final FaultStore parent)
    {
        return Internals.backup(journal, parentDirectory.resolve(COPY), parent);
    }

    private void checkDisks(final CrashPoint point, final List<Entry> entries) throws IOException
    {
        for (final Tearing tearing : Tearing.values())
        {
            for (final FaultStore disk : point.disks(tearing, DISKS, SEED))
            {
                if (disk.list().contains(COPY))
                {
                    assertEquals(entries, read(disk.child(COPY)));
                    complete++;
                }
                else
                {
                    absent++;
                }
            }
        }
    }

    private List<Entry> read(final SegmentStore disk)
    {
        try (Journal journal = JournalFixture.repeatable(otherDirectory, disk, () -> 2).open())
        {
            assertFalse(journal.recoveryReport().isNew());
            assertEquals(List.of("consumer"), journal.cursorNames());
            assertEquals(5, journal.snapshots().load((input) -> assertEquals(STATE, input.read())));
            return Expected.read(journal);
        }
    }
}
