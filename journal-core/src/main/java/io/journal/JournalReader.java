package io.journal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads records in order and follows the newest end. Each reader is used by one thread at a time; any number of readers
 * may be open. Every record's checksum is verified before it is handed out. No call allocates per record.
 * <p>
 * A reader goes on after its journal was closed, to the last record that was appended.
 */
public final class JournalReader implements AutoCloseable
{
    private static final int SEARCH_LENGTH = 128 * 1024;

    private final Journal journal;
    private final FrameCursor cursor;
    private final RecordHeader header = new RecordHeader();
    private final ByteBufferView view = new ByteBufferView();

    // The place of the next frame, and of the next record in a batch there.
    private final int segmentLength;
    private long basePosition;
    private int offset;
    private long nextSequence;
    private int batchLeft;
    private int batchOffset;

    // Everything below is written.
    private long end;
    private int limit;
    private long lastReadable;

    // The record that was found, and the memory last shown to a handler.
    private ByteBuffer shown;
    private int recordIndex;
    private int recordLength;
    private long recordTag;

    private boolean isBusy;
    private boolean isLost;
    private boolean isClosed;

    JournalReader(final Journal journal, final FrameCursor cursor)
    {
        this.journal = journal;
        segmentLength = journal.segmentLength();
        this.cursor = cursor;
    }

    /**
     * Hands out the records that come next, as far as there are any.
     * <p>
     * If the handler throws, the reader stays at that record.
     *
     * @param handler takes the records; it must not use this reader.
     * @param limit   most records to hand out, 0 or more.
     * @return number of records handed out.
     * @throws CorruptJournalException    if a record is damaged; the reader stays there.
     * @throws UnsupportedFormatException if there is something this version must not skip; the reader stays there.
     * @throws JournalException           if the files cannot be read; the reader stays where it was.
     * @throws IllegalStateException      if the reader is closed, or the last seek failed.
     */
    public int poll(final RecordHandler handler, final int limit)
    {
        begin();
        if (isLost)
        {
            isBusy = false;
            throw new IllegalStateException("a seek failed: seek again before reading");
        }

        int count = 0;
        try
        {
            while (count < limit && next())
            {
                shown = cursor.buffer();
                view.wrap(shown, recordIndex, recordLength);
                header.set(nextSequence, recordTag, basePosition + offset);
                handler.onRecord(view, 0, recordLength, header);
                passRecord();
                count++;
            }

            return count;
        }
        finally
        {
            // Who keeps the view beyond the call finds nothing in it: its memory may be gone by then.
            if (null != shown)
            {
                view.wrap(shown, 0, 0);
            }
            isBusy = false;
        }
    }

    /**
     * Goes to a record.
     *
     * @param sequence of the record to be read next, from {@link Journal#firstSequence()} to one behind
     *                 {@link Journal#lastSequence()}.
     * @throws IllegalArgumentException if the journal has no such record; the reader stays where it was.
     * @throws CorruptJournalException  if damage was met on the way; the reader has no place until a seek succeeds.
     * @throws JournalException         if the files cannot be read; likewise.
     */
    public void seek(final long sequence)
    {
        final long first = journal.firstSequence();
        final long last = journal.lastSequence();
        if (sequence < first || sequence > last + 1)
        {
            throw new IllegalArgumentException(
                "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + first +
                    ", lastSequence=" + last);
        }

        begin();
        try
        {
            isLost = true;
            find(sequence);
            isLost = false;
        }
        catch (final IOException ex)
        {
            throw unreadable(ex);
        }
        catch (final InternalError ex)
        {
            throw cutShort(ex);
        }
        finally
        {
            isBusy = false;
        }
    }

    /**
     * Goes to the first record.
     */
    public void seekToStart()
    {
        seek(journal.firstSequence());
    }

    /**
     * Goes behind the last record, so that only what is appended from now on is read.
     */
    public void seekToEnd()
    {
        seek(journal.lastSequence() + 1);
    }

    /**
     * The record that {@link #poll} hands out next.
     *
     * @return its sequence.
     */
    public long nextSequence()
    {
        return nextSequence;
    }

    /**
     * Gives up the reader's files and memory. May be called twice.
     */
    @Override
    public void close()
    {
        if (isBusy)
        {
            throw new IllegalStateException("reader is in use: a handler must not close it");
        }

        isClosed = true;
        cursor.close();
    }

    /**
     * Turns to the first frame of a segment.
     */
    void enter(final long ordinal, final long nextSequence) throws IOException
    {
        // The place first: if the segment cannot be had now, it is tried again from here.
        basePosition = ordinal * segmentLength;
        this.nextSequence = nextSequence;
        goTo(SegmentHeader.LENGTH);
        end = 0;
        cursor.close();
        cursor.attach(journal.openSegment(ordinal));
        look();
    }

    private void begin()
    {
        if (isClosed)
        {
            throw new IllegalStateException("reader is closed");
        }

        if (isBusy)
        {
            throw new IllegalStateException("reader is in use: a handler must not use it");
        }
        isBusy = true;
    }

