// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.RecoveryReport;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.platform.CleanUp;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentSet;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NotBegunException;

/**
 * Recovers a journal for appending: fences a writer that has lost its lock, finds the end ({@link Scan}), makes the
 * records it keeps durable, then begins the next term there, after the torn tail if there is one. Until the state
 * names that term nothing that matters has changed, so an opening after a crash repeats it. Runs with the journal's
 * lock held. Normative text: {@code docs/format.md}, "Opening".
 */
public final class Recovery
{
    // After a failed fsync the system may drop bytes between one scan and the next, until they were rewritten.
    private static final int MAX_SCANS = 10;

    public final ControlFile control;
    public final ControlContent content;
    /** Ordinal of the segment that holds the end; it may be completely filled. */
    public final long ordinal;
    /** Offset of the end in that segment, up to its length. */
    public final int offset;
    public final long nextSequence;
    /** Whether the next segment exists, without a frame. */
    public final boolean isNextThere;
    public final RecoveryReport report;

    private final SegmentStore store;
    private final Layout layout;
    private Scan scan;
    // Bytes after the end that are no part of the log, up to the last byte that is not zero, in all segments; and the
    // first place after them where a term can begin.
    private long tornLength;
    private long tornEnd;
    private boolean isRewritten;

    /**
     * Recovers a journal.
     *
     * @param control open, which has fenced other writers.
     * @param randoms for the identity of the next term.
     * @throws CorruptJournalException    if bytes below the durable watermark are damaged or missing, or a file is an
     *                                    older copy. Nothing was changed, but other writers were fenced.
     * @throws UnsupportedFormatException if the journal has a newer format. Nothing was changed either.
     */
    public Recovery(
        final SegmentStore store, final ControlFile control, final LongSupplier randoms, final boolean isNew)
        throws IOException
    {
        this.store = store;
        this.control = control;
        content = control.content;
        layout = new Layout(content.segmentLength());
        final List<String> names = store.list();
        final List<Long> all = SegmentSet.ordinals(names, JournalFiles::ordinal);
        scan = new Scan(store, content, all, true);
        final PositionRange kept = rewriteKept();
        findTornTail();

        // The scan accepted the journal: from here on files change.
        final History history = content.state().history;
        if (content.isChangeUnfinished())
        {
            control.confirm();
        }
        final List<Long> ordinals = unlinkUnused(all, names);
        if (!scan.isCleanlyClosed)
        {
            control.forceBegins();
            kept.force();
        }
        forceNames(ordinals);
        final ControlState next = begin(ordinals, Term.next(randoms));
        control.replace(next, true);
        control.forceReturned();
        // Not earlier, because the previous state may need them: it may have been the only durable state, or be again
        // if a slot rots.
        unlinkDropped(ordinals, history);

        final long begin = next.history.newest().to();
        ordinal = Math.min(layout.ordinal(begin), ordinals.get(ordinals.size() - 1));
        offset = (int)Math.min(layout.segmentLength, begin - layout.position(ordinal, 0));
        nextSequence = scan.nextSequence;
        isNextThere = ordinals.contains(ordinal + 1);
        report = new RecoveryReport(
            isNew,
            scan.isCleanlyClosed && !isNew,
            scan.isCleanlyClosed ? scan.end : scan.start,
            scan.end,
            nextSequence - 1,
            scan.durable,
            // Only the watermark shows which records were acknowledged: without it, damage can look like a torn tail,
            // and whole segments can be missing.
            null == content.watermark() && !isNew,
            isRewritten,
            tornLength,
            0 == tornLength ? "" : scan.endReason);
    }

    private void findTornTail() throws IOException
    {
        tornEnd = layout.placeOfTerm(scan.end);
        if (scan.isCleanlyClosed)
        {
            // There is none, and any bytes there are filled with zeros before anything is appended.
            return;
        }

        final int limit = layout.segmentLength;
        try (FrameCursor cursor = new FrameCursor(Window.copying(store, Math.min(Scan.READ_LENGTH, limit))))
        {
            for (final long ordinal : SegmentSet.from(scan.ordinals, layout.ordinal(scan.end)))
            {
                cursor.attach(Segment.open(store, SegmentStore.Access.READ, true, content.uuid(), ordinal, limit));
                final int from = ordinal == layout.ordinal(scan.end) ? layout.offset(scan.end) : SegmentHeader.LENGTH;
                final int to = cursor.segment().isRecycled ?
                    FrameSearch.framesEnd(cursor, from, limit, scan.nextSequence) :
                    FrameSearch.contentEnd(cursor, from, limit);
                if (to > from)
                {
                    tornLength += to - from;
                    tornEnd = layout.placeOfTerm(layout.position(ordinal, FrameHeader.align(to)));
                }
            }
        }
    }

