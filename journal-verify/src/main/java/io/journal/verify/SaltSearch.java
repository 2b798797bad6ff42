// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Finds the salt under which a segment's first frames are valid, when its header no longer holds it.
 * <p>
 * Each frame's checksum yields 32 bits of the mix of the salt, the frame's offset and its length. The mix can be
 * inverted once the other 32 bits are known, and those are few enough to try all of them: with one frame to invert and
 * two to check, one salt is left.
 */
final class SaltSearch
{
    /** Number of blocks of candidates. */
    static final int BLOCKS = 1 << 16;

    private static final int SAMPLES = 3;
    private static final int WINDOW_LENGTH = 64 * 1024;
    // Inverse of the factor of FrameHeader.mix.
    private static final long UNMIX = 0xCFEE444D8B59A89BL;

    // Results by the sampled frames: a search can take a minute, and a repair needs it several times.
    private static final Map<List<IntBuffer>, Optional<Long>> FOUND = new ConcurrentHashMap<>();

    private final int[] offsets = new int[SAMPLES];
    private final int[] lengths = new int[SAMPLES];
    private final int[] mixes = new int[SAMPLES];
    private int count;

    private SaltSearch()
    {
    }

    /**
     * The salt of a segment whose header is damaged: the salt in the header, or this with a single bit flipped, if the
     * first frames or, for the salt in the header, any watermark frame is valid under it; otherwise any under which the
     * first frames are valid.
     *
     * @return the salt, or null if there is none.
     */
    static Long find(final SegmentStore store, final ByteBuffer header, final long ordinal, final int segmentLength)
        throws IOException
    {
        final SaltSearch search;
        final long length;
        try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.READ))
        {
            search = of(file, segmentLength);
            length = file.length();
        }
        final Long near = search.near(SegmentHeader.salt(header));
        if (null != near)
        {
            return near;
        }
        try (FrameCursor cursor = new FrameCursor(Window.copying(WINDOW_LENGTH)))
        {
            cursor.attach(Segment.open(store, header, ordinal, segmentLength));
            final int limit = (int)Math.min(segmentLength, length);
            if (FrameSearch.watermark(cursor, SegmentHeader.LENGTH, limit) >= 0)
            {
                return cursor.segment().salt;
            }
        }
        return FOUND.computeIfAbsent(
            List.of(IntBuffer.wrap(search.offsets), IntBuffer.wrap(search.lengths), IntBuffer.wrap(search.mixes)),
            (frames) -> Optional.ofNullable(search.find(0, BLOCKS))).orElse(null);
    }

    /**
     * Samples the first frames of a segment, whatever its header contains.
     *
     * @param segmentLength length of its file.
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
            // There are no more frames than the sampled ones.
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
        // Computed with an arbitrary salt, whose part is then removed.
        final int mixedWithNone = FrameHeader.checksum(
            frame.duplicate(), new CRC32C(), 0, offset, storedLength, frame.capacity(), 0) ^
            FrameHeader.mix(0, offset, storedLength);
        offsets[count] = offset;
        lengths[count] = storedLength;
        mixes[count] = mixedWithNone ^ FrameHeader.checksum(frame, 0);
        count++;
        return FrameHeader.length(storedLength);
    }

    private static ByteBuffer read(final SegmentFile file, final int offset, final int length) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        file.read(offset, buffer);
        return buffer.clear();
    }

    /** The salt in the header or the same with a single bit flipped; null if none fits, or there is no frame. */
    private Long near(final long written)
    {
        return 0 == count ? null : LongStream.concat(
            LongStream.of(written), IntStream.range(0, Long.SIZE).mapToLong((bit) -> written ^ (1L << bit)))
            .filter(this::isRight).boxed().findFirst().orElse(null);
    }

    /**
     * Tries candidates on all processors.
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
            final long salt = salt(mixes[0], high, offsets[0], lengths[0]);
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

    /**
     * Inverse of {@link FrameHeader#mix}: a salt that mixes to a given value, one for each value of the 32 bits that
     * mixing drops.
     */
    static long salt(final int mix, final int dropped, final int offset, final int storedLength)
    {
        long h = ((long)dropped << 32) | ((mix ^ dropped) & 0xFFFF_FFFFL);
        h *= UNMIX;
        h = (h ^ (h >>> 32)) * UNMIX;
        return h ^ (h >>> 32) ^ (((long)offset << 32) | (storedLength & 0xFFFF_FFFFL));
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
