package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
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
 * Reconstructs the content of {@code journal.meta} and of segment headers, where they are damaged, from the other
 * files. Changes nothing.
 * <p>
 * All files of a journal carry its UUID, all its segments have one length, and the first watermark frame of a segment
 * holds a sequence. Of a header, only the salt is stored nowhere else; the checksums of frames are computed with it.
 */
final class Reconstruction
{
    private static final String LOST = "restore the file from a backup";

    /** Rebuilt first blocks of the segments whose header is damaged, by ordinal. */
    final TreeMap<Long, ByteBuffer> headers = new TreeMap<>();
    /** Unreadable segments at the beginning, ascending: the journal is to begin after them. */
    final List<Long> unreadable = new ArrayList<>();
    /** What is to be rebuilt, in file order. */
    final List<Rebuild> rebuilds = new ArrayList<>();
    UUID uuid;
    int segmentLength;
    /** The state, with a generation not used before if it is rebuilt. */
    JournalMeta.State state;

    private final SegmentStore store;
    private final List<String> names;
    private final TreeSet<Long> ordinals = new TreeSet<>();
    private String metaFault;
    private MetaRemains remains;
    private boolean isStateRebuilt;

    private Reconstruction(final SegmentStore store) throws IOException
    {
        this.store = store;
        names = store.list();
        names.stream().filter(JournalFiles::isOrdinal).map(JournalFiles::ordinal).forEach(ordinals::add);
    }

    /**
     * Reads what there is.
     *
     * @throws CorruptJournalException    if too little is left; the message names what is missing.
     * @throws JournalException if something is of a newer format.
     */
    static Reconstruction of(final SegmentStore store) throws IOException
    {
        final Reconstruction reconstruction = new Reconstruction(store);
        reconstruction.readMeta();
        reconstruction.readHeaders();
        reconstruction.rebuildState();
        return reconstruction;
    }

    boolean isMetaRebuilt()
    {
        return null != metaFault || isStateRebuilt;
    }

    boolean isMetaThere()
    {
        return names.contains(JournalFiles.META);
    }

    long metaLength()
    {
        return remains.length;
    }

    long timeMs()
    {
        return remains.timeMs;
    }

    private void readMeta() throws IOException
    {
        remains = MetaRemains.read(store, isMetaThere());
        if (!isMetaThere())
        {
            metaFault = "no file";
            return;
        }

        try
        {
            final JournalMeta meta = JournalMeta.read(store, true);
            uuid = meta.uuid;
            segmentLength = meta.segmentLength;
            state = meta.state;
        }
        catch (final CorruptJournalException ex)
        {
            metaFault = ex.getMessage();
        }
    }

    /**
     * Identifies the journal by its segments, if necessary, and rebuilds the headers that are damaged.
     */
    private void readHeaders() throws IOException
    {
        if (null != metaFault)
        {
            uuid = remains.uuid;
            segmentLength = remains.segmentLength;
            if (null == uuid)
            {
                for (final long ordinal : ordinals)
                {
                    identify(ordinal);
                }
                identifyByOthers();
            }
            if (null == uuid || 0 == segmentLength)
            {
                throw new CorruptJournalException(
                    "cannot be rebuilt: file=" + JournalFiles.META + ", missing=" +
                        (null == uuid ? "the UUID" : "the segment length") +
                        ", expected=a segment with a valid header, found=none; " + LOST);
            }
            state = remains.newest(segmentLength);
        }

        for (final long ordinal : ordinals)
        {
            rebuildHeader(ordinal);
        }
    }

    private void identify(final long ordinal) throws IOException
    {
        final String name = JournalFiles.segment(ordinal);
        final ByteBuffer block = firstBlock(name, SegmentHeader.MAGIC);
        if (null != block)
        {
            final UUID found = Block.uuid(block);
            final long length = SegmentHeader.segmentLength(block);
            if (null == uuid && 0 == segmentLength && JournalMeta.isSegmentLength(length))
            {
                uuid = found;
                segmentLength = (int)length;
            }
            else if (!found.equals(uuid) || length != segmentLength)
            {
                throw new CorruptJournalException(
                    "cannot be rebuilt: segments of more than one journal: file=" + name + ", expected=journal " +
                        uuid + " of segmentLength " + segmentLength + ", found=journal " + found +
                        " of segmentLength " + length + "; move the files of the other one out of the directory");
            }
        }
    }

    /**
     * If no header is left: the other files carry the UUID, and a segment file has the length of segments.
     */
    private void identifyByOthers() throws IOException
    {
        if (null == uuid && names.contains(JournalFiles.MARK))
        {
            final ByteBuffer block = firstBlock(JournalFiles.MARK, MarkFile.MAGIC);
            uuid = null == block ? null : Block.uuid(block);
        }
        if (0 == segmentLength && !ordinals.isEmpty())
        {
            try (SegmentFile file = store.open(JournalFiles.segment(ordinals.first()), SegmentStore.Access.READ))
            {
                segmentLength = JournalMeta.isSegmentLength(file.length()) ? (int)file.length() : 0;
            }
        }
    }

