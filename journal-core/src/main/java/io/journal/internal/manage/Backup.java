// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalLockedException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.ControlView;
import io.journal.internal.control.History;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.CleanUp;
import io.journal.internal.platform.FileType;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Copies a journal, up to the durable watermark in {@code journal.control}, into a directory in which the copy opens as
 * it is. Bytes below the watermark change only by prune and truncation. In the writing process both are excluded.
 * Another process notices them, because they change {@code journal.control} first: if it records another truncation
 * once all is copied, the copy is made again. A prune does not matter to segments that were copied before: each frame
 * of the copy is verified, which rejects the bytes of a recycled segment. Takes no lock of the journal. For one thread.
 * <p>
 * The copy is made in a temporary directory beside the target, which becomes the target by a rename once all files in
 * it are durable. So a crash leaves no target or a complete one.
 */
public final class Backup
{
    private static final int COPY_LENGTH = 256 * 1024;
    private static final int MAX_ATTEMPTS = 10;
    private static final String TEMPORARY_SUFFIX = ".unfinished-backup";
    // Time in which a truncation may end.
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final SegmentStore source;
    private final UUID uuid;
    private final Layout layout;
    private final FailureLatch latch;
    private final Consumer<JournalException> corruptSnapshots;
    private final ByteBuffer buffer;
    // The history before the copy; null while the end is not known, which may be temporary.
    private @Nullable History history;

    /**
     * @param latch            ends the backup once the journal is closed or has failed.
     * @param corruptSnapshots is given the corrupt snapshots, which are left out.
     */
    public Backup(
        final SegmentStore source, final UUID uuid, final int segmentLength, final FailureLatch latch,
        final Consumer<JournalException> corruptSnapshots)
    {
        this.source = source;
        this.uuid = uuid;
        layout = new Layout(segmentLength);
        buffer = ByteBuffer.allocate(Math.min(COPY_LENGTH, segmentLength));
        this.latch = latch;
        this.corruptSnapshots = corruptSnapshots;
    }

