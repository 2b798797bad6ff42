package io.journal.internal.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FrameSearch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.files.SegmentSet;
import io.journal.internal.files.Window;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.store.SegmentStore;

/**
 * Recovers a journal for appending: completes a pending truncation or prune, quarantines and truncates the torn tail
 * after the end that {@link JournalScan} found, and fsyncs the records that are kept. Normative text:
 * {@code docs/format.md}, "Opening".
 */
public final class Recovery
{
    private static final int COPY_LENGTH = 1024 * 1024;

    private final SegmentStore store;
    private final boolean isNew;
    private final List<Long> ordinals;
    private final List<String> quarantined = new ArrayList<>();
    private final MarkFile.Content lastMark;
    private CursorFiles cursors;
    private JournalMeta meta;
    private final Layout layout;
    private MarkFile markFile;
    private JournalScan scan;

    private long end;
    private long cutLength;
    private boolean isEndRecycled;
    private boolean isCursorAhead;
    private boolean isRewritten;

    private Recovery(final SegmentStore store, final boolean isNew) throws IOException
    {
        this.store = store;
        this.isNew = isNew;
        meta = JournalMeta.read(store, true);
        layout = new Layout(meta.segmentLength);
        lastMark = MarkFile.read(store, meta.uuid);
        ordinals = SegmentSet.ordinals(store);
    }

    /**
     * State from which the engine starts.
     */
    public static final class Result
    {
        public final JournalMeta meta;
        public final MarkFile markFile;
        public final CursorFiles cursors;
        /** Ordinal of the segment that holds the end; it may be completely filled. */
        public final long ordinal;
        /** Offset of the end in that segment, up to its length. */
        public final int offset;
        public final long nextSequence;
        /** Whether the next segment exists, without a frame. */
        public final boolean isNextThere;

        // For the recovery report.
        public final boolean isNew;
        public final boolean isCleanlyClosed;
        public final long scanStartPosition;
        public final long endPosition;
        public final long lastSequence;
        public final long attestedPosition;
        public final boolean isAcknowledgementKnown;
        public final boolean isRewritten;
        public final long cutLength;
        public final String cutReason;
        public final List<String> quarantined;

        private Result(final Recovery recovery, final boolean isMarkOfEpoch)
        {
            final JournalScan scan = recovery.scan;
            meta = recovery.meta;
            markFile = recovery.markFile;
            cursors = recovery.cursors;
            ordinal = Math.min(recovery.layout.ordinal(recovery.end), Collections.max(recovery.ordinals));
            offset = (int)(recovery.end - recovery.layout.position(ordinal, 0));
            nextSequence = scan.nextSequence();
            isNextThere = recovery.ordinals.contains(ordinal + 1);

            isNew = recovery.isNew;
            isCleanlyClosed = scan.isCleanlyClosed();
            scanStartPosition = scan.scanStart();
            endPosition = recovery.end;
            lastSequence = nextSequence - 1;
            attestedPosition = scan.durable();
            // A damaged last record is indistinguishable from stale bytes of the file's previous use. A cursor was
            // saved after its record was durable: if it is ahead of the end, that record is gone.
            isAcknowledgementKnown = !recovery.isCursorAhead &&
                (isMarkOfEpoch || 0 == recovery.cutLength && !recovery.isEndRecycled);
            isRewritten = recovery.isRewritten;
            cutLength = recovery.cutLength;
            cutReason = 0 == cutLength ? "" : scan.endReason();
            quarantined = List.copyOf(recovery.quarantined);
        }
    }

    /**
     * Recovers a journal for writing.
     *
     * @param isNew whether the journal was just created.
     * @throws CorruptJournalException    if bytes below the durable watermark are damaged or missing. Nothing was
     *                                    changed, except that a pending truncation may be complete.
     * @throws UnsupportedFormatException if the journal has a newer format; likewise.
     * @throws JournalFullException       if there is no space to quarantine the tail that must be truncated.
     */
    public static Result recover(final SegmentStore store, final boolean isNew) throws IOException
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
        final long markedPosition = lastMark.forcedPosition(meta.state);
        final boolean isMarkOfEpoch = lastMark.isOf(meta.state);
        if (null != meta.state.pending)
        {
            checkPending(markedPosition);
            if (isOvertaken())
            {
                return runAgain();
            }
            finishTruncation(markedPosition);
        }

        final int kept = firstKept();
        try
        {
            scan = JournalScan.scan(
                store,
                meta,
                List.copyOf(ordinals.subList(kept, ordinals.size())),
                markedPosition,
                !lastMark.isForceUnfinished);
        }
        catch (final CorruptJournalException ex)
        {
            // A writer that has lost its lock may have appended while the frames were read.
            if (null == markFile && hasChanged())
            {
                openMarkFile();
                return runAgain();
            }
            throw ex;
        }
        end = scan.end();

