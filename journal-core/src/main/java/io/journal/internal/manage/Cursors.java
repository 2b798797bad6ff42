package io.journal.internal.manage;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Objects;
import java.util.function.LongSupplier;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.CursorName;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.read.Terms;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

/**
 * The cursors of a journal in use: created, saved once their record is durable, and deleted. Thread-safe.
 */
public final class Cursors implements AutoCloseable
{
    private static final int MAX_OPEN = 16;

    private final CursorFiles files;
    private final Positions positions;
    private final Forcer forcer;
    private final LongSupplier firstSequence;
    private final Terms terms;
    private final FailureLatch latch;
    private final WriterFence fence;
    // Excludes saving, creating and deleting cursors from each other and, by hold(), from truncation, retention and
    // pruning by snapshots.
    private final OrderedLock lock;
    private final RetentionObstacle obstacle;
    // Files kept open for the next save, the least recently saved first. Each takes two descriptors.
    private final Deque<CursorFile> open = new ArrayDeque<>();
    private boolean isClosed;

    public Cursors(
        final CursorFiles files,
        final Positions positions,
        final Forcer forcer,
        final LongSupplier firstSequence,
        final Terms terms,
        final FailureLatch latch,
        final WriterFence fence)
    {
        this.files = files;
        this.positions = positions;
        this.forcer = forcer;
        this.firstSequence = firstSequence;
        this.terms = terms;
        this.latch = latch;
        this.fence = fence;
        lock = new OrderedLock(LockLevel.CURSORS, latch);
        obstacle = new RetentionObstacle();
        files.fence(fence);
    }

    public CursorFiles files()
    {
        return files;
    }