    /** Returns the absolute path of a target. Throws if it exists, lies within the journal, or has no parent. */
    public static Path check(final Path directory, final Path journal)
    {
        final Path target = directory.toAbsolutePath().normalize();
        try
        {
            if (FileType.ABSENT != FileType.of(target, LinkOption.NOFOLLOW_LINKS))
            {
                throw targetExists(directory, null);
            }
            final FileType found = FileType.of(temporary(target), LinkOption.NOFOLLOW_LINKS);
            if (FileType.ABSENT != found && FileType.DIRECTORY != found)
            {
                throw new IllegalArgumentException("not a directory: path=" + temporary(target));
            }
            if (FileType.nearestRealPath(target).startsWith(journal.toRealPath()))
            {
                throw new IllegalArgumentException(
                    "backup would lie within the journal: target=" + directory + ", path=" + journal);
            }
            final Path parent = target.getParent();
            if (null == parent || FileType.DIRECTORY != FileType.of(parent))
            {
                throw new NoSuchFileException(String.valueOf(parent), null, "the parent of the target must exist");
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("backup failed: target=" + directory + "; cause=" + ex, ex);
        }

        return target;
    }

    /** Directory in which a backup is made until it is complete. */
    public static Path temporary(final Path target)
    {
        return target.resolveSibling(name(target) + TEMPORARY_SUFFIX);
    }

    private static String name(final Path path)
    {
        return String.valueOf(path.getFileName());
    }

    private static IllegalArgumentException targetExists(final Path target, final @Nullable Throwable cause)
    {
        return new IllegalArgumentException("the target of a backup must not exist: target=" + target, cause);
    }

    /**
     * Makes the copy, and returns the sequence of its last record. If it throws, nothing of the copy is left.
     *
     * @param target checked by {@link #check}.
     * @param parent store of the target's parent directory.
     * @param timeMs of its creation.
     */
    public long copyTo(final Path target, final SegmentStore parent, final long timeMs)
    {
        for (int attempt = 1;; attempt++)
        {
            try
            {
                return tryCopy(target, parent, timeMs);
            }
            catch (final NoSpaceException ex)
            {
                throw new JournalFullException(
                    "no space for the backup: target=" + target + "; nothing is left of it; cause=" + ex, ex);
            }
            catch (final IOException | CorruptJournalException | InternalError ex)
            {
                // Files that are pruned or truncated meanwhile may appear corrupt or missing.
                if (attempt == MAX_ATTEMPTS || !(ex instanceof NoSuchFileException) && !isChanged())
                {
                    throw ex instanceof final CorruptJournalException corrupt ? corrupt : new JournalException(
                        "backup failed: target=" + target + "; nothing is left of it; cause=" + ex, ex);
                }
            }
            pause();
        }
    }

    private long tryCopy(final Path target, final SegmentStore parent, final long timeMs) throws IOException
    {
        history = null;
        history = read().state().history;
        try (Place place = Place.lock(target, parent))
        {
            final SegmentStore files = place.files;
            // What a killed process left.
            place.deleteFiles();
            // Snapshots first: once the segments are copied, a writer that saves new snapshots may have deleted all
            // that belong to the copy. The end is read later: it covers the records of each snapshot, which were
            // durable before.
            final SegmentStore snapshots = copySnapshots(files);
            final ControlContent content = readUnlessTruncated();
            try (FrameWalk walk = new FrameWalk(
                (ordinal) -> open(files, ordinal), layout, Window.copying(buffer.capacity())))
            {
                copySegments(files, content.durablePosition(), walk);
                final long lastSequence = walk.nextSequence() - 1;
                if (null != snapshots)
                {
                    deleteAfter(snapshots, lastSequence);
                }
                readUnlessTruncated();
                // Written last, because without this file the directory is no journal. Makes the names of all files
                // durable. Some cursors may be saved after the watermark: the copy lowers them.
                ControlFile.create(
                    files, JournalFiles.CONTROL, uuid, layout.segmentLength,
                    content.state().copied(history, lastSequence, walk.lastTerm()),
                    new ControlState.End(walk.position(), walk.nextSequence()), timeMs);
                place.complete();
                return lastSequence;
            }
        }
    }

    /** The control file, with the watermark. */
    private ControlContent read() throws IOException
    {
        final ControlContent content = ControlView.readWhole(source);
        if (!uuid.equals(content.uuid()))
        {
            throw new CorruptJournalException("another journal took the place of this one: found=" + content.uuid());
        }
        // A forged watermark may be anywhere.
        if (null == content.watermark() || content.durablePosition() < content.state().history.startPosition)
        {
            history = null;
            throw new IOException(
                "it is not known what is durable: no writer has opened the journal since its watermark was lost");
        }
        return content;
    }

    private ControlContent readUnlessTruncated() throws IOException
    {
        final ControlContent content = read();
        if (content.state().history.number != history.number || content.state().history.term != history.term)
        {
            throw new IOException("the journal was truncated meanwhile");
        }
        return content;
    }

    /** Whether the journal was pruned or truncated since it was read; true if that is unknown. */
    private boolean isChanged()
    {
        try
        {
            return null == history || readUnlessTruncated().state().history.startPosition != history.startPosition;
        }
        catch (final IOException | CorruptJournalException ex)
        {
            return true;
        }
    }

    private static void pause()
    {
        final long startNs = System.nanoTime();
        while (System.nanoTime() - startNs < PAUSE_NS)
        {
            // Does not park, because parking ends at once if the thread was interrupted.
            Thread.yield();
        }
    }

    /**
     * Copies the intact snapshots, of which a writer may save some and delete others meanwhile.
     *
     * @return the directory of the copies, whose names are not durable; null if there are no snapshots.
     * @throws NoSuchFileException if each listed snapshot was deleted before it was copied.
     */
    private @Nullable SegmentStore copySnapshots(final SegmentStore target) throws IOException
    {
        final SegmentStore directory = SnapshotFile.directory(source);
        if (null == directory)
        {
            return null;
        }

        // Created even if it stays empty: it keeps the history that the copy needs for a replay.
        final SegmentStore copies = target.child(JournalFiles.SNAPSHOTS);
        NoSuchFileException gone = null;
        boolean isCopied = false;
        // The newest snapshot first, because it is deleted last.
        for (final SnapshotFile snapshot : SnapshotFile.newestFirst(directory))
        {
            try (SegmentFile file = directory.open(snapshot.name(), SegmentStore.Access.READ))
            {
                copy(file, file.length(), copies, snapshot.name(), file.length());
                isCopied = true;
                snapshot.verify(copies);
            }
            catch (final CorruptJournalException ex)
            {
                corruptSnapshots.accept(ex);
                copies.delete(snapshot.name());
            }
            catch (final NoSuchFileException ex)
            {
                if (directory.list().contains(snapshot.name()))
                {
                    throw ex;
                }
                gone = ex;
            }
        }
        if (!isCopied && null != gone)
        {
            throw gone;
        }
        return copies;
    }

    private static void deleteAfter(final SegmentStore snapshots, final long lastSequence) throws IOException
    {
        for (final SnapshotFile snapshot : SnapshotFile.newestFirst(snapshots))
        {
            if (snapshot.sequence() > lastSequence)
            {
                snapshots.delete(snapshot.name());
            }
        }
        snapshots.force();
    }

    /** Copies the segments, and walks over the copy. */
    private void copySegments(final SegmentStore files, final long endPosition, final FrameWalk walk)
        throws IOException
    {
        final long first = layout.ordinal(history.startPosition);
        final long last = Math.max(first, layout.ordinal(endPosition - SegmentHeader.LENGTH - 1));
        walk.start(history, history.firstPosition(), history.startSequence);
        for (long ordinal = first; ordinal <= last; ordinal++)
        {
            final long base = layout.position(ordinal, 0);
            if (!history.isDead(base, layout.segmentLength))
            {
                // Copies at least the header, even if nothing after it is durable yet.
                final long end = Math.max(SegmentHeader.LENGTH, Math.min(layout.segmentLength, endPosition - base));
                try (Segment segment = open(source, ordinal))
                {
                    copy(segment.file, end, files, JournalFiles.segment(ordinal), layout.segmentLength);
                }
                verify(walk, layout.place(base + end));
            }
        }
    }

    private static void verify(final FrameWalk walk, final long end) throws IOException
    {
        FrameWalk.Stop stop = walk.next(end);
        while (FrameWalk.Stop.RECORD == stop)
        {
            walk.pass();
            stop = walk.next(end);
        }
        if (FrameWalk.Stop.END == stop)
        {
            throw walk.cursor().corrupt(
                "backup found a corrupt record: " + walk.found(), FrameCursor.Verdict.INVALID, walk.nextSequence(),
                "; restore the file from an earlier backup");
        }
    }

    private Segment open(final SegmentStore store, final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, false, uuid, ordinal, layout.segmentLength);
    }

