package io.journal.internal.manage;

import io.journal.internal.files.JournalFiles;
import java.util.Objects;
import io.journal.Snapshots;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.control.WriterFence;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.read.ReadSource;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.ErrorHandler;

/**
 * Saves, loads and discards the snapshots of a journal in use, and prunes by them. The contract is that of
 * {@code Snapshots}. Thread-safe. Normative text: {@code docs/format.md}, "Snapshots".
 */
public final class SnapshotLifecycle implements Snapshots, Backup.Part
{
    /** Of the newest valid snapshots. */
    static final int KEPT = 2;

    private interface Callback
    {
        void run() throws IOException;
    }

    private final SnapshotDirectory directory;
    private final SnapshotRecords records;
    private final SegmentLifecycle segments;
    private final Positions positions;
    private final Forcer forcer;
    private final FailureLatch latch;
    private final WriterFence fence;
    private final ErrorHandler errorHandler;
    // Excludes one another: save, load, prune and discardAfter, and backups.
    private final OrderedLock lock;
    private final List<JournalException> reports = new ArrayList<>();
    private boolean isInCallback;

    public SnapshotLifecycle(
        final SegmentStore store,
        final SegmentLifecycle segments,
        final ReadSource source,
        final Positions positions,
        final Forcer forcer,
        final WriterFence fence,
        final FailureLatch latch,
        final ErrorHandler errorHandler)
    {
        directory = new SnapshotDirectory(store, latch, reports::add);
        records = new SnapshotRecords(source, positions, segments);
        this.segments = segments;
        this.positions = positions;
        this.forcer = forcer;
        this.latch = latch;
        this.fence = fence;
        lock = new OrderedLock(LockLevel.SNAPSHOTS, latch);
        this.errorHandler = errorHandler;
    }

    @Override
    public void save(final long sequence, final Writer writer)
    {
        Objects.requireNonNull(writer, "writer");
        // Before this waits for a save or a backup: the state to be saved is that of the records there are now.
        final long number = records.beginNumber();
        locked("save a snapshot", () ->
        {
            final List<SnapshotFile> older = listNotAhead();
            if (!older.isEmpty() && older.get(0).sequence() > sequence)
            {
                throw new IllegalArgumentException(
                    "there is a newer snapshot: sequence=" + sequence + ", file=" + older.get(0).path());
            }

            records.checkRange(sequence);
            forcer.forceUpTo(sequence);
            final SnapshotFile.Origin origin = inHistory(() -> records.origin(sequence, number));
            directory.open(fence);
            final SnapshotFile file = directory.next(sequence);
            write(file, origin, number, writer);
            deleteOld(older);
            return null;
        });
    }

    @Override
    public long load(final Reader reader)
    {
        Objects.requireNonNull(reader, "reader");
        return locked("load a snapshot", () ->
        {
            final List<SnapshotFile> newest = verifyNewest(1);
            if (newest.isEmpty())
            {
                records.checkComplete();
                return 0L;
            }

            final SnapshotFile file = newest.get(0);
            records.checkNoGap(file.sequence());
            callBack(() -> directory.read(file, reader));
            return file.sequence();
        });
    }

    @Override
    public long prune()
    {
        return locked("prune by snapshots", () ->
        {
            // Verified again if they were before: the records they replace will be gone for good.
            final List<SnapshotFile> newest = verifyNewest(KEPT);
            if (newest.size() < KEPT)
            {
                return segments.firstSequence();
            }

            directory.forceNames();
            return inHistory(() -> segments.pruneBelowCursors(newest.get(KEPT - 1).sequence() + 1));
        });
    }

    @Override
    public long firstNeededSequence()
    {
        return locked("read the names of the snapshots", segments::neededBySnapshots);
    }

    @Override
    public int discardAfter(final long sequence)
    {
        return locked("discard snapshots", () -> inHistory(() -> directory.discardAfter(sequence)));
    }

