package io.journal.internal.files;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.SavedCursor;
import io.journal.internal.platform.NotRegularFileException;
import io.journal.store.SegmentStore.NotBegunException;
import io.journal.store.SegmentStore;

/**
 * The cursor files of a journal, read and validated. Normative text: {@code docs/format.md}, "Cursors".
 * <p>
 * A cursor is saved only once its record is durable, so a saved cursor proves that the record was. A truncation moves
 * each cursor to a new epoch: a cursor of another epoch missed a truncation and is not used. Changed by one thread at a
 * time; the maps may be read by any thread.
 */
public final class CursorFiles
{
    private final SegmentStore store;
    private final UUID uuid;
    private final boolean isLooking;
    private final Map<String, CursorFile> files = new ConcurrentHashMap<>();
    private final Map<String, JournalException> unusable = new ConcurrentHashMap<>();
    private SegmentStore directory;
    private long epoch;

    private CursorFiles(final SegmentStore store, final UUID uuid, final boolean isLooking)
    {
        this.store = store;
        this.uuid = uuid;
        this.isLooking = isLooking;
    }

    /**
     * Reads the cursors of a journal. Changes nothing and rejects no content: damaged files are left as they are.
     *
     * @throws IOException if a cursor cannot be read: it may be the only evidence of a durable record or a truncation.
     */
    public static CursorFiles load(final SegmentStore store, final UUID uuid) throws IOException
    {
        return load(new CursorFiles(store, uuid, false));
    }

    /**
     * The same for read-only use: a cursor that cannot be read is reported as unusable, and the others are read.
     */
    public static CursorFiles look(final SegmentStore store, final UUID uuid) throws IOException
    {
        return load(new CursorFiles(store, uuid, true));
    }

    private static CursorFiles load(final CursorFiles cursors) throws IOException
    {
        final SegmentStore store = cursors.store;
        if (store.list().contains(JournalFiles.CURSORS))
        {
            try
            {
                cursors.readAll(store.child(JournalFiles.CURSORS));
            }
            catch (final FileAlreadyExistsException ignore)
            {
                // Not a directory: the error is reported when a cursor is requested.
            }
        }

        return cursors;
    }

    /**
     * Checks that the journal still holds the records that its cursors were saved at.
     *
     * @param epoch        of the journal, with all truncations complete.
     * @param lastSequence of the journal, as found by the scan.
     * @param endReason    why the scan ended there.
     * @throws CorruptJournalException if a record that a cursor was saved at is gone.
     */
    public void check(final long epoch, final long lastSequence, final String endReason)
    {
        this.epoch = epoch;
        for (final CursorFile file : files.values())
        {
            if (epoch != file.epoch())
            {
                giveUp(file.name(), CursorFile.unusable(
                    file.name(), file.slotOffset() + 8, "truncation epoch " + epoch, "epoch " + file.epoch()));
            }
            else if (file.sequence() > lastSequence)
            {
                throw new CorruptJournalException(
                    "damage to what was forced: a cursor is behind the end, file=" + CursorFile.path(file.name()) +
                        ", offset=" + (file.slotOffset() + 16) + ", expected=at most sequence " + lastSequence +
                        ", found=sequence " + file.sequence() + (endReason.isEmpty() ? "" : "; the end: " + endReason) +
                        "; nothing was changed: keep the files and restore from a backup");
            }
        }
    }

    /**
     * Rewrites what was read. After a save whose fsync failed, the page cache may hold a sequence that is not durable;
     * a consumer that saw it could later find its cursor moved back.
     */
    public void confirm() throws IOException
    {
        for (final CursorFile file : files.values())
        {
            try (file)
            {
                file.confirm();
            }
        }
    }

    /**
     * Deletes the temporary file of an unfinished creation and fsyncs the directory: the process that last created or
     * deleted a cursor may have been killed before its fsync.
     */
    public void settleNames() throws IOException
    {
        if (null != directory)
        {
            CursorFile.deleteSpare(directory);
            directory.force();
        }
    }

