package io.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.journal.store.NoSpaceException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.Window;

/**
 * Finds the end of a journal that exists, and makes sure that what is accepted is on the device. Normative text:
 * {@code docs/format.md}, "Opening".
 * <p>
 * Reads and writes by position on every backend: a mapping under a damaged or shortened file could end the JVM.
 */
final class Recovery
{
    private static final int COPY_LENGTH = 1024 * 1024;

    private final SegmentStore store;
    private final boolean isNew;
    private final List<Long> ordinals;
    private final List<String> quarantined = new ArrayList<>();
    private JournalMeta meta;
    private Layout layout;
    private MarkFile markFile;
    private MarkFile.Content lastMark;

    // Forced position of the mark file, if it counts.
    private long markedPosition;
    private boolean isMarkOfEpoch;
    private long attested;
    private long scanStart;
    private boolean isCleanlyClosed;

    // C: where the scan ended, the sequence that was expected there, and what was found instead.
    private long end;
    private long nextSequence;
    private String endReason = "";
    private long cutLength;
    private boolean isRewritten;

    private Recovery(final SegmentStore store, final boolean isNew) throws IOException
    {
        this.store = store;
        this.isNew = isNew;
        ordinals = ordinals(store);
    }

    /**
     * What the engine starts from.
     */
    static final class Result
    {
        final JournalMeta meta;
        final MarkFile markFile;
        final RecoveryReport report;
        /** Segment the end lies in; also if that is its very end. */
        final long ordinal;
        /** Offset of the end in that segment, up to its length. */
        final int offset;
        final long nextSequence;
        /** Whether the next segment is there, without a frame. */
        final boolean isNextThere;

        Result(
            final JournalMeta meta,
            final MarkFile markFile,
            final RecoveryReport report,
            final List<Long> ordinals,
            final long endPosition,
            final long nextSequence)
        {
            final Layout layout = new Layout(meta.segmentLength);
            this.meta = meta;
            this.markFile = markFile;
            this.report = report;
            this.ordinal = Math.min(layout.ordinal(endPosition), Collections.max(ordinals));
            this.offset = (int)(endPosition - layout.position(ordinal, 0));
            this.nextSequence = nextSequence;
            this.isNextThere = ordinals.contains(ordinal + 1);
        }
    }

    /**
     * Recovers a journal for writing.
     *
     * @param isNew whether it was made just now.
     * @throws CorruptJournalException    if something attested as forced is damaged or gone; nothing was changed.
     * @throws UnsupportedFormatException if the journal is of a newer format; nothing was changed.
     * @throws JournalFullException       if there is no room to put aside what must be cut.
     */
    static Result recover(final SegmentStore store, final boolean isNew) throws IOException
    {
        final Recovery recovery = new Recovery(store, isNew);
        try
        {
            return recovery.run();
        }
        catch (final Throwable ex)
        {
            if (null != recovery.markFile)
            {
                recovery.markFile.close();
            }
            throw ex;
        }
    }

    private Result run() throws IOException
    {
        meta = JournalMeta.read(store, true);
        layout = new Layout(meta.segmentLength);
        lastMark = MarkFile.read(store, meta.uuid);
        markedPosition = lastMark.forcedPosition(meta.state.epoch);
        isMarkOfEpoch = lastMark.isOf(meta.state.epoch);
        finishTruncation();
        checkOrdinals();

        attested = Math.max(markedPosition, layout.position(ordinals.get(0), SegmentHeader.LENGTH));
        if (!findCloseFrame())
        {
            scan();
            findLaterMarks();
        }

        deleteSpares();
        openMarkFile();
        if (!isCleanlyClosed)
        {
            final long attestedBefore = attested;
            cutTail();
            forceAccepted(attestedBefore);
        }
        markFile.forced(meta.state.epoch, end, nextSequence);

        return new Result(meta, markFile, report(), ordinals, end, nextSequence);
    }

    private void finishTruncation() throws IOException
    {
        final JournalMeta.State state = meta.state;
        if (null != state.pending)
        {
            checkCut(state);
            openMarkFile();
            // The intent may have become durable before the mark file knew of its epoch.
            final long forced = Math.max(markedPosition, lastMark.forcedPosition(state.epoch - 1));
            markedPosition = Math.min(forced, state.pending.position);
            meta = Truncation.finish(store, meta, markFile, ordinals, forced);
        }
    }

    /**
     * Opens the mark file for writing. That a force was under way, or that nothing is known, stays said in it until all
     * that is accepted was forced: a crash meanwhile must have the same effect.
     */
    private void openMarkFile() throws IOException
    {
        if (null == markFile)
        {
            markFile = MarkFile.open(store, meta.uuid);
            if (lastMark.isForceUnfinished)
            {
                markFile.forceBegins();
            }
        }
    }

