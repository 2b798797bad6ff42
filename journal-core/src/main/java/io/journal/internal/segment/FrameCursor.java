// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import io.journal.CorruptJournalException;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;

/**
 * Validates the frames of a segment through a window. Readers, recovery and {@link FrameSearch} all use this class, so
 * that a valid frame is defined in one place. For use by one thread at a time.
 */
public final class FrameCursor implements AutoCloseable
{
    /** Result of {@link #examine}. */
    public enum Verdict
    {
        /** A valid frame; the cursor's accessors describe it. */
        VALID,
        /** No frame: the length is zero. */
        ABSENT,
        /** Bytes that are not a valid frame. */
        INVALID,
        /** A valid frame, but not of the expected sequence. */
        UNEXPECTED
    }

    public static final long ANY_SEQUENCE = CorruptJournalException.UNKNOWN;

    private Segment segment;
    private ByteBuffer buffer;
    private ByteBuffer view;
    // Index in the buffer of the range that ensure() was called for, or of the frame that is shown.
    private int index;

    private final Window window;
    private boolean isMapped;
    private int windowOffset;
    private int loadedEnd;
    private int readAhead = Integer.MAX_VALUE;

    private final CRC32C crc = new CRC32C();
    private boolean isVerifying = true;
    private String fault;

    // The frame examined last, and the sequence that was expected there.
    private long expectedSequence;
    private int offset;
    private int storedLength;
    private long sequence;
    private long tag;

    public FrameCursor(final Window window)
    {
        this.window = window;
    }

    /** Sets whether the checksums of records are verified. Checksums of control frames always are. */
    public void verifyRecords(final boolean isVerifying)
    {
        this.isVerifying = isVerifying;
    }

    /**
     * Validates the frame at an offset, which leaves room for a header before the end of the segment. Reads the segment
     * up to a limit. The expected sequence may be {@link #ANY_SEQUENCE}.
     */
    public Verdict examine(final int offset, final int limit, final long expectedSequence) throws IOException
    {
        assert segment.length - offset >= FrameHeader.LENGTH : "no room for a frame: offset=" + offset;

        this.offset = offset;
        this.expectedSequence = expectedSequence;
        final int available = Math.min(limit, segment.length) - offset;
        if (available < FrameHeader.LENGTH)
        {
            return invalid("frame extends beyond the end");
        }

        ensure(offset, FrameHeader.LENGTH, limit);
        storedLength = FrameHeader.storedLength(buffer, index);
        tag = storedLength < 0 ? FrameHeader.tag(buffer, index) : 0;
        final int checkedLength = FrameHeader.checkedLength(storedLength, tag);
        if (0 == storedLength)
        {
            return Verdict.ABSENT;
        }
        final int remaining = segment.length - offset;
        if (!FrameHeader.isPlausible(storedLength, remaining))
        {
            return invalid("impossible length");
        }
        if (storedLength < 0 && !FrameHeader.isPlausible(tag, -storedLength, remaining))
        {
            return invalid("impossible length of a control frame");
        }
        if (checkedLength > available)
        {
            return invalid("frame extends beyond the end");
        }
        if (!isLoaded(offset, offset + checkedLength))
        {
            final int knownLength = storedLength;
            final long knownTag = tag;
            ensure(offset, checkedLength, limit);
            // Read again, from the load that also read the body, because the checksum covers both.
            readHeader();
            if (knownLength != storedLength || storedLength < 0 && knownTag != tag)
            {
                return invalid("frame that changed while it was read");
            }
        }
        return examineLoaded(checkedLength);
    }

    private void readHeader()
    {
        storedLength = FrameHeader.storedLength(buffer, index);
        sequence = FrameHeader.sequence(buffer, index);
        tag = FrameHeader.tag(buffer, index);
    }

