package io.journal.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.RepeatableJournal;
import io.journal.store.Backend;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Power is lost at every step of a backup: what is left of it is the whole of it, or no journal; what it is taken of
 * stays as it was.
 */
class BackupCrashTest
{
    private static final long SEED = 1;
    private static final int DISKS = 6;
    private static final int STATE = 123;

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    @TempDir(factory = MemoryDirectory.class)
    private Path otherDirectory;

    @TempDir(factory = MemoryDirectory.class)
    private Path targetDirectory;

    private int whole;
    private int none;
    private int again;

    @ParameterizedTest
    @EnumSource(Backend.class)
    void whatIsLeftOfABackupIsAllOfItOrNone(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        final FaultStore target = new FaultStore(backend);
        final List<CrashPoint> targets = new ArrayList<>();
        final List<CrashPoint> sources = new ArrayList<>();
        final List<Entry> entries;
        try (Journal journal = RepeatableJournal.builder(directory, store, () -> 1).open())
        {
            for (int i = 1; i <= 7; i++)
            {
                final Entry entry = Entry.of(1, i, 20_000);
                journal.appender().append(entry.tag(), entry.bytes());
            }
            journal.cursor("consumer").save(3);
            journal.snapshots().save(5, (output) -> output.write(STATE));
            target.faults((step) ->
            {
                targets.add(target.crashPoint());
                sources.add(store.crashPoint());
                return Fault.none();
            });
            assertEquals(7, RepeatableJournal.backup(journal, targetDirectory, target));
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
            whole > 1 && none > 100 && again > 100,
            () -> "whole=" + whole + ", none=" + none + ", again=" + again);
        for (final FaultStore disk : target.crashPoint().disks(Tearing.SECTORS, DISKS, SEED))
        {
            assertEquals(entries, read(disk, true));
        }
        for (final CrashPoint point : sources)
        {
            assertEquals(entries, read(point.disk(Tearing.SECTORS, SEED), true));
        }
    }

    /**
     * What is left is a journal, or the next backup takes its place.
     */
    private void beginAnew(final Journal journal, final CrashPoint point, final List<Entry> entries)
    {
        for (final Tearing tearing : Tearing.values())
        {
            for (final FaultStore disk : point.disks(tearing, DISKS, SEED))
            {
                try
                {
                    assertEquals(7, RepeatableJournal.backup(journal, targetDirectory, disk));
                    again++;
                }
                catch (final IllegalArgumentException ex)
                {
                    assertTrue(ex.getMessage().endsWith("found=journal.meta"), ex::getMessage);
                }
                assertEquals(entries, read(disk, true));
            }
        }
    }

    private void checkDisks(final CrashPoint point, final List<Entry> entries)
    {
        for (final Tearing tearing : Tearing.values())
        {
            for (final FaultStore disk : point.disks(tearing, DISKS, SEED))
            {
                try
                {
                    final List<Entry> read = read(disk, false);
                    if (!read.isEmpty())
                    {
                        assertEquals(entries, read);
                    }
                    whole += read.isEmpty() ? 0 : 1;
                    none += read.isEmpty() ? 1 : 0;
                }
                catch (final JournalException ex)
                {
                    assertTrue(ex.getMessage().startsWith("unfinished backup"), ex::getMessage);
                    none++;
                }
            }
        }
    }

    private List<Entry> read(final FaultStore disk, final boolean isComplete)
    {
        try (Journal journal = RepeatableJournal.builder(otherDirectory, disk, () -> 2).open())
        {
            // Where there is nothing of a journal, a new one begins.
            assertTrue(!isComplete || !journal.recoveryReport().isNew());
            final List<Entry> read = Expected.read(journal);
            assertEquals(read.isEmpty() ? List.of() : List.of("consumer"), journal.cursorNames());
            assertEquals(
                read.isEmpty() ? 0 : 5, journal.snapshots().load((input) -> assertEquals(STATE, input.read())));
            return read;
        }
    }
}
