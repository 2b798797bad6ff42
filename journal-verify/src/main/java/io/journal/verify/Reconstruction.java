// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.verify.JournalRepair.Rebuild;

/**
 * Reconstructs the content of {@code journal.control} and of segment headers, where they are damaged, from the other
 * files. Changes nothing.
 * <p>
 * All segments of a journal carry its UUID and have one length, and their watermark frames show the history. Only the
 * salt of a header is stored nowhere else; the checksums of frames are computed with it.
 */
final class Reconstruction
{
    private static final String LOST = "restore the file from a backup";

    /** Rebuilt first blocks of the segments whose header is damaged, by ordinal. */
    final TreeMap<Long, ByteBuffer> headers = new TreeMap<>();
    /** Unreadable segments at the beginning, ascending: the journal is to begin after them. */
    final List<Long> unreadable = new ArrayList<>();
    /** Files to be rebuilt, in order. */
    final List<Rebuild> rebuilds = new ArrayList<>();
    UUID uuid;
    int segmentLength;
    /** The state, with a generation not used before if it is rebuilt. */
    ControlState state;
    /** Length of the control file, -1 if it is absent. */
    long controlLength = -1;

    private final SegmentStore store;
    private final TreeSet<Long> ordinals = new TreeSet<>();
    private final ByteBuffer control = Block.allocate(ControlContent.LENGTH / Block.LENGTH);
    private String controlFault;
    private boolean isStateRebuilt;

    private Reconstruction(final SegmentStore store) throws IOException
    {
        this.store = store;
        store.list().stream().filter(JournalFiles::isOrdinal).map(JournalFiles::ordinal).forEach(ordinals::add);
    }

    /**
     * Reads the files that are left.
     *
     * @throws CorruptJournalException if too little is left; the message names what is missing.
     * @throws JournalException        if a file has a newer format.
     */
    static Reconstruction of(final SegmentStore store) throws IOException
    {
        final Reconstruction reconstruction = new Reconstruction(store);
        reconstruction.readControl();
        reconstruction.readHeaders();
        reconstruction.rebuildState();
        return reconstruction;
    }

    boolean isControlRebuilt()
    {
        return null != controlFault || isStateRebuilt;
    }

    long timeMs()
    {
        return control.getLong(ControlContent.TIME_OFFSET);
    }

    private void readControl() throws IOException
    {
        if (!store.list().contains(JournalFiles.CONTROL))
        {
            controlFault = "no file";
            return;
        }

        try (SegmentFile file = store.open(JournalFiles.CONTROL, SegmentStore.Access.READ))
        {
            controlLength = file.length();
            file.read(0, control.limit((int)Math.min(controlLength, ControlContent.LENGTH)));
            control.clear();
        }
        try
        {
            Block.check(control, ControlContent.MAGIC, JournalFiles.CONTROL, true);
            final long length = control.getLong(ControlContent.SEGMENT_LENGTH_OFFSET);
            if (ControlContent.isSegmentLength(length))
            {
                uuid = Block.uuid(control);
                segmentLength = (int)length;
            }
            ControlContent.read(store, true);
        }
        catch (final CorruptJournalException ex)
        {
            controlFault = ex.getMessage();
        }
    }

    /**
     * Identifies the journal by its segments, if necessary, and rebuilds the headers that are damaged.
     */
    private void readHeaders() throws IOException
    {
        if (null == uuid)
        {
            for (final long ordinal : ordinals)
            {
                identify(ordinal);
            }
        }
        if (null == uuid)
        {
            throw new CorruptJournalException(
                "cannot be rebuilt: file=" + JournalFiles.CONTROL + ", missing=the UUID and the segment length, " +
                    "expected=a segment with a valid header, found=none; " + LOST);
        }
        state = ControlContent.remains(control, segmentLength);

        for (final long ordinal : ordinals)
        {
            rebuildHeader(ordinal);
        }
    }

    private void identify(final long ordinal) throws IOException
    {
        final String name = JournalFiles.segment(ordinal);
        final ByteBuffer block = Block.allocate(1);
        try (SegmentFile file = store.open(name, SegmentStore.Access.READ))
        {
            if (file.length() >= Block.LENGTH)
            {
                file.read(0, block);
            }
        }
        if (SalvageSource.isHeader(block, name, true))
        {
            final UUID found = Block.uuid(block);
            final long length = SegmentHeader.segmentLength(block);
            if (null == uuid && 0 == segmentLength)
            {
                uuid = found;
                segmentLength = (int)length;
            }
            else if (!found.equals(uuid) || length != segmentLength)
            {
                throw new CorruptJournalException(
                    "cannot be rebuilt: segments of more than one journal: file=" + name + ", expected=journal " +
                        uuid + " of segmentLength " + segmentLength + ", found=journal " + found +
                        " of segmentLength " + length + "; move the files of the other journal out of the directory");
            }
        }
    }

    private void rebuildHeader(final long ordinal) throws IOException
    {
        final String name = JournalFiles.segment(ordinal);
        final ByteBuffer block = Block.allocate(1);
        try (SegmentFile file = store.open(name, SegmentStore.Access.READ))
        {
            if (file.length() != segmentLength)
            {
                return;
            }
            file.read(0, block);
            Block.check(block, SegmentHeader.MAGIC, name, true);
        }
        catch (final CorruptJournalException ex)
        {
            final Long salt = SaltSearch.find(store, block, ordinal, segmentLength);
            if (null != salt)
            {
                headers.put(ordinal, SegmentHeader.encode(
                    uuid, ordinal, segmentLength, salt, SegmentHeader.timeMs(block), SegmentHeader.isRecycled(block)));
                rebuilds.add(new Rebuild(
                    name, ex.getMessage(), "journal " + uuid + ", salt " + Long.toHexString(salt), 0));
            }
        }
    }

