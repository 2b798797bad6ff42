// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.util.function.LongConsumer;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.Cut;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.platform.FileType;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentStore;
import io.journal.verify.Finding.Place;
import io.journal.verify.SegmentCheck.Break;

/**
 * Walks over the part of the log that is in one segment, as opening and readers do. Skips damage up to the next
 * watermark frame, or to the next cut, and continues there.
 */
final class SegmentScan
{
    private static final int WINDOW_LENGTH = 1024 * 1024;
    // Limit of breaks, because more breaks in one segment would add no information.
    private static final int MAX_BREAKS = 1000;

    private final Inventory files;
    private final long ordinal;
    private final long base;
    private final long limit;
    private final SegmentCheck check;
    private boolean isEndReached;

    SegmentScan(final Inventory files, final long ordinal)
    {
        this.files = files;
        this.ordinal = ordinal;
        base = files.layout.position(ordinal, 0);
        limit = files.layout.position(ordinal + 1, 0);
        check = new SegmentCheck(ordinal, base, files.layout.segmentLength);
    }

    /**
     * Reads the whole segment.
     *
     * @param progress called with the number of further bytes read.
     */
    SegmentCheck run(final LongConsumer progress)
    {
        try (FrameWalk walk = new FrameWalk(this::open, files.layout, window()))
        {
            open(ordinal).close();
            read(walk, progress);
        }
        catch (final CorruptJournalException ex)
        {
            unreadable(Break.Kind.FRAME, ex.getMessage());
        }
        catch (final UnsupportedFormatException ex)
        {
            unreadable(Break.Kind.FORMAT, ex.getMessage());
        }
        catch (final IOException ex)
        {
            final boolean isFile = FileType.REGULAR_FILE == files.typeOf(JournalFiles.segment(ordinal));
            unreadable(isFile ? Break.Kind.READ : Break.Kind.FRAME, "cannot be read: " + ex);
        }

        return check;
    }

    private Window window()
    {
        return Window.copying(Math.min(WINDOW_LENGTH, files.layout.segmentLength));
    }

    private Segment open(final long ordinal) throws IOException
    {
        return Segment.open(
            files.store, SegmentStore.Access.READ, false, files.control.uuid(), ordinal, files.layout.segmentLength);
    }

    private void unreadable(final Break.Kind kind, final String found)
    {
        check.unreadable = new Break(base, Place.UNKNOWN, Place.UNKNOWN, kind, found);
    }

    private void read(final FrameWalk walk, final LongConsumer progress)
    {
        long reported = base;
        final long start = base + SegmentHeader.LENGTH;
        walk.start(files.history, start, FrameCursor.ANY_SEQUENCE);
        check.firstCut = start < walk.position() ? cutEndingAt(walk.position()) : null;
        while (!isEndReached && walk.position() < limit)
        {
            step(walk);
            if (walk.position() - reported >= WINDOW_LENGTH / 4 && walk.position() < limit)
            {
                progress.accept(walk.position() - reported);
                reported = walk.position();
            }
        }

        check.end = walk.position();
        check.chain = walk.chain();
        progress.accept(limit - reported);
    }

    private Cut cutEndingAt(final long position)
    {
        return files.history.cuts().stream().filter((cut) -> cut.to() == position).findFirst().orElse(null);
    }

    /** Passes a frame, a cut, or damaged bytes. */
    private void step(final FrameWalk walk)
    {
        final long position = walk.position();
        final long sequence = walk.nextSequence();
        try
        {
            final FrameWalk.Stop stop = walk.next(position + 1);
            if (check.breaks.isEmpty())
            {
                // Not by the cursor, which the walk closes after the last frame of the segment.
                check.forcedPosition = Math.max(check.forcedPosition, walk.durable());
            }
            if (FrameWalk.Stop.RECORD == stop)
            {
                walk.pass();
                check.addRecords(sequence, walk.nextSequence());
            }
            else if (FrameWalk.Stop.LIMIT == stop)
            {
                passed(walk, position);
            }
            else
            {
                skip(walk, walk.isOutOfSequence() ? Break.Kind.SEQUENCE : Break.Kind.FRAME, found(walk.found()));
            }
        }
        catch (final UnsupportedFormatException ex)
        {
            check.skip(
                position, sequence, sequence, Break.Kind.FORMAT,
                "critical control frame of kind " + Long.toHexString(walk.cursor().tag()));
            resumeBehindFrame(walk);
        }
        catch (final CorruptJournalException ex)
        {
            final Break last = check.breaks.isEmpty() ? null : check.breaks.get(check.breaks.size() - 1);
            // The walk is at this cut for the second time, and the journal cannot begin with it: nothing leads further.
            final boolean isAgain = null != last && Break.Kind.HISTORY == last.kind() && position == last.position();
            final Cut cut = isAgain ? null : cutFrom(walk, position);
            check.skip(position, sequence, null == cut ? Place.UNKNOWN : cut.sequence(), Break.Kind.HISTORY,
                found(ex.getMessage()));
            resume(walk, cut);
        }
        catch (final IOException ex)
        {
            check.skip(position, sequence, Place.UNKNOWN, Break.Kind.READ, "cannot be read: " + ex);
            isEndReached = true;
        }
    }

