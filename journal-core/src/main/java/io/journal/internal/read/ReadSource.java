// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.internal.write.RecordWakeup;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * A journal as readers see it, in the process that writes it or in a process that follows it. Thread-safe.
 */
public abstract class ReadSource
{
    public static final int WINDOW_LENGTH = 64 * 1024;
    // Short, so that bytes copied from a mapping stay in the processor's nearest cache until they are used.
    private static final int MAPPED_WINDOW_LENGTH = 8 * 1024;
    private static final int MAX_OPEN = 16;
    private static final int MAX_MAPPED = 4096;
    private static final long MAX_MAPPED_LENGTH = 1L << 36;

    protected final SegmentStore store;
    private final UUID uuid;
    private final int segmentLength;
    private final SegmentIndex index = new SegmentIndex(this);
    // A mapping holds no descriptor, only address space.
    private final SegmentCache mapped;
    private final SegmentCache open = new SegmentCache(MAX_OPEN);
    private final PositionIndex positions = new PositionIndex();
    private final Terms terms = new Terms(this);
    public final ReaderGate readers = new ReaderGate();
    public final RecordLookups lookups = new RecordLookups(this);

    // Whether all segments are read through mappings, which stay open, with their pages, for the next reader.
    private final boolean isMapped;
    // Whether look-ups of single records read complete segments through mappings.
    private final boolean isMappedForLookups;

    /**
     * @param seesPrunes whether segments are released whenever some are dropped. If not, because another process
     *                   prunes, few stay open, since a dropped file that is open occupies space.
     */
    protected ReadSource(
        final SegmentStore store, final UUID uuid, final int segmentLength, final boolean seesPrunes)
    {
        this.store = store;
        this.uuid = uuid;
        this.segmentLength = segmentLength;
        isMapped = seesPrunes && SegmentStore.Memory.MAPPED == store.memory();
        isMappedForLookups = seesPrunes && SegmentStore.Memory.HEAP != store.memory();
        mapped = new SegmentCache((int)Math.min(MAX_MAPPED, MAX_MAPPED_LENGTH / segmentLength));
    }

    /**
     * The current history. As long as it is the same object, nothing was pruned or truncated.
     *
     * @throws JournalException if it cannot be determined.
     */
    public abstract History history();

    /**
     * Sequence of the newest record that readers may return.
     */
    public abstract long lastSequence(JournalReader.Limit which);

    /**
     * Sequence of the newest record whose sequence is published. Call before {@link #readableEnd}: there may be more
     * records below that end, and they must not be returned yet. {@link Long#MAX_VALUE} if the end alone is the limit.
     */
    public long readableSequence(final JournalReader.Limit which)
    {
        return lastSequence(which);
    }

    /**
     * Position up to which the journal may be read: beyond the given one, unless nothing more is readable. 0 once the
     * source is closed, and while it is not known what is durable.
     */
    public abstract long readableEnd(JournalReader.Limit which, long position);

    /**
     * Whether the newest record that readers may return is known. If not, none is readable now.
     */
    public boolean isEndKnown(final JournalReader.Limit which)
    {
        return true;
    }

    public static JournalException durabilityUnknown(final long sequence)
    {
        return new JournalException(
            "it is not known what is durable: no writer has stored a watermark since a truncation, or since the last " +
                "one was lost; try again: sequence=" + sequence,
            null, null, JournalException.UNKNOWN, sequence);
    }

    /** Term of a record, if it is known without reading; otherwise {@link Term#NONE}. */
    long knownTerm(final long sequence)
    {
        return Term.NONE;
    }

    /**
     * Whether the journal is closed: no records will follow.
     */
    public abstract boolean isClosed();

    /**
     * Wakes threads when there may be more to read, or null if they have to poll because another process appends.
     */
    public @Nullable RecordWakeup wakeup(final JournalReader.Limit which)
    {
        return null;
    }

    /**
     * Checks, after a fault in mapped memory, whether it came from memory of this source: such a fault surfaces late,
     * anywhere in the thread that read there.
     *
     * @throws JournalException if it did.
     */
    public void checkWhole()
    {
    }

