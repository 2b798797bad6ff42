package io.journal;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.files.FailureLatch;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.write.ExclusiveChange;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.TailWriter;
import org.agrona.DirectBuffer;
import org.agrona.LangUtil;

/**
 * The exclusive appender, for one thread at a time; a lock around it is sufficient: see {@link Journal#appender()}.
 * Only it can claim room for a record, to be filled in place.
 */
public final class JournalAppender implements Appender
{
    private static final long WAIT_NS = TimeUnit.MICROSECONDS.toNanos(50);

    /** No thread is using the memory in which records are composed. */
    private static final int IDLE = 0;
    /** A thread is inside one of the methods. */
    private static final int BUSY = 1;
    /** A thread holds a claim. */
    private static final int CLAIMED = 2;
    /** The journal was closed meanwhile: the thread that holds the claim must release the files. */
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

    // Serializes the appends of a shared appender, and excludes them during truncation, roll and close.
    final OrderedLock sharing;

    private final TailWriter tail;
    private final Forcer forcer;
    private final ForcePolicy policy;
    private final FailureLatch latch;
    private final int maxRecordLength;
    private final int maxBatchLength;
    private final RecordClaim claim = new RecordClaim(this);
    private int claimIndex;
    private volatile Thread user;
    private int use = IDLE;
    private volatile Runnable orphanRelease;
    private Boolean isShared;
    private volatile boolean isForcingEach;

    JournalAppender(
        final TailWriter tail,
        final Forcer forcer,
        final ForcePolicy policy,
        final FailureLatch latch,
        final int maxRecordLength,
        final int maxBatchLength)
    {
        this.tail = tail;
        this.forcer = forcer;
        this.policy = policy;
        this.latch = latch;
        sharing = new OrderedLock(LockLevel.APPENDER, latch);
        this.maxRecordLength = maxRecordLength;
        this.maxBatchLength = maxBatchLength;
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final byte[] record, final int offset, final int length)
    {
        checkRecord(offset, length, record.length);
        if (isUnexpected(expectedSequence))
        {
            return MISMATCH;
        }

        final int index = begin(FrameHeader.LENGTH + length, tag);
        try
        {
            tail.buffer().put(index + FrameHeader.LENGTH, record, offset, length);
        }
        catch (final Throwable ex)
        {
            throw undo(index, FrameHeader.LENGTH + length, ex);
        }

        return acknowledge(end(index, FrameHeader.LENGTH + length, tag, 1));
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final ByteBuffer record, final int offset, final int length)
    {
        checkRecord(offset, length, record.limit());
        if (isUnexpected(expectedSequence))
        {
            return MISMATCH;
        }

        final int index = begin(FrameHeader.LENGTH + length, tag);
        try
        {
            tail.buffer().put(index + FrameHeader.LENGTH, record, offset, length);
        }
        catch (final Throwable ex)
        {
            throw undo(index, FrameHeader.LENGTH + length, ex);
        }

        return acknowledge(end(index, FrameHeader.LENGTH + length, tag, 1));
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final DirectBuffer record, final int offset, final int length)
    {
        checkRecord(offset, length, record.capacity());
        if (isUnexpected(expectedSequence))
        {
            return MISMATCH;
        }

        final int index = begin(FrameHeader.LENGTH + length, tag);
        try
        {
            record.getBytes(offset, tail.buffer(), index + FrameHeader.LENGTH, length);
        }
        catch (final Throwable ex)
        {
            throw undo(index, FrameHeader.LENGTH + length, ex);
        }

        return acknowledge(end(index, FrameHeader.LENGTH + length, tag, 1));
    }

    @Override
    public long appendIf(final long expectedSequence, final RecordBatch batch)
    {
        checkBatch(batch);
        if (isUnexpected(expectedSequence))
        {
            return MISMATCH;
        }

        final int frameLength = batch.frameLength();
        final int index = begin(frameLength, FrameHeader.BATCH);
        try
        {
            batch.putBody(tail.buffer(), index);
        }
        catch (final Throwable ex)
        {
            throw undo(index, frameLength, ex);
        }

        return acknowledge(end(index, -frameLength, FrameHeader.BATCH, batch.count()));
    }

    @Override
    public int maxRecordLength()
    {
        return maxRecordLength;
    }

    /**
     * Claims room for a record with a tag.
     *
     * @param tag    the user's value stored with the record.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return the claim, for use with try-with-resources.
     * @see #claim(int)
     */
    public RecordClaim claim(final long tag, final int length)
    {
        return claim(length).tag(tag);
    }

