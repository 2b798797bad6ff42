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

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.MARK;
import static io.journal.tests.support.JournalDirectory.META;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * One bit of a small journal is flipped: never a wrong record, never fewer records than reported, never an unreported
 * loss of durable records, never anything but a {@link JournalException}, and never a crash. {@link DamageMatrixTest}
 * flips all bits of another journal.
 */
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

    /**
     * Every bit that is used is flipped by one of the backends: they share the code that opens.
     */
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

    /**
     * All that carries meaning, and a little of the rest.
     */
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
        flip(backend, MARK, 0, 48, stride, first);
        flip(backend, MARK, 48, 4092, 1999 * stride, first);
        flip(backend, MARK, 4092, 4096 + 36, stride, first);
        flip(backend, MARK, 4608, 4608 + 36, stride, first);
        flip(backend, MARK, 5120, 5128, stride, first);
        flip(backend, MARK, 5184, 5184 + 32, stride, first);
        flip(backend, MARK, 5216, 4 * BLOCK_LENGTH, 9973 * stride, first);
        for (int block = 0; block < 3; block++)
        {
            flip(backend, META, block * BLOCK_LENGTH, block * BLOCK_LENGTH + 64, stride, first);
            flip(backend, META, block * BLOCK_LENGTH + 64, (block + 1) * BLOCK_LENGTH - 4, 1999 * stride, first);
            flip(backend, META, (block + 1) * BLOCK_LENGTH - 4, (block + 1) * BLOCK_LENGTH, stride, first);
        }
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
     * Behind what was forced nothing is a reason to refuse; nor is the mark file, which others make up for.
     */
    private boolean isRefusalDue(final String name, final int offset)
    {
        if (MARK.equals(name))
        {
            return false;
        }

        return META.equals(name) || offset < BLOCK_LENGTH || offset < forcedEnd(name);
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

    /**
     * Two segments with a mark in the midst of each; the end of the second one was not forced.
     */
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
