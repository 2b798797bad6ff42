package io.journal.internal.manage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.ForcePolicy;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.DirectoryForce;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.SnapshotContent;
import io.journal.internal.files.SnapshotFile;
import io.journal.internal.format.Block;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.read.ReadSource;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.store.SegmentStore.NotBegunException;
import io.journal.store.SegmentStore;
import org.agrona.ErrorHandler;

/**
 * Saves, loads and deletes the snapshots of a journal, and prunes by them. The contract is that of {@code Snapshots}.
 * Normative text: {@code docs/format.md}, "Snapshots".
 */
public final class SnapshotKeeper
{
    private static final int KEPT = 2;

    private interface Action<T>
    {
        T run() throws IOException;
    }

    private interface IoRunnable
    {
        void run() throws IOException;
    }

    private final SegmentStore store;
    private final SnapshotRecords records;
    private final Positions positions;
    private final Forcer forcer;
    private final boolean isForcedPeriodically;
    private final SegmentLifecycle history;
    private final Cursors cursors;
    private final FailureLatch latch;
    private final ErrorHandler errorHandler;
    // Excludes one another: save, load, prune and discardAfter, and backups (heldBy).
    private final OrderedLock lock;
    // Written or verified since the journal was opened.
    private final Set<SnapshotFile> valid = new HashSet<>();
    private final List<JournalException> reports = new ArrayList<>();
    private SegmentStore directory;
    private boolean isDirectoryDurable;
    private boolean isInCallback;

    public SnapshotKeeper(
        final SegmentStore store,
        final UUID uuid,
        final ReadSource source,
        final Positions positions,
        final Forcer forcer,
        final ForcePolicy policy,
        final SegmentLifecycle history,
        final Cursors cursors,
        final FailureLatch latch,
        final ErrorHandler errorHandler)
    {
        this.store = store;
        records = new SnapshotRecords(uuid, source, positions, history);
        this.positions = positions;
        this.forcer = forcer;
        isForcedPeriodically = policy.isPeriodic();
        this.history = history;
        this.cursors = cursors;
        this.latch = latch;
        lock = new OrderedLock(LockLevel.SNAPSHOTS, latch);
        this.errorHandler = errorHandler;
    }

    public void save(final long sequence, final SnapshotContent.Writer writer)
    {
        locked("save a snapshot", () ->
        {
            final List<SnapshotFile> older = list();
            records.checkNotAhead(older);
            if (!older.isEmpty() && newest(older).sequence > sequence)
            {
                throw new IllegalArgumentException(
                    "there is a newer snapshot: sequence=" + sequence + ", file=" + newest(older).path());
            }

            makeDurable(sequence);
            final SnapshotFile.Origin origin = history(() -> records.origin(sequence));
            openDirectory();
            final SnapshotFile file = new SnapshotFile(sequence, nextNumber(sequence));
            write(file, origin, writer);
            valid.add(file);
            older.add(file);
            deleteOld(older);
            return null;
        });
    }

    public long load(final SnapshotContent.Reader reader)
    {
        return locked("load a snapshot", () ->
        {
            final List<SnapshotFile> files = list();
            records.checkNotAhead(files);
            for (int i = files.size() - 1; i >= 0; i--)
            {
                final SnapshotFile file = files.get(i);
                final SnapshotFile.Origin origin = verify(file);
                if (null != origin)
                {
                    history(() -> records.check(file, origin));
                    records.checkNoGap(file.sequence);
                    inCallback(() -> file.read(directory, reader));
                    return file.sequence;
                }
            }

            records.checkComplete();
            return 0L;
        });
    }

    public long prune()
    {
        return locked("prune by snapshots", () ->
        {
            final List<SnapshotFile> files = list();
            records.checkNotAhead(files);
            int count = 0;
            for (int i = files.size() - 1; i >= 0 && count < KEPT; i--)
            {
                final SnapshotFile file = files.get(i);
                // Verified again if it was before: the records it replaces will be gone for good.
                final SnapshotFile.Origin origin = verify(file);
                if (null != origin)
                {
                    history(() -> records.check(file, origin));
                    count++;
                    if (KEPT == count)
                    {
                        forceNames();
                        history(() -> pruneTo(file.sequence + 1));
                    }
                }
            }

            return history.firstSequence();
        });
    }

