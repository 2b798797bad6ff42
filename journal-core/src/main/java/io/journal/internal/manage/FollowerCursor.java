package io.journal.internal.manage;

import java.io.IOException;
import java.nio.file.NoSuchFileException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.read.FollowedSource;
import io.journal.internal.read.ReadSource;
import io.journal.store.SegmentStore;

/**
 * A cursor that a follower keeps in a directory of its own, as it must not write into the journal's: a file like those
 * of the writer. The writer does not know it, so a truncation does not move it back: its epoch tells that it missed
 * one. Thread-safe; the monitor of its lock is taken last.
 */
public final class FollowerCursor implements KeptPosition
{
    private final SegmentStore directory;
    private final FollowedSource source;
    private final CursorFile file;
    private final Object lock = new Object();
    // Guarded by the lock.
    private Exception failure;
    private boolean isDeleted;

    private FollowerCursor(final SegmentStore directory, final FollowedSource source, final CursorFile file)
    {
        this.directory = directory;
        this.source = source;
        this.file = file;
    }

    /**
     * Opens the cursor of a name, and creates it if there is none.
     *
     * @throws CorruptJournalException if its file cannot be used, or is that of another journal.
     */
    public static FollowerCursor open(final SegmentStore directory, final String name, final FollowedSource source)
        throws IOException
    {
        CursorFile.checkName(name);
        directory.makeDirectory();
        try
        {
            return new FollowerCursor(directory, source, CursorFile.read(directory, name, source.uuid()));
        }
        catch (final NoSuchFileException ex)
        {
            final JournalMeta.State state = source.currentState();
            final CursorFile file =
                CursorFile.create(directory, name, source.uuid(), state.epoch, state.startSequence - 1);
            directory.force();
            return new FollowerCursor(directory, source, file);
        }
        catch (final CorruptJournalException ex)
        {
            throw new CorruptJournalException(
                "a follower's " + ex.getMessage() + "; delete the file to let this consumer begin again", ex,
                CursorFile.fileName(name), ex.offset(), ex.sequence());
        }
    }

    public boolean isOf(final FollowedSource other)
    {
        return source == other;
    }

    @Override
    public String name()
    {
        return file.name();
    }

    @Override
    public long sequence()
    {
        return file.sequence();
    }

    @Override
    public long epoch()
    {
        synchronized (lock)
        {
            return file.epoch();
        }
    }

    @Override
    public void save(final long sequence, final long epoch)
    {
        checkRange(sequence);
        synchronized (lock)
        {
            checkUsable();
            try (file)
            {
                file.save(sequence, epoch);
            }
            catch (final IOException ex)
            {
                // After a failed fsync, the page cache may hold what is not on the device.
                failure = ex;
                throw failed(ex);
            }
        }
    }

    /** A record that is not durable may be lost, and another one get its sequence: the cursor would skip that one. */
    private void checkRange(final long sequence)
    {
        if (source.isClosed())
        {
            throw new IllegalStateException("journal is closed");
        }

        final long first = source.currentState().startSequence;
        final long forced = source.forcedSequence();
        if (sequence < first - 1 || sequence > forced)
        {
            throw new IllegalArgumentException(
                "sequence outside the durable records: sequence=" + sequence + ", firstSequence=" + first +
                    ", forcedSequence=" + forced);
        }
    }

    private void checkUsable()
    {
        if (isDeleted)
        {
            throw new IllegalStateException("cursor was deleted: name=" + name());
        }
        if (null != failure)
        {
            throw failed(failure);
        }
    }

    private JournalException failed(final Exception cause)
    {
        return new JournalException(
            "saving a cursor failed: file=" + CursorFile.fileName(name()) + "; ask for it again; cause=" + cause,
            cause, CursorFile.fileName(name()), JournalException.UNKNOWN, JournalException.UNKNOWN);
    }

    @Override
    public long currentEpoch()
    {
        return source.currentState().epoch;
    }

    @Override
    public long lag()
    {
        final long done = Math.max(sequence(), source.currentState().startSequence - 1);
        return Math.max(0, source.lastSequence(ReadSource.End.WRITTEN) - done);
    }

    @Override
    public void delete()
    {
        synchronized (lock)
        {
            try
            {
                isDeleted = true;
                directory.delete(CursorFile.fileName(name()));
                directory.force();
            }
            catch (final IOException ex)
            {
                throw new JournalException(
                    "cannot delete a cursor: file=" + CursorFile.fileName(name()) + "; cause=" + ex, ex);
            }
        }
    }
}
