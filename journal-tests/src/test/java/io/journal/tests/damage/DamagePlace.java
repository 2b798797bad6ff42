// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.CHANGING_OFFSET;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.FENCE_OFFSET;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.FORCING_OFFSET;
import static io.journal.tests.support.JournalDirectory.HEADER_LENGTH;
import static io.journal.tests.support.JournalDirectory.KIND_PADDING;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.WATERMARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.littleEndian;

/** The damaged structure, which determines the outcome. */
enum DamagePlace
{
    SEGMENT_HEADER("always reported"),
    ATTESTED_FRAME("always reported"),
    UNATTESTED_FRAME("always cut, and reported; not reported where it leaves nothing to be seen in a recycled segment"),
    BETWEEN_FRAMES("harmless: zeros that are never read"),
    WITHIN_PADDING("harmless: what follows a padding frame's header is not examined"),
    BEHIND_THE_END("cut, and reported; harmless in a recycled segment, where other bytes are expected"),
    CUT_AWAY("harmless: what was truncated is not read"),
    IDENTITY("always reported"),
    STATE("harmless: the other slot has the state before, whose cursors redeliver records, and which is not closed"),
    OTHER_STATE("harmless: the state before, or the same"),
    WATERMARK("harmless: advisory, the watermark frames and the scan make up for it");

    /** The consequence of damage in this place, with the reason. */
    final String consequence;

    DamagePlace(final String consequence)
    {
        this.consequence = consequence;
    }

    boolean isAlwaysReported()
    {
        return SEGMENT_HEADER == this || ATTESTED_FRAME == this || IDENTITY == this;
    }

    boolean isCut()
    {
        return UNATTESTED_FRAME == this || BEHIND_THE_END == this;
    }

    /**
     * Assigns each byte of a file its place.
     *
     * @param attested position up to which something attests that the journal was forced.
     */
    static DamagePlace[] of(
        final String name, final byte[] bytes, final State state, final long attested)
    {
        final DamagePlace[] places = new DamagePlace[bytes.length];
        for (int i = 0; i < bytes.length; i++)
        {
            places[i] = CONTROL.equals(name) ? control(i, state) :
                i < BLOCK_LENGTH ? SEGMENT_HEADER : BEHIND_THE_END;
        }
        if (name.endsWith(".journal"))
        {
            addFrames(places, Long.parseLong(name.substring(0, 20)), bytes, state.cuts(), attested);
        }

        return places;
    }

    private static DamagePlace control(final int offset, final State state)
    {
        return offset < BLOCK_LENGTH ? IDENTITY : offset >= WATERMARKS[0] ? WATERMARK :
            offset >= STATE_SLOTS[1] == (1 == state.generation() % 2) ? STATE : OTHER_STATE;
    }

    private static void addFrames(
        final DamagePlace[] places, final long ordinal, final byte[] bytes, final List<Cut> cuts, final long attested)
    {
        final long base = ordinal * SEGMENT_LENGTH;
        int offset = FIRST_OFFSET;
        while (offset < SEGMENT_LENGTH)
        {
            final long position = base + offset;
            final Cut cut =
                cuts.stream().filter((one) -> position >= one.from() && position < one.to()).findFirst().orElse(null);
            if (null != cut)
            {
                final int to = (int)Math.min(SEGMENT_LENGTH, cut.to() - base);
                Arrays.fill(places, offset, to, CUT_AWAY);
                offset = to;
                continue;
            }

            final Frame frame = JournalDirectory.frameAt(bytes, ordinal, offset);
            if (null == frame)
            {
                return;
            }
            final boolean isPadding = frame.isControl() && KIND_PADDING == frame.tag();
            final int length = isPadding ? HEADER_LENGTH : frame.length();
            for (int i = offset; i < Math.min(bytes.length, frame.end()); i++)
            {
                places[i] = i >= offset + length ? isPadding ? WITHIN_PADDING : BETWEEN_FRAMES :
                    position < attested ? ATTESTED_FRAME : UNATTESTED_FRAME;
            }
            offset = frame.end();
        }
    }

    /** Whether a byte of a file is in use. */
    static boolean isUsed(final Map<String, byte[]> files, final String name, final int offset)
    {
        if (CONTROL.equals(name))
        {
            final byte[] bytes = files.get(name);
            for (final int slot : STATE_SLOTS)
            {
                if (offset >= slot && offset < slot + Math.max(Long.BYTES, littleEndian(bytes).getInt(slot + 8)))
                {
                    return true;
                }
            }
            return offset < 64 || offset >= BLOCK_LENGTH - 4 && offset < BLOCK_LENGTH ||
                offset >= WATERMARKS[0] && offset < WATERMARKS[0] + WATERMARK_LENGTH ||
                offset >= WATERMARKS[1] && offset < WATERMARKS[1] + WATERMARK_LENGTH ||
                offset >= FORCING_OFFSET && offset < CHANGING_OFFSET + Long.BYTES || offset >= FENCE_OFFSET;
        }

        return offset % BLOCK_LENGTH < 80 || offset % BLOCK_LENGTH >= BLOCK_LENGTH - 4 || files.get(name)[offset] != 0;
    }
}
