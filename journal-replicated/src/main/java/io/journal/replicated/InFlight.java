// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.ByteBuffer;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Records that are appended and not acknowledged yet, in a ring of bytes, each as the entry it will be in a message.
 * Guarded by the writer's lock.
 * <p>
 * A record is sent at once unless many messages are unacknowledged: a record that waits for the acknowledgement of
 * another takes twice the time. Beyond that records share messages, because a message costs much more than its bytes.
 */
final class InFlight
{
    static final int MAX_MESSAGES = 64;

    private final UnsafeBuffer ring;
    private final int capacity;
    // The position of each record's entry, by its sequence. Positions only grow; the remainder is the place in the
    // ring.
    private final long[] positions;
    private final int maxRecords;
    private long head;
    private long tail;

    private long acknowledged;
    private long sent;
    private long last;
    private int composedLength;
    // The last sequence of each unacknowledged message, from the oldest on.
    private final long[] messageEnds = new long[MAX_MESSAGES];
    private int oldestMessage;
    private int messages;

    InFlight(final int maxRecords, final int maxBytes, final int maxRecordLength)
    {
        this.maxRecords = maxRecords;
        positions = new long[BitUtil.findNextPositivePowerOfTwo(maxRecords)];
        // An entry is contiguous: with room for two, the longest fits wherever the tail is.
        capacity = BitUtil.findNextPositivePowerOfTwo(
            Math.max(maxBytes, 2 * Protocol.entryLength(maxRecordLength)));
        ring = new UnsafeBuffer(ByteBuffer.allocateDirect(capacity));
    }

    long acknowledged()
    {
        return acknowledged;
    }

    long sent()
    {
        return sent;
    }

    long last()
    {
        return last;
    }

    boolean isEmpty()
    {
        return acknowledged == last;
    }

    /** {@return whether so many messages are unacknowledged that records have to share messages} */
    boolean isFull()
    {
        return MAX_MESSAGES == messages;
    }

    /** {@return whether a message with records is to be sent now} */
    boolean isDue()
    {
        return sent < last && (!isFull() || tail - position(sent + 1) >= Protocol.FULL_MESSAGE);
    }

    void begin(final long sequence)
    {
        acknowledged = sequence;
        sent = sequence;
        last = sequence;
    }

    /**
     * @return whether there was room.
     */
    boolean add(final long tag, final Object memory, final int offset, final int length)
    {
        final int entryLength = Protocol.entryLength(length);
        final int index = (int)(tail & (capacity - 1));
        final long begin = index + entryLength <= capacity ? tail : tail + capacity - index;
        if (last - acknowledged == maxRecords || begin + entryLength - head > capacity)
        {
            return false;
        }

        put((int)(begin & (capacity - 1)), tag, memory, offset, length);
        last++;
        positions[(int)(last & (positions.length - 1))] = begin;
        tail = begin + entryLength;
        return true;
    }

    private void put(final int index, final long tag, final Object memory, final int offset, final int length)
    {
        final int bytes = index + Protocol.ENTRY_HEADER_LENGTH;
        // Write the padding first: the record overwrites the other bytes of this long.
        ring.putLong(index + Protocol.entryLength(length) - Long.BYTES, 0);
        ring.putLong(index, length, LITTLE_ENDIAN);
        ring.putLong(index + Protocol.ENTRY_TAG_OFFSET, tag, LITTLE_ENDIAN);
        if (memory instanceof byte[] array)
        {
            ring.putBytes(bytes, array, offset, length);
        }
        else if (memory instanceof ByteBuffer buffer)
        {
            ring.putBytes(bytes, buffer, offset, length);
        }
        else
        {
            ((DirectBuffer)memory).getBytes(offset, ring, bytes, length);
        }
    }

    /**
     * Copies entries that have not been sent yet into a message: as many as fit, and at least one.
     *
     * @return their number.
     */
    int compose(final MutableDirectBuffer message, final int offset, final int limit)
    {
        int end = offset;
        long sequence = sent;
        while (sequence < last)
        {
            final int index = (int)(position(sequence + 1) & (capacity - 1));
            final int entryLength = Protocol.entryLength(ring.getInt(index, LITTLE_ENDIAN));
            if (sequence != sent && end + entryLength > limit)
            {
                break;
            }

            message.putBytes(end, ring, index, entryLength);
            end += entryLength;
            sequence++;
        }

        composedLength = end - offset;
        return (int)(sequence - sent);
    }

    int composedLength()
    {
        return composedLength;
    }

    void sent(final int count)
    {
        sent += count;
        // A message beyond the limit, which is sent because it is full, is counted together with the message before it.
        messages = Math.min(messages + 1, MAX_MESSAGES);
        messageEnds[(oldestMessage + messages - 1) & (MAX_MESSAGES - 1)] = sent;
    }

    /**
     * Sends everything again that is not acknowledged.
     */
    void rewind()
    {
        sent = acknowledged;
        messages = 0;
    }

    void acknowledge(final long sequence)
    {
        acknowledged = sequence;
        sent = Math.max(sent, sequence);
        head = sequence == last ? tail : position(sequence + 1);
        while (messages > 0 && messageEnds[oldestMessage] <= sequence)
        {
            oldestMessage = (oldestMessage + 1) & (MAX_MESSAGES - 1);
            messages--;
        }
    }

    private long position(final long sequence)
    {
        return positions[(int)(sequence & (positions.length - 1))];
    }
}