    /**
     * @return the block that identifies a file, or null if it is damaged.
     */
    private ByteBuffer firstBlock(final String name, final String magic) throws IOException
    {
        final ByteBuffer block = Block.allocate(1);
        try (SegmentFile file = store.open(name, SegmentStore.Access.READ))
        {
            if (file.length() < Block.LENGTH)
            {
                return null;
            }
            file.read(0, block);
            Block.check(block, magic, name, true);
            return block;
        }
        catch (final CorruptJournalException ex)
        {
            return null;
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
            rebuildHeader(ordinal, block, ex);
        }
    }

    private void rebuildHeader(final long ordinal, final ByteBuffer damaged, final CorruptJournalException fault)
        throws IOException
    {
        final String name = JournalFiles.segment(ordinal);
        final Long salt;
        try (SegmentFile file = store.open(name, SegmentStore.Access.READ))
        {
            salt = SaltSearch.of(file, segmentLength).find(SegmentHeader.salt(damaged));
        }
        if (null != salt)
        {
            headers.put(ordinal, SegmentHeader.encode(
                uuid, ordinal, segmentLength, salt, SegmentHeader.timeMs(damaged), SegmentHeader.isRecycled(damaged)));
            rebuilds.add(new Rebuild(
                name, fault.getMessage(), "journal " + uuid + ", salt " + Long.toHexString(salt), 0));
        }
    }

    /**
     * Makes the journal begin with the first segment that can be read.
     */
    private void rebuildState() throws IOException
    {
        final Layout layout = new Layout(segmentLength);
        final long stated = null == state ? -1 : layout.ordinal(state.startPosition);
        unreadable.clear();
        for (final long ordinal : ordinals.tailSet(Math.max(0, stated)))
        {
            final long sequence = firstSequence(ordinal, stated);
            if (sequence > 0)
            {
                start(layout.position(ordinal, 0), sequence);
                return;
            }
            unreadable.add(ordinal);
        }

        throw new CorruptJournalException(
            "cannot be rebuilt: file=" + (null == metaFault ? JournalFiles.segment(stated) : JournalFiles.META) +
                ", missing=the beginning of the journal, expected=a segment that can be read, found=none; " + LOST);
    }

    /**
     * @return the sequence at which a segment begins, or 0 if it cannot be read.
     */
    private long firstSequence(final long ordinal, final long stated) throws IOException
    {
        try (FrameCursor cursor = new FrameCursor(Window.copying(Block.LENGTH)))
        {
            final ByteBuffer header = headers.get(ordinal);
            cursor.attach(null == header ?
                Segment.open(store, SegmentStore.Access.READ, true, uuid, ordinal, segmentLength) :
                Segment.open(store, header, ordinal, segmentLength));
            if (ordinal == stated)
            {
                return state.startSequence;
            }

            final FrameCursor.Verdict verdict = cursor.examine(
                SegmentHeader.LENGTH, SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH, FrameCursor.ANY_SEQUENCE);
            return FrameCursor.Verdict.VALID == verdict ? cursor.sequence() : 0;
        }
        catch (final CorruptJournalException ex)
        {
            return 0;
        }
    }

    private void start(final long position, final long sequence) throws IOException
    {
        final boolean isMoved = null != state && (position != state.startPosition || sequence != state.startSequence);
        isStateRebuilt = null == state || isMoved;
        if (!isMetaRebuilt())
        {
            return;
        }

        final long lost = lost(sequence);
        final long generation = Math.max(remains.generation, null == state ? 0 : state.generation) + 1;
        state = null == state ?
            new JournalMeta.State(generation, epoch(), position, sequence, 0, null, false) :
            new JournalMeta.State(
                generation, state.epoch, position, sequence, isMoved ? 0 : state.startTerm, state.cut,
                null != state.pending);
        rebuilds.add(0, new Rebuild(
            JournalFiles.META,
            null == metaFault ? "its first segment cannot be read, or is not there" : metaFault,
            "journal " + uuid + ", segmentLength " + segmentLength + ", first sequence " + sequence + " in " +
                JournalFiles.segment(position / segmentLength) + ", epoch " + state.epoch,
            lost));
    }

    /**
     * How many records at the beginning cannot be read. Missing segments count as pruned, if the state that is damaged
     * may have recorded that.
     */
    private long lost(final long sequence)
    {
        if (null == state)
        {
            return unreadable.isEmpty() ? 0 : -1;
        }

        return unreadable.isEmpty() && !remains.isNewestSure() ? 0 : Math.max(0, sequence - state.startSequence);
    }

    /**
     * The epoch in the mark file: nothing else that remains depends on it.
     */
    private long epoch() throws IOException
    {
        return Math.max(0, MarkFile.read(store, uuid).epoch());
    }
}
