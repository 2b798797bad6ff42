// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;

import io.journal.internal.control.WriterFence;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;

/**
 * The memory in which the newest frames are composed, and their way from there to the segment and to readers.
 * <p>
 * The appending thread owns it. Other threads may only call {@link #writeUpTo}, which takes the lock; the background
 * agent calls {@link #writeWaiting}. The appending thread takes the lock to move the window, or for every record if it
 * writes each record by itself.
 */
public final class TailWindow
{
    final Positions positions;
    final FailureLatch latch;
    final WriterFence fence;
    final boolean isWritingEach;
    final Window memory;

    // Excludes writeUpTo (called by fsyncs, the background agent and readers) while the appending thread moves the
    // window, attaches it to the next segment in a roll, or stores from it.
    private final OrderedLock lock;
    // The appending thread changes it under the lock.
    private Segment segment;
    // Offset up to which the segment is written. Guarded by the lock; confined to the appending thread if segments are
    // mapped.
    private int writtenTail;
    // Confined to the background agent.
    private long waitingPosition;

    public TailWindow(
        final Window memory,
        final boolean isWritingEach,
        final Positions positions,
        final FailureLatch latch,
        final WriterFence fence)
    {
        this.memory = memory;
        this.isWritingEach = isWritingEach;
        this.positions = positions;
        this.latch = latch;
        this.fence = fence;
        lock = new OrderedLock(OrderedLock.Level.WINDOW, latch);
    }

    /** Starts at the end that recovery found or a truncation left. All ends of the journal are there afterwards. */
    void start(final Segment segment, final int tail, final long nextSequence) throws IOException
    {
        lock.lock();
        try
        {
            positions.start(segment.basePosition + tail, nextSequence - 1);
            attach(segment, tail);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Continues at an offset at or after the tail. All ends of the journal are there afterwards. All composed frames
     * are written already.
     */
    void restart(final int tail, final long nextSequence)
    {
        lock.lock();
        try
        {
            positions.start(segment.basePosition + tail, nextSequence - 1);
            writtenTail = tail;
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Writes the frames below an offset and the terminating zero after them, then publishes them. */
    void writeAndPublish(final int tail, final long sequence)
    {
        lock.lock();
        try
        {
            store(tail, tail + FrameHeader.ALIGNMENT);
            final long position = segment.basePosition + tail;
            // Appended first: no thread may see a record as written before it sees it as appended.
            positions.appended(position, sequence);
            positions.written(position, sequence);
        }
        catch (final IOException ex)
        {
            throw latch.fail(ex).exception("write", ex);
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Writes the records that were appended before its previous call. A duty of the background agent. */
    public boolean writeWaiting()
    {
        final long waiting = waitingPosition;
        waitingPosition = positions.appendedPosition();
        if (waiting <= positions.writtenPosition())
        {
            return false;
        }

        writeUpTo(waiting);
        return true;
    }

    /**
     * Writes all published frames if those below a position are not written yet. Any failure fails the journal and is
     * not retried, because the files of a failed journal may be closed.
     */
    void writeUpTo(final long position)
    {
        if (!isUnwritten(position))
        {
            return;
        }

        lock.lock();
        try
        {
            if (isUnwritten(position))
            {
                latch.checkStorage();
                writePublished();
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    private void writePublished()
    {
        try
        {
            final long sequence = positions.appendedSequence();
            final long end = positions.appendedPosition();
            final int to = (int)(end - segment.basePosition);
            // Without the zero after it, because the appending thread may be changing that.
            store(to, to);
            positions.written(end, sequence);
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("write", ex);
        }
    }

    /** Waits for a write in progress. Once the journal is closed or has failed, no other follows. */
    public void awaitWrite()
    {
        lock.lock();
        lock.unlock();
    }

    /** Releases the memory, after {@link #awaitWrite()}. */
    void release()
    {
        memory.release();
    }

    /** Moves within the segment, to make room for the next frame. */
    void move(final int tail, final int length)
    {
        lock.lock();
        try
        {
            tryWriteComposed(tail);
            // Out of memory for a long record is no storage failure: the window stays where it is.
            memory.move(tail, length, SegmentSupply.limit(segment));
        }
        finally
        {
            lock.unlock();
        }
    }

    private void tryWriteComposed(final int tail)
    {
        try
        {
            writeComposed(tail);
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("write", ex);
        }
    }

    /** Moves to the next segment. The previous segment is no longer used. */
    void roll(final int tail, final Segment next) throws IOException
    {
        lock.lock();
        try
        {
            writeComposed(tail);
            attach(next, SegmentHeader.LENGTH);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Copies the frames below an offset and the terminating zero after them into the mapped segment, then publishes
     * them. Takes no lock: where segments are mapped, no other thread writes from the window.
     */
    void copyAndPublish(final int tail, final long sequence)
    {
        try
        {
            store(tail, tail + FrameHeader.ALIGNMENT);
            positions.appended(segment.basePosition + tail, sequence);
        }
        catch (final IOException ex)
        {
            throw latch.fail(ex).exception("write", ex);
        }
    }

    /** True also if only the sequence lags: an earlier write may have read it just before its record was published. */
    private boolean isUnwritten(final long position)
    {
        // In a mapped segment both ends are the same, and only the appending thread stores it.
        return !memory.isMapped() && (positions.writtenPosition() < position ||
            positions.writtenSequence() < positions.appendedSequence());
    }

    /** Includes a control frame that is composed but not published: it is published with the record that follows it. */
    private void writeComposed(final int tail) throws IOException
    {
        store(tail, tail);
        positions.written(positions.appendedPosition(), positions.appendedSequence());
    }

    /** Writes frames up to an offset, and zeros after them as far as the window reaches. */
    private void store(final int to, final int zeroEnd) throws IOException
    {
        if (writtenTail < to)
        {
            // Frames that waited in the window must not overwrite the bytes of another writer.
            if (!fence.isOwned())
            {
                fence.check();
            }
            memory.store(writtenTail, Math.min(memory.end(), zeroEnd));
            writtenTail = to;
        }
    }

    private void attach(final Segment segment, final int tail) throws IOException
    {
        memory.attach(segment.file);
        this.segment = segment;
        writtenTail = tail;
        memory.move(tail, Math.min(FrameHeader.MARK_LENGTH, segment.length - tail), SegmentSupply.limit(segment));
    }

    Segment segment()
    {
        return segment;
    }
}