    private Verdict examineLoaded(final int checkedLength)
    {
        final boolean isSound = !isVerifying && storedLength > 0 || FrameHeader.checksum(buffer, index) ==
            FrameHeader.checksum(view, crc, index, offset, storedLength, checkedLength, segment.salt);
        // Read after the checksum, which reads the whole frame. In the opposite order, a replay of 64 B records took
        // about 7 % more time (rounds of both alternated in one JVM, OpenJDK 17).
        tag = FrameHeader.tag(buffer, index);
        sequence = FrameHeader.sequence(buffer, index);
        if (!isSound)
        {
            return invalid("wrong checksum");
        }
        if (storedLength < 0 && !isBodyValid())
        {
            return invalid("impossible body of a control frame");
        }
        // A segment is self-describing: its first watermark frame holds the sequence at which reading starts.
        if (SegmentHeader.LENGTH == offset && !(storedLength < 0 && FrameHeader.MARK == tag))
        {
            return invalid("first frame of a segment is not a watermark frame");
        }
        if (ANY_SEQUENCE != expectedSequence)
        {
            return sequence == expectedSequence ? Verdict.VALID : Verdict.UNEXPECTED;
        }
        return sequence > 0 && sequence < Layout.MAX_POSITION ? Verdict.VALID : invalid("impossible sequence");
    }

    /**
     * As {@link #examine}, for callers that find the end of a log: the first frame of a batch is valid only if all
     * frames of the batch are. The cursor then shows the last frame of the batch, otherwise the first invalid frame.
     */
    public Verdict examineBatch(final int offset, final int limit, final long expectedSequence) throws IOException
    {
        Verdict verdict = examine(offset, limit, expectedSequence);
        while (Verdict.VALID == verdict && isMore())
        {
            final int next = nextOffset();
            if (next >= segment.length)
            {
                return invalid("batch without its last record");
            }
            verdict = examine(next, limit, sequence + 1);
            if (Verdict.VALID == verdict && isControl())
            {
                return invalid("control frame within a batch");
            }
        }

        return verdict;
    }

    /**
     * As {@link #examine}, where a valid frame is required.
     *
     * @throws CorruptJournalException if there is none.
     */
    public void require(final int offset, final int limit, final long expectedSequence) throws IOException
    {
        final Verdict verdict = examine(offset, limit, expectedSequence);
        if (Verdict.VALID != verdict)
        {
            throw damaged(verdict, expectedSequence);
        }
    }

    public CorruptJournalException damaged(final Verdict verdict, final long expectedSequence)
    {
        return corrupt("damaged record", verdict, expectedSequence, "; restore the file from a backup");
    }

    /**
     * As {@link #examine}, but always verifies the checksum of a record, because no frame before it leads to this one.
     */
    public Verdict verify(final int offset, final int limit, final long expectedSequence) throws IOException
    {
        final boolean wasVerifying = isVerifying;
        isVerifying = true;
        try
        {
            return examine(offset, limit, expectedSequence);
        }
        finally
        {
            isVerifying = wasVerifying;
        }
    }

    /**
     * Validates consecutive loaded records as {@link #examine} does, but does not say why a record is invalid.
     * Validates all in one loop before any is used: alternating validation and use read a third fewer.
     *
     * @param from  offset after another frame.
     * @param end   up to which the segment is loaded and may be read.
     * @param first sequence of the first record.
     * @param last  sequence of the last record that may be used.
     * @return offset after the last record of the valid run.
     */
    public int validRecords(final int from, final int end, final long first, final long last)
    {
        if (end - from < FrameHeader.LENGTH)
        {
            // There may be no segment.
            return from;
        }

        // A local variable, because fields are read again after each checksum.
        final ByteBuffer buffer = this.buffer;
        final ByteBuffer view = this.view;
        final CRC32C crc = this.crc;
        final boolean isVerifying = this.isVerifying;
        final long salt = segment.salt;
        final int windowOffset = this.windowOffset;
        int offset = from;
        long sequence = first;
        while (sequence <= last && end - offset >= FrameHeader.LENGTH)
        {
            final int index = offset - windowOffset;
            final int storedLength = FrameHeader.storedLength(buffer, index);
            // The length of a control frame stays negative.
            final int length = storedLength & ~FrameHeader.MORE;
            if (length < FrameHeader.LENGTH || length > end - offset || length > FrameHeader.MAX_LENGTH ||
                FrameHeader.sequence(buffer, index) != sequence)
            {
                break;
            }
            if (isVerifying && FrameHeader.checksum(buffer, index) !=
                FrameHeader.checksum(view, crc, index, offset, storedLength, length, salt))
            {
                break;
            }
            offset += FrameHeader.align(length);
            sequence++;
        }
        return offset;
    }

