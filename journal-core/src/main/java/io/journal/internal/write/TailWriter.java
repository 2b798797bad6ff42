package io.journal.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

import io.journal.JournalException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.Segment;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.observe.Events;
import io.journal.store.Window;
import org.agrona.concurrent.EpochClock;

/**
 * The newest end of the journal: composes frames in the window, rolls from segment to segment, publishes.
 * <p>
 * One thread appends. Others may only ask that what is published be written, which takes a lock that the appending
 * thread needs for changing windows alone, and for each write where it writes each record.
 */
public final class TailWriter
{
    private static final int MARK_INTERVAL = 64 * 1024;
    private static final int FORCED_MARK_INTERVAL = 4 * 1024;
    private static final int FORCED_MARK_INTERVAL_MS = 1000;

    private final Window window;
    private final boolean isWritingEach;
    private final SegmentAllocator allocator;
    private final Forcer forcer;
    private final Positions positions;
    private final FailureLatch latch;
    private final WriterFence fence;
    private final EpochClock clock;
    private final Runnable onRoll;
    private final CRC32C crc = new CRC32C();
    private final ReentrantLock windowLock = new ReentrantLock();

    private long basePosition;
    private long salt;
    private int segmentLength;
    private ByteBuffer buffer;
    private ByteBuffer view;
    private int windowOffset;
    private int windowEnd;

    // Offsets in the segment: end of what is composed, and of the last mark.
    private int tail;
    private int markEnd;
    private long nextSequence;
    private long markedPosition;
    private long markTimeMs;

    // Offset up to which the segment is written. Guarded by the lock.
    private int writtenTail;

    public TailWriter(
        final Window window,
        final boolean isWritingEach,
        final SegmentAllocator allocator,
        final Forcer forcer,
        final Positions positions,
        final FailureLatch latch,
        final WriterFence fence,
        final EpochClock clock,
        final Runnable onRoll)
    {
        this.window = window;
        this.isWritingEach = isWritingEach;
        this.allocator = allocator;
        this.forcer = forcer;
        this.positions = positions;
        this.latch = latch;
        this.fence = fence;
        this.clock = clock;
        this.onRoll = onRoll;
    }

    /**
     * Begins behind what recovery accepted or a truncation left, with a mark if there is room for one.
     *
     * @param epoch of the journal.
     */
    public void start(final Segment segment, final int offset, final long nextSequence, final long epoch)
        throws IOException
    {
        windowLock.lock();
        try
        {
            this.nextSequence = nextSequence;
            positions.start(segment.basePosition + offset, nextSequence - 1);
            enter(segment, offset);
        }
        finally
        {
            windowLock.unlock();
        }
        // Closes what the window showed before.
        forcer.start(this, segment, epoch);

        if (segmentLength - tail >= FrameHeader.MARK_LENGTH)
        {
            putMark();
            publish();
        }
    }

    /**
     * Makes room for a frame, and a mark before it if one is due.
     *
     * @param alignedLength of the frame.
     * @return where the frame begins in {@link #buffer()}.
     */
    public int reserve(final int alignedLength)
    {
        checkOwned();
        if (tail - markEnd >= MARK_INTERVAL || markedPosition != positions.forcedPosition())
        {
            considerMark();
        }

        if (tail + alignedLength > windowEnd)
        {
            makeRoom(alignedLength);
        }

        return tail - windowOffset;
    }

    /**
     * Checks, before bytes are changed, that they are not another writer's by now.
     *
     * @throws JournalException if they are, and the journal with it has failed.
     */
    public void checkOwned()
    {
        if (!fence.isOwned())
        {
            refuse();
        }
    }

    /**
     * Completes a frame whose body is in place behind {@link #reserve}'s index, and publishes it.
     *
     * @param storedLength of the frame, negative for a batch's.
     * @param count        of the records in it.
     * @return sequence of the last record.
     */
    public long commit(final int index, final int storedLength, final long tag, final int count)
    {
        final int alignedLength = FrameHeader.align(Math.abs(storedLength));
        FrameHeader.complete(buffer, view, crc, index, tail, storedLength, tag, salt);
        final long sequence = nextSequence + count - 1;
        nextSequence = sequence + 1;
        advance(index + alignedLength, alignedLength);
        publish();
        return sequence;
    }

