// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.format;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.zip.CRC32C;

import io.journal.CorruptJournalException;

/**
 * A block of 4096 bytes that ends with the CRC32C of all bytes before it. The first block of a file begins with 48
 * bytes that identify the file. Normative text: {@code docs/format.md}, "Blocks".
 * <pre>
 *   0  8 bytes  magic
 *   8  uint16   major version
 *  10  uint16   minor version
 *  12  int32    block length
 *  16  int32    compatible feature bits
 *  20  int32    read-only-compatible feature bits
 *  24  int32    incompatible feature bits
 *  28  int32    reserved
 *  32  16 bytes UUID
 * </pre>
 */
public final class Block
{
    public static final int LENGTH = 4096;
    public static final int IDENTITY_LENGTH = 48;
    static final int MAJOR_VERSION = 2;
    static final int MINOR_VERSION = 0;

    private static final int CHECKSUM_OFFSET = LENGTH - 4;
    private static final int COMPATIBLE_FEATURES_OFFSET = 16;
    private static final int READ_ONLY_FEATURES_OFFSET = 20;
    private static final int INCOMPATIBLE_FEATURES_OFFSET = 24;
    private static final int UUID_OFFSET = 32;

    private Block()
    {
    }

    public static ByteBuffer allocate(final int blocks)
    {
        return ByteBuffer.allocate(blocks * LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static void identify(final ByteBuffer block, final String magic, final UUID uuid)
    {
        for (int i = 0; i < 8; i++)
        {
            block.put(i, (byte)magic.charAt(i));
        }
        block.putShort(8, (short)MAJOR_VERSION);
        block.putShort(10, (short)MINOR_VERSION);
        block.putInt(12, LENGTH);
        block.putLong(UUID_OFFSET, Long.reverseBytes(uuid.getMostSignificantBits()));
        block.putLong(UUID_OFFSET + 8, Long.reverseBytes(uuid.getLeastSignificantBits()));
    }

    static void compatibleFeatures(final ByteBuffer block, final int bits)
    {
        block.putInt(COMPATIBLE_FEATURES_OFFSET, bits);
    }

    static int compatibleFeatures(final ByteBuffer block)
    {
        return block.getInt(COMPATIBLE_FEATURES_OFFSET);
    }

    public static UUID uuid(final ByteBuffer block)
    {
        return new UUID(
            Long.reverseBytes(block.getLong(UUID_OFFSET)), Long.reverseBytes(block.getLong(UUID_OFFSET + 8)));
    }

    /**
     * Writes the checksum at the end of a block.
     *
     * @param start of the block in the buffer.
     */
    public static void seal(final ByteBuffer buffer, final int start)
    {
        buffer.putInt(start + CHECKSUM_OFFSET, checksum(buffer, start, CHECKSUM_OFFSET));
    }

    public static boolean isSealed(final ByteBuffer buffer, final int start)
    {
        return buffer.getInt(start + CHECKSUM_OFFSET) == checksum(buffer, start, CHECKSUM_OFFSET);
    }

    public static int checksum(final ByteBuffer buffer, final int start, final int length)
    {
        final CRC32C crc = new CRC32C();
        crc.update(buffer.duplicate().limit(start + length).position(start));
        return (int)crc.getValue();
    }

    /**
     * Validates the block that identifies a file, in the order that the format prescribes.
     *
     * @param forWriting whether the file will be changed, which unknown read-only-compatible features forbid.
     * @throws CorruptJournalException    if the file is foreign or damaged.
     * @throws UnsupportedFormatException if the file has a newer or an older format.
     */
    public static void check(final ByteBuffer block, final String magic, final Object file, final boolean forWriting)
    {
        for (int i = 0; i < 8; i++)
        {
            if (block.get(i) != magic.charAt(i))
            {
                throw new CorruptJournalException(
                    "not a file of a journal, or its beginning is damaged: file=" + file +
                        ", offset=0, expected=" + magic + ", found=" + text(block),
                    null, file.toString(), 0, CorruptJournalException.UNKNOWN);
            }
        }

        final int major = block.getShort(8) & 0xFFFF;
        if (major > MAJOR_VERSION && !isSealedAsCurrent(block))
        {
            throw new UnsupportedFormatException(
                "newer format: file=" + file + ", offset=8, expected=" + MAJOR_VERSION + ", found=" + major +
                    "; open it with a newer version of the library");
        }

        if (major < MAJOR_VERSION && isSealed(block, 0))
        {
            throw new UnsupportedFormatException(
                "older format: file=" + file + ", offset=8, expected=" + MAJOR_VERSION + ", found=" + major +
                    "; this version of the library does not read it");
        }
        if (MAJOR_VERSION != major || !isSealed(block, 0) || LENGTH != block.getInt(12))
        {
            throw new CorruptJournalException(
                "damaged header: file=" + file + ", offset=" + CHECKSUM_OFFSET +
                    ", expected=" + Integer.toHexString(checksum(block, 0, CHECKSUM_OFFSET)) +
                    ", found=" + Integer.toHexString(block.getInt(CHECKSUM_OFFSET)) +
                    "; restore the file from a backup",
                null, file.toString(), CHECKSUM_OFFSET, CorruptJournalException.UNKNOWN);
        }

        final int unknown =
            block.getInt(INCOMPATIBLE_FEATURES_OFFSET) | (forWriting ? block.getInt(READ_ONLY_FEATURES_OFFSET) : 0);
        if (0 != unknown)
        {
            throw new UnsupportedFormatException(
                "unknown features: file=" + file + ", bits=" + Integer.toHexString(unknown) +
                    "; open it with a newer version of the library");
        }
    }

    /** Whether the checksum matches with the current version in its place: then only the version is damaged. */
    private static boolean isSealedAsCurrent(final ByteBuffer block)
    {
        return isSealed(allocate(1).put(0, block, 0, LENGTH).putShort(8, (short)MAJOR_VERSION), 0);
    }

    private static String text(final ByteBuffer block)
    {
        final StringBuilder builder = new StringBuilder("0x");
        for (int i = 0; i < 8; i++)
        {
            builder.append(String.format("%02x", block.get(i)));
        }

        return builder.toString();
    }
}
