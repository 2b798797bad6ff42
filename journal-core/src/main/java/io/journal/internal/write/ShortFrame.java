package io.journal.internal.write;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.ShortChecksum;
import org.agrona.DirectBuffer;

/**
 * The frame of a short record, composed on the heap and then copied into the mapped segment, for the reason given at
 * {@link ShortChecksum}. For the appending thread.
 */
final class ShortFrame
{
    private final byte[] bytes = new byte[ShortChecksum.MAX_LENGTH + Long.BYTES];
    private final CRC32C crc = new CRC32C();

    /** Takes a record from memory of any kind. */
    void take(final Object memory, final int offset, final int length)
    {
        final int alignedLength = FrameHeader.alignedLength(length);
        FrameHeader.zeroBefore(bytes, alignedLength);
        // The next frame must read as absent.
        FrameHeader.zeroBefore(bytes, alignedLength + Long.BYTES);
        if (memory instanceof byte[])
        {
            System.arraycopy(memory, offset, bytes, FrameHeader.LENGTH, length);
        }
        else if (memory instanceof ByteBuffer)
        {
            ((ByteBuffer)memory).get(offset, bytes, FrameHeader.LENGTH, length);
        }
        else
        {
            ((DirectBuffer)memory).getBytes(offset, bytes, FrameHeader.LENGTH, length);
        }
    }

    /** Copies the frame of the record, and what follows it up to an end, into a window. */
    void put(
        final ByteBuffer window, final int index, final int end, final int offset, final int frameLength,
        final long sequence, final long tag, final long salt)
    {
        FrameHeader.begin(bytes, sequence, tag);
        final long firstWord = FrameHeader.firstWord(bytes, crc, offset, frameLength, salt);
        window.put(index + Long.BYTES, bytes, Long.BYTES, end - Long.BYTES);
        // Last, as if the frame had been composed in place: a process that dies leaves all of it, or none.
        window.putLong(index, firstWord);
    }
}