    /**
     * Claims room for a record to be filled in place. Until the claim is committed or closed, nothing else can be
     * appended.
     *
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return the claim, for use with try-with-resources.
     */
    public RecordClaim claim(final int length)
    {
        checkRecord(0, length, length);
        final int index = begin(FrameHeader.LENGTH + length, 0);
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
            throw undo(index, FrameHeader.LENGTH + length, ex);
        }
    }

    long commit(final RecordClaim claim)
    {
        if (!latch.isOpen() || !USE.compareAndSet(this, CLAIMED, BUSY))
        {
            abort(claim);
            latch.check();
        }

        final int length = claim.length();
        final long tag = claim.tag();
        claim.release();
        try
        {
            tail.checkOwned();
            FrameHeader.begin(tail.buffer(), claimIndex, tail.nextSequence(), tag);
        }
        catch (final Throwable ex)
        {
            leave();
            throw latch.fail("write", ex);
        }

        return acknowledge(end(claimIndex, FrameHeader.LENGTH + length, tag, 1));
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
            throw latch.fail("write", ex);
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
     * Waits until no other thread is inside one of the methods above, and aborts an open claim. The journal is already
     * closed, so no thread enters again.
     *
     * @param release run by the holder of a claim when it closes the claim.
     * @return false if another thread holds a claim, in memory that must not be released yet.
     */
    boolean finish(final Runnable release)
    {
        final Thread user = this.user;
        if (null != user && Thread.currentThread() != user)
        {
            // The appender's store to "use" and its load of the journal's state are not ordered by a fence, which would
            // cost each record as much as its checksum. Taking its stack trace brings that thread to a safepoint, and
            // neither access is moved across a safepoint: afterwards either the store is visible here, or the thread
            // sees that the journal is closed.
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
     * Fixes for the journal's lifetime whether one thread appends or several do.
     */
    synchronized void decide(final boolean isShared)
    {
        if (null != this.isShared && isShared != this.isShared)
        {
            throw new IllegalStateException(
                isShared ? "appender() was taken before: one thread appends" :
                    "sharedAppender() was taken before: many threads append");
        }

        this.isShared = isShared;
        // Threads that share the appender wait for durability outside the lock, so that others can append.
        isForcingEach = policy.isEveryRecord() && !isShared;
    }

    /**
     * Makes a change while no thread appends. Called by the appending thread, or by any thread if the appender is
     * shared.
     *
     * @throws IllegalStateException if a claim is open, or another thread is appending; nothing was changed.
     */
    void exclusively(final ExclusiveChange change) throws IOException
    {
        sharing.lock();
        try
        {
            if (!USE.compareAndSet(this, IDLE, BUSY))
            {
                throw new IllegalStateException("a claim is open, or another thread is appending");
            }
            user = Thread.currentThread();
            try
            {
                change.make();
            }
            finally
            {
                leave();
            }
        }
        finally
        {
            sharing.unlock();
        }
    }

    long awaitForced(final long sequence)
    {
        if (policy.isEveryRecord())
        {
            forcer.awaitForced(sequence);
        }

        return sequence;
    }

    /**
     * Begins a frame; {@link #end} or {@link #undo} must follow.
     */
    private int begin(final int frameLength, final long tag)
    {
        if (IDLE != use)
        {
            throw new IllegalStateException("a claim is open, or another thread is appending");
        }
        // Not earlier: a refused thread must not be mistaken for the holder of a claim.
        if (Thread.currentThread() != user)
        {
            user = Thread.currentThread();
        }

        USE.setRelease(this, BUSY);
        try
        {
            if (!latch.isOpen())
            {
                latch.check();
            }

            final int alignedLength = FrameHeader.align(frameLength);
            final int index = tail.reserve(alignedLength);
            final ByteBuffer buffer = tail.buffer();
            if (alignedLength != frameLength)
            {
                buffer.putLong(index + alignedLength - FrameHeader.ALIGNMENT, 0);
            }
            FrameHeader.begin(buffer, index, tail.nextSequence(), tag);
            return index;
        }
        catch (final InternalError ex)
        {
            leave();
            throw tail.faulted(ex);
        }
        catch (final Throwable ex)
        {
            leave();
            throw ex;
        }
    }

    private long end(final int index, final int storedLength, final long tag, final int count)
    {
        try
        {
            return tail.commit(index, storedLength, tag, count);
        }
        catch (final Throwable ex)
        {
            // The frame may be written but not published, or the other way round.
            throw latch.fail("write", ex);
        }
        finally
        {
            leave();
        }
    }

    /**
     * Reverts {@link #begin} after copying the record failed.
     */
    private RuntimeException undo(final int index, final int frameLength, final Throwable cause)
    {
        try
        {
            if (cause instanceof InternalError)
            {
                throw latch.fail("write", cause);
            }

            tail.abort(index, FrameHeader.align(frameLength));
            LangUtil.rethrowUnchecked(cause);
            return null;
        }
        catch (final InternalError ex)
        {
            throw latch.fail("write", ex);
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

    private long acknowledge(final long sequence)
    {
        if (isForcingEach)
        {
            forcer.awaitForced(sequence);
        }

        return sequence;
    }

    /**
     * Whether the newest record differs from the one the caller expects.
     */
    private boolean isUnexpected(final long expectedSequence)
    {
        if (ANY == expectedSequence)
        {
            return false;
        }

        latch.check();
        return tail.nextSequence() - 1 != expectedSequence;
    }

    private void checkBatch(final RecordBatch batch)
    {
        if (0 == batch.count() || batch.longestRecord() > maxRecordLength || batch.frameLength() > maxBatchLength)
        {
            throw new IllegalArgumentException(
                "batch cannot be appended: " + batch + ", longestRecord=" + batch.longestRecord() +
                    ", maxRecordLength=" + maxRecordLength + ", maxFrameLength=" + maxBatchLength);
        }
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
