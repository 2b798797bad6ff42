// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory.Frame;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.CHANGING_OFFSET;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.CONTROL_LENGTH;
import static io.journal.tests.support.JournalDirectory.FORCING_OFFSET;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.STATE_SLOT_LENGTH;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.WATERMARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.littleEndian;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One bit of a small journal is flipped: never a wrong record, never fewer records than reported, never an unreported
 * loss of durable records, never anything but a {@link JournalException}, and never a crash. {@link DamageMatrixTest}
 * flips all bits of another journal.
 */
@Tag("slow")
class BitFlipTest extends RecoveryFixture
{
    private static final Duration LIMIT = Duration.ofMinutes(10);
    // DIRECT opens and reads as FILE_CHANNEL does.
    private static final int OPENING_BACKENDS = Backend.values().length - 1;
    private static final int[] LENGTHS = { 20, 3 };

    private Map<String, byte[]> image;
    private List<Frame> imageFrames;
    private int forcedEnd;
    private long forced;
    private long flips;
    private long refused;
    private long reported;
    private long cut;

    /** Every bit that is used is flipped by one of the backends: they share the code that opens. */
    @EachBackend(except = Backend.DIRECT)
    void flippedBitInACrashedJournalIsDetectedOrHarmless(final Backend backend)
    {
        crash(backend);
        final int backends = OPENING_BACKENDS;
        assertTimeoutPreemptively(LIMIT, () -> flipUsed(backend, backends, backend.ordinal()));
        assertTrue(refused > 300 && reported > 100 && cut > 100, this::counts);
    }

    @EachBackend(except = Backend.DIRECT)
    void flippedBitInAClosedJournalIsDetectedOrHarmless(final Backend backend)
    {
        close(backend);
        final int stride = 8 * OPENING_BACKENDS;
        assertTimeoutPreemptively(LIMIT, () -> flipUsed(backend, stride, backend.ordinal()));
        assertTrue(refused > 20 && reported > 20, this::counts);
    }

    /** All that carries meaning, and a little of the rest. */
    private void flipUsed(final Backend backend, final int stride, final int first)
    {
        for (long ordinal = 0; ordinal <= 1; ordinal++)
        {
            final String name = segmentName(ordinal);
            final List<Frame> frames = crashed.frames(ordinal);
            final int end = frames.get(frames.size() - 1).end();
            flip(backend, name, 0, 80, stride, first);
            flip(backend, name, 80, BLOCK_LENGTH - 4, 1999 * stride, first);
            flip(backend, name, BLOCK_LENGTH - 4, Math.min(end, 5000), stride, first);
            flip(backend, name, Math.min(end, 5000), SEGMENT_LENGTH, 9973 * stride, first);
        }
        flip(backend, CONTROL, 0, 64, stride, first);
        flip(backend, CONTROL, 64, BLOCK_LENGTH - 4, 1999 * stride, first);
        flip(backend, CONTROL, BLOCK_LENGTH - 4, BLOCK_LENGTH, stride, first);
        for (final int slot : STATE_SLOTS)
        {
            final int end = slot + littleEndian(image.get(CONTROL)).getInt(slot + 8);
            flip(backend, CONTROL, slot, end, stride, first);
            flip(backend, CONTROL, end, slot + STATE_SLOT_LENGTH, 29_989 * stride, first);
        }
        for (final int watermark : WATERMARKS)
        {
            flip(backend, CONTROL, watermark, watermark + WATERMARK_LENGTH, stride, first);
            flip(backend, CONTROL, watermark + WATERMARK_LENGTH, watermark + 512, 499 * stride, first);
        }
        flip(backend, CONTROL, FORCING_OFFSET, CHANGING_OFFSET + 8, stride, first);
        flip(backend, CONTROL, CHANGING_OFFSET + 8, CONTROL_LENGTH, 1999 * stride, first);
    }