    /** The state with which the next term begins. */
    private ControlState begin(final List<Long> ordinals, final long term) throws IOException
    {
        final ControlState state = content.state();
        final History history = state.history;
        final ControlState next =
            state.with(history.begin(term, scan.end, tornEnd, scan.nextSequence, scan.lastTerm));
        if (ControlFile.hasRoom(next))
        {
            return next;
        }

        if (scan.isCleanlyClosed)
        {
            // The padding moves the end, at which the state says that the journal was closed.
            control.forceBegins();
            control.replace(state.with(history), true);
        }
        // Happens if an application crashes very often and never prunes: its torn tails are no longer kept.
        new PositionRange(store, layout, ordinals, scan.end, tornEnd).zero();
        final long to = layout.placeOfTerm(scan.end);
        if (to != scan.end)
        {
            pad();
        }
        return control.state().with(history.begin(term, to, to, scan.nextSequence, scan.lastTerm));
    }

    /** Leads from the end to the next segment, in whose place a term begins. Durable on return. */
    private void pad() throws IOException
    {
        final int offset = layout.offset(scan.end);
        final ByteBuffer frame = ByteBuffer.allocate(FrameHeader.LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        try (Segment segment = Segment.open(
            store, SegmentStore.Access.WRITE, true, content.uuid(), layout.ordinal(scan.end), layout.segmentLength))
        {
            FrameHeader.begin(frame, 0, scan.nextSequence, FrameHeader.PADDING);
            FrameHeader.complete(
                frame, frame.duplicate(), new CRC32C(), 0, offset, offset - layout.segmentLength, FrameHeader.PADDING,
                segment.salt);
            segment.file.write(offset, frame);
            segment.file.force(offset, layout.segmentLength);
        }
    }

    /**
     * Rewrites the records that are kept, if an fsync was unfinished, and scans them again: after a failed fsync the
     * system may have dropped, in between, bytes that only its page cache had. It cannot drop rewritten bytes.
     */
    private PositionRange rewriteKept() throws IOException
    {
        for (int i = 0; i < MAX_SCANS; i++)
        {
            final PositionRange kept =
                new PositionRange(store, layout, scan.ordinals, layout.place(scan.durable), scan.end);
            if (!content.isForceUnfinished() || !kept.rewrite())
            {
                return kept;
            }

            isRewritten = true;
            final Scan again = new Scan(store, content, scan.ordinals, true);
            final boolean isSame = again.end == scan.end && again.nextSequence == scan.nextSequence;
            scan = again;
            if (isSame)
            {
                return kept;
            }
        }

        throw new JournalException("the written bytes keep changing while the journal is opened: try again");
    }

    /**
     * Unlinks files that were being prepared, and segments after the next one; returns the others. Unlinks the last
     * segment first, durably, because a power loss must not leave a gap.
     */
    private List<Long> unlinkUnused(final List<Long> all, final List<String> names) throws IOException
    {
        final List<Long> ordinals = new ArrayList<>(all);
        final long last = layout.ordinal(tornEnd) + 1;
        for (int i = all.size() - 1; i >= 0 && all.get(i) > last; i--)
        {
            store.delete(JournalFiles.segment(ordinals.remove(i)));
            store.force();
        }
        for (final String name : names)
        {
            if (JournalFiles.isSpare(name))
            {
                store.delete(name);
            }
        }
        return ordinals;
    }

    /** Unlinks files that an incomplete prune or truncation left. A name that comes back is unlinked again. */
    private void unlinkDropped(final List<Long> ordinals, final History history) throws IOException
    {
        for (final long ordinal : List.copyOf(ordinals))
        {
            final long base = layout.position(ordinal, 0);
            if (base < history.startPosition || history.isDead(base, layout.segmentLength))
            {
                store.delete(JournalFiles.segment(ordinal));
                ordinals.remove(ordinal);
            }
        }
    }

    /**
     * Makes the names durable: the process that created the newest segments may have been killed before its fsync. If
     * this fails, segments after the end are deleted: the next fsync may succeed although a power loss still takes
     * their names, and with them records acknowledged there.
     */
    private void forceNames(final List<Long> ordinals) throws IOException
    {
        try
        {
            store.force();
        }
        catch (final NotBegunException ex)
        {
            throw ex;
        }
        catch (final Throwable ex)
        {
            CleanUp.after(ex, () ->
            {
                for (int i = ordinals.size() - 1; i > 0 && isBehind(ordinals.get(i)); i--)
                {
                    store.delete(JournalFiles.segment(ordinals.get(i)));
                }
            });
            throw ex;
        }
    }

    private boolean isBehind(final long ordinal)
    {
        return layout.position(ordinal, SegmentHeader.LENGTH) >= tornEnd;
    }
}