    /**
     * Returns the cursor of a name, and creates it if there is none.
     */
    public CursorFile get(final String name)
    {
        CursorName.check(Objects.requireNonNull(name, "name"));
        lock.lock();
        try
        {
            check();
            final CursorFile file = verified(name);
            if (null != file && null != file.fault())
            {
                throw unusable(file.fault());
            }
            return null == file ? create(name) : file;
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * The cursor of a name, or null. At its first use, its record is compared with the journal's: the files of cursors
     * may be of another history than the journal.
     */
    private CursorFile verified(final String name)
    {
        final CursorFile file = files.file(name);
        if (null != file && null == file.fault() && !file.isVerified())
        {
            try
            {
                file.verify(terms.of(file.sequence()));
            }
            catch (final CorruptJournalException ignore)
            {
                // Reported to a reader that begins here.
            }
        }
        return file;
    }

    /** What was saved in a cursor. */
    Checkpoint saved(final CursorFile file)
    {
        lock.lock();
        try
        {
            return new Checkpoint(file.term(), file.sequence());
        }
        finally
        {
            lock.unlock();
        }
    }

    private static JournalException unusable(final JournalException fault)
    {
        if (CursorFile.isUnreadable(fault))
        {
            return new JournalException(
                fault.getMessage() + "; ask for it again once it can be read; if it is lost for good, delete it, and " +
                    "its consumer begins again",
                fault, fault.file(), fault.offset(), fault.sequence());
        }

        final String message = fault.getMessage() + "; delete the cursor to let its consumer begin again";
        return fault instanceof UnsupportedFormatException ?
            new UnsupportedFormatException(message, fault) :
            new CorruptJournalException(message, fault, fault.file(), fault.offset(), fault.sequence());
    }

    private CursorFile create(final String name)
    {
        try
        {
            fence.check();
            final long sequence = firstSequence.getAsLong() - 1;
            final CursorFile file = files.create(name, sequence, terms.of(sequence), latch, fence);
            fence.check();
            return file;
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space for a cursor: bytes=" + CursorFile.LENGTH + ", file=" + CursorName.path(name) +
                    "; free some space and ask for it again",
                ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot make a cursor: file=" + CursorName.path(name) + "; cause=" + ex, ex);
        }
    }

    /**
     * Saves a sequence, after its record is durable.
     *
     * @param epoch in which the caller has read the record.
     */
    void save(final CursorFile file, final long sequence, final long epoch)
    {
        latch.check();
        checkRange(sequence);
        do
        {
            latch.check();
            if (epoch != files.epoch())
            {
                throw new IllegalStateException(
                    "records were truncated while the cursor was saved: name=" + file.name() + ", sequence=" +
                        sequence);
            }
            // Without the lock, so that a thread that holds it can fsync.
            forcer.forceUpTo(sequence);
        }
        while (!trySave(file, sequence, epoch));
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

    /**
     * Returns false if the record is not durable any more: it was truncated, and another may have its sequence.
     */
    private boolean trySave(final CursorFile file, final long sequence, final long epoch)
    {
        lock.lock();
        try
        {
            check();
            if (epoch != files.epoch() || sequence > positions.forcedSequence())
            {
                return false;
            }
            if (file != files.file(file.name()))
            {
                throw new IllegalStateException("cursor was deleted: name=" + file.name());
            }
            // Again: retention may have dropped records while this waited, and keeps the lock while it does.
            checkRange(sequence);

            final long term = terms.of(sequence);
            begin(file);
            file.save(sequence, term);
            fence.check();
            return true;
        }
        catch (final IOException ex)
        {
            throw latch.fail(ex).exception("saving a cursor", ex);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Called before anything is written: a failure to open, as with file-descriptor exhaustion, or to determine whether
     * the journal is still owned is no failure of storage.
     */
    private void begin(final CursorFile file)
    {
        open.remove(file);
        if (open.size() == MAX_OPEN)
        {
            CloseHelper.quietClose(open.removeFirst());
        }
        try
        {
            file.open();
            open.addLast(file);
            fence.check();
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot open a cursor, nothing was saved: file=" + CursorName.path(file.name()) + "; cause=" + ex, ex);
        }
    }

    public long lag(final long sequence)
    {
        return Math.max(0, positions.appendedSequence() - Math.max(sequence, firstSequence.getAsLong() - 1));
    }

    public void delete(final CursorFile file)
    {
        delete(file.name(), file);
    }

    /**
     * Deletes the cursor of a name, usable or not, if there is one.
     */
    public void delete(final String name)
    {
        if (CursorName.isValid(name))
        {
            delete(name, null);
        }
    }

    private void delete(final String name, final CursorFile file)
    {
        lock.lock();
        try
        {
            check();
            fence.check();
            files.delete(name, file, latch);
            open.removeIf((known) -> known.name().equals(name));
            fence.check();
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot delete a cursor: file=" + CursorName.path(name) + "; cause=" + ex, ex);
        }
        finally
        {
            lock.unlock();
        }
    }

    private void check()
    {
        latch.check();
        if (isClosed)
        {
            throw new IllegalStateException("journal is closed");
        }
    }

    /**
     * Excludes saving, creating and deleting cursors until {@link #release()}. A truncation calls it before it begins
     * and releases once positions are lowered. The caller may change {@link #files()} meanwhile. A save does not wait
     * for an fsync of the journal while it has the lock.
     */
    void hold()
    {
        lock.lock();
    }

    void release()
    {
        lock.unlock();
    }

    /**
     * Checks that each cursor can be read, after reading again those that could not be, and verifies those that were
     * not used yet. One whose file is corrupt counts as read.
     *
     * @throws JournalException if one cannot be read; its file may be intact.
     */
    public void checkReadable()
    {
        lock.lock();
        try
        {
            for (final String name : files.names())
            {
                final CursorFile file = verified(name);
                if (null != file && CursorFile.isUnreadable(file.fault()))
                {
                    throw unusable(file.fault());
                }
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * The last record that all consumers have processed: {@link Long#MAX_VALUE} if there are no cursors; 0 if one
     * cannot be used, since its consumer may need every record. One that could not be read is read again.
     */
    public long oldestSequence()
    {
        lock.lock();
        try
        {
            long oldest = Long.MAX_VALUE;
            for (final String name : files.names())
            {
                final CursorFile file = verified(name);
                if (null != file && null != file.fault())
                {
                    obstacle.unusable(file.fault());
                    return 0;
                }
                oldest = null == file ? oldest : Math.min(oldest, file.sequence());
            }

            return oldest;
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * The oldest record that some consumer has not processed, or {@link Long#MAX_VALUE} if there are no cursors.
     */
    long oldestNeeded()
    {
        final long done = oldestSequence();
        return Long.MAX_VALUE == done ? done : done + 1;
    }

    /**
     * Notes how much retention keeps only because a consumer has not passed it, or because the snapshots need it: 0
     * bytes if nothing.
     */
    void heldBack(final long bytes, final boolean isBySnapshots, final long nowMs)
    {
        if (0 == bytes)
        {
            obstacle.behind(null, nowMs);
        }
        else if (isBySnapshots)
        {
            obstacle.behind(
                "snapshots hold back retention: journal=" + latch.journal() + ", bytes=" + bytes +
                    "; save a newer one; if the application saves none any more, close the journal and move the " +
                    "directory snapshots away",
                nowMs);
        }
        else
        {
            files.files().stream().filter((file) -> null == file.fault())
                .min(Comparator.comparingLong(CursorFile::sequence)).ifPresent((file) -> obstacle.behind(
                    "a consumer holds back retention: journal=" + latch.journal() + ", cursor=" + file.name() +
                        ", sequence=" + file.sequence() + ", bytes=" + bytes +
                        "; if it is gone for good, delete its cursor",
                    nowMs));
        }
    }

    /**
     * Reports that a cursor blocks retention. Call without holding a lock.
     */
    public void reportObstacle(final ErrorHandler errorHandler)
    {
        obstacle.report(errorHandler);
    }

    @Override
    public void close()
    {
        lock.lock();
        try
        {
            isClosed = true;
            files.files().forEach(CloseHelper::quietClose);
        }
        finally
        {
            lock.unlock();
        }
    }
}
