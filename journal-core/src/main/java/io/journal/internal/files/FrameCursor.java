package io.journal.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

import io.journal.UnsupportedFormatException;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.Window;

/**
 * Finds and checks frames of a segment through a window. Whoever reads a journal, a user's reader, recovery or a
 * search, does it with this class: there is one place that decides what a valid frame is.
 */
public final class FrameCursor implements AutoCloseable
{
    /** What {@link #examine} found. */
    public enum Verdict
    {
        /** A valid frame; the cursor's accessors describe it. */
        VALID,
        /** Nothing: the length is zero. */
        ABSENT,
        /** Bytes that are no valid frame. */
        INVALID,
        /** A frame whose checksum holds, with another sequence than expected. */
        UNEXPECTED
    }

    public static final long ANY_SEQUENCE = -1;

    private static final int PAGE_LENGTH = 4096;

    private final Window window;
    private final boolean isShared;
    private final CRC32C crc = new CRC32C();
    private Segment segment;
    private ByteBuffer buffer;
    private ByteBuffer view;
    private int windowOffset;
    private int loadedEnd;
    private long loads;
    private int readAhead = Integer.MAX_VALUE;

    private int index;
    private int offset;
    private int storedLength;
    private long sequence;
    private long tag;
    private String fault;
    // Keeps the accesses of touch from being optimised away.
    private int touched;

    public FrameCursor(final Window window)
    {
        this.window = window;
        isShared = window.isShared();
    }

    /**
     * Limits how much is read at once, beyond what must be. A window that has grown for a large record would otherwise
     * be filled every time.
     */
    public void readAhead(final int length)
    {
        readAhead = length;
    }

    /**
     * Turns to a segment, which is the cursor's to close from now on. Nothing read before is kept.
     */
    public void attach(final Segment segment) throws IOException
    {
        close();
        try
        {
            window.attach(segment.file);
            this.segment = segment;
        }
        catch (final Throwable ex)
        {
            segment.close();
            throw ex;
        }
    }

    public Segment segment()
    {
        return segment;
    }

    /**
     * Whether the memory that frames are in is that of the file.
     */
    public boolean isMapped()
    {
        return isShared;
    }