    /**
     * Undoes what {@link #reserve}'s user put behind its index.
     */
    public void abort(final int index, final int alignedLength)
    {
        if (fence.isOwned())
        {
            zero(index, index + alignedLength);
        }
    }

    /**
     * Zeroes memory of the window.
     */
    public void zero(final int from, final int to)
    {
        int i = from;
        for (; i <= to - Long.BYTES; i += Long.BYTES)
        {
            buffer.putLong(i, 0);
        }
        for (; i < to; i++)
        {
            buffer.put(i, (byte)0);
        }
    }

    public ByteBuffer buffer()
    {
        return buffer;
    }

    /**
     * Where the next frame begins.
     */
    public long position()
    {
        return basePosition + tail;
    }

    public long nextSequence()
    {
        return nextSequence;
    }

    /**
     * Puts a close frame behind the last record and publishes it; nothing if there is no room for it.
     */
    public void putClose()
    {
        if (segmentLength - tail >= FrameHeader.CLOSE_LENGTH + FrameHeader.MARK_LENGTH)
        {
            final int index = reserveControl(FrameHeader.CLOSE_LENGTH);
            FrameHeader.begin(buffer, index, nextSequence, FrameHeader.CLOSE);
            buffer.putLong(index + FrameHeader.LENGTH, clock.time());
            completeControl(index, FrameHeader.CLOSE_LENGTH, FrameHeader.CLOSE);
            if (window.isShared())
            {
                publish();
            }
            else
            {
                // With the zero behind it, which says that nothing follows.
                writeAndPublish(basePosition + tail, nextSequence - 1);
            }
        }
    }

    /**
     * Writes all that is published below a position, if it is not written yet. For any thread.
     */
    public void writeUpTo(final long position) throws IOException
    {
        if (isUnwritten(position))
        {
            windowLock.lock();
            try
            {
                if (isUnwritten(position))
                {
                    final long sequence = positions.appendedSequence();
                    final long end = positions.appendedPosition();
                    final int to = (int)(end - basePosition);
                    // Not the zero behind it: the appending thread may be changing it.
                    store(to, to);
                    positions.written(end, sequence);
                }
            }
            finally
            {
                windowLock.unlock();
            }
        }
    }

    /**
     * Also if only the sequence is behind: it may have been read just before its record was published.
     */
    private boolean isUnwritten(final long position)
    {
        // In shared memory all is written, and both ends are one: only the appending thread stores them.
        return !window.isShared() && (positions.writtenPosition() < position ||
            positions.writtenSequence() < positions.appendedSequence());
    }

    /**
     * Fails the journal after a fault of mapped memory: of the segment, or of the file that shows other writers.
     *
     * @return what to throw.
     */
    public JournalException faulted(final InternalError error)
    {
        Throwable cause = error;
        try
        {
            fence.check();
        }
        catch (final IOException | JournalException ex)
        {
            ex.addSuppressed(error);
            cause = ex;
        }

        return latch.fail("write", cause);
    }

    private void refuse()
    {
        try
        {
            fence.check();
        }
        catch (final IOException ex)
        {
            throw latch.fail("check of the writer's lock", ex);
        }
    }

    private void considerMark()
    {
        final boolean isDue = tail - markEnd >= FORCED_MARK_INTERVAL ||
            clock.time() - markTimeMs >= FORCED_MARK_INTERVAL_MS;
        if (isDue && segmentLength - tail >= FrameHeader.MARK_LENGTH)
        {
            putMark();
        }
    }

    private void putMark()
    {
        final int index = reserveControl(FrameHeader.MARK_LENGTH);
        markedPosition = positions.forcedPosition();
        markTimeMs = clock.time();
        FrameHeader.begin(buffer, index, nextSequence, FrameHeader.MARK);
        buffer.putLong(index + FrameHeader.LENGTH, markedPosition);
        buffer.putLong(index + FrameHeader.LENGTH + Long.BYTES, markTimeMs);
        completeControl(index, FrameHeader.MARK_LENGTH, FrameHeader.MARK);
        markEnd = tail;
    }

    private int reserveControl(final int length)
    {
        if (tail + length > windowEnd)
        {
            moveWindow(length);
        }

        return tail - windowOffset;
    }

