package io.journal.internal.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;

import io.journal.JournalException;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a journal's cursors. Normative text: {@code docs/format.md}, "Cursors".
 * <p>
 * A truncation moves each cursor to its epoch: a cursor of another epoch missed a truncation and is not used. Changed
 * by one thread at a time, under the lock of the cursors; any thread may ask which there are.
 */
public final class CursorFiles
{
    private final SegmentStore store;
    private final UUID uuid;
    // By name; those that cannot be used have a fault.
    private final Map<String, CursorFile> files = new ConcurrentSkipListMap<>();
    private SegmentStore directory;
    private volatile long epoch;
    // The last record that recovery found; nothing is known before.
    private long lastSequence;
    private boolean isCrashed;
    private boolean isRecovered;
    private boolean isAnyAhead;
    // Of the writer that uses them, once it does.
    private @Nullable WriterFence fence;

    private CursorFiles(final SegmentStore store, final UUID uuid)
    {
        this.store = store;
        this.uuid = uuid;
    }

    /**
     * Reads the cursors of a journal, in whatever state they are; throws if they cannot be listed. Changes nothing.
     */
    public static CursorFiles read(final SegmentStore store, final UUID uuid) throws IOException
    {
        final CursorFiles cursors = new CursorFiles(store, uuid);
        if (store.list().contains(JournalFiles.CURSORS))
        {
            try
            {
                cursors.directory = store.child(JournalFiles.CURSORS);
                for (final String fileName : cursors.directory.list())
                {
                    final String name = CursorName.ofFile(fileName);
                    if (null != name)
                    {
                        cursors.read(name);
                    }
                }
            }
            catch (final FileAlreadyExistsException ignore)
            {
                // Not a directory: the error is reported when a cursor is requested.
            }
        }

        return cursors;
    }

    /** Reads again a cursor that could not be read, which was not saved meanwhile. */
    private CursorFile readAgain(final String name)
    {
        final CursorFile file = read(name);
        if (null != file && isRecovered)
        {
            try
            {
                if (null != fence)
                {
                    // Another writer may have saved it: its cursor must not be taken for one that is ahead.
                    fence.check();
                }
                recover(file);
            }
            catch (final IOException ex)
            {
                file.unreadable(ex);
            }
        }
        return file;
    }

    private CursorFile read(final String name)
    {
        final CursorFile file = CursorFile.readAny(directory, name, uuid);
        if (null == file)
        {
            // A writer deleted it after it was listed.
            files.remove(name);
        }
        else
        {
            files.put(name, file);
        }
        return file;
    }

    /**
     * Deletes the temporary file of an unfinished creation and fsyncs the directory: the process that last created or
     * deleted a cursor may have been killed before its fsync.
     */
    public void recoverNames() throws IOException
    {
        if (null != directory)
        {
            directory.delete(CursorFile.SPARE);
            directory.force();
        }
    }

    /**
     * Reads again the cursors that could not be read, and throws if one still cannot be. Call before the epoch changes:
     * a cursor that misses a truncation is unusable for good, although the error may have been a passing one.
     */
    public void checkReadable()
    {
        for (final String name : names())
        {
            if (CursorFile.isUnreadable(files.get(name).fault()))
            {
                final CursorFile again = readAgain(name);
                if (null != again && CursorFile.isUnreadable(again.fault()))
                {
                    throw again.fault();
                }
            }
        }
    }

    /**
     * Moves back the cursors above the last record that a truncation leaves, and moves all to its epoch. Durable on
     * return. Must be repeated with the same arguments after a crash before the truncation is complete.
     */
    public void lower(final long epoch, final long lastSequence) throws IOException
    {
        for (final CursorFile file : files.values())
        {
            // A cursor that missed an earlier truncation may be at any sequence.
            if (null == file.fault() && (file.epoch() == epoch || file.epoch() == epoch - 1))
            {
                try (file)
                {
                    file.lower(epoch, lastSequence);
                }
            }
        }
        this.epoch = epoch;
    }

    /**
     * Makes the cursors usable in the journal's current epoch, with all truncations complete. Those that missed a
     * truncation are rejected. Those that are ahead of the last record that recovery found are withdrawn: new records
     * get those sequences, and no consumer may miss them.
     *
     * @param isCrashed whether to rewrite what was read: after a save whose fsync failed, the page cache may hold a
     *                  sequence that is not durable, and a consumer that saw it could later find its cursor moved back.
     */
    public void recover(final long epoch, final long lastSequence, final boolean isCrashed) throws IOException
    {
        this.epoch = epoch;
        this.lastSequence = lastSequence;
        this.isCrashed = isCrashed;
        isRecovered = true;
        for (final CursorFile file : files.values())
        {
            recover(file);
        }
    }

