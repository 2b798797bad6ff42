// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.UUID;
import java.util.function.LongSupplier;

import io.journal.CorruptJournalException;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentFilling;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * Creates a journal in a directory without one. Normative text: {@code docs/format.md}, "Opening", step 1.
 */
public final class JournalCreation
{
    private JournalCreation()
    {
    }

    /**
     * Creates a journal unless there is one. Its {@code journal.control} is created last: without it there is no
     * journal. Returns whether the journal was created. Throws if there are segments with data, but no {@code
     * journal.control}.
     *
     * @param randoms for the UUID of the journal and the salt of its first segment.
     */
    public static boolean createIfAbsent(
        final SegmentStore store, final int segmentLength, final LongSupplier randoms, final EpochClock clock)
        throws IOException
    {
        final List<String> names = store.list();
        if (names.contains(JournalFiles.CONTROL))
        {
            return false;
        }

        checkNoRecords(store, names);
        for (final String name : names)
        {
            if (JournalFiles.isSegment(name) || JournalFiles.isSpare(name))
            {
                store.delete(name);
            }
        }

        // Version 4, variant 2.
        final UUID uuid = new UUID(
            randoms.getAsLong() & ~0xF000L | 0x4000L, randoms.getAsLong() & Long.MAX_VALUE >>> 1 | Long.MIN_VALUE);
        final long timeMs = clock.time();
        final ByteBuffer header = SegmentHeader.encode(uuid, 0, segmentLength, randoms.getAsLong(), timeMs, false);
        // Filled with zeros as far as the scan reads. For a read of a hole the system would cache large folios, and an
        // fsync of a few records writes whole folios.
        final int filledEnd = Math.min(segmentLength, SegmentHeader.LENGTH + Scan.READ_LENGTH);
        SegmentFilling.create(store, 0, header, segmentLength, filledEnd).close();
        // Does not check the writer's lock, because there is no journal yet that another writer could have.
        store.rename(JournalFiles.spare(0), JournalFiles.segment(0));
        store.force();
        final ControlState state = ControlState.create();
        ControlFile.create(store, JournalFiles.CONTROL, uuid, segmentLength, state, state.closedAt, timeMs);
        return true;
    }

    /**
     * Checks that a directory without {@code journal.control} has no records either.
     *
     * @throws CorruptJournalException if there are: {@code journal.control} is lost.
     */
    public static void checkNoRecords(final SegmentStore store) throws IOException
    {
        checkNoRecords(store, store.list());
    }

    private static void checkNoRecords(final SegmentStore store, final List<String> names) throws IOException
    {
        for (final String name : names)
        {
            // An unfinished creation leaves segment 0 without a frame; any other segment holds user data.
            if (JournalFiles.isSegment(name) && (0 != JournalFiles.ordinal(name) || !isUnused(store)))
            {
                throw new CorruptJournalException(
                    "segment without a journal: file=" + name + ", expected=" + JournalFiles.CONTROL + ", found=none" +
                        "; the segments hold the records: \"journal repair\" rebuilds " + JournalFiles.CONTROL +
                        " from them",
                    null, name, CorruptJournalException.UNKNOWN, CorruptJournalException.UNKNOWN);
            }
        }
    }

    private static boolean isUnused(final SegmentStore store) throws IOException
    {
        final ByteBuffer header = Block.allocate(1);
        final long length;
        try (SegmentFile file = store.open(JournalFiles.segment(0), SegmentStore.Access.READ))
        {
            length = file.length();
            if (length < Layout.MIN_SEGMENT_LENGTH || length > Layout.MAX_SEGMENT_LENGTH)
            {
                return false;
            }
            file.read(0, header);
        }
        Block.check(header, SegmentHeader.MAGIC, JournalFiles.segment(0), true);

        try (FrameCursor cursor = new FrameCursor(Window.copying(Block.LENGTH)))
        {
            cursor.attach(Segment.open(store, SegmentStore.Access.READ, true, Block.uuid(header), 0, (int)length));
            return SegmentHeader.LENGTH == FrameSearch.contentEnd(cursor, SegmentHeader.LENGTH, (int)length);
        }
    }
}
