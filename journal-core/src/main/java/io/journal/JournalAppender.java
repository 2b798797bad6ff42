package io.journal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.agrona.DirectBuffer;
import org.agrona.LangUtil;

/**
 * Appends records. One thread at a time, for which a lock is enough: see {@link Journal#appender()}. Each record
 * carries a <em>tag</em>, 64 bits that are the user's: a type, a stream, a time. The short forms write 0.
 * <p>
 * When a method that appends returns, the record is with the operating system and outlives a crash of this process
 * (with {@link JournalBuilder#writeWindow(int)} it may wait in memory until the window is written); once
 * {@link Journal#forcedSequence()} has reached it, it also survives a loss of power. No call allocates per record.
 * <p>
 * Every method that appends throws
 * <ul>
 * <li>{@link IllegalArgumentException} for a record that cannot be: nothing was written;</li>
 * <li>{@link IllegalStateException} if the journal is closed or a claim is open: nothing was written;</li>
 * <li>{@link JournalFullException} if there is no space for the next segment: nothing was written, and the same call
 * works again once there is space;</li>
 * <li>{@link JournalException} if the next segment could not be made for another reason: nothing was written, and the
 * same call may work again; or if storage failed: nothing more is acknowledged, close the journal and reopen it to
 * recover. Whether the record is there is known after that.</li>
 * </ul>
 */
public final class JournalAppender
{
    private static final long WAIT_NS = TimeUnit.MICROSECONDS.toNanos(50);

    /** Nobody is using the memory that records are composed in. */
    private static final int IDLE = 0;
    /** A thread is in one of the methods. */
    private static final int BUSY = 1;
    /** A thread holds a claim. */
    private static final int CLAIMED = 2;
    /** The journal was closed meanwhile: who holds the claim has to release the files. */
    private static final int ORPHANED = 3;

    private static final VarHandle USE;