    /**
     * Lowers all cursors above the last record that a truncation leaves, and moves all to its epoch. Durable on return.
     * Must be repeated with the same arguments after a crash before the truncation is complete.
     */
    public void clamp(final long epoch, final long lastSequence) throws IOException
    {
        for (final CursorFile file : files.values())
        {
            // A cursor that missed an earlier truncation may be at any sequence.
            if (file.epoch() == epoch || file.epoch() == epoch - 1)
            {
                try (file)
                {
                    file.clamp(epoch, lastSequence);
                }
            }
        }
        this.epoch = epoch;
    }

    /**
     * The highest truncation epoch that a cursor was saved in, or -1 if there is none.
     */
    public long highestEpoch()
    {
        return files.values().stream().mapToLong(CursorFile::epoch).max().orElse(-1);
    }

    /**
     * Names of all cursors, including those that cannot be used.
     */
    public List<String> names()
    {
        final TreeSet<String> names = new TreeSet<>(files.keySet());
        names.addAll(unusable.keySet());
        return List.copyOf(names);
    }

    /**
     * Saved state of all cursors, for read-only use.
     *
     * @param state        of the journal; a pending truncation is treated as complete.
     * @param lastSequence of the journal.
     */
    public List<SavedCursor> saved(final JournalMeta.State state, final long lastSequence)
    {
        final List<SavedCursor> saved = new ArrayList<>();
        for (final String name : names())
        {
            final JournalException error = unusable.get(name);
            saved.add(null == error ? saved(files.get(name), state, lastSequence) :
                new SavedCursor(name, -1, -1, error.getMessage()));
        }

        return saved;
    }

    private static SavedCursor saved(final CursorFile file, final JournalMeta.State state, final long lastSequence)
    {
        final JournalException missed = missedTruncation(file, state);
        if (null != missed)
        {
            return new SavedCursor(file.name(), -1, -1, missed.getMessage());
        }

        final long sequence = sequence(file, state);
        final long lag = Math.max(0, lastSequence - Math.max(sequence, state.startSequence - 1));
        return new SavedCursor(
            file.name(), sequence, lag, sequence <= lastSequence ? "" :
                aheadOfEnd(file, sequence, lastSequence).getMessage());
    }

    /**
     * Cursors that cannot be used, by name, with the reason. The journal still opens, unless a file cannot be read.
     */
    public Map<String, JournalException> unusable(final JournalMeta.State state)
    {
        final Map<String, JournalException> faults = new TreeMap<>(unusable);
        for (final CursorFile file : files.values())
        {
            final JournalException missed = missedTruncation(file, state);
            if (null != missed)
            {
                faults.put(file.name(), missed);
            }
        }

        return faults;
    }

    /**
     * Cursors that were saved at a record beyond the journal's end, by name, with the reason. Opening the journal
     * throws.
     */
    public Map<String, JournalException> aheadOfEnd(final JournalMeta.State state, final long lastSequence)
    {
        final Map<String, JournalException> faults = new TreeMap<>();
        for (final CursorFile file : files.values())
        {
            if (null == missedTruncation(file, state) && sequence(file, state) > lastSequence)
            {
                faults.put(file.name(), aheadOfEnd(file, sequence(file, state), lastSequence));
            }
        }

        return faults;
    }

    private static JournalException missedTruncation(final CursorFile file, final JournalMeta.State state)
    {
        final boolean isToBeCut = null != state.pending && file.epoch() == state.epoch - 1;
        return file.epoch() == state.epoch || isToBeCut ? null : CursorFile.unusable(
            file.name(), file.slotOffset() + 8, "truncation epoch " + state.epoch, "epoch " + file.epoch());
    }

    private static JournalException aheadOfEnd(final CursorFile file, final long sequence, final long lastSequence)
    {
        return CursorFile.unusable(
            file.name(), file.slotOffset() + 16, "at most sequence " + lastSequence, "sequence " + sequence);
    }

