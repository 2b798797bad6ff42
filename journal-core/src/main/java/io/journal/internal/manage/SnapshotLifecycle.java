// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongUnaryOperator;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.Snapshots;
import io.journal.internal.control.Term;
import io.journal.internal.control.WriterFence;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.platform.CleanUp;
import io.journal.internal.read.ReadSource;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * Saves, loads and discards the snapshots of a journal in use, and prunes by them. {@code Snapshots} defines the
 * contract. Thread-safe. Normative text: {@code docs/format.md}, "Snapshots".
 */
public final class SnapshotLifecycle implements Snapshots
{
    // How many of the newest valid snapshots are kept.
    private static final int KEPT = 2;
    private static final long NO_SNAPSHOT = -1;
    private static final String RESTORE = "restore the journal from a backup";

    private final SegmentStore journal;
    private final OrderedLock manage;
    private final LongUnaryOperator pruneBelowCursors;
    private final ReadSource source;
    private final Positions positions;
    private final Forcer forcer;
    private final WriterFence fence;
    private final FailureLatch latch;
    private final ErrorHandler errorHandler;
    // Serializes save, load, prune, discardAfter and backups.
    private final OrderedLock lock;
    // Null as long as no snapshot was saved.
    private volatile @Nullable SegmentStore files;
    // Guarded by the lock of SegmentLifecycle.
    private boolean areNamesDurable;
    // Snapshots written or verified since the journal was opened.
    private final Set<SnapshotFile> valid = new HashSet<>();
    private final List<JournalException> reports = new ArrayList<>();

    /**
     * @param manage            the lock of {@link SegmentLifecycle}, under which names change.
     * @param pruneBelowCursors prunes below a sequence, except records that a cursor has not passed.
     */
    public SnapshotLifecycle(
        final SegmentStore journal,
        final OrderedLock manage,
        final LongUnaryOperator pruneBelowCursors,
        final ReadSource source,
        final Positions positions,
        final Forcer forcer,
        final WriterFence fence,
        final FailureLatch latch,
        final ErrorHandler errorHandler)
    {
        this.journal = journal;
        this.manage = manage;
        this.pruneBelowCursors = pruneBelowCursors;
        this.source = source;
        this.positions = positions;
        this.forcer = forcer;
        this.fence = fence;
        this.latch = latch;
        this.errorHandler = errorHandler;
        lock = new OrderedLock(OrderedLock.Level.SNAPSHOTS, latch);
    }

    @Override
    public void save(final long sequence, final Writer writer)
    {
        Objects.requireNonNull(writer, "writer");
        // Read before this waits for a save or a backup, because the state to be saved belongs to the present records.
        final long number = source.history().number;
        locked("save a snapshot", () ->
        {
            final List<SnapshotFile> older = listNotAhead();
            if (!older.isEmpty() && older.get(0).sequence() > sequence)
            {
                throw new IllegalArgumentException(
                    "there is a newer snapshot: requested=" + sequence + ", newest=" + older.get(0).sequence() +
                        ", file=" + older.get(0).path());
            }

            source.history().checkRange(sequence, positions.appendedSequence());
            forcer.forceUpTo(sequence);
            final SnapshotFile.Origin origin = inHistory(() ->
            {
                checkNotTruncated(sequence, number);
                // Checked again: records may have been pruned meanwhile.
                source.history().checkRange(sequence, positions.appendedSequence());
                return new SnapshotFile.Origin(source.uuid(), source.termOf(sequence));
            });
            final SnapshotFile file = inHistory(() -> next(sequence));
            try
            {
                write(file, origin, writer);
                inHistory(() ->
                {
                    checkNotTruncated(sequence, number);
                    areNamesDurable = false;
                    files.rename(SnapshotFile.TEMPORARY, file.name());
                    fence.forceNew(files, file.name());
                    areNamesDurable = true;
                    // The snapshot is acknowledged only if the journal is still owned.
                    fence.check();
                    return null;
                });
                valid.add(file);
            }
            catch (final Throwable ex)
            {
                // Skipped once the journal is closed, because the file may be another process's.
                if (latch.isOpen())
                {
                    CleanUp.after(ex, () -> inHistory(() -> delete(SnapshotFile.TEMPORARY)));
                }
                throw ex;
            }
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
            if (newest.isEmpty() && firstSequence() > 1)
            {
                throw mismatch(
                    NO_SNAPSHOT, "there is no usable snapshot, and the journal does not begin with record 1", RESTORE);
            }
            final long sequence = newest.isEmpty() ? 0 : newest.get(0).sequence();
            if (sequence + 1 < firstSequence())
            {
                throw mismatch(
                    sequence, "records between the newest usable snapshot and the journal's first one are missing",
                    RESTORE);
            }

            if (!newest.isEmpty())
            {
                newest.get(0).read(files, reader);
            }
            return sequence;
        });
    }

