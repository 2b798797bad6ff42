package io.journal.internal.recover;

import java.io.IOException;
import java.util.Collections;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkContent;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.TruncationIntent;
import io.journal.internal.format.Layout;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.SegmentStore;

/**
 * Recovers a journal for appending, in this order: completes a pending truncation, finds the end ({@link JournalScan}),
 * removes what an incomplete prune left, quarantines and truncates the {@link TornTail}, and fsyncs the records that
 * are kept. A crash after any step has the effect that the next opening does the same. Runs with the journal's lock
 * held. Normative text: {@code docs/format.md}, "Opening".
 */
public final class Recovery
{
    private final SegmentStore store;
    private final boolean isNew;
    private final List<Long> ordinals;
    private final MarkContent lastMark;
    private CursorFiles cursors;
    private JournalMeta meta;
    private final Layout layout;
    private MarkFile markFile;
    private JournalScan scan;

    private TornTail tail = TornTail.NONE;
    private long end;
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
        public final long durablePosition;
        public final boolean mayHaveLostAcknowledged;
        public final boolean isRewritten;
        public final long tornLength;
        public final String tornReason;
        public final List<String> quarantined;
        public final List<String> dropped;

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
            durablePosition = scan.durable();
            // Only the mark file limits what was acknowledged: without it, damage can look like a torn tail or stale
            // bytes, and whole segments can be missing. A cursor was saved after its record was durable: if it is ahead
            // of the end, that record is gone.
            mayHaveLostAcknowledged = cursors.isAnyAhead() || !isMarkOfEpoch && !isNew;
            isRewritten = recovery.isRewritten;
            tornLength = recovery.tail.length();
            tornReason = 0 == tornLength ? "" : scan.endReason();
            quarantined = recovery.tail.quarantined();
            dropped = recovery.tail.dropped();
        }
    }

    /**
     * Recovers a journal.
     *
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
        final boolean isTruncated = null != meta.state.pending;
        final long markedPosition = lastMark.forcedPosition(meta.state);
        final boolean isMarkOfEpoch = lastMark.isOf(meta.state);
        if (isTruncated)
        {
            try
            {
                checkPending(markedPosition);
            }
            catch (final CorruptJournalException ex)
            {
                return runAgainAfter(ex);
            }
            if (!takeOver())
            {
                return runAgain();
            }
            finishTruncation(markedPosition);
        }

        final long firstOrdinal = layout.ordinal(meta.state.startPosition);
        try
        {
            scan = JournalScan.scan(
                store,
                meta,
                SegmentSet.from(ordinals, firstOrdinal),
                markedPosition,
                !lastMark.isForceUnfinished,
                isTruncated);
        }
        catch (final CorruptJournalException ex)
        {
            return runAgainAfter(ex);
        }
        end = scan.end();

        // The scan accepted the journal: from here on files change.
        final KeptRecords kept = new KeptRecords(segments(), ordinals, scan.durable(), scan.end());
        if (!takeOver() || !scan.isCleanlyClosed() && !isAsScanned(kept))
        {
            return runAgain();
        }
        final SegmentNames names = new SegmentNames(store, layout, ordinals);
        names.unlinkPruned(firstOrdinal);
        names.deleteSpares();
        cursors.recoverNames();
        cursors.recover(meta.state.epoch, scan.nextSequence() - 1, !scan.isCleanlyClosed());
        if (!scan.isCleanlyClosed())
        {
            truncateTail();
            markFile.forceBegins();
            kept.force();
        }
        names.force(end);
        markFile.forceReturned();
        markFile.forced(meta.state.epoch, end, scan.nextSequence());

        return new Result(this, isMarkOfEpoch);
    }

    private void checkPending(final long markedPosition) throws IOException
    {
        TruncationIntent.check(meta, ordinals, markedPosition);
        segments().open(layout.ordinal(meta.state.pending.position)).close();
    }

    private void finishTruncation(final long markedPosition) throws IOException
    {
        cursors.checkReadable();
        // Before the cursors move to the new epoch: a deleted one that reappears after a crash would have missed it.
        cursors.recoverNames();
        meta = Truncation.finish(store, meta, markFile, ordinals, markedPosition, cursors);
    }

    /**
     * Opens the mark file, which fences a writer that lost the lock: it acknowledges nothing from here on.
     *
     * @return false if such a writer acknowledged or changed anything after the files were read.
     */
    private boolean takeOver() throws IOException
    {
        if (null != markFile)
        {
            return true;
        }

        openMarkFile();
        cursors = CursorFiles.read(store, meta.uuid);
        if (hasChanged() || null != scan && scan.isThereNow())
        {
            return false;
        }

        makeMetaDurable();
        return true;
    }

    private boolean hasChanged() throws IOException
    {
        return !lastMark.isSame(MarkFile.read(store, meta.uuid)) ||
            JournalMeta.read(store, true).state.generation != meta.state.generation;
    }

    /** Runs again if a writer that has lost its lock changed the files while they were read. */
    private Result runAgainAfter(final CorruptJournalException found) throws IOException
    {
        if (null != markFile || !hasChanged())
        {
            throw found;
        }

        openMarkFile();
        return runAgain();
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
     * After a failed fsync the page cache may hold a state that is not durable. Makes it durable before anything relies
     * on it, in both slots; a truncation intent stays in one until it is carried out, and in none afterwards.
     */
    private void makeMetaDurable() throws IOException
    {
        if ((lastMark.isForceUnfinished || meta.isIntentLeft) && !isNew)
        {
            // If this fails, the next opening must not trust the state in the page cache.
            markFile.forceBegins();
            meta.confirm(store);
            if (null == meta.state.pending)
            {
                meta = meta.withoutIntent(store);
            }
        }
    }

    /**
     * Quarantines and truncates everything after the end.
     */
    private void truncateTail() throws IOException
    {
        // The end of a complete segment is the same place as the start of the next one.
        final long position = layout.place(end);
        tail = TornTail.find(segments(), ordinals, position, scan.nextSequence());
        if (isTailLeft(position))
        {
            cursors.checkReadable();
        }
        tail.quarantine(ordinals, meta.state.epoch);
        if (isTailLeft(position))
        {
            meta = Truncation.cut(
                store,
                meta,
                markFile,
                ordinals,
                new JournalMeta.Cut(position, scan.nextSequence(), tail.zeroEnd(position)),
                scan.durable(),
                cursors);
        }
        if (ordinals.contains(layout.ordinal(position)))
        {
            end = position;
        }
    }

    private boolean isTailLeft(final long position)
    {
        return 0 != tail.length() || Collections.max(ordinals) > layout.ordinal(position) + 1;
    }

    /**
     * Rewrites the records that are kept, if an fsync was unfinished, and scans them again: after a failed fsync the
     * system may have dropped, in between, bytes that only its page cache had. What was rewritten it cannot drop.
     * Before anything else is changed, so that the report of an opening that starts over is that of all it has found.
     *
     * @return false if they are not what was scanned any more.
     */
    private boolean isAsScanned(final KeptRecords kept) throws IOException
    {
        if (!lastMark.isForceUnfinished || !kept.rewrite())
        {
            return true;
        }

        isRewritten = true;
        try
        {
            final JournalScan again = JournalScan.scan(
                store, meta, SegmentSet.from(ordinals, layout.ordinal(meta.state.startPosition)), scan.durable(),
                false, false);
            return again.end() == scan.end() && again.nextSequence() == scan.nextSequence();
        }
        catch (final CorruptJournalException ignore)
        {
            // If it stays so, the next run reports it.
            return false;
        }
    }

    private Segments segments()
    {
        return new Segments(store, meta, true);
    }
}