    private void checkCut(final JournalMeta.State state)
    {
        final JournalMeta.Cut cut = state.pending;
        final long base = cut.position - layout.offset(cut.position);
        if (cut.position < state.startPosition + SegmentHeader.LENGTH ||
            layout.offset(cut.position) < SegmentHeader.LENGTH ||
            0 != (cut.position & (FrameHeader.ALIGNMENT - 1)) ||
            cut.zeroEnd < cut.position || cut.zeroEnd > base + layout.segmentLength ||
            !ordinals.contains(layout.ordinal(cut.position)))
        {
            throw new CorruptJournalException(
                "impossible truncation: file=" + JournalFiles.META + ", position=" + cut.position +
                    ", zeroEnd=" + cut.zeroEnd + "; restore the file from a backup");
        }
    }

    /**
     * Removes what a prune left, and checks that the rest is complete.
     */
    private void checkOrdinals() throws IOException
    {
        final long first = layout.ordinal(meta.state.startPosition);
        boolean isPruned = false;
        while (!ordinals.isEmpty() && ordinals.get(0) < first)
        {
            store.delete(JournalFiles.segment(ordinals.remove(0)));
            isPruned = true;
        }
        if (isPruned)
        {
            store.force();
        }

        long expected = first;
        for (final long ordinal : ordinals)
        {
            if (ordinal != expected)
            {
                throw missing(expected, ordinal);
            }
            expected++;
        }
        if (expected == first)
        {
            throw missing(first, -1);
        }
    }

    private static CorruptJournalException missing(final long expected, final long found)
    {
        return new CorruptJournalException(
            "segment is missing: file=" + JournalFiles.segment(expected) + ", offset=0, expected=" +
                JournalFiles.segment(expected) + ", found=" + (found < 0 ? "none" : JournalFiles.segment(found)) +
                "; restore the file from a backup");
    }

    /**
     * After a clean close the end is where the mark file says, and nothing has to be scanned.
     */
    private boolean findCloseFrame() throws IOException
    {
        final long closeEnd = markedPosition;
        final long closeStart = closeEnd - FrameHeader.CLOSE_LENGTH;
        final long ordinal = layout.ordinal(closeStart);
        final int offset = layout.offset(closeStart);
        if (lastMark.isForceUnfinished || closeStart < 0 || offset < SegmentHeader.LENGTH ||
            !ordinals.contains(ordinal) ||
            layout.segmentLength - offset < FrameHeader.CLOSE_LENGTH + FrameHeader.MARK_LENGTH)
        {
            return false;
        }

        try (FrameCursor cursor = cursor(4 * Block.LENGTH))
        {
            cursor.attach(open(ordinal));
            final int behind = offset + FrameHeader.CLOSE_LENGTH;
            if (FrameCursor.Verdict.VALID != cursor.examine(offset, layout.segmentLength, FrameCursor.ANY_SEQUENCE) ||
                !cursor.isControl() || FrameHeader.CLOSE != cursor.kind())
            {
                return false;
            }

            nextSequence = cursor.sequence();
            if (FrameCursor.Verdict.ABSENT !=
                cursor.examine(behind, layout.segmentLength, FrameCursor.ANY_SEQUENCE))
            {
                return false;
            }
        }

        for (final long later : ordinals)
        {
            if (later > ordinal && (later > ordinal + 1 || hasBegun(later)))
            {
                return false;
            }
        }

        isCleanlyClosed = true;
        end = closeEnd;
        scanStart = closeEnd;
        return true;
    }

    private boolean hasBegun(final long ordinal) throws IOException
    {
        try (FrameCursor cursor = cursor(Block.LENGTH))
        {
            cursor.attach(open(ordinal));
            return FrameCursor.Verdict.ABSENT !=
                cursor.examine(SegmentHeader.LENGTH, layout.segmentLength, FrameCursor.ANY_SEQUENCE);
        }
    }

    /**
     * Reads frame by frame from the segment that holds the highest position known to be forced.
     */
    private void scan() throws IOException
    {
        final int first = firstToScan();
        scanStart = layout.position(ordinals.get(first), SegmentHeader.LENGTH);
        nextSequence = 0 == first ? meta.state.startSequence : FrameCursor.ANY_SEQUENCE;

        try (FrameCursor cursor = cursor(COPY_LENGTH))
        {
            for (int i = first; i < ordinals.size(); i++)
            {
                if (!scanSegment(cursor, ordinals.get(i)))
                {
                    break;
                }
            }
        }
    }

