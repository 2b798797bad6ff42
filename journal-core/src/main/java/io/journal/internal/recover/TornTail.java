package io.journal.internal.recover;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import io.journal.JournalFullException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;

/**
 * The bytes behind the end of a journal, which are copied into quarantine before they are truncated. Normative text:
 * {@code docs/format.md}, "Opening", step 7.
 */
final class TornTail
{
    static final TornTail NONE = new TornTail(null, List.of());

    /** Files of this and of earlier recoveries. */
    private static final int MAX_QUARANTINED = 10;

    private final Segments segments;
    private final List<Piece> pieces;
    private final List<String> quarantined = new ArrayList<>();
    private final List<String> dropped = new ArrayList<>();

    private TornTail(final Segments segments, final List<Piece> pieces)
    {
        this.segments = segments;
        this.pieces = pieces;
    }

    /** The bytes of one segment behind the end, up to the last one that is not zero. */
    private record Piece(long ordinal, int offset, int length)
    {
    }

    /**
     * Finds the torn tail. Reads again what the scan has read: a writer that lost its lock may have written meanwhile,
     * before this opening fenced it.
     *
     * @param position     of the end.
     * @param nextSequence of the record that is missing there.
     */
    static TornTail find(
        final Segments segments, final List<Long> ordinals, final long position, final long nextSequence)
        throws IOException
    {
        final int limit = segments.layout.segmentLength;
        final long endOrdinal = segments.layout.ordinal(position);
        final List<Piece> pieces = new ArrayList<>();
        try (FrameCursor cursor = segments.cursor(Segments.READ_LENGTH))
        {
            for (final long ordinal : ordinals)
            {
                if (ordinal >= endOrdinal)
                {
                    cursor.attach(segments.open(ordinal));
                    final boolean isRecycled = cursor.segment().isRecycled;
                    final int from = ordinal == endOrdinal ? segments.layout.offset(position) : SegmentHeader.LENGTH;
                    final int to =
                        isRecycled ? FrameSearch.framesEnd(cursor, from, limit, nextSequence) :
                            FrameSearch.contentEnd(cursor, from, limit);
                    if (to > from)
                    {
                        pieces.add(new Piece(ordinal, from, to - from));
                    }
                }
            }
        }

        return new TornTail(segments, pieces);
    }

    long length()
    {
        long length = 0;
        for (final Piece piece : pieces)
        {
            length += piece.length;
        }

        return length;
    }

    /**
     * Names of the files in quarantine.
     */
    List<String> quarantined()
    {
        return List.copyOf(quarantined);
    }

    /**
     * Names of the files of earlier recoveries that were deleted from quarantine.
     */
    List<String> dropped()
    {
        return List.copyOf(dropped);
    }

    /**
     * Where zeros have to be written to, from the end on.
     */
    long zeroEnd(final long position)
    {
        final boolean isInEnd = !pieces.isEmpty() && pieces.get(0).ordinal == segments.layout.ordinal(position);
        return isInEnd ? position + pieces.get(0).length : position;
    }

    /**
     * Copies the torn tail into quarantine, durably, then deletes the oldest files there, so that a process that
     * crashes again and again does not fill the disk.
     *
     * @param ordinals of all segments; if space is missing, a prepared segment without content is deleted.
     */
    void quarantine(final List<Long> ordinals, final long epoch) throws IOException
    {
        for (final Piece piece : pieces)
        {
            boolean isQuarantined = false;
            while (!isQuarantined)
            {
                try
                {
                    quarantine(piece, epoch);
                    isQuarantined = true;
                }
                catch (final NoSpaceException ex)
                {
                    if (!deletePrepared(ordinals))
                    {
                        throw full(piece, ex);
                    }
                }
            }
        }
        if (!pieces.isEmpty())
        {
            dropOldest();
        }
    }

    /** Keeps all files of this recovery, and those of a repair. */
    private void dropOldest() throws IOException
    {
        final SegmentStore quarantine = segments.store.child(JournalFiles.QUARANTINE);
        final List<String> names = new ArrayList<>(quarantine.list());
        names.removeIf((name) -> JournalFiles.quarantinedEpoch(name) < 0);
        // Each recovery that truncates begins an epoch.
        names.sort(Comparator.comparingLong(JournalFiles::quarantinedEpoch).thenComparing(Comparator.naturalOrder()));
        for (final String name : names.subList(0, Math.max(0, names.size() - MAX_QUARANTINED)))
        {
            final String path = JournalFiles.QUARANTINE + "/" + name;
            if (!quarantined.contains(path))
            {
                quarantine.delete(name);
                dropped.add(path);
            }
        }
    }

    private void quarantine(final Piece piece, final long epoch) throws IOException
    {
        final SegmentStore store = segments.store;
        final SegmentStore quarantine = store.child(JournalFiles.QUARANTINE);
        // All of a segment with its header, which may go: nothing in it can be read without.
        final int from = SegmentHeader.LENGTH == piece.offset ? 0 : piece.offset;
        final int length = piece.offset + piece.length - from;
        final String name = JournalFiles.quarantined(segments.layout.position(piece.ordinal, from), epoch);
        quarantine.delete(name);
        try (SegmentFile source = store.open(JournalFiles.segment(piece.ordinal), SegmentStore.Access.READ);
            SegmentFile target = quarantine.create(name, length))
        {
            segments.copy(source, from, target, 0, length);
            target.force(0, length);
        }
        catch (final NoSpaceException ex)
        {
            quarantine.delete(name);
            throw ex;
        }
        quarantine.force();
        store.force();
        quarantined.add(JournalFiles.QUARANTINE + "/" + name);
    }

    /**
     * Deletes the newest segment to gain its space, unless it has a piece of the tail.
     */
    private boolean deletePrepared(final List<Long> ordinals) throws IOException
    {
        final long last = Collections.max(ordinals);
        if (pieces.get(pieces.size() - 1).ordinal == last)
        {
            return false;
        }

        segments.store.delete(JournalFiles.segment(last));
        segments.store.force();
        ordinals.remove(last);
        return true;
    }

    private static JournalFullException full(final Piece piece, final NoSpaceException cause)
    {
        return new JournalFullException(
            "no space to quarantine what has to be truncated: bytes=" + piece.length + ", file=" +
                JournalFiles.segment(piece.ordinal) + ", offset=" + piece.offset +
                "; free some space and open again",
            cause);
    }
}
