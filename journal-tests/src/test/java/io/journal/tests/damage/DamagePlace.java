package io.journal.tests.damage;

import java.util.Map;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.HEADER_LENGTH;
import static io.journal.tests.support.JournalDirectory.KIND_PADDING;
import static io.journal.tests.support.JournalDirectory.MARK;
import static io.journal.tests.support.JournalDirectory.MARK_FLAG_OFFSET;
import static io.journal.tests.support.JournalDirectory.MARK_SLOTS;
import static io.journal.tests.support.JournalDirectory.MARK_SLOT_LENGTH;
import static io.journal.tests.support.JournalDirectory.META;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;

/**
 * The damaged structure, which determines the outcome.
 */
enum DamagePlace
{
    SEGMENT_HEADER("always reported"),
    ATTESTED_FRAME("always reported"),
    UNATTESTED_FRAME("always cut, and reported; not reported where it leaves nothing to be seen in a recycled segment"),
    BETWEEN_FRAMES("harmless: zeros that are never read"),
    WITHIN_PADDING("harmless: what follows a padding frame's header is not examined"),
    BEHIND_THE_END("cut, and reported; harmless in a recycled segment, where other bytes are expected"),
    CUT_AWAY("harmless: a truncation under way cuts it, and opening what is behind that"),
    META_CONSTANTS("always reported"),
    META_STATE("reported if the previous state does not fit the files; harmless if it does"),
    META_OTHER_STATE("harmless: of an older generation"),
    MARK_FILE("harmless: advisory, the journal's own marks and the scan make up for it"),
    CURSOR("reported to its consumer, or harmless: the previous sequence redelivers records");

    /** Why. */
    final String consequence;

    DamagePlace(final String consequence)
    {
        this.consequence = consequence;
    }

    boolean isAlwaysReported()
    {
        return SEGMENT_HEADER == this || ATTESTED_FRAME == this || META_CONSTANTS == this;
    }

    boolean isCut()
    {
        return UNATTESTED_FRAME == this || BEHIND_THE_END == this || CUT_AWAY == this;
    }

    boolean mayBeReported()
    {
        return isAlwaysReported() || META_STATE == this;
    }

    /**
     * What each byte of a file is.
     *
     * @param attested position up to which something attests that the journal was forced.
     * @param end      position behind the last frame that counts.
     */
    static DamagePlace[] of(
        final String name, final byte[] bytes, final State state, final long attested, final long end)
    {
        final DamagePlace[] places = new DamagePlace[bytes.length];
        for (int i = 0; i < bytes.length; i++)
        {
            places[i] = META.equals(name) ? meta(i, state) : MARK.equals(name) ? MARK_FILE :
                name.endsWith(".cursor") ? CURSOR : i < BLOCK_LENGTH ? SEGMENT_HEADER : BEHIND_THE_END;
        }
        if (name.endsWith(".journal"))
        {
            addFrames(places, Long.parseLong(name.substring(0, 20)), bytes, attested, end, state.isPending());
        }

        return places;
    }

    private static DamagePlace meta(final int offset, final State state)
    {
        return offset < BLOCK_LENGTH ? META_CONSTANTS :
            offset / BLOCK_LENGTH == 1 + state.generation() % 2 ? META_STATE : META_OTHER_STATE;
    }

    private static void addFrames(
        final DamagePlace[] places, final long ordinal, final byte[] bytes, final long attested, final long end,
        final boolean isCutting)
    {
        Frame frame = JournalDirectory.frameAt(bytes, ordinal, FIRST_OFFSET);
        while (null != frame)
        {
            final DamagePlace place = frame.position() >= end ? CUT_AWAY :
                frame.position() < attested ? ATTESTED_FRAME : UNATTESTED_FRAME;
            final boolean isPadding = frame.isControl() && KIND_PADDING == frame.tag();
            final int length = isPadding ? HEADER_LENGTH : frame.length();
            for (int i = frame.offset(); i < Math.min(bytes.length, frame.end()); i++)
            {
                places[i] = i < frame.offset() + length ? place : isPadding ? WITHIN_PADDING : BETWEEN_FRAMES;
            }
            frame = JournalDirectory.frameAt(bytes, ordinal, frame.end());
        }
        for (int i = FIRST_OFFSET; isCutting && i < bytes.length; i++)
        {
            if (ordinal * SEGMENT_LENGTH + i >= end)
            {
                places[i] = CUT_AWAY;
            }
        }
    }

    /**
     * Bytes that say something, of all files.
     */
    static boolean isUsed(final Map<String, byte[]> files, final String name, final int offset)
    {
        if (MARK.equals(name))
        {
            return offset < 48 || offset >= 4092 && offset < MARK_SLOTS[0] + MARK_SLOT_LENGTH ||
                offset >= MARK_SLOTS[1] && offset < MARK_SLOTS[1] + MARK_SLOT_LENGTH ||
                offset >= MARK_FLAG_OFFSET && offset < MARK_FLAG_OFFSET + Long.BYTES;
        }

        return offset % BLOCK_LENGTH < 80 || offset % BLOCK_LENGTH >= BLOCK_LENGTH - 4 || files.get(name)[offset] != 0;
    }
}