    private int firstToScan() throws IOException
    {
        try (FrameCursor cursor = cursor(Block.LENGTH))
        {
            for (int i = ordinals.size() - 1; i >= 0; i--)
            {
                cursor.attach(open(ordinals.get(i)));
                final FrameCursor.Verdict verdict = cursor.examine(
                    SegmentHeader.LENGTH, layout.segmentLength, FrameCursor.ANY_SEQUENCE);
                if (cursor.isMark(verdict))
                {
                    attested = Math.max(attested, cursor.forcedPosition());
                    break;
                }
            }
        }

        // The end of a segment is the beginning of the next: there, only the segment before tells the sequence.
        final long ordinal = layout.ordinal(Math.max(0, attested - SegmentHeader.LENGTH - 1));
        return (int)Math.max(0, Math.min(ordinals.size() - 1, ordinal - ordinals.get(0)));
    }

    /**
     * @return whether the segment is complete, so that the next one has to follow.
     */
    private boolean scanSegment(final FrameCursor cursor, final long ordinal) throws IOException
    {
        cursor.attach(open(ordinal));
        int offset = SegmentHeader.LENGTH;
        while (offset < layout.segmentLength)
        {
            final FrameCursor.Verdict verdict = cursor.examine(offset, layout.segmentLength, nextSequence);
            if (FrameCursor.Verdict.UNEXPECTED == verdict)
            {
                throw new CorruptJournalException("frame out of sequence: " + cursor.describe(verdict, nextSequence));
            }

            final boolean isValid = SegmentHeader.LENGTH == offset ?
                cursor.isMark(verdict) : FrameCursor.Verdict.VALID == verdict;
            if (!isValid)
            {
                end = layout.position(ordinal, offset);
                endReason = cursor.describe(verdict, nextSequence);
                return false;
            }

            cursor.checkKnown();
            if (cursor.isMark(verdict))
            {
                attested = Math.max(attested, cursor.forcedPosition());
            }
            nextSequence = cursor.nextSequence();
            offset = cursor.nextOffset();
        }

        end = layout.position(ordinal, layout.segmentLength);
        endReason = "";
        return true;
    }

    /**
     * Looks behind the end for marks that attest more than the end.
     */
    private void findLaterMarks() throws IOException
    {
        try (FrameCursor cursor = cursor(COPY_LENGTH))
        {
            for (final long ordinal : ordinals)
            {
                if (ordinal < layout.ordinal(end))
                {
                    continue;
                }

                cursor.attach(open(ordinal));
                final int limit = layout.segmentLength;
                int offset = ordinal == layout.ordinal(end) ? Math.max(layout.offset(end), SegmentHeader.LENGTH) :
                    SegmentHeader.LENGTH;
                while ((offset = cursor.findMark(offset, limit)) >= 0)
                {
                    attested = Math.max(attested, cursor.forcedPosition());
                    offset += FrameHeader.MARK_LENGTH;
                }
            }
        }

        if (layout.place(attested) > layout.place(end))
        {
            throw new CorruptJournalException(
                "damage to what was forced: " + (endReason.isEmpty() ? describeMissing() : endReason) +
                    ", attestedPosition=" + attested + ", endPosition=" + end +
                    "; nothing was changed: keep the files and restore from a backup");
        }
    }

    private String describeMissing()
    {
        return "file=" + JournalFiles.segment(layout.ordinal(layout.place(end))) + ", offset=0, sequence=" +
            nextSequence + ", expected=a segment, found=none";
    }

    private void deleteSpares() throws IOException
    {
        for (final String name : store.list())
        {
            if (JournalFiles.isSpare(name))
            {
                store.delete(name);
            }
        }
    }

    /**
     * Puts aside and cuts what lies behind the end.
     */
    private void cutTail() throws IOException
    {
        // A segment that is complete ends at the place where the next one begins.
        final long cutPosition = layout.place(end);
        final long cutOrdinal = layout.ordinal(cutPosition);
        final List<Tail> tails = findTails(cutPosition);
        putAside(tails, cutOrdinal);

        if (!tails.isEmpty() || Collections.max(ordinals) > cutOrdinal + 1)
        {
            final boolean isZeroed = !tails.isEmpty() && tails.get(0).ordinal == cutOrdinal;
            final long zeroEnd = isZeroed ? cutPosition + tails.get(0).length : cutPosition;
            meta = Truncation.cut(
                store,
                meta,
                markFile,
                ordinals,
                new JournalMeta.Cut(cutPosition, nextSequence, zeroEnd),
                attested);
        }
        if (ordinals.contains(cutOrdinal))
        {
            end = cutPosition;
        }
    }

    /**
     * Bytes of one segment that are not zero, behind the end.
     */
    private static final class Tail
    {
        final long ordinal;
        final int offset;
        final int length;

        Tail(final long ordinal, final int offset, final int length)
        {
            this.ordinal = ordinal;
            this.offset = offset;
            this.length = length;
        }
    }

