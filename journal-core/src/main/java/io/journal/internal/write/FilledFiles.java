package io.journal.internal.write;

import java.io.IOException;
import java.io.SyncFailedException;

import io.journal.JournalException;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.WriterFence;
import io.journal.internal.segment.SegmentFilling;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * The files that are filled with zeros for the next segments, under temporary names, and the one that is being filled.
 * Guarded by the lock of the {@link SegmentAllocator}.
 */
final class FilledFiles
{
    private final SegmentFactory factory;
    private final DirectoryLock directoryLock;
    private final WriterFence fence;

    // Ordinal of the first segment whose file is not filled.
    private long end;
    private @Nullable SegmentFilling filling;

    FilledFiles(final SegmentFactory factory, final DirectoryLock directoryLock, final WriterFence fence)
    {
        this.factory = factory;
        this.directoryLock = directoryLock;
        this.fence = fence;
    }

    /** Starts with no file, at the next segment. */
    void start(final long ordinal)
    {
        end = ordinal;
    }

    /** Ordinal of the first segment whose file is not filled. */
    long end()
    {
        return end;
    }

    /** Whether the file of a segment is filled. */
    boolean has(final long ordinal)
    {
        return ordinal < end;
    }

    /** A segment has its file, filled here or a pruned one. */
    void taken(final long ordinal)
    {
        end = Math.max(end, ordinal + 1);
    }

    /**
     * Fills up to so many bytes of the file at the end, which is begun if need be. A failure leaves no file.
     *
     * @param isForced of a file that is begun: whether its zeros are fsynced, so that later fsyncs need not allocate
     *                 its blocks.
     */
    void fill(final boolean isForced, final int maxLength) throws IOException
    {
        // The next step may be a while after the last one.
        fence.check();
        final SegmentFilling filling =
            null == this.filling ? factory.fill(end, isForced || !isReservationRecorded()) : this.filling;
        // Failing deletes the file.
        this.filling = null;
        if (filling.step(maxLength))
        {
            end++;
        }
        else
        {
            this.filling = filling;
        }
    }

    /** Records, durably before the segment has its name, that its space may have to be allocated after a power loss. */
    private boolean isReservationRecorded() throws IOException
    {
        try
        {
            directoryLock.onlyReserved();
            return true;
        }
        catch (final SyncFailedException ex)
        {
            // Storage may be failing: no fsync fails unreported.
            throw ex;
        }
        catch (final IOException ignore)
        {
            // The disk may be full: then filling finds that, too.
            return false;
        }
    }

    /** Deletes all files, from that of the next segment on. */
    void deleteFrom(final long ordinal)
    {
        try
        {
            if (null != filling)
            {
                fence.check();
                filling.delete();
            }
            while (end > ordinal)
            {
                end--;
                factory.delete(JournalFiles.spare(end));
            }
        }
        catch (final IOException | JournalException ignore)
        {
            // The next opening deletes them, unless another writer has the journal already.
            end = ordinal;
        }
        finally
        {
            CloseHelper.close(filling);
            filling = null;
        }
    }
}