    private void passed(final FrameWalk walk, final long position)
    {
        final FrameCursor cursor = walk.cursor();
        final boolean isFrame = null != cursor.segment() && cursor.offset() == position - base;
        if (isFrame && FrameHeader.MARK == cursor.tag())
        {
            check.addMark(cursor, files.history.term);
        }
        else if (!isFrame && position == base + SegmentHeader.LENGTH)
        {
            check.firstCut = cutEndingAt(walk.position());
        }
    }

    private static String found(final String description)
    {
        final String found = description.substring(description.indexOf("found=") + "found=".length());
        final int remedy = found.indexOf("; ");
        return remedy < 0 ? found : found.substring(0, remedy);
    }

    /** Skips invalid bytes, up to where the log is found again. */
    private void skip(final FrameWalk walk, final Break.Kind kind, final String found) throws IOException
    {
        final long position = walk.position();
        final long sequence = walk.nextSequence();
        final FrameCursor cursor = walk.cursor();
        // No frame of a batch counts if one of them is damaged.
        final String place =
            position - base == cursor.offset() ? found : found + " at offset " + cursor.offset() + " in a batch";
        final Cut cut = cutFrom(walk, position);
        final int end = null == cut || cut.from() >= limit ? files.layout.segmentLength : (int)(cut.from() - base);
        int offset = (int)(position - base);
        while ((offset = FrameSearch.watermark(cursor, offset, end)) >= 0)
        {
            if (isOfHistory(cursor))
            {
                check.addForced(cursor, files.history.term);
                if (base + offset > position && check.breaks.size() < MAX_BREAKS)
                {
                    check.skip(position, sequence, cursor.sequence(), kind, place);
                    walk.start(files.history, base + offset, cursor.sequence());
                    return;
                }
            }
            else if (null == check.laterTerm)
            {
                check.laterTerm = new Break(
                    base + offset, cursor.sequence(), Place.UNKNOWN, Break.Kind.HISTORY,
                    "term " + cursor.markNumber() + " (" + cursor.markTerm() + ")");
            }
            offset += FrameHeader.MARK_LENGTH;
        }
        final boolean isCutHere = null != cut && cut.from() < limit && check.breaks.size() < MAX_BREAKS;
        check.skip(position, sequence, isCutHere ? cut.sequence() : Place.UNKNOWN, kind, place);
        resume(walk, isCutHere ? cut : null);
    }

    private boolean isOfHistory(final FrameCursor cursor)
    {
        return cursor.markNumber() < files.history.number ||
            cursor.markNumber() == files.history.number && files.history.term == cursor.markTerm();
    }

    private void resumeBehindFrame(final FrameWalk walk)
    {
        isEndReached = null == walk.cursor().segment();
        if (!isEndReached)
        {
            walk.pass();
        }
    }

    private void resume(final FrameWalk walk, final Cut cut)
    {
        if (null == cut)
        {
            isEndReached = true;
        }
        else
        {
            walk.start(files.history, cut.to(), cut.sequence());
        }
    }

    /** The first cut that a walk at a position has not crossed; null if there is none. */
    private Cut cutFrom(final FrameWalk walk, final long position)
    {
        final boolean isCrossed = walk.chain().isTermDue();
        return files.history.cuts().stream()
            .filter((cut) -> cut.to() > position || !isCrossed && cut.isEmpty() && cut.to() == position)
            .findFirst().orElse(null);
    }

    /**
     * Offset after the last byte that follows the journal's end.
     *
     * @param from         offset of that end.
     * @param nextSequence expected there.
     * @return offset, at least {@code from}.
     */
    int contentEnd(final int from, final long nextSequence)
    {
        if (from >= files.layout.segmentLength)
        {
            return from;
        }

        try (FrameCursor cursor = new FrameCursor(window()))
        {
            cursor.attach(open(ordinal));
            return cursor.segment().isRecycled && Place.UNKNOWN != nextSequence ?
                FrameSearch.framesEnd(cursor, from, files.layout.segmentLength, nextSequence) :
                FrameSearch.contentEnd(cursor, from, files.layout.segmentLength);
        }
        catch (final JournalException | IOException ex)
        {
            // The segment was readable before: a writer is changing it.
            return from;
        }
    }
}
