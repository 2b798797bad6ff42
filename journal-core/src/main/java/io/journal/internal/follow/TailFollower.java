package io.journal.internal.follow;

import java.io.EOFException;
import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.read.ReadSource;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Window;

/**
 * Reads ahead of the readers of a journal that another process may be writing, and finds its end: the first frame that
 * is absent or not valid yet, or the first one of a batch that is not complete. For one thread at a time.
 * <p>
 * It trusts frames only: a valid frame with the expected sequence is part of the journal. Bytes are copied from the
 * files, so a concurrent change can only make a frame invalid.
 */
final class TailFollower implements AutoCloseable
{
    // Small first read: mostly the end has not moved, or by one record.
    private static final int PROBE_LENGTH = 4 * 1024;
    private static final int READ_LENGTH = 64 * 1024;

    private final ReadSource source;
    private final Layout layout;
    private final FrameCursor cursor;
    private long ordinal;
    private int offset;
    private long nextSequence;
    private FrameCursor.Verdict verdict = FrameCursor.Verdict.ABSENT;
    private JournalException failure;

    TailFollower(final ReadSource source, final Window window)
    {
        this.source = source;
        layout = new Layout(source.segmentLength());
        cursor = new FrameCursor(window);
    }

    /**
     * Moves to a position.
     *
     * @param nextSequence of the record there, or {@link FrameCursor#ANY_SEQUENCE} at the beginning of a segment.
     */
    void goTo(final long position, final long nextSequence)
    {
        cursor.close();
        final long place = layout.place(position);
        ordinal = layout.ordinal(place);
        offset = layout.offset(place);
        this.nextSequence = nextSequence;
    }

    /**
     * Reads on to the end.
     *
     * @param cap    position at which to stop.
     * @param length number of bytes after which to stop.
     * @return whether it stopped because no valid frame follows, or at the cap.
     * @throws UnsupportedFormatException if an unknown frame must not be skipped; the position stays before it.
     */
    boolean advance(final long cap, final long length) throws IOException
    {
        // Bytes read before may have been written since; a file without a frame may have been created again.
        if (SegmentHeader.LENGTH == offset)
        {
            cursor.close();
        }
        else
        {
            cursor.forget();
        }
        cursor.readAhead(PROBE_LENGTH);
        final long stop = Math.min(cap, position() + length);
        while (position() < stop)
        {
            if (!isFrameThere((int)Math.min(layout.segmentLength, cap - layout.position(ordinal, 0))))
            {
                return true;
            }

            cursor.checkKnown();
            cursor.readAhead(READ_LENGTH);
            nextSequence = cursor.nextSequence();
            offset = cursor.nextOffset();
            if (offset >= layout.segmentLength)
            {
                cursor.close();
                ordinal++;
                offset = SegmentHeader.LENGTH;
            }
        }

        return position() >= cap;
    }

    /**
     * Position at which the next frame is expected.
     */
    long position()
    {
        return layout.position(ordinal, offset);
    }

    long nextSequence()
    {
        return nextSequence;
    }

    /**
     * Why no valid frame follows.
     */
    String found()
    {
        return null == failure ? cursor.describe(verdict, cursor.expectedSequence()) : failure.getMessage();
    }

    @Override
    public void close()
    {
        cursor.closeAndShrink();
    }

    private boolean isFrameThere(final int limit) throws IOException
    {
        try
        {
            if (null == cursor.segment())
            {
                cursor.attach(source.openSegment(ordinal));
            }

            failure = null;
            verdict = cursor.examineBatch(offset, limit, nextSequence);
            return FrameCursor.Verdict.VALID == verdict;
        }
        catch (final CorruptJournalException ex)
        {
            // The segment is absent or incomplete: the writer has not created it yet, or it is gone again.
            return notThere(ex);
        }
        catch (final EOFException ex)
        {
            return notThere(new CorruptJournalException(
                "file was cut short: file=" + JournalFiles.segment(ordinal) + ", offset=" + offset + ", sequence=" +
                    nextSequence,
                ex, JournalFiles.segment(ordinal), offset, nextSequence));
        }
    }

    private boolean notThere(final JournalException reason)
    {
        cursor.close();
        failure = reason;
        return false;
    }
}