    static
    {
        try
        {
            USE = MethodHandles.lookup().findVarHandle(JournalAppender.class, "use", int.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final TailWriter tail;
    private final Health health;
    private final int maxRecordLength;
    private final RecordClaim claim = new RecordClaim(this);
    private int claimIndex;
    private volatile Thread user;
    private int use = IDLE;
    private volatile Runnable orphanRelease;

    JournalAppender(final TailWriter tail, final Health health, final int maxRecordLength)
    {
        this.tail = tail;
        this.health = health;
        this.maxRecordLength = maxRecordLength;
    }

    /**
     * Appends a record with tag 0.
     *
     * @param record holds the bytes.
     * @return sequence of the record.
     */
    public long append(final byte[] record)
    {
        return append(0, record, 0, record.length);
    }

    /**
     * Appends a record.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @return sequence of the record.
     */
    public long append(final long tag, final byte[] record)
    {
        return append(tag, record, 0, record.length);
    }

    /**
     * Appends a record with tag 0.
     *
     * @param record holds the bytes.
     * @param offset of the record in the array.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    public long append(final byte[] record, final int offset, final int length)
    {
        return append(0, record, offset, length);
    }

    /**
     * Appends a record.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @param offset of the record in the array.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    public long append(final long tag, final byte[] record, final int offset, final int length)
    {
        checkRecord(offset, length, record.length);
        final int index = begin(length, tag);
        try
        {
            tail.buffer().put(index + FrameHeader.LENGTH, record, offset, length);
        }
        catch (final Throwable ex)
        {
            throw undo(index, length, ex);
        }

        return end(index, length, tag);
    }

    /**
     * Appends what remains of a buffer as a record with tag 0. The buffer's position and limit stay as they are.
     *
     * @param record the bytes from the buffer's position to its limit.
     * @return sequence of the record.
     */
    public long append(final ByteBuffer record)
    {
        return append(0, record, record.position(), record.remaining());
    }

    /**
     * Appends what remains of a buffer as a record. The buffer's position and limit stay as they are.
     *
     * @param tag    the user's value beside the record.
     * @param record the bytes from the buffer's position to its limit.
     * @return sequence of the record.
     */
    public long append(final long tag, final ByteBuffer record)
    {
        return append(tag, record, record.position(), record.remaining());
    }

    /**
     * Appends a record. The buffer's position and limit stay as they are.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @param offset of the record in the buffer, as an absolute index.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}; it ends below the buffer's limit.
     * @return sequence of the record.
     */
    public long append(final long tag, final ByteBuffer record, final int offset, final int length)
    {
        checkRecord(offset, length, record.limit());
        final int index = begin(length, tag);
        try
        {
            tail.buffer().put(index + FrameHeader.LENGTH, record, offset, length);
        }
        catch (final Throwable ex)
        {
            throw undo(index, length, ex);
        }

        return end(index, length, tag);
    }

    /**
     * Appends a record with tag 0.
     *
     * @param record holds the bytes.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    public long append(final DirectBuffer record, final int offset, final int length)
    {
        return append(0, record, offset, length);
    }

    /**
     * Appends a record.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    public long append(final long tag, final DirectBuffer record, final int offset, final int length)
    {
        checkRecord(offset, length, record.capacity());
        final int index = begin(length, tag);
        try
        {
            record.getBytes(offset, tail.buffer(), index + FrameHeader.LENGTH, length);
        }
        catch (final Throwable ex)
        {
            throw undo(index, length, ex);
        }

        return end(index, length, tag);
    }

    /**
     * Claims room for a record that will carry a tag.
     *
     * @param tag    the user's value beside the record.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return the claim, to be used with try-with-resources.
     * @see #claim(int)
     */
    public RecordClaim claim(final long tag, final int length)
    {
        return claim(length).tag(tag);
    }

    /**
     * Claims room for a record to be filled in place. Until the claim is committed or closed nothing else can be
     * appended.
     *
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return the claim, to be used with try-with-resources.
     */
    public RecordClaim claim(final int length)
    {
        checkRecord(0, length, length);
        final int index = begin(length, 0);
        try
        {
            tail.zero(index, index + FrameHeader.alignedLength(length));
            claimIndex = index;
            claim.open(tail.buffer(), index + FrameHeader.LENGTH, length);
            USE.setRelease(this, CLAIMED);
            return claim;
        }
        catch (final Throwable ex)
        {
            throw undo(index, length, ex);
        }
    }

    /**
     * Length of the largest record.
     *
     * @return length in bytes.
     */
    public int maxRecordLength()
    {
        return maxRecordLength;
    }

    long commit(final RecordClaim claim)
    {
        if (!health.isOpen() || !USE.compareAndSet(this, CLAIMED, BUSY))
        {
            abort(claim);
            health.check();
        }

        final int length = claim.length();
        final long tag = claim.tag();
        claim.release();
        FrameHeader.begin(tail.buffer(), claimIndex, tail.nextSequence(), tag);
        return end(claimIndex, length, tag);
    }

    void abort(final RecordClaim claim)
    {
        final boolean isOrphan = !USE.compareAndSet(this, CLAIMED, BUSY);
        final int alignedLength = FrameHeader.alignedLength(claim.length());
        claim.release();
        try
        {
            tail.abort(claimIndex, alignedLength);
        }
        catch (final InternalError ex)
        {
            throw health.fail("write", ex);
        }
        finally
        {
            leave();
            if (isOrphan)
            {
                orphanRelease.run();
            }
        }
    }

    /**
     * Waits until no other thread is in one of the methods above, and aborts an open claim. The journal is closed
     * already, so nobody comes back.
     *
     * @param release what the holder of a claim has to do when it closes it.
     * @return false if another thread holds a claim, in memory that must not be taken away.
     */
    boolean finish(final Runnable release)
    {
        final Thread user = this.user;
        if (null != user && Thread.currentThread() != user)
        {
            // The appender's store to use and its look at the journal's state are not ordered by a fence, which would
            // cost each record as much as its checksum. Taking its stack trace brings that thread to a safepoint, over
            // which neither is moved: after it, the store is seen here, or the thread sees that the journal is closed.
            user.getStackTrace();
            while (BUSY == (int)USE.getAcquire(this) && user.isAlive())
            {
                LockSupport.parkNanos(this, WAIT_NS);
            }

            orphanRelease = release;
            if (user.isAlive() && USE.compareAndSet(this, CLAIMED, ORPHANED))
            {
                return false;
            }
        }

        if (claim.isOpen())
        {
            abort(claim);
        }
        return true;
    }

    /**
     * Begins a frame; {@link #end} or {@link #undo} has to follow.
     */
    private int begin(final int length, final long tag)
    {
        if (IDLE != use)
        {
            throw new IllegalStateException("a claim is open, or another thread is appending");
        }
        // Only now: a thread that is refused must not be taken for the one that holds a claim.
        if (Thread.currentThread() != user)
        {
            user = Thread.currentThread();
        }

        USE.setRelease(this, BUSY);
        try
        {
            if (!health.isOpen())
            {
                health.check();
            }

            final int alignedLength = FrameHeader.alignedLength(length);
            final int index = tail.reserve(alignedLength);
            final ByteBuffer buffer = tail.buffer();
            if (0 != (length & (FrameHeader.ALIGNMENT - 1)))
            {
                buffer.putLong(index + alignedLength - FrameHeader.ALIGNMENT, 0);
            }
            FrameHeader.begin(buffer, index, tail.nextSequence(), tag);
            return index;
        }
        catch (final InternalError ex)
        {
            leave();
            throw health.fail("write", ex);
        }
        catch (final Throwable ex)
        {
            leave();
            throw ex;
        }
    }

    private long end(final int index, final int length, final long tag)
    {
        try
        {
            return tail.commit(index, length, FrameHeader.alignedLength(length), tag);
        }
        catch (final Throwable ex)
        {
            // The frame may be there and not be published, or the other way round.
            throw health.fail("write", ex);
        }
        finally
        {
            leave();
        }
    }

    /**
     * Takes back what {@link #begin} began, when copying the record failed.
     */
    private RuntimeException undo(final int index, final int length, final Throwable cause)
    {
        try
        {
            if (cause instanceof InternalError)
            {
                throw health.fail("write", cause);
            }

            tail.abort(index, FrameHeader.alignedLength(length));
            LangUtil.rethrowUnchecked(cause);
            return null;
        }
        catch (final InternalError ex)
        {
            throw health.fail("write", ex);
        }
        finally
        {
            leave();
        }
    }

    private void leave()
    {
        USE.setRelease(this, IDLE);
    }

    private void checkRecord(final int offset, final int length, final int available)
    {
        if (length < 0 || length > maxRecordLength)
        {
            throw new IllegalArgumentException(
                "record length out of range: length=" + length + ", maxLength=" + maxRecordLength);
        }

        if (offset < 0 || offset > available - length)
        {
            throw new IllegalArgumentException(
                "record outside its buffer: offset=" + offset + ", length=" + length + ", available=" + available);
        }
    }
}
