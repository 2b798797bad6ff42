package io.journal;

import java.nio.ByteBuffer;

import io.journal.internal.buffer.ByteBufferView;
import org.agrona.MutableDirectBuffer;

/**
 * Room for one record that is filled in place: in the mapped segment, or in the buffer from which it is written.
 * <p>
 * Obtained from {@link JournalAppender#claim(int)} and used by the same thread. {@link #close()} without
 * {@link #commit()} discards the record. The object is reused by the next claim.
 */
public final class RecordClaim implements AutoCloseable
{
    private final JournalAppender appender;
    private final ByteBufferView buffer = new ByteBufferView();
    private ByteBuffer memory;
    private long tag;
    private boolean isOpen;

    RecordClaim(final JournalAppender appender)
    {
        this.appender = appender;
    }

    /**
     * The record's memory: its capacity is the record's length, its bytes are initially zero. Do not use it after
     * commit or close, when its capacity is 0.
     *
     * @return the memory.
     */
    public MutableDirectBuffer buffer()
    {
        return buffer;
    }

    /**
     * Length of the record.
     *
     * @return length in bytes.
     */
    public int length()
    {
        return buffer.capacity();
    }

    /**
     * Sets the tag the record will carry.
     *
     * @param tag the user's value.
     * @return this claim.
     */
    public RecordClaim tag(final long tag)
    {
        this.tag = tag;
        return this;
    }

    /**
     * Appends the record, with the guarantees of {@link JournalAppender#append(byte[], int, int)}.
     *
     * @return sequence of the record.
     * @throws IllegalStateException if the claim was committed or closed before, or the journal is closed.
     * @throws JournalException      if storage failed; the appender is closed, reopen to recover.
     */
    public long commit()
    {
        if (!isOpen)
        {
            throw new IllegalStateException("claim is not open");
        }

        return appender.commit(this);
    }

    /**
     * Discards the record, unless it was committed. Idempotent.
     */
    @Override
    public void close()
    {
        if (isOpen)
        {
            appender.abort(this);
        }
    }

    void open(final ByteBuffer memory, final int index, final int length)
    {
        this.memory = memory;
        buffer.wrap(memory, index, length);
        tag = 0;
        isOpen = true;
    }

    void release()
    {
        isOpen = false;
        buffer.wrap(memory, 0, 0);
    }

    boolean isOpen()
    {
        return isOpen;
    }

    long tag()
    {
        return tag;
    }
}
