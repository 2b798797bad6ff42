package io.journal.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

import io.journal.JournalException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.observe.Events;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Term;
import org.agrona.concurrent.EpochClock;

/**
 * Appends at the tail: composes frames in the window, with control frames between records, and rolls from segment to
 * segment. For the appending thread, except {@link #writeUpTo}.
 */
public final class TailWriter
{
    /** In place of a number of records: the frame has one, and is no batch. */
    static final int NO_BATCH = 0;

    private static final int WATERMARK_INTERVAL = 64 * 1024;
    // While the durable watermark advances.
    private static final int NEW_WATERMARK_INTERVAL = 4 * 1024;
    private static final int NEW_WATERMARK_INTERVAL_MS = 1000;
    private static final int LONG_FRAME = 4 * 1024;

    private final TailWindow window;
    private final SegmentSupply supply;
    private final Forcer forcer;
    private final Positions positions;
    private final FailureLatch latch;
    private final EpochClock clock;
    private final LongSupplier randoms;
    private final Runnable onRoll;
    private final CRC32C crc = new CRC32C();
    private final boolean isWritingEach;
    private final boolean isMapped;
    final WriterFence fence;

    // Copies of what the window shows, for each append.
    private ByteBuffer buffer;
    private ByteBuffer view;
    private int windowOffset;
    private int windowEnd;
    // Up to here frames need no watermark frame before them, and no other part of the segment.
    private int freeEnd;
    private long basePosition;
    private long salt;
    private int segmentLength;

    // Offsets in the segment: end of the composed frames, and of the last watermark frame.
    private int tail;
    private int watermarkEnd;
    private long nextSequence;
    private long watermark;
    private long watermarkTimeMs;
    private long epoch;
    private long cutPosition;
    // Whether there was no room for the watermark frame of the current term, in the segment or on the disk.
    private boolean isTermDue;
    private volatile CurrentTerm currentTerm = new CurrentTerm(Term.NONE, Long.MAX_VALUE);

    public TailWriter(
        final TailWindow window,
        final SegmentSupply supply,
        final Forcer forcer,
        final EpochClock clock,
        final LongSupplier randoms,
        final Runnable onRoll)
    {
        this.randoms = randoms;
        this.window = window;
        this.supply = supply;
        this.forcer = forcer;
        this.clock = clock;
        this.onRoll = onRoll;
        positions = window.positions;
        latch = window.latch;
        fence = window.fence;
        isWritingEach = window.isWritingEach;
        isMapped = window.memory.isMapped();
    }

    /**
     * Starts at the end that recovery found or a truncation left, and begins a term with a watermark frame. If there is
     * no room for it, the next record puts it, or rolls, so that no record of the new term follows a watermark frame of
     * the old one.
     *
     * @param state of the journal, for its truncation epoch.
     */
    public void start(
        final Segment segment, final int offset, final long nextSequence, final JournalMeta.State state)
        throws IOException
    {
        this.nextSequence = nextSequence;
        epoch = state.epoch;
        cutPosition = state.cutPosition();
        isTermDue = false;
        currentTerm = new CurrentTerm(Term.next(randoms), nextSequence);
        window.start(segment, offset, nextSequence);
        enter(segment, offset);
        // Closes the segment that the window showed before.
        forcer.start(this, segment, epoch);

        if (SegmentSupply.limit(segment) - tail >= FrameHeader.MARK_LENGTH)
        {
            putWatermark();
            publish();
        }
        else
        {
            isTermDue = true;
            freeEnd = 0;
        }
    }

    /** The term of the records from a sequence on. */
    public record CurrentTerm(long term, long firstSequence)
    {
    }

    public CurrentTerm currentTerm()
    {
        return currentTerm;
    }

    /**
     * Makes room for a frame, with zeros after it up to its alignment, and puts a watermark frame before it if one is
     * due.
     *
     * @return index of the frame in {@link #buffer()}.
     */
    public int reserve(final int frameLength)
    {
        final int alignedLength = FrameHeader.align(frameLength);
        fence.checkOwned();
        if (watermark != positions.forcedPosition() || tail + alignedLength > freeEnd)
        {
            prepareFor(alignedLength);
        }

        final int index = tail - windowOffset;
        buffer.putLong(index + alignedLength - FrameHeader.ALIGNMENT, 0);
        return index;
    }

