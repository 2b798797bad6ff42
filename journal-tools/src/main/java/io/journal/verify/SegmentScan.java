package io.journal.verify;

import java.io.IOException;
import java.util.function.LongConsumer;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.internal.platform.FileType;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentHistory;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentStore;
import io.journal.verify.Finding.Place;
import io.journal.verify.SegmentCheck.Break;

/**
 * Reads every frame of a segment. Skips damage up to the next watermark frame, and continues there.
 */
final class SegmentScan
{
    private static final int WINDOW_LENGTH = 1024 * 1024;
    // More of them in one segment would add no information.
    private static final int MAX_BREAKS = 1000;
    private static final int END = -1;

    private final Inventory files;
    private final long ordinal;
    private final int limit;
    private final SegmentCheck check;

    SegmentScan(final Inventory files, final long ordinal)
    {
        this.files = files;
        this.ordinal = ordinal;
        limit = files.limit(ordinal);
        check = new SegmentCheck(ordinal, files.layout.position(ordinal, 0));
    }

    /**
     * Reads the whole segment.
     *
     * @param progress called with the number of further bytes read.
     */
    SegmentCheck run(final LongConsumer progress)
    {
        try (FrameCursor cursor = cursor())
        {
            attach(cursor);
            read(cursor, progress);
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

    private FrameCursor cursor()
    {
        return new FrameCursor(Window.copying(Math.min(WINDOW_LENGTH, files.meta.segmentLength)));
    }

    private void attach(final FrameCursor cursor) throws IOException
    {
        cursor.attach(Segment.open(
            files.store, SegmentStore.Access.READ, false, files.meta.uuid, ordinal, files.meta.segmentLength));
    }

    private void unreadable(final Break.Kind kind, final String found)
    {
        check.unreadable = new Break(0, Place.UNKNOWN, Place.UNKNOWN, kind, found);
    }

    private void read(final FrameCursor cursor, final LongConsumer progress) throws IOException
    {
        int reported = 0;
        int offset = SegmentHeader.LENGTH;
        while (offset < limit)
        {
            final int next = readFrame(cursor, offset);
            if (END == next)
            {
                break;
            }
            offset = next;
            if (offset - reported >= WINDOW_LENGTH / 4)
            {
                progress.accept(offset - reported);
                reported = offset;
            }
        }

        check.endOffset = offset;
        progress.accept(files.meta.segmentLength - reported);
    }

    /**
     * @return offset of the next frame, or {@link #END} if none can be found.
     */
    private int readFrame(final FrameCursor cursor, final int offset)
    {
        try
        {
            final FrameCursor.Verdict verdict = cursor.examineBatch(offset, limit, FrameCursor.ANY_SEQUENCE);
            if (FrameCursor.Verdict.VALID == verdict)
            {
                return add(cursor, offset);
            }

            // Nothing of a batch counts if one of its frames is damaged.
            final String description = cursor.describe(verdict, FrameCursor.ANY_SEQUENCE);
            final String found = description.substring(description.indexOf("found=") + "found=".length()) +
                (offset == cursor.offset() ? "" : " at offset " + cursor.offset() + " in a batch");
            final int next =
                check.breaks.size() < MAX_BREAKS ?
                    FrameSearch.watermark(cursor, offset + FrameHeader.ALIGNMENT, limit) : END;
            check.skip(offset, END == next ? Place.UNKNOWN : cursor.sequence(), Break.Kind.FRAME, found);
            return next;
        }
        catch (final IOException ex)
        {
            check.skip(offset, Place.UNKNOWN, Break.Kind.READ, "cannot be read: " + ex);
            return END;
        }
    }

    /** Adds the frame examined, or all frames of its batch from an offset on; returns the offset behind. */
    private int add(final FrameCursor cursor, final int from) throws IOException
    {
        final int end = cursor.nextOffset();
        int offset = from;
        while (offset < end)
        {
            if (offset != cursor.offset())
            {
                cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE);
            }
            check.add(cursor);
            offset = cursor.nextOffset();
        }
        return end;
    }

    /**
     * Checks the segment against a truncation, as {@link SegmentHistory#check} does.
     *
     * @return what is wrong, or null.
     */
    String historyFault(final long epoch, final long cutPosition, final long end)
    {
        try (FrameCursor cursor = cursor())
        {
            attach(cursor);
            SegmentHistory.check(cursor, epoch, cutPosition, end, "");
            return null;
        }
        catch (final CorruptJournalException ex)
        {
            return ex.getMessage();
        }
        catch (final JournalException | IOException ex)
        {
            // It was readable before: a writer is changing it.
            return null;
        }
    }

    /**
     * The end of the bytes after the journal's end.
     *
     * @param nextSequence expected at the journal's end.
     * @return offset, at least {@code from}.
     */
    int contentEnd(final int from, final long nextSequence)
    {
        if (from >= limit)
        {
            return from;
        }

        try (FrameCursor cursor = cursor())
        {
            attach(cursor);
            return cursor.segment().isRecycled && Place.UNKNOWN != nextSequence ?
                FrameSearch.framesEnd(cursor, from, limit, nextSequence) : FrameSearch.contentEnd(cursor, from, limit);
        }
        catch (final JournalException | IOException ex)
        {
            // It was readable before: a writer is changing it.
            return from;
        }
    }
}
