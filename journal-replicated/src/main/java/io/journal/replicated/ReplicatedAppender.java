// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.ByteBuffer;

import io.journal.JournalAppender;
import io.journal.JournalFullException;
import io.journal.RecordClaim;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.IdleStrategy;

/**
 * Appends to the window of the writer, and waits while the window is full. For any number of threads.
 */
final class ReplicatedAppender extends JournalAppender
{
    private final Writer writer;
    private final ReplicatedJournalBuilder settings;
    // Guarded by the writer's lock.
    private final IdleStrategy idle;

    ReplicatedAppender(final Writer writer, final ReplicatedJournalBuilder settings)
    {
        this.writer = writer;
        this.settings = settings;
        idle = settings.engine.idleStrategies.get();
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final byte[] record, final int offset, final int length)
    {
        return append(expectedSequence, tag, record, offset, length, record.length);
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final ByteBuffer record, final int offset, final int length)
    {
        return append(expectedSequence, tag, record, offset, length, record.limit());
    }

    @Override
    public long appendIf(
        final long expectedSequence, final long tag, final DirectBuffer record, final int offset, final int length)
    {
        return append(expectedSequence, tag, record, offset, length, record.capacity());
    }

    private long append(
        final long expectedSequence,
        final long tag,
        final Object record,
        final int offset,
        final int length,
        final int available)
    {
        if (length < 0 || length > writer.maxRecordLength() || offset < 0 || offset > available - length)
        {
            throw new IllegalArgumentException(
                "record cannot be appended: offset=" + offset + ", length=" + length + ", available=" + available +
                    ", maxLength=" + writer.maxRecordLength());
        }

        writer.lock.lock();
        try
        {
            if (ANY != expectedSequence && writer.last() != expectedSequence)
            {
                writer.check();
                return MISMATCH;
            }

            final long sequence = writer.append(tag, record, offset, length);
            return 0 != sequence ? sequence : awaitRoom(tag, record, offset, length);
        }
        finally
        {
            writer.lock.unlock();
        }
    }

    /**
     * Waits for room with the lock held: other threads would have to wait as well, and must not overtake this append.
     */
    private long awaitRoom(final long tag, final Object record, final int offset, final int length)
    {
        final long beginNs = System.nanoTime();
        final long limitNs = settings.windowTimeout.toNanos();
        idle.reset();
        while (true)
        {
            final int work = writer.drive();
            final long sequence = writer.append(tag, record, offset, length);
            final long waitedNs = System.nanoTime() - beginNs;
            if (0 != sequence)
            {
                WriterCounters.add(writer.counters.backPressureTimeNs, waitedNs);
                return sequence;
            }

            if (waitedNs >= limitNs)
            {
                throw new JournalFullException(
                    "window full: nothing was appended, try again later: inFlight=" +
                        (writer.last() - writer.acknowledged()) + ", acknowledged=" + writer.acknowledged() +
                        ", state=" + writer.state());
            }
            idle.idle(work);
        }
    }

    /**
     * Not offered: a batch would have to be a single message.
     */
    @Override
    protected long appendFrames(
        final long expectedSequence, final ByteBuffer frames, final int length, final int longestRecord)
    {
        throw new UnsupportedOperationException(
            "a replicated journal has no atomic batches: append one record that holds what belongs together");
    }

    @Override
    public int maxRecordLength()
    {
        return writer.maxRecordLength();
    }

    /**
     * Not offered: the claimed memory would be part of a message, which may be sent any number of times.
     */
    @Override
    public RecordClaim claim(final int length)
    {
        throw new UnsupportedOperationException(
            "a replicated journal has no claims: encode into a buffer of your own, and append that");
    }
}