    /**
     * Completes a frame whose body is in place at the index that {@link #reserve} returned, and publishes it.
     *
     * @param count of records in a batch, or {@link #NO_BATCH}.
     * @return sequence of the last record.
     */
    public long commit(final int index, final int frameLength, final long tag, final int count)
    {
        final int alignedLength = FrameHeader.align(frameLength);
        if (alignedLength >= LONG_FRAME)
        {
            // Copying it has taken a while.
            fence.checkOwned();
        }
        FrameHeader.begin(buffer, index, nextSequence, tag);
        complete(index, NO_BATCH == count ? frameLength : -frameLength, tag);
        endBehind(index + alignedLength, tail + alignedLength);
        final long next = nextSequence + Math.max(1, count);
        // No call between them: after an error in one, the frame would have another sequence than the next one expects.
        tail += alignedLength;
        nextSequence = next;
        publish();
        return nextSequence - 1;
    }

    public ByteBuffer buffer()
    {
        return buffer;
    }

    RecordWakeup appendedWakeup()
    {
        return positions.appendedWakeup;
    }

    /** Position of the next frame. */
    public long position()
    {
        return basePosition + tail;
    }

    public long nextSequence()
    {
        return nextSequence;
    }

    /** Writes all that is published if what is below a position is not written yet. Thread-safe. */
    public void writeUpTo(final long position)
    {
        window.writeUpTo(position);
    }

    /** Rolls to the next segment, unless this one holds only its first watermark frame. */
    public void rollUnlessEmpty()
    {
        if (tail > SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH)
        {
            roll();
            publish();
        }
    }

    /** Publishes a close frame, and the zero without which it does not count, if there is room for them. */
    public void putClose()
    {
        fence.checkOwned();
        // A term begins with a watermark frame.
        if (!isTermDue && segmentLength - tail >= FrameHeader.CLOSE_LENGTH + FrameHeader.MARK_LENGTH &&
            hasRoom(FrameHeader.CLOSE_LENGTH + Long.BYTES))
        {
            final int index = beginControl(FrameHeader.CLOSE_LENGTH, FrameHeader.CLOSE);
            buffer.putLong(index + FrameHeader.LENGTH, clock.time());
            endControl(index, FrameHeader.CLOSE_LENGTH, FrameHeader.CLOSE);
            window.writeAndPublish(tail, nextSequence - 1);
        }
    }

    private boolean hasRoom(final int alignedLength)
    {
        try
        {
            makeRoom(alignedLength);
            return true;
        }
        catch (final JournalException ignore)
        {
            // If storage has failed, the fsync that follows reports it.
            return false;
        }
    }

    private void prepareFor(final int alignedLength)
    {
        if (isTermDue)
        {
            beginTerm();
        }
        if (tail - watermarkEnd >= WATERMARK_INTERVAL || watermark != positions.forcedPosition())
        {
            putWatermarkIfDue();
        }
        if (tail + alignedLength > windowEnd)
        {
            makeRoom(alignedLength);
        }
    }

    private void beginTerm()
    {
        if (segmentLength - tail >= FrameHeader.MARK_LENGTH)
        {
            putWatermark();
            isTermDue = false;
            publish();
            // As after an opening that has room for it: durable before anything can follow it.
            forcer.force();
        }
        else
        {
            roll();
        }
    }

    private void putWatermarkIfDue()
    {
        final boolean isDue = tail - watermarkEnd >= NEW_WATERMARK_INTERVAL ||
            Math.abs(clock.time() - watermarkTimeMs) >= NEW_WATERMARK_INTERVAL_MS;
        if (isDue && segmentLength - tail >= FrameHeader.MARK_LENGTH)
        {
            putWatermark();
        }
    }

    private void putWatermark()
    {
        final int index = beginControl(FrameHeader.MARK_LENGTH, FrameHeader.MARK);
        watermark = positions.forcedPosition();
        watermarkTimeMs = clock.time();
        buffer.putLong(index + FrameHeader.LENGTH, watermark);
        buffer.putLong(index + FrameHeader.LENGTH + Long.BYTES, watermarkTimeMs);
        buffer.putLong(index + FrameHeader.MARK_EPOCH_OFFSET, epoch);
        buffer.putLong(index + FrameHeader.MARK_CUT_OFFSET, cutPosition);
        buffer.putLong(index + FrameHeader.MARK_TERM_OFFSET, currentTerm.term);
        endControl(index, FrameHeader.MARK_LENGTH, FrameHeader.MARK);
        watermarkEnd = tail;
        freeEnd = Math.min(windowEnd, watermarkEnd + WATERMARK_INTERVAL);
    }