    /** Copies the first bytes of a file to a new one, whose content is durable on return. */
    private void copy(
        final SegmentFile from, final long end, final SegmentStore to, final String name, final long length)
        throws IOException
    {
        try (SegmentFile file = to.create(name, length))
        {
            for (long offset = 0; offset < end; offset += buffer.capacity())
            {
                latch.check();
                buffer.clear().limit((int)Math.min(buffer.capacity(), end - offset));
                from.read(offset, buffer);
                file.write(offset, buffer.flip());
            }
            file.force(0, length);
        }
    }

    /** The temporary directory, locked against other backups to the same target. */
    private static final class Place implements AutoCloseable
    {
        private final Path target;
        private final SegmentStore parent;
        private final String temporary;
        private final SegmentStore files;
        private final DirectoryLock lock;
        private boolean isRenamed;
        private boolean isComplete;

        private Place(final Path target, final SegmentStore parent, final SegmentStore files, final DirectoryLock lock)
        {
            this.target = target;
            this.parent = parent;
            temporary = name(temporary(target));
            this.files = files;
            this.lock = lock;
        }

        /**
         * @throws JournalLockedException if another backup to this target is in progress.
         */
        static Place lock(final Path target, final SegmentStore parent) throws IOException
        {
            final Path temporary = temporary(target);
            final boolean isNew = FileType.ABSENT == FileType.of(temporary, LinkOption.NOFOLLOW_LINKS);
            // The parent exists; its name must be durable, too.
            parent.makeDirectory();
            final SegmentStore files = parent.child(name(temporary));
            try
            {
                return new Place(target, parent, files, DirectoryLock.acquire(temporary));
            }
            catch (final Throwable ex)
            {
                // No other process uses a directory that was created here, unless it has locked it since.
                if (isNew && !(ex instanceof JournalLockedException))
                {
                    CleanUp.after(ex, () ->
                    {
                        files.delete(JournalFiles.LOCK);
                        parent.delete(name(temporary));
                    });
                }
                throw ex;
            }
        }

        /** Makes the target appear, durably. The files and their names must be durable. */
        void complete() throws IOException
        {
            try
            {
                parent.rename(temporary, name(target));
            }
            catch (final FileAlreadyExistsException ex)
            {
                throw targetExists(target, ex);
            }
            isRenamed = true;
            parent.force();
            isComplete = true;
        }

        @Override
        public void close()
        {
            try
            {
                if (isRenamed && !isComplete)
                {
                    parent.rename(name(target), temporary);
                    // Fsynced before anything is deleted: after a crash the target must not appear without its files.
                    parent.force();
                }
                if (!isComplete)
                {
                    deleteFiles();
                    files.delete(JournalFiles.LOCK);
                    parent.delete(temporary);
                }
            }
            catch (final IOException ignore)
            {
                // The reason why the backup failed matters more. The next backup removes the rest.
            }
            finally
            {
                CloseHelper.quietClose(lock);
            }
        }

        /** Deletes all files except the lock file. */
        void deleteFiles() throws IOException
        {
            for (final String name : files.list())
            {
                if (JournalFiles.SNAPSHOTS.equals(name))
                {
                    final SegmentStore snapshots = files.child(name);
                    for (final String snapshot : snapshots.list())
                    {
                        snapshots.delete(snapshot);
                    }
                }
                if (!JournalFiles.LOCK.equals(name))
                {
                    files.delete(name);
                }
            }
        }
    }
}
