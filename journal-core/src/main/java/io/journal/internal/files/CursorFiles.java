package io.journal.internal.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Consumer;

import io.journal.JournalException;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The directory of a journal's cursors. Normative text: {@code docs/format.md}, "Cursors".
 * <p>
 * A truncation moves back the cursors behind it. Changed by one thread at a time, under the lock of the cursors; any
 * thread may ask which there are.
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
     * Reads again the cursors that could not be read, and throws if one still cannot be. Call before records are
     * truncated: a cursor that misses a truncation may be unusable for good, although the error may have been a passing
     * one.
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
     * Moves back the cursors above the last record that a truncation leaves. Durable on return. Must be repeated with
     * the same arguments after a crash before the truncation is complete.
     *
     * @param term of that record.
     */
    public void lower(final long epoch, final long lastSequence, final long term) throws IOException
    {
        for (final CursorFile file : files.values())
        {
            // Also at that record: a crash may have left the higher sequence in the other slot.
            if (null == file.fault() && file.sequence() >= lastSequence)
            {
                try (file)
                {
                    file.lower(lastSequence, term);
                }
            }
        }
        this.epoch = epoch;
    }

    /**
     * Makes the cursors usable, with all truncations complete. Those that are ahead of the last record that recovery
     * found are withdrawn: new records get those sequences, and no consumer may miss them.
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
     * The journal's truncation epoch.
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
     *
     * @param term of the record.
     */
    public CursorFile create(
        final String name, final long sequence, final long term, final FailureLatch latch, final WriterFence fence)
        throws IOException
    {
        if (null == directory)
        {
            final SegmentStore child = store.child(JournalFiles.CURSORS);
            DirectoryForce.forceNew(store, JournalFiles.CURSORS, latch, fence);
            directory = child;
        }

        final CursorFile file = CursorFile.create(directory, name, uuid, term, sequence);
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
     *
     * @param lastTerm of the record of that sequence.
     */
    public void copyTo(final SegmentStore target, final long lastSequence, final long lastTerm) throws IOException
    {
        SegmentStore child = null;
        for (final CursorFile file : files.values())
        {
            if (null == file.fault())
            {
                child = null == child ? target.child(JournalFiles.CURSORS) : child;
                final boolean isLowered = file.sequence() > lastSequence;
                CursorFile.create(
                    child, file.name(), uuid, isLowered ? lastTerm : file.term(),
                    isLowered ? lastSequence : file.sequence());
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
        return saved(state, lastSequence, (file) ->
        {
        });
    }

    /**
     * Likewise.
     *
     * @param verifier relates one that no truncation is going to move to the journal's record.
     */
    public List<SavedCursor> saved(
        final JournalMeta.State state, final long lastSequence, final Consumer<CursorFile> verifier)
    {
        final List<SavedCursor> saved = new ArrayList<>();
        for (final CursorFile file : files.values())
        {
            final long sequence = sequence(file, state);
            if (null == file.fault() && sequence == file.sequence() && sequence <= lastSequence)
            {
                verifier.accept(file);
            }
            final JournalException fault = file.fault();
            final boolean isAhead = null == fault && sequence > lastSequence;
            final long lag = Math.max(0, lastSequence - Math.max(sequence, state.startSequence - 1));
            saved.add(
                new SavedCursor(
                    file.name(), null == fault ? sequence : -1, null == fault ? lag : -1,
                    isAhead ? file.ahead(lastSequence) : fault, isAhead));
        }

        return saved;
    }

    private static long sequence(final CursorFile file, final JournalMeta.State state)
    {
        return null == state.pending ? file.sequence() : Math.min(file.sequence(), state.pending.sequence - 1);
    }
}
