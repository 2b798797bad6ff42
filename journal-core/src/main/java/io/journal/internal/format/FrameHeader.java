// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The header of a frame and the rules of its checksum. Normative text: {@code docs/format.md}, "Frames".
 * <pre>
 *   0  int32   length of the frame, header included, and bit 30 if more of its batch follows; 0: no frame;
 *              negative: control frame
 *   4  uint32  CRC32C(bytes 8 to length) XOR mix(salt, offset, length as stored)
 *   8  int64   sequence; in a control frame, that of the next record
 *  16  int64   tag; in a control frame, its kind
 *  24          record
 * </pre>
 * Buffers are little-endian.
 */
public final class FrameHeader
{
    public static final int LENGTH = 24;
    public static final int ALIGNMENT = 8;
    static final int CHECKSUM_START = 8;
    public static final int MAX_RECORD_LENGTH = 16 * 1024 * 1024;
    public static final int MAX_LENGTH = LENGTH + MAX_RECORD_LENGTH;
    /** Bit of a stored length: the next frame holds the next record of the same batch. */
    public static final int MORE = 1 << 30;

    public static final long CRITICAL = 1L << 62;
    public static final long PADDING = 1;
    public static final long MARK = 2;

    public static final int MARK_NUMBER_OFFSET = LENGTH + 16;
    public static final int MARK_TERM_OFFSET = LENGTH + 24;
    public static final int MARK_PREVIOUS_OFFSET = LENGTH + 32;
    public static final int MARK_LENGTH = MARK_PREVIOUS_OFFSET + 8;

    private static final int CHECKSUM_OFFSET = 4;
    private static final int SEQUENCE_OFFSET = 8;
    private static final int TAG_OFFSET = 16;
    private static final long MIX = 0xD6E8FEB86659FD93L;

    private FrameHeader()
    {
    }

    public static int align(final int length)
    {
        return (length + (ALIGNMENT - 1)) & -ALIGNMENT;
    }

    /** Bytes that a record occupies in a segment. */
    public static int alignedLength(final int recordLength)
    {
        return align(LENGTH + recordLength);
    }

    public static int storedLength(final ByteBuffer buffer, final int index)
    {
        return buffer.getInt(index);
    }

    /** Length of a frame, by its stored length. */
    public static int length(final int storedLength)
    {
        return storedLength > 0 ? storedLength & ~MORE : -storedLength;
    }

    public static boolean isMore(final int storedLength)
    {
        return storedLength > 0 && 0 != (storedLength & MORE);
    }

    public static int checksum(final ByteBuffer buffer, final int index)
    {
        return buffer.getInt(index + CHECKSUM_OFFSET);
    }

    public static long sequence(final ByteBuffer buffer, final int index)
    {
        return buffer.getLong(index + SEQUENCE_OFFSET);
    }

    public static long tag(final ByteBuffer buffer, final int index)
    {
        return buffer.getLong(index + TAG_OFFSET);
    }

    /**
     * Writes the part of the header that the checksum covers. Call before the body is written, so that memory is filled
     * in ascending order.
     */
    public static void begin(final ByteBuffer buffer, final int index, final long sequence, final long tag)
    {
        buffer.putLong(index + SEQUENCE_OFFSET, sequence);
        buffer.putLong(index + TAG_OFFSET, tag);
    }

    /**
     * Completes a frame whose body is in place, by writing its length and checksum.
     *
     * @param view   another view of the buffer's memory, whose position and limit this call changes.
     * @param index  of the frame in the buffer.
     * @param offset of the frame in its segment.
     */
    public static void complete(
        final ByteBuffer buffer,
        final ByteBuffer view,
        final CRC32C crc,
        final int index,
        final int offset,
        final int storedLength,
        final long tag,
        final long salt)
    {
        assert 0 == (offset & (ALIGNMENT - 1)) : "unaligned frame: offset=" + offset;

        final int checksum = checksum(view, crc, index, offset, storedLength, checkedLength(storedLength, tag), salt);
        buffer.putLong(index, ((long)checksum << 32) | (storedLength & 0xFFFF_FFFFL));
    }

    /** The checksum of a frame with these bytes, given how many of them are checked. */
    public static int checksum(
        final ByteBuffer view,
        final CRC32C crc,
        final int index,
        final int offset,
        final int storedLength,
        final int checkedLength,
        final long salt)
    {
        crc.reset();
        crc.update(view.limit(index + checkedLength).position(index + CHECKSUM_START));
        return (int)crc.getValue() ^ mix(salt, offset, storedLength);
    }

    /** Number of bytes of a frame that are needed to validate it. */
    public static int checkedLength(final int storedLength, final long tag)
    {
        return storedLength < 0 && PADDING == tag ? LENGTH : length(storedLength);
    }

    public static int mix(final long salt, final int offset, final int storedLength)
    {
        long h = salt ^ (((long)offset << 32) | (storedLength & 0xFFFF_FFFFL));
        h = (h ^ (h >>> 32)) * MIX;
        h = (h ^ (h >>> 32)) * MIX;
        return (int)(h ^ (h >>> 32));
    }

    /**
     * Whether a stored length is possible for a frame, without reading more of the frame.
     *
     * @param remaining bytes from the frame to the end of its segment.
     */
    public static boolean isPlausible(final int storedLength, final int remaining)
    {
        final int length = length(storedLength);
        return length >= LENGTH && length <= remaining && (storedLength < 0 || length <= MAX_LENGTH);
    }

    /**
     * Whether a control frame has the length that its kind prescribes.
     *
     * @param remaining bytes from the frame to the end of its segment.
     */
    public static boolean isPlausible(final long kind, final int length, final int remaining)
    {
        if (PADDING == kind)
        {
            return length == remaining;
        }
        if (MARK == kind)
        {
            return MARK_LENGTH == length;
        }

        return length <= MAX_LENGTH;
    }
}