    private List<Tail> findTails(final long cutPosition) throws IOException
    {
        final long cutOrdinal = layout.ordinal(cutPosition);
        final List<Tail> tails = new ArrayList<>();
        try (FrameCursor cursor = cursor(COPY_LENGTH))
        {
            for (final long ordinal : ordinals)
            {
                if (ordinal >= cutOrdinal)
                {
                    final int from = ordinal == cutOrdinal ? layout.offset(cutPosition) : SegmentHeader.LENGTH;
                    cursor.attach(open(ordinal));
                    final int to = cursor.lastContent(from, layout.segmentLength);
                    if (to > from)
                    {
                        tails.add(new Tail(ordinal, from, to - from));
                        cutLength += to - from;
                    }
                }
            }
        }

        return tails;
    }

    private void putAside(final List<Tail> tails, final long cutOrdinal) throws IOException
    {
        for (final Tail tail : tails)
        {
            try
            {
                putAside(tail);
            }
            catch (final NoSpaceException ex)
            {
                if (!giveUpPrepared(tails, cutOrdinal))
                {
                    throw full(tail, ex);
                }
                try
                {
                    putAside(tail);
                }
                catch (final NoSpaceException again)
                {
                    throw full(tail, again);
                }
            }
        }
    }

    private void putAside(final Tail tail) throws IOException
    {
        final SegmentStore quarantine = store.child(JournalFiles.QUARANTINE);
        final String name =
            JournalFiles.quarantined(layout.position(tail.ordinal, tail.offset), meta.state.epoch);
        quarantine.delete(name);
        try (SegmentFile source = store.open(JournalFiles.segment(tail.ordinal), SegmentStore.Access.READ);
            SegmentFile target = quarantine.create(name, tail.length))
        {
            copy(source, tail.offset, target, 0, tail.length);
            target.force(0, tail.length);
        }
        catch (final NoSpaceException ex)
        {
            quarantine.delete(name);
            throw ex;
        }
        quarantine.force();
        quarantined.add(JournalFiles.QUARANTINE + "/" + name);
    }

    private boolean giveUpPrepared(final List<Tail> tails, final long cutOrdinal) throws IOException
    {
        final long last = Collections.max(ordinals);
        if (last <= cutOrdinal || tails.get(tails.size() - 1).ordinal == last)
        {
            return false;
        }

        store.delete(JournalFiles.segment(last));
        store.force();
        ordinals.remove(last);
        return true;
    }

    private static JournalFullException full(final Tail tail, final NoSpaceException cause)
    {
        return new JournalFullException(
            "no space to put aside what has to be cut: bytes=" + tail.length + ", file=" +
                JournalFiles.segment(tail.ordinal) + ", offset=" + tail.offset + "; free some space and open again",
            cause);
    }

    /**
     * Forces what is accepted and was not attested. After a force that failed, memory may show what the device does
     * not have, so it is written again first.
     */
    private void forceAccepted(final long from) throws IOException
    {
        markFile.forceBegins();
        for (final long ordinal : ordinals)
        {
            final long base = layout.position(ordinal, 0);
            final int start = (int)Math.max(SegmentHeader.LENGTH, from - base);
            final int stop = (int)Math.min(layout.segmentLength, end - base);
            if (start < stop)
            {
                try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.WRITE))
                {
                    if (lastMark.isForceUnfinished)
                    {
                        copy(file, start, file, start, stop - start);
                        isRewritten = true;
                    }
                    file.force(0, layout.segmentLength);
                }
            }
        }

        markFile.forceReturned();
    }

    private static void copy(
        final SegmentFile source, final int sourceOffset, final SegmentFile target, final int targetOffset,
        final int length) throws IOException
    {
        final ByteBuffer buffer = ByteBuffer.allocate(Math.min(length, COPY_LENGTH));
        for (int done = 0; done < length; done += buffer.capacity())
        {
            buffer.clear().limit(Math.min(buffer.capacity(), length - done));
            source.read(sourceOffset + done, buffer);
            target.write(targetOffset + done, buffer.flip());
        }
    }

    private RecoveryReport report()
    {
        return new RecoveryReport(
            isNew,
            isCleanlyClosed,
            scanStart,
            end,
            nextSequence - 1,
            attested,
            0 == cutLength || isMarkOfEpoch,
            isRewritten,
            cutLength,
            0 == cutLength ? "" : endReason,
            quarantined);
    }

    private FrameCursor cursor(final int length)
    {
        return new FrameCursor(Window.copying(length));
    }

    private Segment open(final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, meta.uuid, ordinal, layout.segmentLength);
    }

    private static List<Long> ordinals(final SegmentStore store) throws IOException
    {
        final List<Long> ordinals = new ArrayList<>();
        for (final String name : store.list())
        {
            if (JournalFiles.isSegment(name))
            {
                ordinals.add(JournalFiles.ordinal(name));
            }
        }
        Collections.sort(ordinals);

        return ordinals;
    }
}
