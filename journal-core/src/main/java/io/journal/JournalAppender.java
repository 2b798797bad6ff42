package io.journal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;

import org.agrona.DirectBuffer;

/**
 * Appends records. One thread at a time: see {@link Journal#appender()}.
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
 * <li>{@link JournalException} if storage failed: nothing more is acknowledged, close the journal and reopen it to
 * recover. Whether the record is there is known after that.</li>
 * </ul>
 */
public final class JournalAppender
{
    private static final VarHandle IN_USE;

    static
    {
        try
        {
            IN_USE = MethodHandles.lookup().findVarHandle(JournalAppender.class, "inUse", boolean.class);
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
    @SuppressWarnings("unused") // through IN_USE
    private boolean inUse;

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
        final int alignedLength = FrameHeader.alignedLength(length);
        final int index = begin(length, alignedLength, tag);
        try
        {
            tail.buffer().put(index + FrameHeader.LENGTH, record, offset, length);
            return tail.commit(index, length, alignedLength, tag);
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
        final int alignedLength = FrameHeader.alignedLength(length);
        final int index = begin(length, alignedLength, tag);
        try
        {
            tail.buffer().put(index + FrameHeader.LENGTH, record, offset, length);
            return tail.commit(index, length, alignedLength, tag);
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
        final int alignedLength = FrameHeader.alignedLength(length);
        final int index = begin(length, alignedLength, tag);
        boolean isCopied = false;
        try
        {
            record.getBytes(offset, tail.buffer(), index + FrameHeader.LENGTH, length);
            isCopied = true;
            return tail.commit(index, length, alignedLength, tag);
        }
        catch (final InternalError ex)
        {
            throw health.fail("write", ex);
        }
        finally
        {
            if (!isCopied)
            {
                // The user's buffer threw.
                tail.abort(index, alignedLength);
            }
            leave();
        }
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
        final int alignedLength = FrameHeader.alignedLength(length);
        final int index = begin(length, alignedLength, 0);
        try
        {
            tail.zero(index, index + alignedLength);
            claimIndex = index;
            claim.open(tail.buffer(), index + FrameHeader.LENGTH, length);
            return claim;
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
        final int length = claim.length();
        final long tag = claim.tag();
        claim.release();
        enter();
        try
        {
            FrameHeader.begin(tail.buffer(), claimIndex, tail.nextSequence(), tag);
            return tail.commit(claimIndex, length, FrameHeader.alignedLength(length), tag);
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

    void abort(final RecordClaim claim)
    {
        final int alignedLength = FrameHeader.alignedLength(claim.length());
        claim.release();
        if (health.isOpen())
        {
            try
            {
                tail.abort(claimIndex, alignedLength);
            }
            catch (final InternalError ex)
            {
                throw health.fail("write", ex);
            }
        }
    }

    /**
     * Gives up a claim of the calling thread while the journal is closing.
     *
     * @return false if another thread still holds one, which may be writing into it.
     */
    boolean abortClaim()
    {
        if (!claim.isOpen())
        {
            return true;
        }

        if (Thread.currentThread() != user)
        {
            return false;
        }

        final int alignedLength = FrameHeader.alignedLength(claim.length());
        claim.release();
        tail.abort(claimIndex, alignedLength);
        return true;
    }

    /**
     * Waits until the appending thread is in none of the methods above. The journal is closed already, so it does not
     * come back.
     *
     * @return whether the caller itself, or nobody, is using the memory that records are composed in.
     */
    boolean awaitIdle()
    {
        final Thread user = this.user;
        if (null == user || Thread.currentThread() == user)
        {
            return true;
        }

        // The appender's store to inUse and its look at the journal's state are not ordered by a fence, which would
        // cost each record as much as its checksum. Taking its stack trace brings that thread to a safepoint, which
        // orders them: after it, the store is seen here, or the thread sees that the journal is closed.
        user.getStackTrace();
        while ((boolean)IN_USE.getAcquire(this))
        {
            Thread.onSpinWait();
        }

        return !claim.isOpen();
    }

    private int begin(final int length, final int alignedLength, final long tag)
    {
        if (claim.isOpen())
        {
            throw new IllegalStateException("a claim is open: commit or close it first");
        }

        enter();
        try
        {
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

    private void enter()
    {
        if (Thread.currentThread() != user)
        {
            user = Thread.currentThread();
        }

        IN_USE.setRelease(this, true);
        if (!health.isOpen())
        {
            leave();
            health.check();
        }
    }

    private void leave()
    {
        IN_USE.setRelease(this, false);
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