    /**
     * Takes the header of a frame without verifying the frame: accessors of the header may be used, accessors of the
     * body not.
     *
     * @return sequence of the record after the frame; -1 if there is no header or another sequence, or if the frame
     *         must not be skipped.
     */
    public long peek(final int offset, final int limit, final long expectedSequence) throws IOException
    {
        final int remaining = segment.length - offset;
        this.offset = offset;
        if (limit - offset < FrameHeader.LENGTH)
        {
            return -1;
        }

        ensure(offset, FrameHeader.LENGTH, limit);
        readHeader();
        if (!FrameHeader.isPlausible(storedLength, remaining) || sequence <= 0 ||
            ANY_SEQUENCE != expectedSequence && sequence != expectedSequence)
        {
            return -1;
        }
        if (storedLength > 0)
        {
            return sequence + 1;
        }
        return FrameHeader.isPlausible(tag, -storedLength, remaining) && 0 == (tag & FrameHeader.CRITICAL) ?
            sequence : -1;
    }

    public int offset()
    {
        return offset;
    }

    public int storedLength()
    {
        return storedLength;
    }

    public boolean isControl()
    {
        return storedLength < 0;
    }

    /** Whether the next frame holds the next record of the same batch. */
    public boolean isMore()
    {
        return FrameHeader.isMore(storedLength);
    }

    /** As {@link #isMore()}, of a loaded frame. */
    public boolean isMoreAt(final int offset)
    {
        return FrameHeader.isMore(FrameHeader.storedLength(buffer, indexOf(offset)));
    }

    /** The user's value of a record, or the kind of a control frame. */
    public long tag()
    {
        return tag;
    }

    public long sequence()
    {
        return sequence;
    }

    /** Sequence that was expected of the frame: within a batch, not the caller's. */
    public long expectedSequence()
    {
        return expectedSequence;
    }

    /** Sequence of the record that follows the frame. */
    public long nextSequence()
    {
        return storedLength > 0 ? sequence + 1 : sequence;
    }

    /** Length of the frame, header included. */
    public int length()
    {
        return FrameHeader.length(storedLength);
    }

    /** Offset of the next frame; the segment's length if this is the last one. */
    public int nextOffset()
    {
        final int next = offset + FrameHeader.align(length());
        return segment.length - next < FrameHeader.LENGTH ? segment.length : next;
    }

    /** Position of the durable watermark that a watermark frame records. */
    public long forcedPosition()
    {
        return buffer.getLong(index + FrameHeader.LENGTH);
    }

    /** Time of a watermark frame. */
    public long markTimeMs()
    {
        return buffer.getLong(index + FrameHeader.LENGTH + Long.BYTES);
    }

    /** Number of the term of the records after a watermark frame. */
    public long markNumber()
    {
        return buffer.getLong(index + FrameHeader.MARK_NUMBER_OFFSET);
    }

    /** Identity of that term. */
    public long markTerm()
    {
        return buffer.getLong(index + FrameHeader.MARK_TERM_OFFSET);
    }

    /** Term of the record before a watermark frame; 0 if there is none or it was not known. */
    public long markPreviousTerm()
    {
        return buffer.getLong(index + FrameHeader.MARK_PREVIOUS_OFFSET);
    }

    /** Index of the frame in {@link #buffer()}. */
    public int index()
    {
        return index;
    }

    /** Whether the frame examined is a valid watermark frame. */
    public boolean isMark(final Verdict verdict)
    {
        return Verdict.VALID == verdict && storedLength < 0 && FrameHeader.MARK == tag;
    }

    /** Throws if the frame is critical, so that it must not be skipped, and its kind is unknown. */
    public void checkKnown()
    {
        if (storedLength < 0 && 0 != (tag & FrameHeader.CRITICAL))
        {
            throw new UnsupportedFormatException(
                "unknown critical control frame: file=" + segment.name() + ", offset=" + offset +
                    ", kind=" + Long.toHexString(tag) + "; open the journal with a newer version of the library");
        }
    }

    /**
     * The exception for a frame that is not as expected.
     *
     * @param what   begins the message.
     * @param remedy ends it.
     */
    public CorruptJournalException corrupt(
        final String what, final Verdict verdict, final long expectedSequence, final String remedy)
    {
        return new CorruptJournalException(
            what + ": " + describe(verdict, expectedSequence) + remedy, null, segment.name(), offset, expectedSequence);
    }