    @Override
    public long prune()
    {
        return locked("prune by snapshots", () ->
        {
            // Verified again even if they were before, because the records they replace will be gone for good.
            final List<SnapshotFile> newest = verifyNewest(KEPT);
            return newest.size() < KEPT ? firstSequence() : inHistory(() ->
            {
                forceNames();
                return pruneBelowCursors.applyAsLong(newest.get(newest.size() - 1).sequence() + 1);
            });
        });
    }

    @Override
    public long firstNeededSequence()
    {
        return locked(
            "read the names of the snapshots",
            () -> inHistory(() -> Math.max(firstSequence(), firstNeeded())));
    }

    @Override
    public int discardAfter(final long sequence)
    {
        return locked("discard snapshots", () -> inHistory(() ->
        {
            int count = 0;
            final boolean wereDurable = areNamesDurable;
            areNamesDurable = false;
            for (final SnapshotFile file : list())
            {
                if (file.sequence() > sequence)
                {
                    files.rename(file.name(), file.discardedName());
                    count++;
                }
            }
            if (null != files)
            {
                // Fsynced even if there was no snapshot: a process that discarded them may have been killed before.
                fence.force(files);
            }
            areNamesDurable = wereDurable;
            return count;
        }));
    }

    /** Runs an action while no snapshot is saved, loaded or discarded, and nothing is pruned or truncated. */
    public <T, E extends Exception> T exclusively(final OrderedLock.Action<T, E> action) throws E
    {
        lock.lock();
        try
        {
            return manage.locked(action);
        }
        finally
        {
            unlock();
        }
    }

    /** The snapshots, the newest first. Needs no lock. */
    List<SnapshotFile> list() throws IOException
    {
        if (null == files)
        {
            files = SnapshotFile.directory(journal);
        }

        return null == files ? List.of() : SnapshotFile.newestFirst(files);
    }

    /**
     * The first record that the snapshots need, by their names alone: the record after the oldest snapshot, in case
     * later ones become corrupt. {@link Long#MAX_VALUE} if none was ever saved, so that there is no directory; 0 if
     * there is a single snapshot, or none any more, since only all history can replace it. Called under the lock of
     * {@link SegmentLifecycle}.
     */
    long firstNeeded() throws IOException
    {
        final List<SnapshotFile> present = list();
        if (null == files || present.size() < KEPT)
        {
            return null == files ? Long.MAX_VALUE : 0;
        }

        forceNames();
        return present.get(present.size() - 1).sequence() + 1;
    }

    /** Makes all names durable, also names from a process that was killed before its fsync. */
    void forceNames() throws IOException
    {
        if (null != files && !areNamesDurable)
        {
            fence.force(journal);
            fence.force(files);
            areNamesDurable = true;
        }
    }

    /** Begins the next snapshot of a sequence. A number that was discarded is not used again. */
    private SnapshotFile next(final long sequence) throws IOException
    {
        list();
        if (null == files)
        {
            final SegmentStore created = journal.child(JournalFiles.SNAPSHOTS);
            fence.forceNew(journal, JournalFiles.SNAPSHOTS);
            files = created;
            areNamesDurable = true;
        }
        forceNames();
        final long last = files.list().stream().map(SnapshotFile::ofAny)
            .filter((file) -> null != file && file.sequence() == sequence).mapToLong(SnapshotFile::number)
            .max().orElse(0);
        return new SnapshotFile(sequence, last + 1);
    }

    private void write(final SnapshotFile file, final SnapshotFile.Origin origin, final Writer writer)
        throws IOException
    {
        try (SegmentFile output = inHistory(() ->
        {
            files.delete(SnapshotFile.TEMPORARY);
            return files.create(SnapshotFile.TEMPORARY, Block.LENGTH);
        }))
        {
            file.write(output, origin, writer);
            final long length = output.length();
            try
            {
                output.force(0, length);
            }
            catch (final Throwable ex)
            {
                throw latch.fail(ex).exception("fsync of a snapshot", ex);
            }
        }
    }

    private Void delete(final String name) throws IOException
    {
        files.delete(name);
        return null;
    }

