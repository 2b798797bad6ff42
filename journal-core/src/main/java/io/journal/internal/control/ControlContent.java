// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.jspecify.annotations.Nullable;

/**
 * The content of {@code journal.control} at one moment: identity, state and watermark. Normative text:
 * {@code docs/format.md}, "journal.control".
 * <pre>
 *      0  block   identity: 48 int64 segment length, 56 int64 creation time
 *   4096  slot    state, even generations
 *  69632  slot    state, odd generations
 * 135168  int64   watermark, even generations: 0 generation, 8 term, 16 position, 24 sequence, 32 CRC32C
 * 135680          watermark, odd generations
 * 136192  int64   not 0 while an fsync of segments is in progress or has failed
 * 136200  int64   not 0 while an fsync of the state is in progress or has failed
 * 139256  int64   fence: a random number that each opening for writing replaces
 * </pre>
 *
 * @param watermark          the durable watermark, or null if there is none of the current term.
 * @param isForceUnfinished  whether an fsync of segments was in progress when the writer ended, or had failed. Then the
 *                           page cache may show bytes that the device does not have, so the records that are kept are
 *                           rewritten before they are fsynced.
 * @param isChangeUnfinished the same for an fsync of the state.
 * @param isSlotDamaged      whether a slot is neither valid nor empty: its write was torn, or it has rotted.
 */
