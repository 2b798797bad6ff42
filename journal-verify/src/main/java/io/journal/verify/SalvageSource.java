// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlView;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Determines which segments a salvage reads, with which headers, and which parts of them belong to the log.
 * {@code journal.control} counts if it can be read and is no older copy; otherwise the header of a segment identifies
 * the journal, and the watermark frames of all segments show what was cut.
 */
final class SalvageSource
{
    final List<Long> ordinals;
    final UUID uuid;
    final Layout layout;
    /** Sequence of the first record, or {@link Salvage#UNKNOWN}. */
    final long startSequence;
    final long startPosition;
    /** Position up to which the journal is known to have been durable, or 0. */
    final long forcedPosition;

    /**
     * Where the rebuilt history begins, and with which record: of the frames before, those with a lower sequence may
     * belong to the log, the others were cut.
     */
    final long rebuiltPosition;
    final long rebuiltSequence;

    private final SegmentStore store;
    private final History history;

    /** Positions of one segment. */
    record Stretch(int from, int to)
    {
    }

    /**
     * @param control null if it cannot be read: then the segments alone count.
     * @param found   ordinals of all segments, ascending.
     */
    private SalvageSource(
        final SegmentStore store, final UUID uuid, final int segmentLength, final ControlContent control,
        final List<Long> found) throws IOException
    {
        this.store = store;
        this.uuid = uuid;
        layout = new Layout(segmentLength);
        if (null != control && !isOlder(control.state().history, found))
        {
            history = control.state().history;
            forcedPosition = Inventory.forcedPosition(control);
            startSequence = history.startSequence;
            startPosition = history.startPosition;
            rebuiltPosition = 0;
            rebuiltSequence = 0;
            ordinals = SegmentSet.from(found, layout.ordinal(startPosition));
        }
        else
        {
            history = HistoryRebuild.of(this::openWhole, layout, found);
            forcedPosition = 0;
            startSequence = 0 == found.get(0) ? 1 : Salvage.UNKNOWN;
            startPosition = layout.position(found.get(0), 0);
            rebuiltPosition = null == history ? 0 : history.firstPosition();
            rebuiltSequence = null == history ? 0 : history.startSequence;
            ordinals = found;
        }
    }

    static SalvageSource of(final SegmentStore store, final Path path) throws IOException
    {
        Inventory.checkJournal(path, store);
        // Read before the segments are listed, because a writer may begin new segments and make them durable.
        final ControlContent control = control(store);
        final List<Long> ordinals = SegmentSet.ordinals(store.list(), (foreign) ->
        {
        });
        if (ordinals.isEmpty())
        {
            throw new CorruptJournalException("nothing to salvage: no segment in the directory: path=" + path);
        }

        if (null != control)
        {
            return new SalvageSource(store, control.uuid(), control.segmentLength(), control, ordinals);
        }
        final ByteBuffer header = anyHeader(store, ordinals);
        return new SalvageSource(
            store, Block.uuid(header), (int)SegmentHeader.segmentLength(header), remains(store, header), ordinals);
    }

    /** {@code journal.control}, or null if it is damaged or in a bad sector. */
    private static ControlContent control(final SegmentStore store) throws IOException
    {
        if (!store.list().contains(JournalFiles.CONTROL))
        {
            return null;
        }

        try
        {
            return ControlView.readWhole(store);
        }
        catch (final FileSystemException ex)
        {
            // The file was not opened: permission or a file descriptor is missing, and another try may succeed.
            throw ex;
        }
        catch (final CorruptJournalException | IOException ex)
        {
            return null;
        }
    }

    /** {@code journal.control} if only its identity is damaged, with that of a segment; otherwise null. */
    private static ControlContent remains(final SegmentStore store, final ByteBuffer header)
    {
        final ByteBuffer content = Block.allocate(ControlContent.LENGTH / Block.LENGTH);
        try (SegmentFile file = store.open(JournalFiles.CONTROL, SegmentStore.Access.READ))
        {
            file.read(0, content);
            return ControlContent.decode(
                content.clear(), Block.uuid(header), (int)SegmentHeader.segmentLength(header));
        }
        catch (final CorruptJournalException | IOException ex)
        {
            return null;
        }
    }

