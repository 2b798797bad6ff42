package io.journal.internal.manage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.UUID;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.History;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;

/**
 * Copies a journal, up to a durable position, into a directory in which the copy opens as it is. Used by one thread,
 * which excludes prune and truncation by {@link SegmentLifecycle#exclusively}, or notices them: {@link FollowerBackup}.
 * Nothing else changes what is below that position.
 */
public final class Backup
{
    private static final int COPY_LENGTH = 256 * 1024;

    private final SegmentStore source;
    private final UUID uuid;
    private final History history;
    private final Layout layout;
    private final FailureLatch latch;
    private final ByteBuffer buffer;

    public Backup(
        final SegmentStore source, final UUID uuid, final int segmentLength, final History history,
        final FailureLatch latch)
    {
        this.source = source;
        this.uuid = uuid;
        this.history = history;
        this.latch = latch;
        layout = new Layout(segmentLength);
        buffer = ByteBuffer.allocate(Math.min(COPY_LENGTH, segmentLength));
    }

    /**
     * Up to where the journal is copied.
     *
     * @param position up to which it is durable, at its start or behind.
     * @param state    of which the copy has the cursors, no further than its last record.
     */
    public record End(long position, ControlState state)
    {
    }

    /** Determines the end. */
    public interface EndSource
    {
        /** Called after {@link Part#begin}: what that has copied is covered by the end if it was durable before. */
        End end() throws IOException;
    }

    /** A part of the copy. */
    public interface Part
    {
        /** Copies what may be gone once the segments are copied. */
        default void begin(final SegmentStore files) throws IOException
        {
            // What is kept until the end is copied by then.
        }

        void copyTo(SegmentStore files, long lastSequence) throws IOException;
    }

    /**
     * Makes the copy, and returns the sequence of its last record. Whatever is thrown, nothing of the copy is left.
     *
     * @param target checked by {@link BackupTarget#check}.
     * @param parent store of the target's parent directory.
     */
    public long copyTo(
        final Path target,
        final SegmentStore parent,
        final EndSource endSource,
        final Part snapshots,
        final long timeMs)
    {
        try (BackupTarget place = BackupTarget.begin(target, parent))
        {
            final SegmentStore files = place.files();
            snapshots.begin(files);
            final End end = endSource.end();
            try (FrameWalk walk = new FrameWalk(
                (ordinal) -> open(files, ordinal), layout, Window.copying(buffer.capacity())))
            {
                copySegments(files, end.position, walk);
                final long lastSequence = walk.nextSequence() - 1;
                snapshots.copyTo(files, lastSequence);
                // Last: without this file the directory is no journal. Makes the names of all files durable.
                ControlFile.create(
                    files, JournalFiles.CONTROL, uuid, layout.segmentLength,
                    end.state.copied(history, lastSequence, walk.lastTerm()),
                    new ControlState.End(walk.position(), walk.nextSequence()), timeMs);
                place.complete();
                return lastSequence;
            }
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space for the backup: target=" + target + "; nothing is left of it; cause=" + ex, ex);
        }
        catch (final IOException | InternalError ex)
        {
            throw new JournalException("backup failed: target=" + target + "; nothing is left of it; cause=" + ex, ex);
        }
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
                // The header at least, if nothing behind it is durable yet.
                final int end = (int)Math.max(
                    SegmentHeader.LENGTH, Math.min(layout.segmentLength, endPosition - base));
                copySegment(files, ordinal, end);
                verify(walk, layout.place(base + end));
            }
        }
    }

    private void copySegment(final SegmentStore files, final long ordinal, final int end) throws IOException
    {
        try (Segment segment = open(source, ordinal);
            SegmentFile file = files.create(JournalFiles.segment(ordinal), layout.segmentLength))
        {
            for (int offset = 0; offset < end; offset += buffer.capacity())
            {
                latch.check();
                buffer.clear().limit(Math.min(buffer.capacity(), end - offset));
                segment.file.read(offset, buffer);
                file.write(offset, buffer.flip());
            }
            file.force(0, layout.segmentLength);
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
}