public record ControlContent(
    UUID uuid,
    int segmentLength,
    ControlState state,
    ControlState.@Nullable End watermark,
    boolean isForceUnfinished,
    boolean isChangeUnfinished,
    boolean isSlotDamaged)
{
    public static final String MAGIC = "JRNLCTRL";
    public static final int SLOTS_OFFSET = Block.LENGTH;
    public static final int SLOT_LENGTH = 64 * 1024;
    public static final int WATERMARKS_OFFSET = SLOTS_OFFSET + 2 * SLOT_LENGTH;
    public static final int LENGTH = WATERMARKS_OFFSET + Block.LENGTH;

    public static final int SEGMENT_LENGTH_OFFSET = Block.IDENTITY_LENGTH;
    public static final int TIME_OFFSET = SEGMENT_LENGTH_OFFSET + Long.BYTES;
    static final int WATERMARK_DISTANCE = 512;
    static final int WATERMARK_CHECKED_LENGTH = 32;
    static final int FORCING_OFFSET = WATERMARKS_OFFSET + 2 * WATERMARK_DISTANCE;
    static final int CHANGING_OFFSET = FORCING_OFFSET + Long.BYTES;
    // At the end of the file, so that reading it also verifies that the file was not cut short.
    static final int FENCE_OFFSET = LENGTH - Long.BYTES;

    /** Position of the durable watermark; 0 if there is none. */
    public long durablePosition()
    {
        return null == watermark ? 0 : watermark.position();
    }

    /**
     * Reads the file.
     *
     * @throws java.nio.file.NoSuchFileException if there is no journal.
     * @throws CorruptJournalException           if it is damaged or does not belong to a journal.
     */
    public static ControlContent read(final SegmentStore store, final boolean forWriting) throws IOException
    {
        try (SegmentFile file = store.open(JournalFiles.CONTROL, SegmentStore.Access.READ))
        {
            return read(file, forWriting);
        }
    }

    static ControlContent read(final SegmentFile file, final boolean forWriting) throws IOException
    {
        checkLength(file);
        final ByteBuffer buffer = Block.allocate(LENGTH / Block.LENGTH);
        file.read(0, buffer);
        return decode(buffer, forWriting);
    }

    static void checkLength(final SegmentFile file) throws IOException
    {
        final long length = file.length();
        if (LENGTH != length)
        {
            throw corrupt("wrong length", 0, String.valueOf(LENGTH), String.valueOf(length));
        }
    }

    /** Checks the block that never changes, and returns the segment length. */
    static int checkIdentity(final ByteBuffer buffer, final boolean forWriting)
    {
        Block.check(buffer, MAGIC, JournalFiles.CONTROL, forWriting);
        final long segmentLength = buffer.getLong(SEGMENT_LENGTH_OFFSET);
        if (!isSegmentLength(segmentLength))
        {
            throw corrupt(
                "impossible segment length", SEGMENT_LENGTH_OFFSET, "a power of two", String.valueOf(segmentLength));
        }
        return (int)segmentLength;
    }

    public static boolean isSegmentLength(final long length)
    {
        return length >= Layout.MIN_SEGMENT_LENGTH && length <= Layout.MAX_SEGMENT_LENGTH &&
            1 == Long.bitCount(length);
    }

    private static ControlContent decode(final ByteBuffer buffer, final boolean forWriting)
    {
        final int segmentLength = checkIdentity(buffer, forWriting);
        return decode(buffer, Block.uuid(buffer), segmentLength);
    }

    /** Decodes the content of the whole file but its identity, from index 0 on. */
    public static ControlContent decode(final ByteBuffer buffer, final UUID uuid, final int segmentLength)
    {
        for (int i = 0; i < 2; i++)
        {
            // Checks both slots, current or not.
            if (isChecksumValid(buffer, slotOffset(i)) && null == slot(buffer, i, segmentLength))
            {
                throw corrupt("impossible state", slotOffset(i), "a possible state", "another");
            }
        }
        final ControlState state = remains(buffer, segmentLength);
        if (null == state)
        {
            throw corrupt("no valid state", SLOTS_OFFSET, "a valid checksum", "none");
        }
        return new ControlContent(
            uuid, segmentLength, state, watermark(buffer, WATERMARKS_OFFSET, state.history.term),
            0 != buffer.getLong(FORCING_OFFSET), 0 != buffer.getLong(CHANGING_OFFSET),
            isSlotDamaged(buffer, segmentLength));
    }

    /** Whether a slot in the content of the whole file is neither valid nor empty. */
    public static boolean isSlotDamaged(final ByteBuffer buffer, final int segmentLength)
    {
        boolean isDamaged = false;
        for (int i = 0; i < 2; i++)
        {
            isDamaged |= null == slot(buffer, i, segmentLength) &&
                buffer.slice(slotOffset(i), SLOT_LENGTH).mismatch(ByteBuffer.allocate(SLOT_LENGTH)) >= 0;
        }
        return isDamaged;
    }

    /** The newest state in the content of a damaged file, from index 0 on; null if no slot holds one. */
    public static @Nullable ControlState remains(final ByteBuffer buffer, final int segmentLength)
    {
        ControlState newest = null;
        for (int i = 0; i < 2; i++)
        {
            final ControlState state = slot(buffer, i, segmentLength);
            newest = null == state || null != newest && newest.generation > state.generation ? newest : state;
        }
        return newest;
    }

    public static int slotOffset(final long generation)
    {
        return SLOTS_OFFSET + (int)(generation & 1) * SLOT_LENGTH;
    }

    /** Decodes a slot; null if it is torn, was never written or is impossible. */
    private static @Nullable ControlState slot(final ByteBuffer buffer, final int slot, final int segmentLength)
    {
        final int start = slotOffset(slot);
        final ControlState state =
            isChecksumValid(buffer, start) ? ControlState.decode(buffer, start, segmentLength) : null;
        return null == state || start != slotOffset(state.generation) ? null : state;
    }

    private static boolean isChecksumValid(final ByteBuffer buffer, final int start)
    {
        final int length = buffer.getInt(start + ControlState.LENGTH_OFFSET);
        return ControlState.isLength(length, SLOT_LENGTH) &&
            buffer.getInt(start + length - Integer.BYTES) == Block.checksum(buffer, start, length - Integer.BYTES);
    }

    /**
     * The newest watermark of a term.
     *
     * @param start of the watermarks in the buffer.
     */
    static ControlState.@Nullable End watermark(final ByteBuffer buffer, final int start, final long term)
    {
        final int newest = newestWatermark(buffer, start, term);
        return newest < 0 ? null : new ControlState.End(buffer.getLong(newest + 16), buffer.getLong(newest + 24));
    }

    /** Offset of the newest watermark of a term, or -1. */
    static int newestWatermark(final ByteBuffer buffer, final int start, final long term)
    {
        final int even = validWatermark(buffer, start, term);
        final int odd = validWatermark(buffer, start + WATERMARK_DISTANCE, term);
        return odd < 0 || even >= 0 && buffer.getLong(even) > buffer.getLong(odd) ? even : odd;
    }

    private static int validWatermark(final ByteBuffer buffer, final int slot, final long term)
    {
        // The bounds prevent crafted values from overflowing.
        final boolean isValid = buffer.getLong(slot) > 0 && buffer.getLong(slot) < Layout.MAX_POSITION &&
            term == buffer.getLong(slot + 8) && buffer.getLong(slot + 16) >= 0 &&
            buffer.getLong(slot + 16) < Layout.MAX_POSITION && buffer.getLong(slot + 24) > 0 &&
            buffer.getLong(slot + 24) < Layout.MAX_POSITION &&
            buffer.getInt(slot + WATERMARK_CHECKED_LENGTH) ==
                Block.checksum(buffer, slot, WATERMARK_CHECKED_LENGTH);
        return isValid ? slot : -1;
    }

    private static CorruptJournalException corrupt(
        final String what, final int offset, final String expected, final String found)
    {
        return new CorruptJournalException(
            what + ": file=" + JournalFiles.CONTROL + ", offset=" + offset + ", expected=" + expected + ", found=" +
                found + "; restore it from a backup, or rebuild it with \"journal repair\"",
            null, JournalFiles.CONTROL, offset, CorruptJournalException.UNKNOWN);
    }
}
