package io.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.store.NoSpaceException;
import io.journal.store.NotBegunException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.ErrorHandler;

/**
 * Snapshots of an application's state, kept beside the journal it was built from, so that a start need not replay all
 * history and history can be pruned. Made by {@link Journal#snapshots()}.
 * <pre>{@code
 * long sequence = journal.snapshots().load(state::readFrom);    // 0 if there is none
 * reader.seek(sequence + 1);                                    // and apply what follows
 * ...
 * journal.snapshots().save(appliedSequence, state::writeTo);
 * journal.snapshots().prune();
 * }</pre>
 * The two newest valid snapshots are kept. A save first makes the journal durable up to the snapshot's sequence, so no
 * snapshot is ever ahead of the journal it belongs to, whenever power is lost. Each snapshot carries a checksum, and
 * what identifies its journal and the record it ends with; a load refuses one that does not fit the journal by a
 * {@link SnapshotException}.
 * <p>
 * Safe for use by several threads, which wait for each other; appending and reading go on meanwhile. {@link Retention}
 * does not know of snapshots: one that may drop records behind the last snapshot makes that snapshot useless.
 */
public final class Snapshots
{
    private static final int KEPT = 2;

    /**
     * Writes an application's state.
     */
    @FunctionalInterface
    public interface Writer
    {
        /**
         * Called once by {@link Snapshots#save}. It must not use the journal's snapshots.
         *
         * @param output to write to, of any length. Bytes go to the file in chunks, and it need not be closed.
         * @throws IOException if the output or the state cannot be written: nothing is saved.
         */
        void write(OutputStream output) throws IOException;
    }

    /**
     * Reads an application's state.
     */
    @FunctionalInterface
    public interface Reader
    {
        /**
         * Called at most once by {@link Snapshots#load}. It must not use the journal's snapshots.
         *
         * @param input what the writer has written, checked before. It need not be read to its end, nor closed.
         * @throws IOException if the input or the state cannot be read.
         */
        void read(InputStream input) throws IOException;
    }

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
    private final History history;
    private final Cursors cursors;
    private final Health health;
    private final ErrorHandler errorHandler;
    // Comes before the lock of the history.
    private final ReentrantLock lock = new ReentrantLock();
    // Written, or checked, since the journal was opened.
    private final Set<SnapshotFile> valid = new HashSet<>();
    private final List<JournalException> reports = new ArrayList<>();
    private SegmentStore directory;
    private boolean isDirectoryDurable;
    private boolean isInCallback;

    Snapshots(
        final SegmentStore store,
        final UUID uuid,
        final ReadSource source,
        final Positions positions,
        final Forcer forcer,
        final ForcePolicy policy,
        final History history,
        final Cursors cursors,
        final Health health,
        final ErrorHandler errorHandler)
    {
        this.store = store;
        records = new SnapshotRecords(uuid, source, positions, history);
        this.positions = positions;
        this.forcer = forcer;
        isForcedPeriodically = policy.isPeriodic();
        this.history = history;
        this.cursors = cursors;
        this.health = health;
        this.errorHandler = errorHandler;
    }