    /**
     * Sequence of a cursor once a pending truncation is complete.
     */
    private static long sequence(final CursorFile file, final JournalMeta.State state)
    {
        return null == state.pending ? file.sequence() : Math.min(file.sequence(), state.pending.sequence - 1);
    }

    /**
     * Copies the cursors into another directory, lowered to a sequence if above it. Unusable cursors are left out.
     */
    public void copyTo(final SegmentStore target, final long lastSequence) throws IOException
    {
        if (!files.isEmpty())
        {
            final SegmentStore child = target.child(JournalFiles.CURSORS);
            for (final CursorFile file : files.values())
            {
                CursorFile.create(child, file.name(), uuid, file.epoch(), Math.min(file.sequence(), lastSequence));
            }
            child.force();
        }
    }

    private void readAll(final SegmentStore directory) throws IOException
    {
        this.directory = directory;
        for (final String fileName : directory.list())
        {
            final String name = CursorFile.cursorOf(fileName);
            if (null != name)
            {
                read(name);
            }
        }
    }

    private void read(final String name) throws IOException
    {
        try
        {
            files.put(name, CursorFile.read(directory, name, uuid));
        }
        catch (final JournalException ex)
        {
            giveUp(name, ex);
        }
        catch (final NotRegularFileException ex)
        {
            giveUp(name, CursorFile.unusable(name, 0, "a regular file", "something else"));
        }
        catch (final IOException ex)
        {
            if (isLooking && ex instanceof NoSuchFileException)
            {
                // A writer deleted the file after it was listed.
                return;
            }

            final String message = "cannot read a cursor: file=" + CursorFile.path(name) + "; cause=" + ex;
            if (!isLooking)
            {
                throw new IOException(message, ex);
            }
            giveUp(name, new JournalException(message, ex));
        }
    }

    private void giveUp(final String name, final JournalException error)
    {
        files.remove(name);
        unusable.put(name, error);
    }

    /**
     * The truncation epoch in which cursors are saved.
     */
    public long epoch()
    {
        return epoch;
    }

    /**
     * The file of a cursor, or null.
     */
    public CursorFile file(final String name)
    {
        return files.get(name);
    }

    public Collection<CursorFile> files()
    {
        return files.values();
    }

    /**
     * Why a cursor cannot be used, or null.
     */
    public JournalException fault(final String name)
    {
        return unusable.get(name);
    }

    /**
     * Why any one of the cursors cannot be used, or null if all can.
     */
    public JournalException anyFault()
    {
        return unusable.values().stream().findAny().orElse(null);
    }

    /**
     * Creates the file of a cursor that does not exist. It is durable on return, including its name.
     *
     * @param latch that is set to failed if the fsync of a directory fails.
     * @throws NotBegunException if the fsync of a directory could not begin; no cursor was created.
     */
    public CursorFile create(final String name, final long sequence, final FailureLatch latch) throws IOException
    {
        if (null == directory)
        {
            final SegmentStore child = store.child(JournalFiles.CURSORS);
            DirectoryForce.force(store, latch);
            directory = child;
        }

        final CursorFile file = CursorFile.create(directory, name, uuid, epoch, sequence);
        try
        {
            DirectoryForce.force(directory, latch);
        }
        catch (final NotBegunException ex)
        {
            directory.delete(CursorFile.fileName(name));
            throw ex;
        }
        files.put(name, file);
        return file;
    }

    /**
     * Deletes the file of a cursor, usable or not. {@link #forceNames} must follow to make this durable.
     */
    public void delete(final String name) throws IOException
    {
        final CursorFile file = files.get(name);
        if (null != file)
        {
            file.close();
        }
        directory.delete(CursorFile.fileName(name));
        files.remove(name);
        unusable.remove(name);
    }

    /**
     * Whether there is or was a directory of cursors.
     */
    public boolean hasDirectory()
    {
        return null != directory;
    }

    public void forceNames(final FailureLatch latch) throws NotBegunException
    {
        DirectoryForce.force(directory, latch);
    }
}