    /**
     * Looks at the frame at an offset.
     *
     * @param offset           of the frame; at least 24 bytes before the end of the segment.
     * @param limit            offset up to which the segment may be read.
     * @param expectedSequence the frame is to have, or {@link #ANY_SEQUENCE}.
     */
    public Verdict examine(final int offset, final int limit, final long expectedSequence) throws IOException
    {
        final int remaining = segment.length - offset;
        assert remaining >= FrameHeader.LENGTH : "no room for a frame: offset=" + offset;

        this.offset = offset;
        if (limit - offset < FrameHeader.LENGTH)
        {
            return invalid("frame behind the end");
        }

        ensure(offset, FrameHeader.LENGTH, limit);
        final int storedLength = FrameHeader.storedLength(buffer, index);
        this.storedLength = storedLength;
        if (0 == storedLength)
        {
            return Verdict.ABSENT;
        }

        if (!FrameHeader.isPlausible(storedLength, remaining))
        {
            return invalid("impossible length");
        }

        tag = FrameHeader.tag(buffer, index);
        sequence = FrameHeader.sequence(buffer, index);
        if (storedLength < 0 && !FrameHeader.isPlausible(tag, -storedLength, remaining))
        {
            return invalid("impossible length of a control frame");
        }

        final int checkedLength = FrameHeader.checkedLength(storedLength, tag);
        if (checkedLength > limit - offset)
        {
            return invalid("frame behind the end");
        }

        if (!isLoaded(offset, offset + checkedLength))
        {
            load(offset, checkedLength, limit);
            index = offset - windowOffset;
            if (!readHeaderAgain())
            {
                return invalid("frame that changed while it was read");
            }
        }
        if (isShared && (index & (PAGE_LENGTH - 1)) + checkedLength > PAGE_LENGTH)
        {
            touch(checkedLength);
        }

        if (FrameHeader.checksum(view, crc, index, offset, storedLength, tag, segment.salt) !=
            FrameHeader.checksum(buffer, index))
        {
            return invalid("wrong checksum");
        }

        if (storedLength < 0 && !isBodyValid())
        {
            return invalid("impossible body of a control frame");
        }

        // A segment describes itself: its first watermark frame tells the sequence that reading it begins with.
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
     * Searches a valid mark of any sequence.
     *
     * @param from offset to begin at, a multiple of 8.
     * @return offset of the mark, which is then the frame examined, or -1.
     */
    public int findMark(final int from, final int limit) throws IOException
    {
        int offset = from;
        while (limit - offset >= FrameHeader.MARK_LENGTH)
        {
            ensure(offset, FrameHeader.MARK_LENGTH, limit);
            final int loaded = Math.min(loadedEnd, limit);
            for (int i = index; loaded - offset >= FrameHeader.MARK_LENGTH; i += FrameHeader.ALIGNMENT)
            {
                if (-FrameHeader.MARK_LENGTH == FrameHeader.storedLength(buffer, i) &&
                    FrameHeader.MARK == FrameHeader.tag(buffer, i) &&
                    Verdict.VALID == examine(offset, limit, ANY_SEQUENCE))
                {
                    return offset;
                }
                offset += FrameHeader.ALIGNMENT;
            }
        }

        return -1;
    }

    /**
     * Offset behind the last byte that is not zero.
     *
     * @return the offset, at least {@code from}.
     */
    public int lastContent(final int from, final int limit) throws IOException
    {
        int end = from;
        for (int offset = from; offset < limit;)
        {
            ensure(offset, FrameHeader.ALIGNMENT, limit);
            final int loaded = Math.min(loadedEnd, limit);
            for (int i = index; offset < loaded; i += Long.BYTES)
            {
                final long bytes = buffer.getLong(i);
                offset += Long.BYTES;
                if (0 != bytes)
                {
                    end = offset - Long.numberOfLeadingZeros(bytes) / Byte.SIZE;
                }
            }
        }

        return end;
    }

    /**
     * Forgets what was brought into memory, where it may have changed since.
     */
    public void forget()
    {
        if (!isShared)
        {
            loadedEnd = 0;
        }
    }

    /**
     * Brings a range into memory together, if its beginning is not there.
     */
    public void cover(final int from, final int to, final int limit) throws IOException
    {
        ensure(from, to - from, limit);
    }

    /**
     * Whether a range is in memory.
     */
    public boolean isLoaded(final int from, final int to)
    {
        return from >= windowOffset && to <= loadedEnd;
    }

    /**
     * How often bytes were brought into memory.
     */
    public long loads()
    {
        return loads;
    }

    /**
     * Offset behind the last valid frame, for segments that hold other bytes of a former life.
     *
     * @param firstSequence that a frame there can have.
     * @return the offset, at least {@code from}; what {@link #lastContent} says if there is so much that looks like
     *         frames that it is not worth checking.
     */
    public int lastFrame(final int from, final int limit, final long firstSequence) throws IOException
    {
        long budget = 4L * segment.length;
        int end = from;
        for (int offset = from; limit - offset >= FrameHeader.LENGTH && budget >= 0; offset += FrameHeader.ALIGNMENT)
        {
            ensure(offset, FrameHeader.LENGTH, limit);
            // Frames of a former life have lower ones.
            final long distance = FrameHeader.sequence(buffer, index) - firstSequence;
            if (distance >= 0 && distance <= segment.length && 0 != FrameHeader.storedLength(buffer, index))
            {
                if (Verdict.VALID == examine(offset, limit, ANY_SEQUENCE))
                {
                    end = Math.max(end, nextOffset());
                }
                budget -= Math.min(Math.abs((long)storedLength), segment.length);
            }
        }

        return budget < 0 ? lastContent(from, limit) : end;
    }

    public int offset()
    {
        return offset;
    }

    public boolean isControl()
    {
        return storedLength < 0;
    }

    /**
     * Whether the frame examined is a valid mark.
     */
    public boolean isMark(final Verdict verdict)
    {
        return Verdict.VALID == verdict && storedLength < 0 && FrameHeader.MARK == tag;
    }

    /**
     * @throws UnsupportedFormatException if the frame must not be skipped and its kind is not known.
     */
    public void checkKnown()
    {
        if (storedLength < 0 && 0 != (tag & FrameHeader.CRITICAL) && FrameHeader.BATCH != tag)
        {
            throw new UnsupportedFormatException(
                "unknown critical control frame: file=" + segment.name() + ", offset=" + offset +
                    ", kind=" + Long.toHexString(tag) + "; open the journal with a newer version of the library");
        }
    }

    public long kind()
    {
        return tag;
    }

    public long tag()
    {
        return tag;
    }

    public long sequence()
    {
        return sequence;
    }

    /**
     * Sequence of the record that follows the frame.
     */
    public long nextSequence()
    {
        if (storedLength > 0)
        {
            return sequence + 1;
        }

        return FrameHeader.BATCH == tag ? sequence + batchCount() : sequence;
    }

    /**
     * Number of records in a batch.
     */
    public int batchCount()
    {
        return buffer.getInt(index + FrameHeader.LENGTH);
    }

    public int storedLength()
    {
        return storedLength;
    }

    /**
     * Where the next frame begins; the segment's length if it is the last.
     */
    public int nextOffset()
    {
        final int next = offset + FrameHeader.align(Math.abs(storedLength));
        return segment.length - next < FrameHeader.LENGTH ? segment.length : next;
    }

    /** Forced position that a mark attests. */
    public long forcedPosition()
    {
        return buffer.getLong(index + FrameHeader.LENGTH);
    }

    /** Time that a mark tells. */
    public long markTimeMs()
    {
        return buffer.getLong(index + FrameHeader.LENGTH + Long.BYTES);
    }

    /** Memory that holds the frame. */
    public ByteBuffer buffer()
    {
        return buffer;
    }

    /** Where the frame begins in {@link #buffer()}. */
    public int index()
    {
        return index;
    }

    /**
     * What is wrong at a place: file, offset, sequence, expected and found.
     */
    public String describe(final Verdict verdict, final long expectedSequence)
    {
        final String expected = Verdict.UNEXPECTED == verdict ? "sequence " + expectedSequence : "a valid frame";
        final String found;
        switch (verdict)
        {
            case ABSENT:
                found = "nothing";
                break;

            case UNEXPECTED:
                found = "sequence " + sequence;
                break;

            default:
                found = fault + " (length " + storedLength + ")";
                break;
        }

        return "file=" + segment.name() + ", offset=" + offset +
            ", sequence=" + (ANY_SEQUENCE == expectedSequence ? "unknown" : expectedSequence) +
            ", expected=" + expected + ", found=" + found;
    }

    @Override
    public void close()
    {
        window.detach();
        windowOffset = 0;
        loadedEnd = 0;
        offset = -1;
        // Nothing of a mapped segment may be touched once it is closed.
        buffer = null;
        view = null;
        if (null != segment)
        {
            segment.close();
            segment = null;
        }
    }

    /**
     * Takes the header as it was read again together with the rest, which is what the checksum covers.
     *
     * @return whether it still is that of the frame whose length was asked for.
     */
    private boolean readHeaderAgain()
    {
        final long readTag = tag;
        tag = FrameHeader.tag(buffer, index);
        sequence = FrameHeader.sequence(buffer, index);
        return storedLength == FrameHeader.storedLength(buffer, index) && (storedLength >= 0 || tag == readTag);
    }

    private boolean isBodyValid()
    {
        if (FrameHeader.MARK == tag)
        {
            return forcedPosition() >= 0 && forcedPosition() <= segment.basePosition + offset;
        }

        return FrameHeader.BATCH != tag || isBatchValid();
    }

    private boolean isBatchValid()
    {
        final int length = -storedLength;
        int entry = FrameHeader.BATCH_ENTRIES_OFFSET;
        int left = batchCount();
        while (left > 0 && entry <= length - FrameHeader.BATCH_ENTRY_HEADER_LENGTH)
        {
            final int recordLength = buffer.getInt(index + entry);
            if (recordLength < 0 || recordLength > length - entry - FrameHeader.BATCH_ENTRY_HEADER_LENGTH)
            {
                return false;
            }
            entry += FrameHeader.align(FrameHeader.BATCH_ENTRY_HEADER_LENGTH + recordLength);
            left--;
        }

        return 0 == left && entry == length;
    }

    private Verdict invalid(final String fault)
    {
        this.fault = fault;
        return Verdict.INVALID;
    }

    private void ensure(final int offset, final int length, final int limit) throws IOException
    {
        if (offset < windowOffset || offset + length > loadedEnd)
        {
            load(offset, length, limit);
        }
        index = offset - windowOffset;
    }

    private void load(final int offset, final int length, final int limit) throws IOException
    {
        window.move(offset, length);
        windowOffset = window.offset();
        if (window.buffer() != buffer)
        {
            buffer = window.buffer();
            view = buffer.duplicate();
        }

        final int end = isShared ? segment.length :
            Math.max(offset + length, (int)Math.min(Math.min(window.end(), limit), (long)offset + readAhead));
        window.load(offset, end);
        loadedEnd = end;
        loads++;
    }

    /**
     * Reads a byte of each page. Where a mapped file was cut short, a plain access is an error that can be caught;
     * inside the checksum's stub it would end the JVM.
     */
    private void touch(final int length)
    {
        for (int i = index + PAGE_LENGTH; i < index + length; i += PAGE_LENGTH)
        {
            touched += buffer.get(i);
        }
        touched += buffer.get(index + length - 1);
    }
}