    private void completeControl(final int index, final int length, final long kind)
    {
        FrameHeader.complete(buffer, view, crc, index, tail, -length, kind, salt);
        advance(index + FrameHeader.align(length), FrameHeader.align(length));
    }

    private void advance(final int nextIndex, final int alignedLength)
    {
        tail += alignedLength;
        // What follows must read as nothing, also where an aborted record or former content lies.
        if (tail < windowEnd)
        {
            buffer.putLong(nextIndex, 0);
        }
    }

    private void publish()
    {
        final long position = basePosition + tail;
        final long sequence = nextSequence - 1;
        if (isWritingEach)
        {
            writeAndPublish(position, sequence);
        }
        else
        {
            positions.appended(position, sequence);
        }
    }

    private void writeAndPublish(final long position, final long sequence)
    {
        windowLock.lock();
        try
        {
            store(tail, tail + FrameHeader.ALIGNMENT);
            // Nothing is ever seen written before it is seen appended.
            positions.appended(position, sequence);
            positions.written(position, sequence);
        }
        catch (final IOException ex)
        {
            throw latch.fail("write", ex);
        }
        finally
        {
            windowLock.unlock();
        }
    }

    /**
     * Writes frames up to an offset, and zeros behind them as far as the window goes.
     */
    private void store(final int to, final int zeroEnd) throws IOException
    {
        if (writtenTail < to)
        {
            window.store(writtenTail, Math.min(windowEnd, zeroEnd));
            writtenTail = to;
        }
    }

    /**
     * Goes on in the next segment, unless nothing but its first mark is in this one.
     */
    public void rollUnlessEmpty()
    {
        if (tail > SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH)
        {
            roll();
            publish();
        }
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

    private void moveWindow(final int length)
    {
        windowLock.lock();
        try
        {
            store(tail, tail);
            // A mark that was composed goes with it, but counts only with the record it precedes.
            positions.written(positions.appendedPosition(), positions.appendedSequence());
            window.move(tail, length);
            look();
        }
        catch (final Throwable ex)
        {
            throw latch.fail("write", ex);
        }
        finally
        {
            windowLock.unlock();
        }
    }

    private void roll()
    {
        final Object event = Events.INSTANCE.beginRoll();
        // First of all: if there is no space for it, nothing has changed and a smaller record may still fit.
        final Segment next = allocator.take();
        try
        {
            pad();
            windowLock.lock();
            try
            {
                store(tail, tail);
                positions.written(positions.appendedPosition(), positions.appendedSequence());
                next.firstSequence(nextSequence);
                enter(next, SegmentHeader.LENGTH);
            }
            finally
            {
                windowLock.unlock();
            }
            // The segment before may be closed from here on.
            forcer.rolled(next);
            putMark();
            onRoll.run();
            Events.INSTANCE.endRoll(event, next);
        }
        catch (final Throwable ex)
        {
            // Half-way between two segments nothing can be appended any more.
            if (basePosition != next.basePosition)
            {
                next.close();
            }
            throw latch.fail("roll", ex);
        }
    }

    private void pad()
    {
        final int remaining = segmentLength - tail;
        if (remaining >= FrameHeader.LENGTH)
        {
            final int index = reserveControl(FrameHeader.LENGTH);
            FrameHeader.begin(buffer, index, nextSequence, FrameHeader.PADDING);
            FrameHeader.complete(buffer, view, crc, index, tail, -remaining, FrameHeader.PADDING, salt);
            tail += FrameHeader.LENGTH;
            if (tail < windowEnd)
            {
                // So that equal records make equal files on every backend.
                buffer.putLong(index + FrameHeader.LENGTH, 0);
            }
        }
    }

    private void enter(final Segment segment, final int offset) throws IOException
    {
        window.attach(segment.file);
        basePosition = segment.basePosition;
        salt = segment.salt;
        segmentLength = segment.length;
        tail = offset;
        markEnd = offset;
        writtenTail = offset;
        window.move(offset, Math.min(FrameHeader.MARK_LENGTH, segmentLength - offset));
        look();
    }

    private void look()
    {
        windowOffset = window.offset();
        windowEnd = window.end();
        if (buffer != window.buffer())
        {
            buffer = window.buffer();
            view = buffer.duplicate();
        }
    }
}
