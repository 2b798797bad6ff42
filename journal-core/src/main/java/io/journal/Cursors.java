package io.journal;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongSupplier;

import io.journal.store.NoSpaceException;
import io.journal.store.NotBegunException;
import io.journal.store.NotRegularFileException;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

/**
 * The cursors of a journal. Normative text: {@code docs/format.md}, "Cursors".
 * <p>
 * A cursor is saved only when its record is forced, so what it says also attests that. Truncations go on with each to
 * a new epoch: one of another epoch missed that, and is not used.
 */
final class Cursors implements AutoCloseable
{
    private final SegmentStore store;
    private final UUID uuid;
    private final boolean isLooking;
    private final Map<String, JournalCursor> cursors = new ConcurrentHashMap<>();
    private final Map<String, JournalException> unusable = new ConcurrentHashMap<>();
    // Shared by those who save, so that they do so side by side; exclusive for whatever else changes.
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    // One that holds back what was to be dropped, and whether somebody was told so.
    private volatile JournalException obstacle;
    private final AtomicBoolean isToldUnusable = new AtomicBoolean();
    private SegmentStore directory;
    private Positions positions;
    private Forcer forcer;
    private LongSupplier firstSequence;
    private Health health;
    private boolean isForcedPeriodically;
    // Whether the file of a cursor was deleted and its name may still be on the device.
    private boolean isDeletionUnforced;
    private long epoch;
    private boolean isClosed;

    private Cursors(final SegmentStore store, final UUID uuid, final boolean isLooking)
    {
        this.store = store;
        this.uuid = uuid;
        this.isLooking = isLooking;
    }

    /**
     * Reads the cursors of a journal. Changes nothing, and refuses no content: files that are damaged stay as they are.
     *
     * @throws IOException if one cannot be read: it may attest a record, or know a truncation, that nothing else tells.
     */
    static Cursors load(final SegmentStore store, final UUID uuid) throws IOException
    {
        return load(new Cursors(store, uuid, false));
    }

    /**
     * The same for who only looks: one that cannot be read is unusable, and the others are told.
     */
    static Cursors look(final SegmentStore store, final UUID uuid) throws IOException
    {
        return load(new Cursors(store, uuid, true));
    }