    public int discardAfter(final long sequence)
    {
        return locked("discard snapshots", () ->
        {
            final List<SnapshotFile> files = list();
            return null == directory ? 0 : history(() ->
            {
                int count = 0;
                for (final SnapshotFile file : files)
                {
                    if (file.sequence > sequence)
                    {
                        directory.rename(file.name(), file.discardedName());
                        count++;
                    }
                }
                // Even if there was none: a process that discarded them may have been killed before its fsync.
                DirectoryForce.force(directory, latch);
                return count;
            });
        });
    }

    /**
     * Throws if a truncation would leave snapshots ahead of the journal. Takes no lock, since readers may be waiting
     * for the truncation: the next load reports a snapshot that is saved meanwhile.
     */
    public void checkTruncation(final long sequence)
    {
        try
        {
            if (store.list().contains(JournalFiles.SNAPSHOTS))
            {
                for (final String name : store.child(JournalFiles.SNAPSHOTS).list())
                {
                    final SnapshotFile file = SnapshotFile.of(name);
                    if (null != file && file.sequence > sequence)
                    {
                        throw records.mismatch(
                            file.sequence, "a snapshot contains records that are to be truncated",
                            "nothing was changed; to give it up as well, snapshots().discardAfter(" + sequence +
                                ") first");
                    }
                }
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot truncate: sequence=" + sequence + "; cause=" + ex, ex);
        }
    }

    /**
     * Runs an action that excludes saving, loading and deleting snapshots.
     */
    public void heldBy(final Runnable action)
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
     * Copies the snapshots to another directory, except corrupt ones, which are reported, and those that are ahead of
     * the copy. Call from an action of {@link #heldBy}.
     */
    void copyTo(final SegmentStore target, final long lastSequence) throws IOException
    {
        SegmentStore child = null;
        for (final SnapshotFile file : list())
        {
            if (file.sequence <= lastSequence)
            {
                child = null == child ? target.child(JournalFiles.SNAPSHOTS) : child;
                file.copy(directory, child);
                try
                {
                    // Verifies the copy, not the source.
                    file.verify(child);
                }
                catch (final CorruptJournalException ex)
                {
                    reports.add(ex);
                    child.delete(file.name());
                }
            }
        }
        if (null != child)
        {
            child.force();
            // Makes the name of the directory durable: the copy must not become a journal without it.
            target.force();
        }
    }

    private void makeDurable(final long sequence)
    {
        records.checkRange(sequence);
        if (sequence > positions.forcedSequence())
        {
            // At once, even under a periodic policy: the calling thread may be the one that runs the background agent.
            if (isForcedPeriodically)
            {
                forcer.force();
            }
            else
            {
                forcer.awaitForced(sequence);
            }
        }
    }

    private void write(final SnapshotFile file, final SnapshotFile.Origin origin, final SnapshotContent.Writer writer)
        throws IOException
    {
        try
        {
            try (SegmentFile output = history(() ->
            {
                directory.delete(SnapshotFile.TEMPORARY);
                return directory.create(SnapshotFile.TEMPORARY, Block.LENGTH);
            }))
            {
                inCallback(() -> file.write(output, origin, writer));
                force(output);
            }
            history(() -> publish(file, origin));
        }
        catch (final Throwable ex)
        {
            deleteTemporary(ex);
            throw ex;
        }
    }

    private void force(final SegmentFile file) throws IOException
    {
        final long length = file.length();
        try
        {
            file.force(0, length);
        }
        catch (final Throwable ex)
        {
            throw latch.fail("fsync of a snapshot", ex);
        }
    }

    private Void publish(final SnapshotFile file, final SnapshotFile.Origin origin) throws IOException
    {
        records.checkUncut(file.sequence, origin);

        directory.rename(SnapshotFile.TEMPORARY, file.name());
        try
        {
            DirectoryForce.force(directory, latch);
            forcer.checkOwned();
        }
        catch (final NotBegunException ex)
        {
            directory.delete(file.name());
            throw ex;
        }
        return null;
    }

    private void deleteTemporary(final Throwable failure)
    {
        history.hold();
        try
        {
            // Once the journal is closed, the file may be another process's.
            if (latch.isOpen())
            {
                forcer.checkOwned();
                directory.delete(SnapshotFile.TEMPORARY);
            }
        }
        catch (final IOException | JournalException ex)
        {
            // Left for the next save to delete.
            failure.addSuppressed(ex);
        }
        finally
        {
            history.release();
        }
    }

    /**
     * Deletes snapshots older than the newest valid ones, without an fsync: the next save deletes one that reappears.
     */
    private void deleteOld(final List<SnapshotFile> files)
    {
        try
        {
            int count = 0;
            for (int i = files.size() - 1; i >= 0; i--)
            {
                final SnapshotFile file = files.get(i);
                if (count == KEPT)
                {
                    history(() ->
                    {
                        directory.delete(file.name());
                        return valid.remove(file);
                    });
                }
                else if (valid.contains(file) || null != verify(file))
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

    private List<SnapshotFile> list() throws IOException
    {
        final List<SnapshotFile> files = new ArrayList<>();
        if (null == directory && store.list().contains(JournalFiles.SNAPSHOTS))
        {
            directory = store.child(JournalFiles.SNAPSHOTS);
        }
        if (null != directory)
        {
            for (final String name : directory.list())
            {
                final SnapshotFile file = SnapshotFile.of(name);
                if (null != file)
                {
                    files.add(file);
                }
            }
        }
        Collections.sort(files);

        return files;
    }

    private long nextNumber(final long sequence) throws IOException
    {
        long number = 0;
        for (final String name : directory.list())
        {
            final SnapshotFile file = SnapshotFile.ofAny(name);
            if (null != file && file.sequence == sequence)
            {
                number = Math.max(number, file.number);
            }
        }

        return number + 1;
    }

    private void openDirectory() throws IOException
    {
        if (null == directory)
        {
            directory = store.child(JournalFiles.SNAPSHOTS);
        }
        if (!isDirectoryDurable)
        {
            // Even if it existed: the process that created it may have been killed before its fsync.
            DirectoryForce.force(store, latch);
            isDirectoryDurable = true;
        }
    }

    private void forceNames() throws IOException
    {
        openDirectory();
        DirectoryForce.force(directory, latch);
    }

    /**
     * @return origin of a snapshot, or null if it is corrupt, which is reported.
     */
    private SnapshotFile.Origin verify(final SnapshotFile file) throws IOException
    {
        try
        {
            final SnapshotFile.Origin origin = file.verify(directory);
            valid.add(file);
            return origin;
        }
        catch (final CorruptJournalException ex)
        {
            valid.remove(file);
            reports.add(ex);
            return null;
        }
    }

    private Void pruneTo(final long sequence)
    {
        // Excludes creating a cursor or moving one back until the older segments are dropped.
        cursors.hold();
        try
        {
            final long done = cursors.oldestSequence();
            final long needed = done < sequence ? done + 1 : sequence;
            if (needed > history.firstSequence())
            {
                history.prune(needed);
            }
        }
        finally
        {
            cursors.release();
        }
        return null;
    }

    private static SnapshotFile newest(final List<SnapshotFile> files)
    {
        return files.get(files.size() - 1);
    }

    /**
     * Runs an action that excludes prune, retention, truncation, and the release of the journal to another process by
     * closing.
     */
    private <T> T history(final Action<T> action) throws IOException
    {
        history.hold();
        try
        {
            latch.check();
            forcer.checkOwned();
            return action.run();
        }
        finally
        {
            history.release();
        }
    }

    /**
     * Runs an action that calls the application, which must not use the snapshots meanwhile.
     */
    private void inCallback(final IoRunnable action) throws IOException
    {
        isInCallback = true;
        // A handler may be waiting for the snapshots, and a truncation for that handler.
        history.readers().forbidCallingThread();
        try
        {
            action.run();
        }
        finally
        {
            history.readers().allowAgain();
            isInCallback = false;
        }
    }

    private <T> T locked(final String what, final Action<T> action)
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
}