    /**
     * Determines the state from the control file or from the segments. The journal begins with the first segment that
     * can be read.
     */
    private void rebuildState() throws IOException
    {
        final ControlState stated = state;
        final boolean isOlder = null != stated &&
            HistoryRebuild.isLaterTermThere(this::open, new Layout(segmentLength), ordinals, stated.history);
        final History history = null != stated && !isOlder ? beginning(stated.history) : bySegments();
        if (null == history)
        {
            throw new CorruptJournalException(
                "cannot be rebuilt: file=" + JournalFiles.CONTROL +
                    ", missing=the beginning of the journal, expected=a segment that can be read, found=none; " + LOST);
        }

        isStateRebuilt = null == stated || stated.history != history;
        if (isControlRebuilt())
        {
            final long generation = Math.max(
                highestGeneration(), null == stated ? 0 : stated.generation) + 1;
            state = !isStateRebuilt ?
                new ControlState(generation, history, stated.cursors(), stated.closedAt) :
                withCursors(stated, history, generation);
            rebuilds.add(0, new Rebuild(
                JournalFiles.CONTROL,
                null != controlFault ? controlFault : isOlder ? "an older copy: segments are of a later term" :
                    "the first segment cannot be read, or is not there",
                "journal " + uuid + ", segmentLength " + segmentLength + ", first sequence " + history.startSequence +
                    " in " + JournalFiles.segment(history.startPosition / segmentLength) + ", term " +
                    history.number + (null == stated ? "; all cursors are lost" : ""),
                lost(stated, history)));
        }
    }

    /** The cursors of an older state, without cursors whose passed records were cut since. */
    private static ControlState withCursors(final ControlState stated, final History history, final long generation)
    {
        final ControlState before = null == stated ? ControlState.create() : stated;
        final long number = null == stated ? 0 : stated.history.number;
        final long kept = history.cuts().stream().filter((cut) -> cut.number() > number)
            .mapToLong(Cut::sequence).min().orElse(Long.MAX_VALUE) - 1;
        return new ControlState(
            generation, history, before.truncated(history, kept, Term.NONE).cursors(), null);
    }

    private History bySegments() throws IOException
    {
        final History history = HistoryRebuild.of(this::open, new Layout(segmentLength), ordinals);
        if (null != history)
        {
            ordinals.headSet(history.startPosition / segmentLength).forEach(unreadable::add);
        }
        return history;
    }

    /** The history from its first readable segment on; the same object if nothing changes. */
    private History beginning(final History history) throws IOException
    {
        final Layout layout = new Layout(segmentLength);
        final long stated = layout.ordinal(history.startPosition);
        for (final long ordinal : ordinals.tailSet(stated))
        {
            final long base = layout.position(ordinal, 0);
            final Segment segment = history.isDead(base, segmentLength) ? null : open(ordinal);
            if (null != segment)
            {
                try (FrameCursor cursor = new FrameCursor(Window.copying(Block.LENGTH)))
                {
                    cursor.attach(segment);
                    final Cut cut = history.cutAt(base + SegmentHeader.LENGTH);
                    if (ordinal == stated)
                    {
                        return history;
                    }
                    if (null != cut)
                    {
                        return history.startingAt(base, cut.sequence(), cut.previousTerm());
                    }
                    final int end = SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH;
                    if (cursor.isMark(cursor.examine(SegmentHeader.LENGTH, end, FrameCursor.ANY_SEQUENCE)))
                    {
                        return history.startingAt(base, cursor.sequence(), cursor.markPreviousTerm());
                    }
                }
            }
            unreadable.add(ordinal);
        }

        return null;
    }

    /** Opens a segment, with its rebuilt header if it has one; null if it cannot be read. */
    private Segment open(final long ordinal) throws IOException
    {
        final ByteBuffer header = headers.get(ordinal);
        try
        {
            return null == header ?
                Segment.open(store, SegmentStore.Access.READ, true, uuid, ordinal, segmentLength) :
                Segment.open(store, header, ordinal, segmentLength);
        }
        catch (final CorruptJournalException ex)
        {
            return null;
        }
    }

    /** The higher generation in the slots, damaged or not, as far as it is possible. */
    private long highestGeneration()
    {
        long highest = 0;
        for (int i = 0; i < 2; i++)
        {
            final long generation = control.getLong(ControlContent.slotOffset(i));
            final boolean isPossible = generation > 0 && generation < Layout.MAX_POSITION / 2 && i == (generation & 1);
            highest = isPossible ? Math.max(highest, generation) : highest;
        }
        return highest;
    }

    /**
     * How many records at the beginning cannot be read. Missing segments count as pruned if a lost state may have
     * recorded that.
     */
    private long lost(final ControlState stated, final History history)
    {
        if (null == stated)
        {
            final boolean isWhole = history.firstPosition() == history.startPosition + SegmentHeader.LENGTH;
            return isWhole && unreadable.isEmpty() ? 0 : -1;
        }

        final boolean isSure = ControlContent.LENGTH == controlLength &&
            !ControlContent.isSlotDamaged(control, segmentLength);
        return unreadable.isEmpty() && !isSure ? 0 :
            Math.max(0, history.startSequence - stated.history.startSequence);
    }
}
