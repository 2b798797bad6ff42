// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import io.journal.internal.files.FailureLatch;
import io.journal.internal.control.Cut;
import io.journal.internal.control.Term;
import io.journal.internal.control.WriterFence;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.observe.Events;
import io.journal.internal.segment.Segment;
import org.agrona.concurrent.EpochClock;

/**
 * Appends at the tail: composes frames in the window, with control frames between records, and rolls from segment to
 * segment. For the appending thread, except {@link #writeUpTo}.
 */
public final class TailWriter
{
    private static final int WATERMARK_INTERVAL = 64 * 1024;
    // Interval while the durable watermark advances.
    private static final int NEW_WATERMARK_INTERVAL = 4 * 1024;
    private static final int NEW_WATERMARK_INTERVAL_MS = 1000;

    private final TailWindow window;
    private final SegmentSupply supply;
    private final Forcer forcer;
    private final Positions positions;
    private final FailureLatch latch;
    private final EpochClock clock;
    private final Runnable onRoll;
    private final CRC32C crc = new CRC32C();
    private final boolean isWritingEach;
    private final boolean isMapped;
    final WriterFence fence;

    // Copies of the window's view, which each append reads.
    private ByteBuffer buffer;
    private ByteBuffer view;
    private int windowOffset;
    private int windowEnd;
    // Frames up to here need no watermark frame before them, and no move of the window.
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
    // Term of the record before the current term.
    private long previousTerm;
    // Whether there was no room for the watermark frame of the current term, in the segment or on the disk.
    private boolean isTermDue;
    private volatile CurrentTerm currentTerm = new CurrentTerm(0, Term.NONE, Long.MAX_VALUE);

