package io.journal.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;

import io.journal.JournalException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.Segment;
import io.journal.internal.files.Window;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.observe.Events;
import org.agrona.concurrent.EpochClock;

/**
 * Appends at the tail: composes frames in the window, rolls from segment to segment, publishes the ends.
 * <p>
 * One thread appends. Other threads may only call {@link #writeUpTo}. It takes the window lock, which the appending
 * thread takes only to change windows, or for every record if it writes each record by itself.
 */
public final class TailWriter
{
    private static final int MARK_INTERVAL = 64 * 1024;
    private static final int FORCED_MARK_INTERVAL = 4 * 1024;
    private static final int FORCED_MARK_INTERVAL_MS = 1000;
    private static final int LONG_FRAME = 4 * 1024;

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
    // Excludes writeUpTo (called by fsyncs, the background agent and readers) while the appending thread moves the
    // window, attaches it to the next segment in a roll, or stores from it.
    private final ReentrantLock windowLock = new ReentrantLock();

    private long basePosition;
    private long salt;
    private int segmentLength;
    private ByteBuffer buffer;
    private ByteBuffer view;
    private int windowOffset;
    private int windowEnd;

    // Offsets in the segment: end of the composed frames, and of the last watermark frame.
    private int tail;
    private int markEnd;
    private long nextSequence;
    private long markedPosition;
    private long markTimeMs;

    // Offset up to which the segment is written. Guarded by windowLock.
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
     * Starts at the end that recovery found or a truncation left, with a watermark frame if there is room for it.
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
        // Closes the segment that the window showed before.
        forcer.start(this, segment, epoch);

        if (segmentLength - tail >= FrameHeader.MARK_LENGTH)
        {
            putMark();
            publish();
        }
    }

    /**
     * Makes room for a frame, and puts a watermark frame before it if one is due.
     *
     * @param alignedLength of the frame.
     * @return index of the frame in {@link #buffer()}.
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
     * Checks, before bytes are changed, that no other writer has taken over the journal.
     *
     * @throws JournalException if one has; this journal has failed.
     */
    public void checkOwned()
    {
        if (!fence.isOwned())
        {
            refuse();
        }
    }

    /**
     * Completes a frame whose body is in place at the index that {@link #reserve} returned, and publishes it.
     *
     * @param storedLength of the frame, negative for a batch.
     * @param count        of records in it.
     * @return sequence of the last record.
     */
    public long commit(final int index, final int storedLength, final long tag, final int count)
    {
        final int alignedLength = FrameHeader.align(Math.abs(storedLength));
        if (alignedLength >= LONG_FRAME)
        {
            // Copying it has taken a while.
            checkOwned();
        }
        FrameHeader.complete(buffer, view, crc, index, tail, storedLength, tag, salt);
        final long sequence = nextSequence + count - 1;
        nextSequence = sequence + 1;
        advance(index + alignedLength, alignedLength);
        publish();
        return sequence;
    }

    /**
     * Zeroes what was put at the index that {@link #reserve} returned, unless another writer has taken over.
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
     * Position of the next frame.
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
     * Appends a close frame behind the last record and publishes it. Does nothing if there is no room for it.
     */
    public void putClose()
    {
        checkOwned();
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
                // With the zero behind it, which ends the frames.
                writeAndPublish(basePosition + tail, nextSequence - 1);
            }
        }
    }

    /**
     * Writes all that is published if what is below a position is not written yet. Thread-safe.
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
                    // Without the zero behind it: the appending thread may be changing it.
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
     * True also if only the sequence lags: an earlier write may have read it just before its record was published.
     */
    private boolean isUnwritten(final long position)
    {
        // A mapped window needs no write: both ends are one, which only the appending thread stores.
        return !window.isShared() && (positions.writtenPosition() < position ||
            positions.writtenSequence() < positions.appendedSequence());
    }

    /**
     * Fails the journal after a fault in mapped memory: of the segment, or of {@code journal.mark}.
     *
     * @return the exception to throw.
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
        // The next frame must read as absent, also over an aborted record or stale bytes of the file's previous use.
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
            // Appended first: no thread may see a record as written before it sees it as appended.
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
     * Writes frames up to an offset, and zeros behind them as far as the window reaches.
     */
    private void store(final int to, final int zeroEnd) throws IOException
    {
        if (writtenTail < to)
        {
            // What has waited in the window must not be written over the bytes of another writer.
            if (!fence.isOwned())
            {
                fence.check();
            }
            window.store(writtenTail, Math.min(windowEnd, zeroEnd));
            writtenTail = to;
        }
    }

    /**
     * Rolls to the next segment, unless this one holds only its first watermark frame.
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
            // This also writes a composed watermark frame; it is published with the record that follows it.
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
        // Taken first: if the disk is full, nothing has changed and a smaller record may still fit.
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
            // From here on the forcer may close the previous segment.
            forcer.rolled(next);
            putMark();
            onRoll.run();
            Events.INSTANCE.endRoll(event, next);
        }
        catch (final Throwable ex)
        {
            // Halfway between two segments nothing can be appended any more.
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
                // So that equal records produce equal files on every backend.
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