    /**
     * Opens a segment. The caller closes it.
     *
     * @throws CorruptJournalException if it is absent or invalid.
     */
    public final Segment openSegment(final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, false, uuid, ordinal, segmentLength);
    }

    /**
     * Opens a segment for a walk that reads all of it. The caller closes it.
     *
     * @param history that the caller has seen.
     */
    final Segment segment(final long ordinal, final History history) throws IOException
    {
        return isMapped ? kept(mapped, ordinal, history, true) : openSegment(ordinal);
    }

    /**
     * Attaches a cursor to a segment for a seek or a look-up, mapped if possible.
     *
     * @param history that the caller has seen.
     * @param end     up to which the journal may be read, as far as the caller knows: a segment that is still written
     *                is mapped only if the store's files are.
     * @param isKept  whether the segment stays open for the next caller even if it is not mapped, and an open segment
     *                may be used without checking it again.
     */
    final void attach(
        final FrameCursor cursor, final long ordinal, final History history, final long end, final boolean isKept)
        throws IOException
    {
        final boolean isMapped = this.isMapped || isMappedForLookups && (ordinal + 1) * segmentLength <= end;
        final Segment segment = isMapped || isKept ? kept(isMapped ? mapped : open, ordinal, history, !isKept) :
            openSegment(ordinal);
        cursor.attach(segment, isMapped);
    }

    /**
     * @param isChecked for who reads all of a segment, which may have been damaged or cut short since it was opened.
     */
    private Segment kept(
        final SegmentCache cache, final long ordinal, final History history, final boolean isChecked)
        throws IOException
    {
        final Segment known = cache.find(ordinal, history.term);
        if (null != known && !isChecked)
        {
            return known;
        }

        Segment segment = null;
        try
        {
            segment = openSegment(ordinal);
            if (null != known)
            {
                segment.close();
                return known;
            }
            cache.keep(segment, history.term);
            final History now = history();
            if (now != history)
            {
                // The segment may have been dropped before it was kept.
                cache.clear(now);
            }
            return segment;
        }
        catch (final Throwable ex)
        {
            cache.clear(history);
            CloseHelper.closeAll(known, segment);
            throw ex;
        }
    }

    /**
     * Closes the segments that are open but not in use, and may have been dropped. Call after segments were dropped, or
     * before, once the history shows it.
     */
    public final void releaseSegments()
    {
        final History now = history();
        mapped.clear(now);
        open.clear(now);
        lookups.clear();
    }

    /**
     * Ends keeping segments open.
     */
    public final void closeSegments()
    {
        mapped.close();
        open.close();
        lookups.close();
    }

    /**
     * Low bits of the ordinal of a record's segment, as a hint from the index.
     */
    final int segmentOf(final long sequence)
    {
        return (int)(positions.find(sequence, 0) / segmentLength());
    }

    /**
     * Positions of records that seeks have passed.
     */
    final PositionIndex positions()
    {
        return positions;
    }

    /** Term of a record, as {@link Terms#of}. */
    public long termOf(final long sequence)
    {
        return terms.of(sequence);
    }

    /**
     * Terms of the records. The caller excludes closing.
     */
    public final Terms terms()
    {
        return terms;
    }

    /**
     * Whether a record can be read now, without asking for the newest end unless that is necessary.
     */
    public boolean isReadable(final long sequence, final JournalReader.Limit which)
    {
        return sequence <= lastSequence(which);
    }

    /**
     * Cache of the first watermark frames of segments.
     */
    public final SegmentIndex index()
    {
        return index;
    }

    public final UUID uuid()
    {
        return uuid;
    }

    public final int segmentLength()
    {
        return segmentLength;
    }

    /**
     * A window that shows segments of {@link #openSegment}.
     */
    public final Window newWindow()
    {
        return Window.of(store, isMapped ? MAPPED_WINDOW_LENGTH : WINDOW_LENGTH);
    }
}
