// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The checksum of a short frame in mapped memory, of a copy on the heap. Since JDK 22 a checksum of mapped memory takes
 * two atomic operations, which cost a short frame more than copying it does. For one thread at a time.
 */
public final class ShortChecksum
{
    private static final boolean IS_FASTER = Runtime.version().feature() >= 22;
    /** Of 64 B records 1.4 times as many are appended on JDK 25; at 256 B nothing is gained. */
    public static final int MAX_LENGTH = IS_FASTER ? 136 : 0;

    private final byte[] bytes = new byte[MAX_LENGTH];
    private final CRC32C crc = new CRC32C();

    /** Whether this is faster for a frame in mapped memory, given how much of it is checked. */
    public static boolean isFor(final int checkedLength)
    {
        return IS_FASTER && checkedLength <= MAX_LENGTH;
    }

    /** The checksum of a frame with these bytes, as {@link FrameHeader#checksum} calculates it. */
    public int of(
        final ByteBuffer buffer,
        final int index,
        final int offset,
        final int storedLength,
        final int checkedLength,
        final long salt)
    {
        final int length = checkedLength - FrameHeader.CHECKSUM_START;
        buffer.get(index + FrameHeader.CHECKSUM_START, bytes, 0, length);
        crc.reset();
        crc.update(bytes, 0, length);
        return (int)crc.getValue() ^ FrameHeader.mix(salt, offset, storedLength);
    }
}