        // The scan accepted the journal: from here on files change.
        if (isOvertaken())
        {
            return runAgain();
        }
        settleMeta();
        unlinkPruned(kept);
        deleteSpares();
        cursors.recoverNames();
        isCursorAhead =
            cursors.recover(meta.state.epoch, scan.nextSequence() - 1, !scan.isCleanlyClosed());
        if (!scan.isCleanlyClosed())
        {
            cutTail();
            forceAccepted(scan.durable());
        }
        // The process that created the newest names may have been killed before its fsync.
        store.force();
        markFile.forceReturned();
        markFile.forced(meta.state.epoch, end, scan.nextSequence());

        return new Result(this, isMarkOfEpoch);
    }

    private void checkPending(final long markedPosition) throws IOException
    {
        meta.checkPending(ordinals, markedPosition);
        open(layout.ordinal(meta.state.pending.position)).close();
    }

    private void finishTruncation(final long markedPosition) throws IOException
    {
        confirmMeta();
        // Before the cursors move to the new epoch: a deleted one that reappears after a crash would have missed it.
        cursors.recoverNames();
        meta = Truncation.finish(store, meta, markFile, ordinals, markedPosition, cursors);
    }

    /**
     * Opens the mark file, which fences a writer that lost the lock: it acknowledges nothing from here on. Then checks
     * whether such a writer acknowledged or changed anything after the files were read.
     */
    private boolean isOvertaken() throws IOException
    {
        if (null != markFile)
        {
            return false;
        }

        openMarkFile();
        cursors = CursorFiles.read(store, meta.uuid);
        return hasChanged() || null != scan && scan.isThereNow();
    }

    private boolean hasChanged() throws IOException
    {
        return !lastMark.isSame(MarkFile.read(store, meta.uuid)) ||
            JournalMeta.read(store, true).state.generation != meta.state.generation;
    }

    private Result runAgain() throws IOException
    {
        markFile.close();
        markFile = null;
        return recover(store, isNew);
    }

    /**
     * Opens the mark file for writing. If a force was unfinished, or that is unknown, the file keeps saying so until
     * everything that is kept was fsynced: a crash meanwhile must have the same effect.
     */
    private void openMarkFile() throws IOException
    {
        markFile = MarkFile.open(store, meta.uuid);
        if (lastMark.isForceUnfinished)
        {
            markFile.forceBegins();
        }
    }

    /**
     * Index of the first segment in the list that is not below the journal's start.
     */
    private int firstKept()
    {
        final long first = layout.ordinal(meta.state.startPosition);
        int kept = 0;
        while (kept < ordinals.size() && ordinals.get(kept) < first)
        {
            kept++;
        }

        return kept;
    }

    private void unlinkPruned(final int count) throws IOException
    {
        for (int i = 0; i < count; i++)
        {
            store.delete(JournalFiles.segment(ordinals.remove(0)));
        }
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
     * After a failed fsync the page cache may hold a state that is not durable. Makes it durable before anything relies
     * on it.
     */
    private void settleMeta() throws IOException
    {
        if (lastMark.isForceUnfinished && !isNew)
        {
            confirmMeta();
            meta = meta.withoutIntent(store);
        }
    }

    private void confirmMeta() throws IOException
    {
        if (lastMark.isForceUnfinished)
        {
            meta.confirm(store);
        }
    }

    /**
     * Quarantines and truncates everything after the end.
     */
    private void cutTail() throws IOException
    {
        // The end of a complete segment is the same place as the start of the next one.
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
                new JournalMeta.Cut(cutPosition, scan.nextSequence(), zeroEnd),
                scan.durable(),
                cursors);
        }
        if (ordinals.contains(cutOrdinal))
        {
            end = cutPosition;
        }
    }

    /**
     * The bytes of one segment after the end of the journal, up to the last one that is not zero.
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
                    isEndRecycled |= ordinal == cutOrdinal && cursor.segment().isRecycled;
                    final int to = cursor.segment().isRecycled ?
                        FrameSearch.framesEnd(cursor, from, layout.segmentLength, scan.nextSequence()) :
                        FrameSearch.contentEnd(cursor, from, layout.segmentLength);
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
        store.force();
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
     * Fsyncs the records that are kept, from the durable watermark on. After a failed fsync the page cache may hold
     * bytes that are not durable, so they are rewritten first.
     */
    private void forceAccepted(final long from) throws IOException
    {
        markFile.forceBegins();
        for (final long ordinal : ordinals)
        {
            final long base = layout.position(ordinal, 0);
            final long start = Math.max(base + SegmentHeader.LENGTH, from);
            final long stop = Math.min(base + layout.segmentLength, end);
            if (start < stop)
            {
                try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.WRITE))
                {
                    if (lastMark.isForceUnfinished)
                    {
                        final int offset = (int)(start - base);
                        copy(file, offset, file, offset, (int)(stop - start));
                        isRewritten = true;
                    }
                    file.force(0, layout.segmentLength);
                }
            }
        }
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

    private FrameCursor cursor(final int length)
    {
        return new FrameCursor(Window.copying(Math.min(length, layout.segmentLength)));
    }

    private Segment open(final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, true, meta.uuid, ordinal, layout.segmentLength);
    }
}
