package io.journal.internal.manage;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlView;
import io.journal.internal.control.History;
import io.journal.internal.files.FailureLatch;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.SystemEpochClock;
import org.jspecify.annotations.Nullable;

/**
 * Copies a journal that another process may be writing, up to the durable watermark. What lies below it changes only by
 * prune and truncation, which change {@code journal.control} first: if that names another term once all is copied, the
 * copy is dropped and made again. A prune does not matter to segments that were copied before: each frame of the
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
    private @Nullable History history;
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
        history = null;
        isEndMissing = false;
        final ControlContent content = read();
        history = content.state.history;
        // Before anything is copied in vain.
        end(content);
        return new Backup(source, uuid, content.segmentLength, history, latch).copyTo(
            target, parent, this::end, new CopiedSnapshots(), SystemEpochClock.INSTANCE.time());
    }

    private ControlContent read() throws IOException
    {
        final ControlContent content = ControlView.readWhole(source);
        if (!uuid.equals(content.uuid))
        {
            throw new CorruptJournalException("another journal took the place of this one: found=" + content.uuid);
        }
        return content;
    }

    /**
     * The end, read once the snapshots are copied: the watermark covered the records of each before it had its name.
     * One that was read earlier may cover those of none, if a writer has replaced all snapshots meanwhile.
     */
    private Backup.End end() throws IOException
    {
        final ControlContent content = read();
        if (isTruncated(content))
        {
            throw new IOException("the journal was truncated meanwhile");
        }
        // Some cursors may be saved behind the watermark by now: the copy lowers them.
        return end(content);
    }

    private Backup.End end(final ControlContent content) throws IOException
    {
        // A forged one may be anywhere.
        isEndMissing =
            null == content.watermark || content.watermark.position() < content.state.history.startPosition;
        if (isEndMissing)
        {
            throw new IOException(
                "it is not known what is durable: no writer has opened the journal since its watermark was lost");
        }
        return new Backup.End(content.watermark.position(), content.state);
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
            if (isTruncated(read()))
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

    private boolean isTruncated(final ControlContent now)
    {
        return now.state.history.number != history.number || now.state.history.term != history.term;
    }

    /** Whether the journal was pruned or truncated since it was read; also if that cannot be known now. */
    private boolean isChanged()
    {
        try
        {
            if (null == history)
            {
                return true;
            }
            final ControlContent now = read();
            return isTruncated(now) || now.state.history.startPosition != history.startPosition;
        }
        catch (final IOException | CorruptJournalException ex)
        {
            return true;
        }
    }
}