    /** Describes why the frame examined is not as expected: file, offset, sequence, expected and found. */
    public String describe(final Verdict verdict, final long expectedSequence)
    {
        final String expected = Verdict.UNEXPECTED == verdict ? "sequence " + expectedSequence : "a valid frame";
        final String found = switch (verdict)
        {
            case ABSENT -> "nothing";
            case UNEXPECTED -> "sequence " + sequence;
            default -> fault + " (length " + (storedLength > 0 ? length() : storedLength) + ")";
        };

        return "file=" + segment.name() + ", offset=" + offset +
            ", sequence=" + (ANY_SEQUENCE == expectedSequence ? "unknown" : expectedSequence) +
            ", expected=" + expected + ", found=" + found;
    }

    private boolean isBodyValid()
    {
        return FrameHeader.MARK != tag || forcedPosition() >= 0 && forcedPosition() <= segment.basePosition + offset &&
            isPossible(markNumber()) && isPossible(markTerm()) && isPossible(markPreviousTerm());
    }

    private static boolean isPossible(final long number)
    {
        return number >= 0 && number < Layout.MAX_POSITION;
    }

    private Verdict invalid(final String fault)
    {
        this.fault = fault;
        return Verdict.INVALID;
    }

    /** Limits read-ahead, because a window that has grown for a large record is large. */
    public void readAhead(final int length)
    {
        readAhead = length;
    }

    /**
     * Attaches the cursor to a segment, which it will close, even if this throws. Discards everything read before.
     *
     * @throws CorruptJournalException if the file was cut short since the segment was opened, and is mapped.
     */
    public void attach(final Segment segment) throws IOException
    {
        attach(segment, window.isMapped());
    }

    /** As {@link #attach(Segment)}, but reads the segment through its mapping or not, whatever the store. */
    public void attach(final Segment segment, final boolean isMapped) throws IOException
    {
        close();
        try
        {
            window.attach(segment.file, isMapped);
            if (isMapped && window.fileLength() < segment.length)
            {
                throw Segment.wrongLength(segment.name(), segment.length, window.fileLength());
            }
            this.segment = segment;
            this.isMapped = isMapped;
        }
        catch (final Throwable ex)
        {
            window.detach();
            segment.close();
            throw ex;
        }
    }

    public Segment segment()
    {
        return segment;
    }

    /** Bytes of memory that the window itself holds. */
    public int ownLength()
    {
        return window.ownLength();
    }

    /** Closes the segment, and releases the memory by which the window has grown for a long record. */
    public void closeAndShrink()
    {
        close();
        window.shrink();
        buffer = null;
        view = null;
    }

    /** Whether the segment is read through its mapping. */
    public boolean isMapped()
    {
        return isMapped;
    }

    /** Memory that holds the loaded bytes. */
    public ByteBuffer buffer()
    {
        return buffer;
    }

    /** Discards the loaded bytes: the file may have changed since. */
    public void forget()
    {
        loadedEnd = 0;
    }

    /** Offset up to which the window is loaded. */
    public int loadedEnd()
    {
        return loadedEnd;
    }

    /** Whether a range is loaded. */
    public boolean isLoaded(final int from, final int to)
    {
        return from >= windowOffset && to <= loadedEnd;
    }

    @Override
    public void close()
    {
        window.detach();
        windowOffset = 0;
        loadedEnd = 0;
        if (null != segment)
        {
            segment.close();
            segment = null;
        }
    }

    /** Loads a range unless it is loaded, and sets the index of its first byte. */
    public void ensure(final int offset, final int length, final int limit) throws IOException
    {
        if (offset < windowOffset || offset + length > loadedEnd)
        {
            load(offset, length, limit);
        }
        index = indexOf(offset);
    }

    /** Index in the buffer of a byte that is loaded. */
    public int indexOf(final int offset)
    {
        return offset - windowOffset;
    }

    private void load(final int offset, final int length, final int limit) throws IOException
    {
        // If reading fails, nothing is loaded: the window has moved.
        loadedEnd = 0;
        window.move(offset, length);
        windowOffset = window.offset();
        buffer = window.buffer();
        view = window.view();
        final int end =
            Math.max(offset + length, (int)Math.min(Math.min(window.end(), limit), (long)offset + readAhead));
        window.load(offset, end);
        loadedEnd = end;
    }
}
