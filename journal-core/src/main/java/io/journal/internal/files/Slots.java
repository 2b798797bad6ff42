package io.journal.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;

import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.store.SegmentFile;

/**
 * Two slots of a file that are written in turn, so that a torn write leaves the other one. A slot begins with its
 * generation and ends with a checksum. Generation {@code g} lies in slot {@code g mod 2}; of the valid slots, that of
 * the higher generation is current. Describes where they lie; holds no content.
 */
final class Slots
{
    /** Slots of a block each, behind the block that identifies the file. */
    static final Slots BLOCKS = new Slots(Block.LENGTH, Block.LENGTH, Block.LENGTH - Integer.BYTES);
    /** Length of a file of one identifying block and two slots. */
    static final int FILE_LENGTH = 3 * Block.LENGTH;

    static final int NONE = -1;

    private final int start;
    private final int distance;
    private final int checkedLength;

    Slots(final int start, final int distance, final int checkedLength)
    {
        this.start = start;
        this.distance = distance;
        this.checkedLength = checkedLength;
    }

    /**
     * Offset of the current slot, or {@link #NONE}.
     *
     * @param file      from its first byte on.
     * @param isCounted whether the slot at an offset, of a matching checksum, has possible content. It may throw.
     */
    int newest(final ByteBuffer file, final IntPredicate isCounted)
    {
        final int even = valid(file, start, isCounted);
        final int odd = valid(file, start + distance, isCounted);
        if (NONE == even || NONE == odd)
        {
            return Math.max(even, odd);
        }
        return file.getLong(even) > file.getLong(odd) ? even : odd;
    }

    private int valid(final ByteBuffer file, final int slot, final IntPredicate isCounted)
    {
        final boolean isTorn = file.getInt(slot + checkedLength) != Block.checksum(file, slot, checkedLength);
        return !isTorn && isCounted.test(slot) ? slot : NONE;
    }

    /** Offset of the slot that a generation belongs into. */
    int offset(final long generation)
    {
        return start + (int)(generation & 1) * distance;
    }

    /** Whether a generation is possible in the slot at an offset. */
    boolean isPossible(final long generation, final int slot)
    {
        return generation >= 1 && generation < Layout.MAX_POSITION && slot == offset(generation);
    }

    /**
     * Writes a slot, whose block begins with its generation, to a file of {@link #FILE_LENGTH}. Durable on return.
     */
    static void write(final SegmentFile file, final ByteBuffer block) throws IOException
    {
        Block.seal(block, 0);
        file.write(BLOCKS.offset(block.getLong(0)), block);
        file.force(0, FILE_LENGTH);
    }

    /**
     * Reads a file of {@link #FILE_LENGTH}, or null if it has another length.
     */
    static ByteBuffer read(final SegmentFile file) throws IOException
    {
        final ByteBuffer content = Block.allocate(FILE_LENGTH / Block.LENGTH);
        if (FILE_LENGTH != file.length())
        {
            return null;
        }

        file.read(0, content);
        return content.clear();
    }
}