    public TailWriter(
        final TailWindow window,
        final SegmentSupply supply,
        final Forcer forcer,
        final EpochClock clock,
        final Runnable onRoll)
    {
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
     * Starts where recovery begins a term, in the segment or at its end.
     *
     * @param begin of the term.
     */
    public void start(final Segment segment, final int offset, final Cut begin) throws IOException
    {
        window.start(segment, offset, begin.sequence());
        enter(segment, offset);
        begin(begin);
        forcer.start(this, segment, begin.term());
        putBegin();
    }

    /**
     * Continues where a truncation begins a term: at the tail, or at the end of the segment. All appended records are
     * durable, and no fsync is in flight. All ends of the journal are there afterwards.
     *
     * @param begin of the term.
     */
    public void restart(final Cut begin)
    {
        tail = (int)Math.min(segmentLength, begin.to() - basePosition);
        begin(begin);
        window.restart(tail, begin.sequence());
        forcer.restart(begin.term());
    }

    /** Where the next term can begin without a change: the tail, or the next segment if there is no room. */
    public long nextBegin()
    {
        return segmentLength - tail < FrameHeader.MARK_LENGTH ?
            basePosition + segmentLength + SegmentHeader.LENGTH : basePosition + tail;
    }

    private void begin(final Cut begin)
    {
        nextSequence = begin.sequence();
        previousTerm = begin.previousTerm();
        currentTerm = new CurrentTerm(begin.number(), begin.term(), begin.sequence());
    }

    /**
     * Begins the term with a watermark frame. If there is no room for it, the next append puts it, or rolls, so that no
     * record of the new term follows a watermark frame of the old one.
     */
    public void putBegin()
    {
        isTermDue = false;
        if (SegmentSupply.limit(window.segment()) - tail >= FrameHeader.MARK_LENGTH)
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
    public record CurrentTerm(long number, long term, long firstSequence)
    {
    }

    public CurrentTerm currentTerm()
    {
        return currentTerm;
    }

    /**
     * Makes room for a frame or for all frames of a batch, with zeros after it up to its alignment, and puts a
     * watermark frame before it if one is due.
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
     * Completes the frame of a record whose bytes are in place at the index that {@link #reserve} returned, and
     * publishes it.
     *
     * @return sequence of the record.
     */
    public long commit(final int index, final int frameLength, final long tag)
    {
        final int alignedLength = FrameHeader.align(frameLength);
        FrameHeader.begin(buffer, index, nextSequence, tag);
        complete(index, tail, frameLength, tag);
        endBehind(index + alignedLength, tail + alignedLength);
        // No call between these statements: after an error in it, the frame would have another sequence than the next
        // frame expects.
        tail += alignedLength;
        nextSequence++;
        publish();
        return nextSequence - 1;
    }

    /**
     * Completes the frames of a batch, which are in place at the index that {@link #reserve} returned except for
     * checksums and sequences, and publishes them at once: readers and fsyncs never see an end between them.
     *
     * @param length of all frames, each aligned.
     * @return sequence of the last record.
     */
    public long commitBatch(final int index, final int length)
    {
        long sequence = nextSequence;
        for (int i = 0; i < length; sequence++)
        {
            final int storedLength = FrameHeader.storedLength(buffer, index + i);
            assert FrameHeader.isPlausible(storedLength, length - i) : "not a frame of a batch: index=" + i;

            final long tag = FrameHeader.tag(buffer, index + i);
            FrameHeader.begin(buffer, index + i, sequence, tag);
            complete(index + i, tail + i, storedLength, tag);
            i += FrameHeader.align(FrameHeader.length(storedLength));
        }
        endBehind(index + length, tail + length);
        tail += length;
        nextSequence = sequence;
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

    /** Writes all published frames if those below a position are not written yet. Thread-safe. */
    public void writeUpTo(final long position)
    {
        window.writeUpTo(position);
    }

    /** Rolls to the next segment, unless this one holds only its first watermark frame. */
    public void rollUnlessEmpty()
    {
        if (isTermDue && !isEmpty())
        {
            beginTerm();
        }
        if (!isEmpty())
        {
            roll();
        }
        publish();
    }

    private boolean isEmpty()
    {
        return tail <= SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH;
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
            // Durable before anything can follow it, as after an opening that has room for it.
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
        final CurrentTerm current = currentTerm;
        buffer.putLong(index + FrameHeader.MARK_NUMBER_OFFSET, current.number);
        buffer.putLong(index + FrameHeader.MARK_TERM_OFFSET, current.term);
        buffer.putLong(
            index + FrameHeader.MARK_PREVIOUS_OFFSET,
            nextSequence > current.firstSequence ? current.term : previousTerm);
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
        final Object event = Events.INSTANCE.begin(Events.Kind.ROLL);
        // Filled first: if the disk is full, nothing has changed and a smaller record may still fit.
        supply.fill(window.segment(), Math.min(segmentLength, tail + 2 * FrameHeader.LENGTH));
        final Segment next = supply.take();
        boolean isQueued = false;
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
            isQueued = true;
            isTermDue = false;
            putWatermark();
            onRoll.run();
            Events.INSTANCE.endRoll(event, latch.journal(), next);
        }
        catch (final Throwable ex)
        {
            // Halfway between two segments nothing can be appended any more.
            final FailureLatch failed = latch.fail(ex);
            if (!isQueued)
            {
                window.awaitWrite();
                next.close();
            }
            throw failed.exception("roll", ex);
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

    /**
     * Releases the window's memory: a closed journal may stay referenced for long. Nothing can be appended any more.
     */
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
            complete(index, tail, -remaining, FrameHeader.PADDING);
            // Includes the zero after it, so that equal records produce equal files on every backend.
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
        complete(index, tail, -length, kind);
        advance(index + FrameHeader.align(length), FrameHeader.align(length));
    }

    private void complete(final int index, final int offset, final int storedLength, final long tag)
    {
        FrameHeader.complete(buffer, view, crc, index, offset, storedLength, tag, salt);
    }

    private void advance(final int nextIndex, final int alignedLength)
    {
        tail += alignedLength;
        endBehind(nextIndex, tail);
    }

    /** The next frame must read as absent, even over an aborted record or stale bytes of the file's previous use. */
    private void endBehind(final int index, final int offset)
    {
        if (offset < windowEnd)
        {
            buffer.putLong(index, 0);
        }
    }

    /** Publishes all that is composed. */
    public void publish()
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