    /**
     * Saves a snapshot. On return it is durable, as are all records up to its sequence; of the older ones the newest
     * valid one is kept, and the others are deleted.
     * <p>
     * Whatever fails, the snapshots before stay as they are, and nothing is left of the new one except after a failed
     * fsync, when it may be there, whole.
     *
     * @param sequence of the last record that is in the state, from one less than {@link Journal#firstSequence()} to
     *                 {@link Journal#lastSequence()}. The journal is made durable up to it first, at once under every
     *                 {@link ForcePolicy}.
     * @param writer   of the state.
     * @throws IllegalArgumentException     if the journal has no such record, or there is a snapshot of a later one.
     * @throws SnapshotException            if there is a snapshot that is ahead of the journal.
     * @throws IllegalStateException        if called by a writer or a reader of a snapshot, or if records were cut
     *                                      meanwhile.
     * @throws java.io.UncheckedIOException with what the writer has thrown; its unchecked exceptions come as they are.
     *                                      The journal goes on.
     * @throws JournalFullException         if there is no space; the same call works once there is.
     * @throws JournalException             if the file cannot be written: the same call may work later. Or if an fsync
     *                                      failed, now or before: nothing more is acknowledged, reopen to recover.
     * @throws JournalClosedException       if the journal is closed.
     */
    public void save(final long sequence, final Writer writer)
    {
        Objects.requireNonNull(writer, "writer");
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

    /**
     * Loads the newest snapshot that is valid: after its checksum was verified, its content is passed to the reader. A
     * corrupt one is left where it is, reported to {@link JournalBuilder#errorHandler}, and the one before it is taken.
     * <p>
     * The application is then to apply the records from the next sequence on.
     *
     * @param reader of the state; not called if there is no snapshot.
     * @return sequence of the last record in the snapshot; 0 if there is none, and the journal has all records from 1.
     * @throws SnapshotException            if a snapshot is ahead of the journal, or the newest valid one does not fit
     *                                      it, or records are missing behind that. The reader was not called. Append
     *                                      nothing, and follow the message.
     * @throws IllegalStateException        if called by a writer or a reader of a snapshot.
     * @throws UnsupportedFormatException   if the snapshot is of a newer format.
     * @throws java.io.UncheckedIOException with what the reader has thrown; its unchecked exceptions come as they are.
     * @throws CorruptJournalException      if the journal's record of that sequence is corrupt.
     * @throws JournalException             if a file cannot be read, or storage failed before.
     * @throws JournalClosedException       if the journal is closed.
     */
    public long load(final Reader reader)
    {
        Objects.requireNonNull(reader, "reader");
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

    /**
     * Prunes the records that neither the snapshots nor the cursors need any more: those that are in both of the two
     * newest valid snapshots, and that no cursor has still to pass. So if one snapshot is corrupted one day, the other
     * one has all the records it needs. Nothing is pruned until there are two.
     * <p>
     * Reads and verifies both snapshots before, and makes their names durable. {@link Journal#prune(long)} drops
     * whatever it is told to, whether cursors or snapshots need it or not.
     *
     * @return {@link Journal#firstSequence()} afterwards.
     * @throws SnapshotException          if a snapshot is ahead of the journal or does not fit it; nothing was pruned.
     * @throws IllegalStateException      if called by a writer or a reader of a snapshot.
     * @throws UnsupportedFormatException if a snapshot is of a newer format; nothing was pruned.
     * @throws JournalException           if a snapshot cannot be read, or as for {@link Journal#prune(long)}.
     * @throws JournalClosedException     if the journal is closed.
     */
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
                // Also one that was checked before: what it replaces is gone for good.
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

    /**
     * Gives up the snapshots of records behind one: they get names under which nothing looks for them, and are never
     * deleted. On return that is durable.
     * <p>
     * After a {@link SnapshotException}, with {@link Journal#lastSequence()}, this accepts that the journal has lost
     * the records behind. Before {@link Journal#truncateAfter(long)}, with the same sequence, it makes way for that.
     *
     * @param sequence of the last record that a snapshot may contain.
     * @return how many snapshots were given up.
     * @throws IllegalStateException  if called by a writer or a reader of a snapshot.
     * @throws JournalException       if storage failed, now or before; some may be given up then.
     * @throws JournalClosedException if the journal is closed.
     */
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
                // Also if there was none: whoever discarded them may have been killed before this.
                DirectoryForce.force(directory, health);
                return count;
            });
        });
    }

    @Override
    public String toString()
    {
        return "Snapshots{directory=" + JournalFiles.SNAPSHOTS + '}';
    }

    /**
     * Refuses a truncation that would leave snapshots ahead of the journal. Takes no lock, since readers may be waiting
     * for the truncation: a save that completes meanwhile is refused by the next load.
     */
    void checkTruncation(final long sequence)
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
     * Does something while snapshots are neither saved nor deleted.
     */
    void heldBy(final Runnable action)
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
     * the copy. To be called by what {@link #heldBy} runs.
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
                    // What was written is what is verified.
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
            // The directory itself: the copy must not become a journal that has lost it.
            target.force();
        }
    }

    private void makeDurable(final long sequence)
    {
        records.checkRange(sequence);
        if (sequence > positions.forcedSequence())
        {
            // At once, also if forces are made in intervals: the calling thread may be the one that runs the agent.
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

    private void write(final SnapshotFile file, final SnapshotFile.Origin origin, final Writer writer)
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
            throw health.fail("fsync of a snapshot", ex);
        }
    }

    private Void publish(final SnapshotFile file, final SnapshotFile.Origin origin) throws IOException
    {
        records.checkUncut(file.sequence, origin);

        directory.rename(SnapshotFile.TEMPORARY, file.name());
        try
        {
            DirectoryForce.force(directory, health);
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
            // Once the journal is closed, it may be that of another process.
            if (!health.isClosed())
            {
                directory.delete(SnapshotFile.TEMPORARY);
            }
        }
        catch (final IOException ex)
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
     * Deletes what is older than the newest valid ones. Not forced: one that comes back is deleted by the next save.
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
            // Also if it was there: whoever made it may have been killed before this.
            DirectoryForce.force(store, health);
            isDirectoryDurable = true;
        }
    }

    private void forceNames() throws IOException
    {
        openDirectory();
        DirectoryForce.force(directory, health);
    }

    /**
     * @return where a snapshot comes from, or null if it is corrupt, which is reported.
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
        // No cursor is made or goes back meanwhile.
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
     * Does something while no history is dropped or cut, and the journal is not given up to another process.
     */
    private <T> T history(final Action<T> action) throws IOException
    {
        history.hold();
        try
        {
            health.check();
            forcer.checkOwned();
            return action.run();
        }
        finally
        {
            history.release();
        }
    }

    /**
     * Does what calls the application, which must not change the snapshots meanwhile.
     */
    private void inCallback(final IoRunnable action) throws IOException
    {
        isInCallback = true;
        try
        {
            action.run();
        }
        finally
        {
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

            health.check();
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
        // Only now: the handler may do with the journal what it likes, and wait for others who do.
        reported.forEach(errorHandler::onError);
    }
}
