package io.journal;

import java.nio.ByteBuffer;

import io.journal.internal.lock.OrderedLock;
import org.agrona.DirectBuffer;

/**
 * The appender for any number of threads: see {@link Journal#sharedAppender()}. Appends are serialized: records get
 * their sequences in the order in which threads enter, and those of one thread keep their order. Waiting for durability
 * is shared: one fsync serves all threads that have appended by then (group commit).
 */
public final class SharedAppender implements Appender
{
    private final JournalAppender appender;
    private final OrderedLock lock;

    SharedAppender(final JournalAppender appender)
    {
        this.appender = appender;
        lock = appender.sharing;
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final byte[] record, final int offset, final int length)
    {
        final long sequence;
        lock.lock();
        try
        {
            sequence = appender.appendIf(expectedSequence, tag, record, offset, length);
        }
        finally
        {
            lock.unlock();
        }

        return acknowledge(sequence);
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final ByteBuffer record, final int offset, final int length)
    {
        final long sequence;
        lock.lock();
        try
        {
            sequence = appender.appendIf(expectedSequence, tag, record, offset, length);
        }
        finally
        {
            lock.unlock();
        }

        return acknowledge(sequence);
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final DirectBuffer record, final int offset, final int length)
    {
        final long sequence;
        lock.lock();
        try
        {
            sequence = appender.appendIf(expectedSequence, tag, record, offset, length);
        }
        finally
        {
            lock.unlock();
        }

        return acknowledge(sequence);
    }

    @Override
    public long appendIf(final long expectedSequence, final RecordBatch batch)
    {
        final long sequence;
        lock.lock();
        try
        {
            sequence = appender.appendIf(expectedSequence, batch);
        }
        finally
        {
            lock.unlock();
        }

        return acknowledge(sequence);
    }

    @Override
    public int maxRecordLength()
    {
        return appender.maxRecordLength();
    }

    /**
     * Waits outside the lock, so that other threads can append meanwhile.
     */
    private long acknowledge(final long sequence)
    {
        return MISMATCH == sequence ? MISMATCH : appender.awaitForced(sequence);
    }
}