    /**
     * Throws if a truncation would leave snapshots ahead of the journal. Takes no lock, since readers may be waiting
     * for the truncation. Runs under the lock of {@link SegmentLifecycle}, so no snapshot gets its name meanwhile; the
     * save of one that is being written finds the records truncated.
     */
    public void checkTruncation(final long sequence)
    {
        try
        {
            final List<SnapshotFile> files = directory.list();
            if (!files.isEmpty())
            {
                records.checkTruncation(files.get(0).sequence(), sequence);
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot truncate: sequence=" + sequence + "; cause=" + ex, ex);
        }
    }

    /**
     * Runs an action while no snapshot is saved, loaded or discarded.
     */
    public void exclusively(final Runnable action)
    {
        lock.lock();
        try
        {
            action.run();
        }
        finally
        {
            unlock();
        }
    }

    /**
     * Copies the snapshots that are not ahead of the copy, except corrupt ones, which are reported. Runs in
     * {@link #exclusively}.
     */
    @Override
    public void copyTo(final SegmentStore target, final long lastSequence) throws IOException
    {
        directory.copyTo(target, lastSequence);
    }

    /**
     * The newest snapshots that are not corrupt, at most a number of them. Throws if one does not match the journal.
     */
    private List<SnapshotFile> verifyNewest(final int count) throws IOException
    {
        final List<SnapshotFile> newest = new ArrayList<>();
        for (final SnapshotFile file : listNotAhead())
        {
            final SnapshotFile.Origin origin = newest.size() < count ? directory.verify(file) : null;
            if (null != origin)
            {
                inHistory(() -> records.check(file, origin));
                newest.add(file);
            }
        }

        return newest;
    }

    private List<SnapshotFile> listNotAhead() throws IOException
    {
        final List<SnapshotFile> files = directory.list();
        if (!files.isEmpty())
        {
            records.checkNotAhead(files.get(0).sequence());
        }

        return files;
    }

    private void write(
        final SnapshotFile file,
        final SnapshotFile.Origin origin,
        final long number,
        final Writer writer) throws IOException
    {
        try
        {
            try (SegmentFile output = inHistory(directory::createTemporary))
            {
                callBack(() -> file.write(output, origin, writer));
                directory.force(output);
            }
            inHistory(() ->
            {
                records.checkNotTruncated(file.sequence(), number);
                directory.publish(file, fence);
                return null;
            });
        }
        catch (final Throwable ex)
        {
            deleteTemporary(ex);
            throw ex;
        }
    }

    private void deleteTemporary(final Throwable failure)
    {
        try
        {
            segments.exclusively(() ->
            {
                // Once the journal is closed, the file may be another process's.
                if (latch.isOpen())
                {
                    fence.check();
                    directory.deleteTemporary();
                }
                return null;
            });
        }
        catch (final IOException | JournalException ex)
        {
            // Left for the next save to delete.
            failure.addSuppressed(ex);
        }
    }

    /**
     * Deletes snapshots older than the newest valid ones, without an fsync: the next save deletes one that reappears.
     *
     * @param older than the one that was just saved.
     */
    private void deleteOld(final List<SnapshotFile> older)
    {
        try
        {
            int count = 1;
            for (final SnapshotFile file : older)
            {
                if (KEPT == count)
                {
                    inHistory(() -> directory.delete(file));
                }
                else if (directory.isValid(file))
                {
                    count++;
                }
            }
        }
        catch (final IOException | JournalException ex)
        {
            // The snapshot is saved nevertheless.
            reports.add(new JournalException("cannot delete old snapshots; cause=" + ex, ex));
        }
    }

    /**
     * Runs an action that excludes prune, retention, truncation, and the release of the journal to another process by
     * closing.
     */
    private <T> T inHistory(final SegmentLifecycle.Action<T> action) throws IOException
    {
        return segments.exclusively(() ->
        {
            latch.check();
            fence.check();
            return action.run();
        });
    }

    /**
     * Calls the application, which must not use the snapshots meanwhile.
     */
    private void callBack(final Callback callback) throws IOException
    {
        isInCallback = true;
        try
        {
            callback.run();
        }
        finally
        {
            isInCallback = false;
        }
    }

    private <T> T locked(final String what, final SegmentLifecycle.Action<T> action)
    {
        lock.lock();
        try
        {
            if (isInCallback)
            {
                throw new IllegalStateException("cannot " + what + " while one is being saved or loaded");
            }

            latch.check();
            return action.run();
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space to " + what + ": nothing is left of it; free some space and try again; cause=" + ex, ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot " + what + "; cause=" + ex, ex);
        }
        finally
        {
            unlock();
        }
    }

    private void unlock()
    {
        final List<JournalException> reported = List.copyOf(reports);
        reports.clear();
        lock.unlock();
        // After unlocking: the handler may call any method of the journal, and wait for threads that do.
        assert reported.isEmpty() || OrderedLock.isCallbackAllowed(latch);
        reported.forEach(errorHandler::onError);
    }

    @Override
    public String toString()
    {
        return "Snapshots{directory=" + JournalFiles.SNAPSHOTS + '}';
    }
}