    private void makeRoom(final int alignedLength)
    {
        if (tail + alignedLength > segmentLength)
        {
            roll();
        }
        if (tail + alignedLength > windowEnd)
        {
            moveWindow(alignedLength);
        }
    }

    private void roll()
    {
        final Object event = Events.INSTANCE.beginRoll();
        // First: if the disk is full, nothing has changed and a smaller record may still fit.
        supply.fill(window.segment(), Math.min(segmentLength, tail + 2 * FrameHeader.LENGTH));
        final Segment next = supply.take();
        try
        {
            if (basePosition + segmentLength != next.basePosition)
            {
                throw new IllegalStateException("not the next segment: file=" + next.name());
            }
            putPadding();
            next.firstSequence(nextSequence);
            window.roll(tail, next);
            enter(next, SegmentHeader.LENGTH);
            // From here on the forcer may close the previous segment.
            forcer.rolled(next);
            isTermDue = false;
            putWatermark();
            onRoll.run();
            Events.INSTANCE.endRoll(event, latch.journal(), next);
        }
        catch (final Throwable ex)
        {
            // Halfway between two segments nothing can be appended any more.
            if (!window.isAttachedTo(next))
            {
                next.close();
            }
            throw latch.fail(ex).exception("roll", ex);
        }
    }

    private void enter(final Segment segment, final int offset)
    {
        basePosition = segment.basePosition;
        salt = segment.salt;
        segmentLength = segment.length;
        tail = offset;
        watermarkEnd = offset;
        copyView();
    }

    private void moveWindow(final int length)
    {
        supply.fill(window.segment(), tail + length);
        window.move(tail, length);
        copyView();
    }

    private void copyView()
    {
        // If there is no memory for the view, the next frame comes here again.
        windowEnd = 0;
        freeEnd = 0;
        final ByteBuffer shown = window.memory.buffer();
        if (buffer != shown)
        {
            view = shown.duplicate();
            buffer = shown;
        }
        windowOffset = window.memory.offset();
        windowEnd = window.memory.end();
        freeEnd = Math.min(windowEnd, watermarkEnd + WATERMARK_INTERVAL);
    }

    /** Releases the window's memory: a closed journal may be referred to for long. Nothing can be appended any more. */
    public void release()
    {
        window.release();
        buffer = null;
        view = null;
    }

    private void putPadding()
    {
        final int remaining = segmentLength - tail;
        if (remaining >= FrameHeader.LENGTH)
        {
            final int index = beginControl(FrameHeader.LENGTH, FrameHeader.PADDING);
            complete(index, -remaining, FrameHeader.PADDING);
            // With the zero behind it, so that equal records produce equal files on every backend.
            advance(index + FrameHeader.LENGTH, FrameHeader.LENGTH);
        }
    }

    private int beginControl(final int length, final long kind)
    {
        if (tail + length > windowEnd)
        {
            moveWindow(length);
        }

        final int index = tail - windowOffset;
        FrameHeader.begin(buffer, index, nextSequence, kind);
        return index;
    }

    private void endControl(final int index, final int length, final long kind)
    {
        complete(index, -length, kind);
        advance(index + FrameHeader.align(length), FrameHeader.align(length));
    }

    private void complete(final int index, final int storedLength, final long kind)
    {
        FrameHeader.complete(buffer, view, crc, index, tail, storedLength, kind, salt);
    }

    private void advance(final int nextIndex, final int alignedLength)
    {
        tail += alignedLength;
        endBehind(nextIndex, tail);
    }

    /** The next frame must read as absent, also over an aborted record or stale bytes of the file's previous use. */
    private void endBehind(final int index, final int offset)
    {
        if (offset < windowEnd)
        {
            buffer.putLong(index, 0);
        }
    }

    private void publish()
    {
        if (isWritingEach)
        {
            window.writeAndPublish(tail, nextSequence - 1);
        }
        else if (isMapped)
        {
            window.copyAndPublish(tail, nextSequence - 1);
        }
        else
        {
            positions.appended(basePosition + tail, nextSequence - 1);
        }
    }
}
