package io.journal.internal.manage;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkView;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.SystemEpochClock;

/**
 * Copies a journal that another process may be writing, up to the durable watermark. What lies below it changes only by
 * prune and truncation, which change {@code journal.meta} first: if it records another truncation once all is copied,
 * the copy is dropped and made again. A prune does not matter to segments that were copied before: each frame of the
 * copy is verified, which rejects the bytes of a recycled segment. Takes no lock of the journal. For one thread.
 */
public final class FollowerBackup
{
    private static final int MAX_ATTEMPTS = 10;
    // In which a truncation may end.
    private static final long PARK_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final SegmentStore source;
    private final UUID uuid;
    private final FailureLatch latch = new FailureLatch("backup");
    // As read before the copy.
    private JournalMeta meta;
    // Whether the attempt failed since the end could not be determined, which may pass.
    private boolean isEndMissing;

    public FollowerBackup(final SegmentStore source, final UUID uuid)
    {
        this.source = source;
        this.uuid = uuid;
    }

    /**
     * Makes the copy, and returns the sequence of its last record. Whatever is thrown, nothing of the copy is left.
     *
     * @param target checked by {@link BackupTarget#check}.
     * @param parent store of the target's parent directory.
     */
    public long copyTo(final Path target, final SegmentStore parent)
    {
        for (int attempt = 1;; attempt++)
        {
            try
            {
                return tryCopy(target, parent);
            }
            catch (final IOException ex)
            {
                if (attempt == MAX_ATTEMPTS)
                {
                    throw new JournalException(
                        "backup failed: target=" + target + "; nothing is left of it; cause=" + ex, ex);
                }
            }
            catch (final JournalException ex)
            {
                // Files that are pruned or truncated meanwhile may appear corrupt or missing.
                final boolean isGone =
                    !(ex instanceof CorruptJournalException) && ex.getCause() instanceof NoSuchFileException;
                if (attempt == MAX_ATTEMPTS || !isGone && !isEndMissing && !isChanged())
                {
                    throw ex;
                }
            }
            pause();
        }
    }

    private long tryCopy(final Path target, final SegmentStore parent) throws IOException
    {
        meta = null;
        isEndMissing = false;
        final JournalMeta read = JournalMeta.read(source, false);
        if (!uuid.equals(read.uuid))
        {
            throw new CorruptJournalException("another journal took the place of this one: found=" + read.uuid);
        }

        meta = read;
        // Before anything is copied in vain.
        durablePosition();
        return new Backup(source, meta, latch).copyTo(
            target, parent, this::end, new CopiedSnapshots(), SystemEpochClock.INSTANCE.time());
    }

    /**
     * The end, read once the snapshots are copied: the watermark covered the records of each before it had its name.
     * One that was read earlier may cover those of none, if a writer has replaced all snapshots meanwhile.
     */
    private Backup.End end() throws IOException
    {
        isEndMissing = true;
        final long position = durablePosition();
        isEndMissing = false;
        // Some may be saved behind the watermark by now: the copy lowers them.
        return new Backup.End(position, readCursors());
    }

    /**
     * Reads the cursors; again if one has a fault: a file that is being changed may appear corrupt, but not twice in
     * the same way. A corrupt one is not copied.
     *
     * @throws JournalException if one cannot be read.
     */
    private CursorFiles readCursors() throws IOException
    {
        List<String> before = null;
        for (int attempt = 1;; attempt++)
        {
            final CursorFiles cursors = CursorFiles.read(source, uuid);
            final List<JournalException> faults =
                cursors.files().stream().map(CursorFile::fault).filter(Objects::nonNull).toList();
            final Optional<JournalException> unreadable =
                faults.stream().filter(CursorFile::isUnreadable).findFirst();
            final List<String> messages = faults.stream().map(JournalException::getMessage).toList();
            final boolean isSure = unreadable.isEmpty() && (messages.isEmpty() || messages.equals(before));
            if (attempt == MAX_ATTEMPTS && unreadable.isPresent())
            {
                throw unreadable.get();
            }
            if (isSure || attempt == MAX_ATTEMPTS)
            {
                return cursors;
            }
            before = messages;
            pause();
        }
    }

    /** As long also for a thread that was interrupted, whose status is preserved. */
    private void pause()
    {
        final long startNs = System.nanoTime();
        boolean wasInterrupted = false;
        for (long leftNs = PARK_NS; leftNs > 0; leftNs = PARK_NS - (System.nanoTime() - startNs))
        {
            // It would not park.
            wasInterrupted |= Thread.interrupted();
            LockSupport.parkNanos(this, leftNs);
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    private long durablePosition() throws IOException
    {
        try (MarkView mark = new MarkView(source, uuid))
        {
            // One of unknown sequence may be far below what is durable. Where the journal begins now, everything was
            // durable: a watermark below that does not count either.
            if (null != meta.state.pending || !mark.poll(meta.state.epoch) || 0 == mark.nextSequence() ||
                mark.position() < meta.state.startPosition)
            {
                throw new IOException("it is not known what is durable: a truncation is in progress, or no writer " +
                    "has opened the journal since journal.mark was lost");
            }

            return mark.position();
        }
    }

    /**
     * The snapshots, copied first: by the time that the segments are copied, a writer that saves others may have
     * deleted all that belong to the copy.
     */
    private final class CopiedSnapshots implements Backup.Part
    {
        @Override
        public void begin(final SegmentStore files) throws IOException
        {
            in(source).copyPresent(files);
        }

        @Override
        public void copyTo(final SegmentStore files, final long lastSequence) throws IOException
        {
            in(files).deleteAfter(lastSequence);
            if (isTruncated())
            {
                throw new IOException("the journal was truncated meanwhile");
            }
        }

        private SnapshotDirectory in(final SegmentStore journal)
        {
            return new SnapshotDirectory(journal, latch, (corrupt) ->
            {
            });
        }
    }

    private boolean isTruncated() throws IOException
    {
        final JournalMeta now = JournalMeta.read(source, false);
        return !uuid.equals(now.uuid) || now.state.epoch != meta.state.epoch;
    }

    /** Whether the journal was pruned or truncated since it was read; also if that cannot be known now. */
    private boolean isChanged()
    {
        try
        {
            return null == meta || meta.state.generation != JournalMeta.read(source, false).state.generation;
        }
        catch (final IOException | CorruptJournalException ex)
        {
            return true;
        }
    }
}
