package io.journal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;

import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.SegmentFile;

/**
 * Finds out under which salt a segment's first frames are valid, where its header does not tell any more.
 * <p>
 * Each frame's checksum gives 32 bits of what the salt, its offset and its length are mixed to. The mixing can be
 * undone once the other 32 bits are known, and there are few enough of those to try all of them: with one frame to undo
 * and two to check, one salt is left.
 */
final class SaltSearch
{
    /** How many blocks of candidates there are. */
    static final int BLOCKS = 1 << 16;

    private static final int SAMPLES = 3;

    private final int[] offsets = new int[SAMPLES];
    private final int[] lengths = new int[SAMPLES];
    private final int[] mixes = new int[SAMPLES];
    private int count;

    private SaltSearch()
    {
    }

    /**
     * Looks at the first frames of a segment, whatever its header says.
     *
     * @param segmentLength that its file has.
     */
    static SaltSearch of(final SegmentFile file, final int segmentLength) throws IOException
    {
        final SaltSearch search = new SaltSearch();
        try
        {
            int offset = SegmentHeader.LENGTH;
            while (search.count < SAMPLES && segmentLength - offset >= FrameHeader.LENGTH)
            {
                final int length = search.sample(file, offset, segmentLength - offset);
                if (0 == length)
                {
                    break;
                }
                offset += FrameHeader.align(length);
            }
        }
        catch (final EOFException ignore)
        {
            // What was seen so far is what there is.
        }

        return search;
    }

    /**
     * @return length of the frame, or 0 if there is none.
     */
    private int sample(final SegmentFile file, final int offset, final int remaining) throws IOException
    {
        final ByteBuffer header = read(file, offset, FrameHeader.LENGTH);
        final int storedLength = FrameHeader.storedLength(header, 0);
        final long tag = FrameHeader.tag(header, 0);
        final boolean isMark = -FrameHeader.MARK_LENGTH == storedLength && FrameHeader.MARK == tag;
        if (!FrameHeader.isPlausible(storedLength, remaining) ||
            storedLength < 0 && !FrameHeader.isPlausible(tag, -storedLength, remaining) ||
            SegmentHeader.LENGTH == offset && !isMark)
        {
            return 0;
        }

        final ByteBuffer frame = read(file, offset, FrameHeader.checkedLength(storedLength, tag));
        // With a salt of any value, whose part is then taken out again.
        final int mixedWithNone = FrameHeader.checksum(
            frame.duplicate(), new CRC32C(), 0, offset, storedLength, tag, 0) ^
            FrameHeader.mix(0, offset, storedLength);
        offsets[count] = offset;
        lengths[count] = storedLength;
        mixes[count] = mixedWithNone ^ FrameHeader.checksum(frame, 0);
        count++;
        return Math.abs(storedLength);
    }

    private static ByteBuffer read(final SegmentFile file, final int offset, final int length) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        file.read(offset, buffer);
        return buffer.clear();
    }

    /**
     * The salt, from what the header says it is: that, or that with one bit changed, or any other.
     *
     * @return the salt, or null if none fits, or too few frames are there to tell.
     */
    Long find(final long written)
    {
        if (0 == count)
        {
            return null;
        }
        if (isRight(written))
        {
            return written;
        }
        for (int bit = 0; bit < Long.SIZE; bit++)
        {
            if (isRight(written ^ (1L << bit)))
            {
                return written ^ (1L << bit);
            }
        }

        return find(0, BLOCKS);
    }

    /**
     * Tries candidates by all processors.
     */
    Long find(final int fromBlock, final int toBlock)
    {
        return count < SAMPLES ? null :
            IntStream.range(fromBlock, toBlock).parallel().mapToObj(this::findIn)
                .filter(Objects::nonNull).findAny().orElse(null);
    }

    private Long findIn(final int block)
    {
        for (int high = block << 16, end = high + 0xFFFF;; high++)
        {
            final long salt = FrameHeader.salt(mixes[0], high, offsets[0], lengths[0]);
            if (isRight(salt))
            {
                return salt;
            }
            if (high == end)
            {
                return null;
            }
        }
    }

    private boolean isRight(final long salt)
    {
        for (int i = count - 1; i >= 0; i--)
        {
            if (FrameHeader.mix(salt, offsets[i], lengths[i]) != mixes[i])
            {
                return false;
            }
        }

        return true;
    }
}
