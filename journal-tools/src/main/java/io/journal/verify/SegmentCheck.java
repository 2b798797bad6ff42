package io.journal.verify;

import java.util.ArrayList;
import java.util.List;

import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.verify.Finding.Place;
import io.journal.verify.Finding.Severity;

/**
 * What one segment contains.
 */
public final class SegmentCheck
{
    /**
     * A place where reading frame after frame ends, or continues with another record.
     *
     * @param sequence     expected there, or -1.
     * @param nextSequence of the frame at which reading continues, or -1 if it does not.
     */
    record Break(int offset, long sequence, long nextSequence, Kind kind, String found)
    {
        enum Kind
        {
            /** No valid frame. */
            FRAME(Severity.DAMAGE),
            /** A valid frame of another sequence. */
            SEQUENCE(Severity.DAMAGE),
            /** Bytes that cannot be read, because of a failing device or missing permissions. */
            READ(Severity.UNREADABLE),
            /** Something that must not be skipped, of a format unknown to this version. */
            FORMAT(Severity.NEWER_FORMAT);

            final Severity severity;

            Kind(final Severity severity)
            {
                this.severity = severity;
            }
        }
    }

    final long ordinal;
    final List<Break> breaks = new ArrayList<>();
    /** Why nothing in the segment can be read, or null. */
    Break unreadable;
    long forcedPosition;
    int endOffset = SegmentHeader.LENGTH;

    // As FrameCursor describes an absent frame.
    private static final String NOTHING = "nothing";

    private final long startPosition;
    private boolean isClosed;
    /** Of the first watermark frame. */
    long firstEpoch;
    long firstCutPosition;
    private long firstSequence = Place.UNKNOWN;
    private long nextSequence = Place.UNKNOWN;
    private long frames;
    private long records;
    private long firstTimeMs;
    private long lastTimeMs;

    SegmentCheck(final long ordinal, final long startPosition)
    {
        this.ordinal = ordinal;
        this.startPosition = startPosition;
    }

    /**
     * Adds the valid frame that a cursor has examined.
     */
    void add(final FrameCursor cursor)
    {
        final boolean isControl = cursor.isControl();
        final long kind = cursor.kind();
        frames++;
        if (Place.UNKNOWN == firstSequence)
        {
            firstSequence = cursor.sequence();
            // Read only if that frame is the segment's first one, which is a watermark frame.
            firstEpoch = FrameHeader.MARK == kind && isControl ? cursor.markEpoch() : 0;
            firstCutPosition = FrameHeader.MARK == kind && isControl ? cursor.markCutPosition() : 0;
        }
        if (Place.UNKNOWN != nextSequence && cursor.sequence() != nextSequence)
        {
            breaks.add(new Break(
                cursor.offset(), nextSequence, cursor.sequence(), Break.Kind.SEQUENCE,
                "sequence " + cursor.sequence()));
        }

        isClosed = isControl && FrameHeader.CLOSE == kind;
        if (!isControl)
        {
            records++;
        }
        else if (FrameHeader.MARK == kind)
        {
            lastTimeMs = cursor.markTimeMs();
            firstTimeMs = 0 == firstTimeMs ? lastTimeMs : firstTimeMs;
            forcedPosition = Math.max(forcedPosition, cursor.forcedPosition());
        }
        else if (0 != (kind & FrameHeader.CRITICAL))
        {
            breaks.add(new Break(
                cursor.offset(), cursor.sequence(), cursor.sequence(), Break.Kind.FORMAT,
                "critical control frame of kind " + Long.toHexString(kind)));
        }
        nextSequence = cursor.nextSequence();
    }

    /**
     * Skips what is not valid.
     *
     * @param next sequence of the watermark frame at which reading continues, or -1 if there is none.
     */
    void skip(final int offset, final long next, final Break.Kind kind, final String found)
    {
        breaks.add(new Break(offset, nextSequence, next, kind, found));
        nextSequence = Place.UNKNOWN == next ? nextSequence : next;
    }

    /** Whether the rest of the segment, up to its end, could not be read. */
    boolean endsUnread()
    {
        return !breaks.isEmpty() && Place.UNKNOWN == breaks.get(breaks.size() - 1).nextSequence;
    }

    /** Whether the first frame is valid. */
    boolean isFirstFrameValid()
    {
        return frames > 0 && (breaks.isEmpty() || SegmentHeader.LENGTH != breaks.get(0).offset);
    }

    /** Whether nothing has been written to it: it was made in advance, for when the one before is full. */
    public boolean isPrepared()
    {
        return 0 == frames && null == unreadable && 1 == breaks.size() && NOTHING.equals(breaks.get(0).found);
    }

    /** Number of the segment. */
    public long ordinal()
    {
        return ordinal;
    }

    /** Position at which the segment begins, in bytes. */
    public long startPosition()
    {
        return startPosition;
    }

    /** Position at which the last frame that could be read ends, in bytes. */
    public long endPosition()
    {
        return startPosition + endOffset;
    }

    /** Number of valid frames, control frames among them. */
    public long frames()
    {
        return frames;
    }

    /** Number of records that can be read. */
    public long records()
    {
        return records;
    }

    /** Sequence of the first record, or of the next one if there is none; -1 if it is not known. */
    public long firstSequence()
    {
        return firstSequence;
    }

    /** Sequence that follows the last record that could be read; -1 if it is not known. */
    public long nextSequence()
    {
        return nextSequence;
    }

    /** Whether the last frame that could be read is a close frame: the journal was closed there. */
    public boolean isClosed()
    {
        return isClosed;
    }

    /** When the first watermark frame was written, in milliseconds since 1970 by the writer's clock; 0 if none is. */
    public long firstTimeMs()
    {
        return firstTimeMs;
    }

    /** When the last watermark frame was written, in milliseconds since 1970 by the writer's clock; 0 if none is. */
    public long lastTimeMs()
    {
        return lastTimeMs;
    }
}
