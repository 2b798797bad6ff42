package io.journal.internal.manage;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Term;
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
    private final JournalMeta meta;
    private final Layout layout;
    private final FailureLatch latch;
    private final ByteBuffer buffer;

    public Backup(final SegmentStore source, final JournalMeta meta, final FailureLatch latch)
    {
        this.source = source;
        this.meta = meta;
        this.latch = latch;
        layout = new Layout(meta.segmentLength);
        buffer = ByteBuffer.allocate(Math.min(COPY_LENGTH, meta.segmentLength));
    }

    /**
     * Up to where the journal is copied.
     *
     * @param position up to which it is durable, at its start or behind.
     * @param cursors  the copy has them no further than its last record.
     */
    public record End(long position, CursorFiles cursors)
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
            final long lastSequence = copySegments(files, end.position);
            end.cursors.copyTo(files, lastSequence, Term.before(
                (ordinal) -> open(files, ordinal), meta, end.position, lastSequence + 1));
            snapshots.copyTo(files, lastSequence);
            writeWatermark(files, end.position, lastSequence + 1);
            // Last: without this file the directory is no journal. Makes the names of all files durable.
            writeMeta(files, timeMs);
            place.complete();
            return lastSequence;
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

    private long copySegments(final SegmentStore files, final long endPosition) throws IOException
    {
        final long first = layout.ordinal(meta.state.startPosition);
        final long last = Math.max(first, layout.ordinal(endPosition - SegmentHeader.LENGTH - 1));
        long nextSequence = meta.state.startSequence;
        try (FrameCursor cursor = new FrameCursor(Window.copying(buffer.capacity())))
        {
            for (long ordinal = first; ordinal <= last; ordinal++)
            {
                // The header at least, if nothing behind it is durable yet.
                final int end = (int)Math.max(
                    SegmentHeader.LENGTH, Math.min(meta.segmentLength, endPosition - layout.position(ordinal, 0)));
                copySegment(files, ordinal, end);
                // Verifies the copy, not the source.
                cursor.attach(open(files, ordinal));
                nextSequence = verify(cursor, end, nextSequence);
            }
        }

        return nextSequence - 1;
    }

    private void copySegment(final SegmentStore files, final long ordinal, final int end) throws IOException
    {
        try (Segment segment = open(source, ordinal);
            SegmentFile file = files.create(JournalFiles.segment(ordinal), meta.segmentLength))
        {
            for (int offset = 0; offset < end; offset += buffer.capacity())
            {
                latch.check();
                buffer.clear().limit(Math.min(buffer.capacity(), end - offset));
                segment.file.read(offset, buffer);
                file.write(offset, buffer.flip());
            }
            file.force(0, meta.segmentLength);
        }
    }

    /**
     * Returns the sequence of the record that follows.
     */
    private static long verify(final FrameCursor cursor, final int end, final long firstSequence) throws IOException
    {
        long nextSequence = firstSequence;
        int offset = SegmentHeader.LENGTH;
        while (offset < end)
        {
            final FrameCursor.Verdict verdict = cursor.examineBatch(offset, end, nextSequence);
            if (FrameCursor.Verdict.VALID != verdict)
            {
                throw cursor.corrupt(
                    "backup found a corrupt record", verdict, cursor.expectedSequence(),
                    "; restore the file from an earlier backup");
            }
            cursor.checkKnown();
            nextSequence = cursor.nextSequence();
            offset = cursor.nextOffset();
        }

        return nextSequence;
    }

    /**
     * Stores the durable watermark in the copy, so that later corruption of the copy is detected.
     */
    private void writeWatermark(final SegmentStore files, final long endPosition, final long nextSequence)
        throws IOException
    {
        try (MarkFile markFile = MarkFile.open(files, meta.uuid))
        {
            markFile.forced(meta.state.epoch, endPosition, nextSequence);
        }
        try (SegmentFile file = files.open(JournalFiles.MARK, SegmentStore.Access.WRITE))
        {
            file.force(0, MarkFile.LENGTH);
        }
    }

    private void writeMeta(final SegmentStore files, final long timeMs) throws IOException
    {
        final JournalMeta.State state = meta.state;
        JournalMeta.create(
            files,
            JournalFiles.META,
            meta.uuid,
            meta.segmentLength,
            new JournalMeta.State(1, state.epoch, state.startPosition, state.startSequence, state.startTerm, state.cut,
                false),
            timeMs);
    }

    private Segment open(final SegmentStore store, final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, false, meta.uuid, ordinal, meta.segmentLength);
    }
}