    private void recover(final CursorFile cursor) throws IOException
    {
        try (cursor)
        {
            cursor.checkEpoch(epoch);
            if (cursor.isAhead(lastSequence))
            {
                isAnyAhead = true;
                cursor.withdraw(lastSequence);
            }
            if (isCrashed && null == cursor.fault())
            {
                cursor.confirm();
            }
        }
    }

    /**
     * Sets what is checked from now on before a cursor that is read again is changed.
     */
    public void fence(final WriterFence writer)
    {
        fence = writer;
    }

    /**
     * Whether a cursor was ahead of the last record that recovery found: then a record that was durable is gone.
     */
    public boolean isAnyAhead()
    {
        return isAnyAhead;
    }

    /**
     * The highest truncation epoch that a cursor was saved in, or -1 if there is none. Throws if a cursor cannot be
     * read: its epoch may be the highest.
     */
    public long highestEpoch()
    {
        long highest = -1;
        for (final CursorFile file : files.values())
        {
            if (CursorFile.isUnreadable(file.fault()))
            {
                throw file.fault();
            }
            highest = Math.max(highest, file.epoch());
        }

        return highest;
    }

    /**
     * The truncation epoch in which cursors are saved.
     */
    public long epoch()
    {
        return epoch;
    }

    /**
     * Names of all cursors, including those that cannot be used.
     */
    public List<String> names()
    {
        return List.copyOf(files.keySet());
    }

    public Collection<CursorFile> files()
    {
        return files.values();
    }

    /**
     * Whether a file is that of one of the cursors now.
     */
    public boolean has(final CursorFile file)
    {
        return file == files.get(file.name());
    }

    /**
     * The file of a cursor, or null. One that could not be read is read again.
     */
    public CursorFile file(final String name)
    {
        final CursorFile file = files.get(name);
        if (null == file || !CursorFile.isUnreadable(file.fault()))
        {
            return file;
        }

        return readAgain(name);
    }

    /**
     * Creates the file of a cursor that does not exist. It is durable on return, including its name. If the fsync of a
     * directory failed or could not begin, no cursor was created.
     */
    public CursorFile create(
        final String name, final long sequence, final FailureLatch latch, final WriterFence fence) throws IOException
    {
        if (null == directory)
        {
            final SegmentStore child = store.child(JournalFiles.CURSORS);
            DirectoryForce.forceNew(store, JournalFiles.CURSORS, latch, fence);
            directory = child;
        }

        final CursorFile file = CursorFile.create(directory, name, uuid, epoch, sequence);
        DirectoryForce.forceNew(directory, CursorName.fileName(name), latch, fence);
        files.put(name, file);
        return file;
    }

    /**
     * Deletes the file of a cursor, usable or not, if there is one: the given one only, unless that is null. Durable on
     * return.
     */
    public void delete(final String name, final CursorFile file, final FailureLatch latch) throws IOException
    {
        if (null == directory)
        {
            return;
        }

        final CursorFile found = files.get(name);
        if (null == file || file == found)
        {
            CloseHelper.quietClose(found);
            directory.delete(CursorName.fileName(name));
            files.remove(name);
        }
        // Also if there is none: an earlier deletion may be repeated because its fsync could not begin.
        DirectoryForce.force(directory, latch);
    }

    /**
     * Copies the cursors into another directory, lowered to a sequence if above it. Unusable cursors are left out.
     */
    public void copyTo(final SegmentStore target, final long lastSequence) throws IOException
    {
        SegmentStore child = null;
        for (final CursorFile file : files.values())
        {
            if (null == file.fault())
            {
                child = null == child ? target.child(JournalFiles.CURSORS) : child;
                CursorFile.create(child, file.name(), uuid, file.epoch(), Math.min(file.sequence(), lastSequence));
            }
        }
        if (null != child)
        {
            child.force();
        }
    }

    /**
     * The saved cursors, by name, as they are once a pending truncation is complete.
     */
    public List<SavedCursor> saved(final JournalMeta.State state, final long lastSequence)
    {
        final List<SavedCursor> saved = new ArrayList<>();
        for (final CursorFile file : files.values())
        {
            final JournalException fault = fault(file, state);
            final long sequence = sequence(file, state);
            final boolean isAhead = null == fault && sequence > lastSequence;
            final long lag = Math.max(0, lastSequence - Math.max(sequence, state.startSequence - 1));
            saved.add(
                new SavedCursor(
                    file.name(), null == fault ? sequence : -1, null == fault ? lag : -1,
                    isAhead ? file.ahead(lastSequence) : fault, isAhead));
        }

        return saved;
    }

    private static JournalException fault(final CursorFile file, final JournalMeta.State state)
    {
        final boolean isOfState =
            file.epoch() == state.epoch || null != state.pending && file.epoch() == state.epoch - 1;
        return null != file.fault() || isOfState ? file.fault() : file.missed(state.epoch);
    }

    private static long sequence(final CursorFile file, final JournalMeta.State state)
    {
        return null == state.pending ? file.sequence() : Math.min(file.sequence(), state.pending.sequence - 1);
    }
}
