package io.journal.internal.format;

import java.nio.ByteBuffer;

/**
 * The entries of a batch frame. Normative text: {@code docs/format.md}, "Control frames".
 * <pre>
 *  24  int32  number of entries
 *  28  int32  0
 *  32         entries, each at a multiple of 8: 0 int32 length, 4 int32 0, 8 int64 tag, 16 record
 * </pre>
 */
public final class BatchLayout
{
    private BatchLayout()
    {
    }

    /**
     * Whether the entries of a batch fill its frame exactly.
     */
    public static boolean isValid(final ByteBuffer buffer, final int index, final int frameLength)
    {
        int entry = FrameHeader.BATCH_ENTRIES_OFFSET;
        int left = buffer.getInt(index + FrameHeader.LENGTH);
        while (left > 0 && entry <= frameLength - FrameHeader.BATCH_ENTRY_HEADER_LENGTH)
        {
            final int recordLength = buffer.getInt(index + entry);
            if (recordLength < 0 || recordLength > frameLength - entry - FrameHeader.BATCH_ENTRY_HEADER_LENGTH)
            {
                return false;
            }
            entry += FrameHeader.align(FrameHeader.BATCH_ENTRY_HEADER_LENGTH + recordLength);
            left--;
        }

        return 0 == left && entry == frameLength;
    }
}