    private static ByteBuffer anyHeader(final SegmentStore store, final List<Long> ordinals)
    {
        for (final long ordinal : ordinals)
        {
            try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.READ))
            {
                final ByteBuffer header = firstBlock(file);
                if (isHeader(header, JournalFiles.segment(ordinal), false))
                {
                    return header;
                }
            }
            catch (final IOException ignore)
            {
                // The header of another segment has the same identity.
            }
        }

        throw new CorruptJournalException(
            "neither " + JournalFiles.CONTROL + " nor the header of any segment can be read: restore one of them " +
                "from a backup");
    }

    /** Whether segments show a later term than a state. It counts if they cannot be read. */
    private boolean isOlder(final History stated, final List<Long> found)
    {
        try
        {
            return HistoryRebuild.isLaterTermThere(this::openWhole, layout, new TreeSet<>(found), stated);
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /** Opens a segment whatever its length and, if its header can be rebuilt, its header; null if it cannot be read. */
    private Segment openWhole(final long ordinal)
    {
        try (SegmentFile file = open(ordinal))
        {
            final ByteBuffer header = header(file, ordinal);
            return null == header ? null :
                Segment.of(new ReadableFile(open(ordinal)), header, ordinal, layout.segmentLength);
        }
        catch (final JournalException | IOException ex)
        {
            return null;
        }
    }

    /** Whether a block is the header of a segment of any journal. */
    static boolean isHeader(final ByteBuffer block, final String name, final boolean forWriting)
    {
        try
        {
            Block.check(block, SegmentHeader.MAGIC, name, forWriting);
            return ControlContent.isSegmentLength(SegmentHeader.segmentLength(block));
        }
        catch (final CorruptJournalException ex)
        {
            return false;
        }
    }

    /** The first block of a file; zeros if it is in a bad sector or was cut short. */
    private static ByteBuffer firstBlock(final SegmentFile file)
    {
        try
        {
            final ByteBuffer block = Block.allocate(1);
            file.read(0, block);
            return block;
        }
        catch (final IOException ex)
        {
            return Block.allocate(1);
        }
    }

    SegmentFile open(final long ordinal) throws IOException
    {
        return store.open(JournalFiles.segment(ordinal), SegmentStore.Access.READ);
    }

    /** Parts of a segment that are not cut. */
    List<Stretch> stretches(final long ordinal)
    {
        final List<Stretch> stretches = new ArrayList<>();
        final long base = layout.position(ordinal, 0);
        final long end = base + layout.segmentLength;
        long from = base + SegmentHeader.LENGTH;
        for (final Cut cut : null == history ? List.<Cut>of() : history.cuts())
        {
            if (cut.to() > Math.max(from, rebuiltPosition) && cut.from() < end && !cut.isEmpty())
            {
                if (cut.from() > from)
                {
                    stretches.add(new Stretch((int)(from - base), (int)(cut.from() - base)));
                }
                from = cut.to();
            }
        }
        if (from < end)
        {
            stretches.add(new Stretch((int)(from - base), layout.segmentLength));
        }
        return stretches;
    }

    /** A position, or the end of the cut that it lies in. */
    long live(final long at)
    {
        return null == history ? at : history.live(at);
    }

    /** Whether a segment is missing between two others. */
    boolean isMissing(final long from, final long to)
    {
        return from < to && (null == history || history.skipDead(from, to, layout.segmentLength) < to);
    }

    /**
     * The header of a segment; if it is damaged, rebuilt with a salt that is searched for, which can take a minute.
     *
     * @return the header; null if it cannot be rebuilt, or belongs to another segment or journal.
     */
    ByteBuffer header(final SegmentFile file, final long ordinal) throws IOException
    {
        final String name = JournalFiles.segment(ordinal);
        final ByteBuffer header = firstBlock(file);
        if (isHeader(header, name, false))
        {
            try
            {
                SegmentHeader.check(header, name, uuid, ordinal, layout.segmentLength, false);
                return header;
            }
            catch (final CorruptJournalException ex)
            {
                return null;
            }
        }

        final Long salt = SaltSearch.find(store, header, ordinal, layout.segmentLength);
        return null == salt ? null : SegmentHeader.encode(uuid, ordinal, layout.segmentLength, salt, 0, false);
    }
}