    private boolean next()
    {
        try
        {
            if (null == cursor.segment())
            {
                reenter();
            }
            return findRecord();
        }
        catch (final IOException ex)
        {
            throw unreadable(ex);
        }
        catch (final InternalError ex)
        {
            throw cutShort(ex);
        }
    }

    /**
     * Opens the segment again after an attempt failed.
     */
    private void reenter() throws IOException
    {
        final int offset = this.offset;
        cursor.attach(journal.openSegment(basePosition / segmentLength));
        goTo(offset);
    }

    /**
     * Finds the next record, passing over control frames.
     *
     * @return false at the end of what is written.
     */
    private boolean findRecord() throws IOException
    {
        while (true)
        {
            if (batchLeft > 0)
            {
                findInBatch();
                return true;
            }
            if (basePosition + offset >= end && !look())
            {
                return false;
            }

            if (offset >= segmentLength)
            {
                enter(basePosition / segmentLength + 1, nextSequence);
                continue;
            }

            examine(nextSequence);
            if (!cursor.isControl())
            {
                if (nextSequence > lastReadable)
                {
                    // Its frame is there, but its sequence is not published yet.
                    look();
                    if (nextSequence > lastReadable)
                    {
                        return false;
                    }
                }
                recordIndex = cursor.index() + FrameHeader.LENGTH;
                recordLength = cursor.storedLength() - FrameHeader.LENGTH;
                recordTag = cursor.tag();
                return true;
            }

            passControl();
        }
    }

    private void examine(final long expectedSequence) throws IOException
    {
        final FrameCursor.Verdict verdict = cursor.examine(offset, limit, expectedSequence);
        if (FrameCursor.Verdict.VALID != verdict)
        {
            throw new CorruptJournalException(
                "damaged record: " + cursor.describe(verdict, expectedSequence) +
                    "; restore the file from a backup");
        }
    }

    private void passControl()
    {
        cursor.checkKnown();
        if (FrameHeader.BATCH == cursor.kind())
        {
            batchLeft = cursor.batchCount();
            batchOffset = FrameHeader.BATCH_ENTRIES_OFFSET;
        }
        else
        {
            goTo(cursor.nextOffset());
        }
    }

    private void findInBatch()
    {
        final int entry = cursor.index() + batchOffset;
        recordLength = cursor.buffer().getInt(entry);
        recordTag = cursor.buffer().getLong(entry + Long.BYTES);
        recordIndex = entry + FrameHeader.BATCH_ENTRY_HEADER_LENGTH;
    }

    private void passRecord()
    {
        nextSequence++;
        if (batchLeft > 1)
        {
            batchLeft--;
            batchOffset += FrameHeader.align(FrameHeader.BATCH_ENTRY_HEADER_LENGTH + recordLength);
        }
        else
        {
            goTo(cursor.nextOffset());
        }
    }

    private void goTo(final int offset)
    {
        this.offset = offset;
        batchLeft = 0;
    }

    /**
     * Looks how far the journal is written by now.
     *
     * @return whether there is anything to read.
     */
    private boolean look() throws IOException
    {
        final long position = basePosition + offset;
        // The sequence first: it is published after its position, and nobody may be given a record that
        // lastSequence() does not know yet.
        lastReadable = journal.lastSequence();
        end = journal.readableEnd(position);
        limit = (int)Math.min(segmentLength, end - basePosition);
        return position < end;
    }

    private void find(final long sequence) throws IOException
    {
        final long newestEnd = journal.readableEnd(Long.MAX_VALUE);
        // Damage elsewhere must not keep anyone from the first record.
        final long ordinal = sequence == journal.firstSequence() ?
            journal.firstOrdinal() : journal.findSegment(sequence, newestEnd, cursor);
        enter(ordinal, FrameCursor.ANY_SEQUENCE);
        if (offset < limit)
        {
            skipToMarkBefore(sequence);
            examine(FrameCursor.ANY_SEQUENCE);
            nextSequence = cursor.sequence();
        }
        else
        {
            nextSequence = sequence;
        }

        while (nextSequence < sequence && findRecord())
        {
            passRecord();
        }
    }

    /**
     * Halves the range that holds the record until it is worth reading through.
     */
    private void skipToMarkBefore(final long sequence) throws IOException
    {
        int low = offset;
        int high = limit;
        while (high - low > SEARCH_LENGTH)
        {
            final int middle = low + FrameHeader.align((high - low) >>> 1);
            final int mark = cursor.findMark(middle, high);
            if (mark < 0 || cursor.sequence() > sequence)
            {
                high = middle;
            }
            else
            {
                low = mark;
            }
        }
        goTo(low);
    }

    private JournalException unreadable(final IOException cause)
    {
        return cause instanceof EOFException ? cutShort(cause) :
            new JournalException("cannot read: sequence=" + nextSequence + "; cause=" + cause, cause);
    }

    private CorruptJournalException cutShort(final Throwable cause)
    {
        return new CorruptJournalException(
            "file was cut short while it was read: file=" + JournalFiles.segment(basePosition / segmentLength) +
                ", offset=" + offset + ", sequence=" + nextSequence + ", expected=" + segmentLength +
                " bytes, found=fewer; restore the file from a backup",
            cause);
    }
}
