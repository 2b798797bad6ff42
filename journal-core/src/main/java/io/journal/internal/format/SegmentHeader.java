// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.format;

import java.nio.ByteBuffer;
import java.util.UUID;

import io.journal.CorruptJournalException;

/**
 * The first block of a segment. Normative text: {@code docs/format.md}, "Segment header".
 * <pre>
 *   0  48 bytes identity, see {@link Block}
 *  48  int64    ordinal
 *  56  int64    segment length
 *  64  int64    salt
 *  72  int64    creation time
 * </pre>
 */
public final class SegmentHeader
{
    public static final int LENGTH = Block.LENGTH;
    public static final String MAGIC = "JRNLSEGM";

    /** Compatible feature: stale bytes of the file's previous use may follow the frames. */
    private static final int RECYCLED = 1;

    private static final int ORDINAL_OFFSET = 48;
    private static final int SEGMENT_LENGTH_OFFSET = 56;
    private static final int SALT_OFFSET = 64;
    private static final int TIME_OFFSET = 72;

    private SegmentHeader()
    {
    }

    public static ByteBuffer encode(
        final UUID uuid,
        final long ordinal,
        final int segmentLength,
        final long salt,
        final long timeMs,
        final boolean isRecycled)
    {
        final ByteBuffer block = Block.allocate(1);
        Block.identify(block, MAGIC, uuid);
        Block.compatibleFeatures(block, isRecycled ? RECYCLED : 0);
        block.putLong(ORDINAL_OFFSET, ordinal);
        block.putLong(SEGMENT_LENGTH_OFFSET, segmentLength);
        block.putLong(SALT_OFFSET, salt);
        block.putLong(TIME_OFFSET, timeMs);
        Block.seal(block, 0);
        return block;
    }

    public static boolean isRecycled(final ByteBuffer block)
    {
        return 0 != (Block.compatibleFeatures(block) & RECYCLED);
    }

    public static long segmentLength(final ByteBuffer block)
    {
        return block.getLong(SEGMENT_LENGTH_OFFSET);
    }

    public static long salt(final ByteBuffer block)
    {
        return block.getLong(SALT_OFFSET);
    }

    public static long timeMs(final ByteBuffer block)
    {
        return block.getLong(TIME_OFFSET);
    }

    /**
     * Checks that a block is the header of the given segment.
     *
     * @throws CorruptJournalException    if the block is damaged or the header of another segment.
     * @throws UnsupportedFormatException if it has a newer format.
     */
    public static void check(
        final ByteBuffer block,
        final Object file,
        final UUID uuid,
        final long ordinal,
        final int segmentLength,
        final boolean forWriting)
    {
        Block.check(block, MAGIC, file, forWriting);
        expect(file, "uuid", uuid, Block.uuid(block));
        expect(file, "ordinal", ordinal, block.getLong(ORDINAL_OFFSET));
        expect(file, "segmentLength", (long)segmentLength, block.getLong(SEGMENT_LENGTH_OFFSET));
    }

    private static void expect(final Object file, final String field, final Object expected, final Object found)
    {
        if (!expected.equals(found))
        {
            throw new CorruptJournalException(
                "segment of another place or journal: file=" + file + ", offset=0, field=" + field +
                    ", expected=" + expected + ", found=" + found,
                null, file.toString(), 0, CorruptJournalException.UNKNOWN);
        }
    }
}
