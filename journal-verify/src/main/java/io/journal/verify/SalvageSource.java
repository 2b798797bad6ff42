// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
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
 * {@code journal.control} counts if it can be read; otherwise the header of a segment identifies the journal, and the
 * watermark frames of all segments show what was cut.
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

    private SalvageSource(final SegmentStore store, final ControlContent control, final List<Long> found)
    {
        this.store = store;
        history = control.state().history;
        forcedPosition = Inventory.forcedPosition(control);
        uuid = control.uuid();
        layout = new Layout(control.segmentLength());
        startSequence = history.startSequence;
        startPosition = history.startPosition;
        rebuiltPosition = 0;
        rebuiltSequence = 0;
        ordinals = SegmentSet.from(found, layout.ordinal(startPosition));
    }

    /** Constructs the source from the segments alone: the header of one of them identifies the journal. */
    private SalvageSource(final SegmentStore store, final ByteBuffer header, final List<Long> found)
        throws IOException
    {
        this.store = store;
        uuid = Block.uuid(header);
        layout = new Layout((int)SegmentHeader.segmentLength(header));
        ordinals = found;
        startSequence = 0 == found.get(0) ? 1 : Salvage.UNKNOWN;
        startPosition = layout.position(found.get(0), 0);
        forcedPosition = 0;
        history = HistoryRebuild.of(this::openWhole, layout, found);
        rebuiltPosition = null == history ? 0 : history.firstPosition();
        rebuiltSequence = null == history ? 0 : history.startSequence;
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
            return new SalvageSource(store, control, ordinals);
        }
        final ByteBuffer header = anyHeader(store, ordinals);
        final ControlContent remains = remains(store, header);
        return null == remains ? new SalvageSource(store, header, ordinals) :
            new SalvageSource(store, remains, ordinals);
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
                final ByteBuffer header = header(file, JournalFiles.segment(ordinal), false);
                if (null != header)
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

    private Segment openWhole(final long ordinal)
    {
        try
        {
            return Segment.open(store, SegmentStore.Access.READ, false, uuid, ordinal, layout.segmentLength);
        }
        catch (final JournalException | IOException ex)
        {
            return null;
        }
    }

    /** The header of a segment, or null if it is damaged. */
    static ByteBuffer header(final SegmentFile file, final String name, final boolean forWriting)
        throws IOException
    {
        if (file.length() < Block.LENGTH)
        {
            return null;
        }

        final ByteBuffer block = Block.allocate(1);
        file.read(0, block);
        try
        {
            Block.check(block, SegmentHeader.MAGIC, name, forWriting);
            return ControlContent.isSegmentLength(SegmentHeader.segmentLength(block)) ? block : null;
        }
        catch (final CorruptJournalException ex)
        {
            return null;
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
        final ByteBuffer header = header(file, name, false);
        if (null != header)
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
        if (file.length() < Block.LENGTH)
        {
            return null;
        }

        final ByteBuffer damaged = Block.allocate(1);
        file.read(0, damaged);
        final Long salt = SaltSearch.find(store, damaged, ordinal, layout.segmentLength);
        return null == salt ? null : SegmentHeader.encode(uuid, ordinal, layout.segmentLength, salt, 0, false);
    }
}