    /**
     * Deletes snapshots older than the newest valid ones, without an fsync: the next save deletes one that reappears.
     *
     * @param older snapshots than the one just saved.
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
                    inHistory(() -> delete(file.name()));
                    valid.remove(file);
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
            report(new JournalException("cannot delete old snapshots; cause=" + ex, ex));
        }
    }

    /** Verifies a snapshot and returns its origin, or null if it is corrupt, which is reported. */
    private SnapshotFile.@Nullable Origin verify(final SnapshotFile file) throws IOException
    {
        try
        {
            final SnapshotFile.Origin origin = file.verify(files);
            valid.add(file);
            return origin;
        }
        catch (final CorruptJournalException ex)
        {
            valid.remove(file);
            report(ex);
            return null;
        }
    }

    /**
     * The newest snapshots that are not corrupt, at most a number of them. Throws if one does not match the journal.
     */
    private List<SnapshotFile> verifyNewest(final int count) throws IOException
    {
        final List<SnapshotFile> newest = new ArrayList<>();
        for (final SnapshotFile file : listNotAhead())
        {
            final SnapshotFile.Origin origin = newest.size() < count ? verify(file) : null;
            if (null != origin)
            {
                if (!inHistory(() -> isOfThisHistory(file.sequence(), origin)))
                {
                    throw mismatch(
                        file.sequence(), "the snapshot contains other records than the journal",
                        "restore the journal from the backup that belongs to it, or give the snapshot up: " +
                            "snapshots().discardAfter(" + (file.sequence() - 1) + "), and load again");
                }
                newest.add(file);
            }
        }

        return newest;
    }

    /**
     * The snapshots, the newest first. Throws if the newest is ahead of the journal, even if it is corrupt: its
     * presence shows that the journal had its records.
     */
    private List<SnapshotFile> listNotAhead() throws IOException
    {
        final List<SnapshotFile> files = list();
        final long last = positions.appendedSequence();
        if (!files.isEmpty() && files.get(0).sequence() > last)
        {
            throw mismatch(
                files.get(0).sequence(), "the journal ends before its newest snapshot",
                "restore the journal from a newer backup, or accept that the records after " + last +
                    " are lost: snapshots().discardAfter(" + last + "), and load again");
        }

        return files;
    }

    /**
     * Whether the journal has, or had, the records that a snapshot contains: a term and a sequence identify a record,
     * and with it all earlier records. The terms of pruned records are not known, except the last one's.
     */
    private boolean isOfThisHistory(final long sequence, final SnapshotFile.Origin origin)
    {
        final long term = source.termOf(sequence);
        return source.uuid().equals(origin.uuid()) &&
            (Term.NONE == term || Term.NONE == origin.term() || term == origin.term());
    }

    private long firstSequence()
    {
        return source.history().startSequence;
    }

    private void checkNotTruncated(final long sequence, final long number)
    {
        if (number != source.history().number)
        {
            throw new IllegalStateException(
                "records were truncated while a snapshot was saved: sequence=" + sequence);
        }
    }

    private CorruptJournalException mismatch(final long sequence, final String what, final String remedy)
    {
        return new CorruptJournalException(
            what + ": " + (NO_SNAPSHOT == sequence ? "" : "snapshot=" + sequence + ", ") + "firstSequence=" +
                firstSequence() + ", lastSequence=" + positions.appendedSequence() + "; " + remedy);
    }

    /**
     * Runs an action that excludes prune, retention, truncation, and the release of the journal to another process by
     * closing.
     */
    private <T> T inHistory(final OrderedLock.Action<T, IOException> action) throws IOException
    {
        return manage.locked(() ->
        {
            latch.check();
            fence.check();
            return action.run();
        });
    }

    private <T> T locked(final String what, final OrderedLock.Action<T, IOException> action)
    {
        if (lock.isHeldByThread())
        {
            throw new IllegalStateException("cannot " + what + " while one is being saved or loaded");
        }

        lock.lock();
        try
        {
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

    /** Makes the error handler be called after the calling thread has released the lock. */
    public void report(final JournalException ex)
    {
        reports.add(ex);
    }

    private void unlock()
    {
        final List<JournalException> reported = List.copyOf(reports);
        reports.clear();
        lock.unlock();
        // Called after unlocking, because the handler may call any method of the journal, and wait for threads that do.
        assert reported.isEmpty() || OrderedLock.isCallbackAllowed(latch);
        reported.forEach(errorHandler::onError);
    }

    @Override
    public String toString()
    {
        return "Snapshots{directory=" + JournalFiles.SNAPSHOTS + '}';
    }
}