    private static Cursors load(final Cursors cursors) throws IOException
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
                // No directory: who asks for a cursor is told.
            }
        }

        return cursors;
    }

    /**
     * Checks that the journal holds what its cursors attest.
     *
     * @param epoch        of the journal, all truncations complete.
     * @param lastSequence that was found.
     * @param endReason    what is behind it.
     * @throws CorruptJournalException if a record is gone that a cursor was saved at.
     */
    void check(final long epoch, final long lastSequence, final String endReason)
    {
        this.epoch = epoch;
        for (final JournalCursor cursor : cursors.values())
        {
            final CursorFile file = cursor.file();
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
     * Writes again what was read: after a save whose force failed, memory may show a place that the device does not
     * have, and no consumer may be told of it and then find itself further back.
     */
    void confirm() throws IOException
    {
        for (final JournalCursor cursor : cursors.values())
        {
            final CursorFile file = cursor.file();
            try (file)
            {
                file.confirm();
            }
        }
    }

    /**
     * Deletes what creations have left that did not end, and forces all names: who made or deleted the newest ones may
     * have been killed before that.
     */
    void settleNames() throws IOException
    {
        if (null != directory)
        {
            CursorFile.deleteSpare(directory);
            directory.force();
        }
    }

    /**
     * Lets cursors be asked for and saved.
     */
    void start(
        final Positions positions,
        final Forcer forcer,
        final LongSupplier firstSequence,
        final Health health,
        final ForcePolicy policy)
    {
        this.positions = positions;
        this.forcer = forcer;
        this.firstSequence = firstSequence;
        this.health = health;
        isForcedPeriodically = policy.isPeriodic();
    }

    /**
     * Keeps cursors from being saved until {@link #release()}: to be called before a truncation of a journal in use
     * begins, and released once its positions are lowered. The caller may {@link #clamp} meanwhile. Whoever saves
     * waits for nothing while it keeps others out.
     */
    void hold()
    {
        lock.writeLock().lock();
    }

    void release()
    {
        lock.writeLock().unlock();
    }

    /**
     * Goes back, durably, with all cursors that are above the last record that a truncation leaves, and on with all to
     * its epoch. To be made again, with the same arguments, if a crash comes before the truncation is complete.
     */
    void clamp(final long epoch, final long lastSequence) throws IOException
    {
        lock.writeLock().lock();
        try
        {
            for (final JournalCursor cursor : cursors.values())
            {
                // One that missed a truncation before this one may be anywhere.
                final CursorFile file = cursor.file();
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
        finally
        {
            lock.writeLock().unlock();
        }
    }

    /**
     * The highest truncation epoch that a cursor was saved in, or -1 if there is none.
     */
    long highestEpoch()
    {
        return cursors.values().stream().mapToLong((cursor) -> cursor.file().epoch()).max().orElse(-1);
    }

    /**
     * The last record that all consumers are done with.
     *
     * @return its sequence; {@link Long#MAX_VALUE} if there are no cursors; 0 if a cursor cannot be used, since that
     *         consumer may want everything.
     */
    long oldestSequence()
    {
        for (final JournalException error : unusable.values())
        {
            obstacle = error;
            return 0;
        }

        long oldest = Long.MAX_VALUE;
        for (final JournalCursor cursor : cursors.values())
        {
            oldest = Math.min(oldest, cursor.sequence());
        }

        return oldest;
    }

    /**
     * Tells, once, that a cursor that cannot be used holds back what was to be dropped. To be called without a lock.
     */
    void tellObstacle(final ErrorHandler errorHandler)
    {
        final JournalException error = obstacle;
        if (null != error && isToldUnusable.compareAndSet(false, true))
        {
            errorHandler.onError(error);
        }
    }

    /**
     * Names of all cursors, also of those that cannot be used.
     */
    List<String> names()
    {
        final TreeSet<String> names = new TreeSet<>(cursors.keySet());
        names.addAll(unusable.keySet());
        return List.copyOf(names);
    }

    /**
     * What the files say, for somebody who only looks.
     *
     * @param state        of the journal; of a truncation that is still to be made, cursors are where it will put them.
     * @param lastSequence of the journal.
     */
    List<SavedCursor> saved(final JournalMeta.State state, final long lastSequence)
    {
        final List<SavedCursor> saved = new ArrayList<>();
        for (final String name : names())
        {
            final JournalException error = unusable.get(name);
            saved.add(null == error ? saved(cursors.get(name).file(), state, lastSequence) :
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
     * Cursors that cannot be used, by name, with the reason. The journal opens all the same, unless a file cannot be
     * read.
     */
    Map<String, JournalException> unusable(final JournalMeta.State state)
    {
        final Map<String, JournalException> faults = new TreeMap<>(unusable);
        for (final JournalCursor cursor : cursors.values())
        {
            final JournalException missed = missedTruncation(cursor.file(), state);
            if (null != missed)
            {
                faults.put(cursor.name(), missed);
            }
        }

        return faults;
    }

    /**
     * Cursors that were saved at a record behind the journal's end, by name, with the reason. Opening refuses the
     * journal.
     */
    Map<String, JournalException> aheadOfEnd(final JournalMeta.State state, final long lastSequence)
    {
        final Map<String, JournalException> faults = new TreeMap<>();
        for (final JournalCursor cursor : cursors.values())
        {
            final CursorFile file = cursor.file();
            if (null == missedTruncation(file, state) && sequence(file, state) > lastSequence)
            {
                faults.put(cursor.name(), aheadOfEnd(file, sequence(file, state), lastSequence));
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
     * Where a cursor will be once a pending truncation is complete.
     */
    private static long sequence(final CursorFile file, final JournalMeta.State state)
    {
        return null == state.pending ? file.sequence() : Math.min(file.sequence(), state.pending.sequence - 1);
    }

    JournalCursor get(final String name)
    {
        if (!CursorFile.isName(Objects.requireNonNull(name, "name")))
        {
            throw new IllegalArgumentException(
                "a cursor's name is 1 to 100 of A-Z, a-z, 0-9, dot, underscore and hyphen, not beginning with a dot: " +
                    "name=" + name);
        }

        lock.writeLock().lock();
        try
        {
            check();
            final JournalException error = unusable.get(name);
            if (null != error)
            {
                final String message = error.getMessage() + "; delete the cursor to let its consumer begin again";
                throw error instanceof UnsupportedFormatException ?
                    new UnsupportedFormatException(message, error) : new CorruptJournalException(message, error);
            }

            final JournalCursor cursor = cursors.get(name);
            return null == cursor ? create(name) : cursor;
        }
        finally
        {
            lock.writeLock().unlock();
        }
    }

    void save(final JournalCursor cursor, final long sequence)
    {
        health.check();
        checkRange(sequence);
        final long epoch = epoch();
        do
        {
            health.check();
            if (epoch != epoch())
            {
                throw new IllegalStateException(
                    "records were cut while the cursor was saved: name=" + cursor.name() + ", sequence=" + sequence);
            }
            if (sequence > positions.forcedSequence())
            {
                // Without the lock, so that who holds it may force.
                forceUpTo(sequence);
            }
        }
        while (!trySave(cursor, sequence, epoch));
    }

    private long epoch()
    {
        lock.readLock().lock();
        try
        {
            return epoch;
        }
        finally
        {
            lock.readLock().unlock();
        }
    }

    long lag(final long sequence)
    {
        return Math.max(0, positions.appendedSequence() - Math.max(sequence, firstSequence.getAsLong() - 1));
    }

    void delete(final JournalCursor cursor)
    {
        delete(cursor.name(), cursor);
    }

    void delete(final String name)
    {
        delete(name, null);
    }

    /**
     * Copies the cursors into another directory, none above a sequence. Those that cannot be used are left out.
     */
    void copyTo(final SegmentStore target, final long lastSequence) throws IOException
    {
        if (!cursors.isEmpty())
        {
            final SegmentStore child = target.child(JournalFiles.CURSORS);
            for (final JournalCursor cursor : cursors.values())
            {
                final CursorFile file = cursor.file();
                CursorFile.create(child, file.name(), uuid, file.epoch(), Math.min(file.sequence(), lastSequence));
            }
            child.force();
        }
    }

    @Override
    public void close()
    {
        lock.writeLock().lock();
        try
        {
            isClosed = true;
            cursors.values().forEach((cursor) -> CloseHelper.quietClose(cursor.file()));
        }
        finally
        {
            lock.writeLock().unlock();
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
            cursors.put(name, new JournalCursor(this, CursorFile.read(directory, name, uuid)));
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
                // A writer has deleted it since it was listed.
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
        cursors.remove(name);
        unusable.put(name, error);
    }

    private void check()
    {
        health.check();
        if (isClosed)
        {
            throw new JournalClosedException("journal is closed");
        }
    }

    /**
     * At once, also if forces are made in intervals: the thread that saves may be the one that runs the companion.
     */
    private void forceUpTo(final long sequence)
    {
        if (isForcedPeriodically)
        {
            forcer.force();
        }
        else
        {
            forcer.awaitForced(sequence);
        }
    }

    /**
     * @return false if the record is not forced any more: another one has taken its place.
     */
    private boolean trySave(final JournalCursor cursor, final long sequence, final long epoch)
    {
        lock.readLock().lock();
        try
        {
            check();
            if (epoch != this.epoch || sequence > positions.forcedSequence())
            {
                return false;
            }

            // Not the cursor, which is the user's to lock.
            synchronized (cursor.file())
            {
                if (cursor != cursors.get(cursor.name()))
                {
                    throw new IllegalStateException("cursor was deleted: name=" + cursor.name());
                }
                open(cursor.file());
                forcer.checkOwned();
                cursor.file().save(sequence);
                forcer.checkOwned();
            }
            return true;
        }
        catch (final IOException ex)
        {
            throw health.fail("saving a cursor", ex);
        }
        finally
        {
            lock.readLock().unlock();
        }
    }

    /**
     * Before anything is written: if that cannot be done, as without a descriptor, storage has not failed.
     */
    private static void open(final CursorFile file)
    {
        try
        {
            file.open();
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot open a cursor, nothing was saved: file=" + CursorFile.path(file.name()) + "; cause=" + ex, ex);
        }
    }

    private void checkRange(final long sequence)
    {
        final long first = firstSequence.getAsLong();
        final long last = positions.appendedSequence();
        if (sequence < first - 1 || sequence > last)
        {
            throw new IllegalArgumentException(
                "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + first +
                    ", lastSequence=" + last);
        }
    }

    private JournalCursor create(final String name)
    {
        final CursorFile file;
        try
        {
            if (null == directory)
            {
                final SegmentStore child = store.child(JournalFiles.CURSORS);
                DirectoryForce.force(store, health);
                directory = child;
            }
            file = CursorFile.create(directory, name, uuid, epoch, firstSequence.getAsLong() - 1);
            forceName(name);
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space for a cursor: bytes=" + CursorFile.LENGTH + ", file=" + CursorFile.path(name) +
                    "; free some space and ask for it again",
                ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot make a cursor: file=" + CursorFile.path(name) + "; cause=" + ex, ex);
        }

        final JournalCursor cursor = new JournalCursor(this, file);
        cursors.put(name, cursor);
        return cursor;
    }

    /**
     * @param cursor that is meant, or null for any of that name.
     */
    private void delete(final String name, final JournalCursor cursor)
    {
        lock.writeLock().lock();
        try
        {
            check();
            final JournalCursor present = cursors.get(name);
            if (null != directory && (null == cursor ? CursorFile.isName(name) : cursor == present))
            {
                if (null != present)
                {
                    present.file().close();
                }
                isDeletionUnforced = true;
                directory.delete(CursorFile.fileName(name));
                cursors.remove(name);
                unusable.remove(name);
            }
            if (isDeletionUnforced)
            {
                // Also if it is an earlier one: its caller was told that the same call may work later.
                DirectoryForce.force(directory, health);
                isDeletionUnforced = false;
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot delete a cursor: file=" + CursorFile.path(name) + "; cause=" + ex, ex);
        }
        finally
        {
            lock.writeLock().unlock();
        }
    }

    private void forceName(final String name) throws IOException
    {
        try
        {
            DirectoryForce.force(directory, health);
        }
        catch (final NotBegunException ex)
        {
            directory.delete(CursorFile.fileName(name));
            throw ex;
        }
    }
}