    private void flip(
        final Backend backend, final String name, final int from, final int to, final int stride, final int first)
    {
        for (long bit = 8L * from + first; bit < 8L * to; bit += stride)
        {
            crashed.restore(image);
            crashed.flip(name, bit / 8, (int)(bit % 8));
            flips++;
            try
            {
                openAndRead(backend, name, (int)(bit / 8), (int)(bit % 8));
            }
            catch (final Throwable ex)
            {
                throw new AssertionError("bit " + bit % 8 + " of byte " + bit / 8 + " of " + name, ex);
            }
        }
    }

    private void openAndRead(final Backend backend, final String name, final int offset, final int bit)
    {
        final List<Entry> found = new ArrayList<>();
        try (Journal journal = openUnforced(crashed, backend))
        {
            final boolean isCut = journal.recoveryReport().tornLength() > 0;
            assertTrue(journal.lastSequence() >= forced, "forced records are gone");
            assertTrue(isCut || journal.lastSequence() == model.size(), "unreported loss of records");
            cut += isCut ? 1 : 0;
            assertReadable(journal, found);
            assertTrue(isCut || !isUnattestedFrame(name, offset), "damage was not detected");
        }
        catch (final JournalException ex)
        {
            refused++;
            final Map<String, byte[]> before = new TreeMap<>(image);
            final byte[] flipped = image.get(name).clone();
            flipped[offset] ^= (byte)(1 << bit);
            before.put(name, flipped);
            crashed.assertHolds(before);
            assertTrue(isRefusalDue(name, offset), () -> "refused without need: " + ex);
        }
    }

    private void assertReadable(final Journal journal, final List<Entry> found)
    {
        try (JournalReader reader = journal.openReader())
        {
            readOn(reader, found);
            model.assertHolds(found, journal.lastSequence());
        }
        catch (final JournalException ex)
        {
            reported++;
            assertTrue(found.size() < forced, () -> "reported by the reader, should be detected when opening: " + ex);
            model.assertHolds(found, found.size());
        }
    }

    /**
     * Behind what was forced nothing is a reason to refuse; nor are the slots of the control file, for which the other
     * ones make up.
     */
    private boolean isRefusalDue(final String name, final int offset)
    {
        return offset < BLOCK_LENGTH || offset < forcedEnd(name);
    }

    private boolean isUnattestedFrame(final String name, final int offset)
    {
        if (!name.equals(segmentName(1)) || offset < forcedEnd(name))
        {
            return false;
        }

        for (final Frame frame : imageFrames)
        {
            if (offset >= frame.offset() && offset < frame.offset() + frame.length())
            {
                return true;
            }
        }

        return false;
    }

    private int forcedEnd(final String name)
    {
        return name.equals(segmentName(0)) ? SEGMENT_LENGTH : name.equals(segmentName(1)) ? forcedEnd : 0;
    }

    /** Two segments with a mark in the midst of each; the end of the second one was not forced. */
    private void crash(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            fill(journal);
            journal.force();
            forced = model.size();
            append(journal);
            live.copyTo(crashed.path);
        }
        look();
    }

    private void close(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            fill(journal);
        }
        live.copyTo(crashed.path);
        forced = model.size();
        look();
    }

    private void fill(final Journal journal)
    {
        append(journal);
        model.forceAndMark(journal);
        append(journal);
        journal.roll();
        append(journal);
        model.forceAndMark(journal);
        append(journal);
    }

    private void append(final Journal journal)
    {
        for (final int length : LENGTHS)
        {
            model.append(journal, length);
        }
    }

    private void look()
    {
        assertEquals(List.of(0L, 1L), crashed.ordinals());
        image = crashed.content();
        imageFrames = crashed.frames(1);
        forcedEnd = (int)(crashed.forced().position() - SEGMENT_LENGTH);
    }

    private String counts()
    {
        return "flips=" + flips + ", refused=" + refused + ", reported by the reader=" + reported + ", cut=" + cut;
    }
}
