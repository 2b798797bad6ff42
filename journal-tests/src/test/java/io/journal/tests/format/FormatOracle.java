// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.TreeMap;
import java.util.UUID;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Cut;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.tests.support.JournalFixture.Entry;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.CONTROL_LENGTH;
import static io.journal.tests.support.JournalDirectory.FENCE_OFFSET;
import static io.journal.tests.support.JournalDirectory.HEADER_LENGTH;
import static io.journal.tests.support.JournalDirectory.KIND_CRITICAL;
import static io.journal.tests.support.JournalDirectory.KIND_MARK;
import static io.journal.tests.support.JournalDirectory.KIND_PADDING;
import static io.journal.tests.support.JournalDirectory.MARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.MORE;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.WATERMARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.align;
import static io.journal.tests.support.JournalDirectory.checksum;
import static io.journal.tests.support.JournalDirectory.crc;
import static io.journal.tests.support.JournalDirectory.lengthOf;
import static io.journal.tests.support.JournalDirectory.littleEndian;
import static io.journal.tests.support.JournalDirectory.segmentName;

/**
 * Composes journals according to {@code docs/format.md}, and reads them more strictly than a reader must: checks every
 * rule of the page. Like {@link JournalDirectory}, whose frames it uses, it shares no code with the library.
 */
public final class FormatOracle
{
    private static final int MAX_RECORD_LENGTH = 16_777_216;
    /** Identity of the term of the journals that are composed. */
    static final long TERM = 0x1234_5678_9ABC_DEFL;
    private static final int MARK_DISTANCE = 64 * 1024;

    private FormatOracle()
    {
    }

    /** Contents of a journal. */
    public record Content(UUID uuid, int segmentLength, List<Frame> frames, List<Entry> entries, long endPosition)
    {
        public long count(final long kind)
        {
            return frames.stream().filter((frame) -> frame.isControl(kind)).count();
        }
    }

    // Writing.

    /** The first 48 bytes of a block, and room for the rest. */
    private static ByteBuffer identity(final int length, final String magic, final UUID uuid)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put(magic.getBytes(StandardCharsets.US_ASCII));
        buffer.putShort((short)2).putShort((short)0).putInt(BLOCK_LENGTH);
        buffer.putInt(0).putInt(0).putInt(0).putInt(0);
        buffer.order(ByteOrder.BIG_ENDIAN).putLong(uuid.getMostSignificantBits())
            .putLong(uuid.getLeastSignificantBits()).order(ByteOrder.LITTLE_ENDIAN);
        return buffer;
    }

    /** Puts the checksum of a block in its place. */
    static byte[] seal(final byte[] bytes, final int block)
    {
        littleEndian(bytes).putInt(block + 4092, crc(bytes, block, block + 4092));
        return bytes;
    }

    /** A {@code journal.control} of a journal that was opened once, never truncated nor pruned. */
    public static byte[] control(final UUID uuid, final long segmentLength, final long timeMs)
    {
        return control(uuid, segmentLength, timeMs, state(0, 0), 0, 0);
    }

    /** A control file of a journal that was opened once and closed. */
    static byte[] closed(final UUID uuid, final long segmentLength, final long position, final long nextSequence)
    {
        return control(uuid, segmentLength, 0, state(position, nextSequence), position, nextSequence);
    }

    /** A control file of a journal that was opened once, with a durable watermark. */
    static byte[] forced(final UUID uuid, final long segmentLength, final long position, final long nextSequence)
    {
        return control(uuid, segmentLength, 0, state(0, 0), position, nextSequence);
    }

    private static State state(final long closedPosition, final long closedSequence)
    {
        return new State(
            3, 1, TERM, 0, 1, 0, 0, closedPosition, closedSequence,
            List.of(new Cut(1, TERM, BLOCK_LENGTH, BLOCK_LENGTH, 1, 0)), new TreeMap<>());
    }

    private static byte[] control(
        final UUID uuid, final long segmentLength, final long timeMs, final State state, final long forcedPosition,
        final long nextSequence)
    {
        final ByteBuffer buffer = identity(CONTROL_LENGTH, "JRNLCTRL", uuid);
        buffer.putLong(48, segmentLength).putLong(56, timeMs);
        buffer.put(STATE_SLOTS[1], JournalDirectory.encoded(state));
        if (nextSequence > 0)
        {
            final int slot = WATERMARKS[1];
            buffer.putLong(slot, 1).putLong(slot + 8, TERM).putLong(slot + 16, forcedPosition)
                .putLong(slot + 24, nextSequence);
            buffer.putInt(slot + 32, crc(buffer.array(), slot, slot + 32));
        }
        return seal(buffer.array(), 0);
    }

    /** Composes a segment frame by frame. */
    static final class SegmentWriter
    {
        private final ByteBuffer buffer;
        private final long ordinal;
        private final long salt;
        private int tail = BLOCK_LENGTH;
        private long sequence;

        SegmentWriter(
            final UUID uuid,
            final long ordinal,
            final int length,
            final long salt,
            final long timeMs,
            final long firstSequence)
        {
            buffer = identity(length, "JRNLSEGM", uuid);
            buffer.putLong(48, ordinal).putLong(56, length).putLong(64, salt).putLong(72, timeMs);
            seal(buffer.array(), 0);
            this.ordinal = ordinal;
            this.salt = salt;
            sequence = firstSequence;
        }

        long position()
        {
            return ordinal * buffer.capacity() + tail;
        }

        long sequence()
        {
            return sequence;
        }

        byte[] bytes()
        {
            return buffer.array();
        }

        SegmentWriter record(final long tag, final byte[] record)
        {
            put(HEADER_LENGTH + record.length, tag, record);
            sequence++;
            return this;
        }

        SegmentWriter control(final long kind, final byte[] body)
        {
            put(-(HEADER_LENGTH + body.length), kind, body);
            return this;
        }

        SegmentWriter mark(final long forcedPosition, final long timeMs)
        {
            return control(KIND_MARK, longs(forcedPosition, timeMs, 1, TERM, sequence > 1 ? TERM : 0));
        }

        SegmentWriter padding()
        {
            final int remaining = buffer.capacity() - tail;
            if (remaining >= HEADER_LENGTH)
            {
                put(-remaining, KIND_PADDING, new byte[0]);
            }
            return this;
        }

        /** A record of a batch that is not its last one. */
        SegmentWriter more(final long tag, final byte[] record)
        {
            put(HEADER_LENGTH + record.length | MORE, tag, record);
            sequence++;
            return this;
        }

        SegmentWriter batch(final Entry... entries)
        {
            for (int i = 0; i < entries.length - 1; i++)
            {
                more(entries[i].tag(), entries[i].bytes());
            }
            return record(entries[entries.length - 1].tag(), entries[entries.length - 1].bytes());
        }

        /** Leaves sequences out, which no writer may do. */
        SegmentWriter skip(final int count)
        {
            sequence += count;
            return this;
        }

        private void put(final int storedLength, final long tag, final byte[] body)
        {
            buffer.putInt(tail, storedLength).putLong(tail + 8, sequence).putLong(tail + 16, tag);
            buffer.put(tail + HEADER_LENGTH, body);
            final int checked = storedLength < 0 && KIND_PADDING == tag ? HEADER_LENGTH : lengthOf(storedLength);
            buffer.putInt(
                tail + 4, checksum(buffer.array(), tail + 8, tail + checked, salt, tail, storedLength));
            tail += align(lengthOf(storedLength));
        }

        static byte[] ints(final int... values)
        {
            final ByteBuffer bytes = ByteBuffer.allocate(4 * values.length).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asIntBuffer().put(values);
            return bytes.array();
        }

        static byte[] longs(final long... values)
        {
            final ByteBuffer bytes = ByteBuffer.allocate(8 * values.length).order(ByteOrder.LITTLE_ENDIAN);
            bytes.asLongBuffer().put(values);
            return bytes.array();
        }
    }

    // Reading.

    /**
     * Reads a journal that was closed, or at least fsynced and not written since. Everything that the page does not
     * allow is an error, above all a byte after the end that is not zero.
     */
    public static Content read(final Path directory) throws IOException
    {
        final byte[] control = Files.readAllBytes(directory.resolve(CONTROL));
        check(CONTROL_LENGTH == control.length, "length of journal.control: " + control.length);
        final ByteBuffer buffer = littleEndian(control);
        checkBlock(buffer, "JRNLCTRL");
        final long segmentLength = buffer.getLong(48);
        check(segmentLength >= 65_536 && segmentLength <= 1_073_741_824 && 1 == Long.bitCount(segmentLength),
            "segment length: " + segmentLength);
        checkZero(control, 64, 4092, "journal.control");
        checkZero(control, WATERMARKS[0] + WATERMARK_LENGTH, WATERMARKS[1], "journal.control");
        checkZero(control, WATERMARKS[1] + WATERMARK_LENGTH, FENCE_OFFSET, "journal.control");
        final JournalDirectory files = new JournalDirectory(directory);
        final State state = files.state();
        check(null != state, "no state");
        for (int slot = 0; slot < 2; slot++)
        {
            final State other = files.state(slot);
            check(null == other || slot == other.generation() % 2, "generation of " + other);
        }

        final Reader reader = new Reader(uuid(buffer), (int)segmentLength, state);
        final List<Long> ordinals = files.ordinals();
        check(!ordinals.isEmpty(), "no segment");
        for (final long ordinal : ordinals)
        {
            reader.read(ordinal, files.read(segmentName(ordinal)));
        }
        check(reader.cuts.isEmpty(), "a cut behind the end: " + reader.cuts);
        check(!state.isClosed() || state.closedSequence() == reader.sequence, "closed at " + state.closedSequence());

        return new Content(reader.uuid, reader.segmentLength, reader.frames, reader.entries, reader.endPosition);
    }

    private static final class Reader
    {
        private final UUID uuid;
        private final int segmentLength;
        private final List<Frame> frames = new ArrayList<>();
        private final List<Entry> entries = new ArrayList<>();
        private long sequence;
        private long endPosition = -1;
        private boolean isInBatch;
        private long forcedPosition;
        private final Deque<Cut> cuts;
        // Where the next frame is expected, and the number and identity of the current term, 0 if there is no term.
        private long position;
        private long number;
        private long term;
        // The term that has to begin, or null.
        private Cut begins;
        // The term of the record before the next frame.
        private long recordTerm;

        Reader(final UUID uuid, final int segmentLength, final State state)
        {
            this.uuid = uuid;
            this.segmentLength = segmentLength;
            sequence = state.startSequence();
            position = state.startPosition() + BLOCK_LENGTH;
            recordTerm = state.startTerm();
            cuts = new ArrayDeque<>(state.cuts());
            skipCut();
        }

        /** Continues after the cuts that begin at the position. */
        private void skipCut()
        {
            while (!cuts.isEmpty() && position >= cuts.peek().from())
            {
                final Cut cut = cuts.remove();
                final boolean isFirst = frames.isEmpty() && position < cut.to();
                check(isFirst || position == cut.from(), "not at the cut: " + position + ", " + cut);
                check(isFirst || sequence == cut.sequence(), "sequence " + sequence + " at " + cut);
                check(isFirst || recordTerm == cut.previousTerm(), "term " + recordTerm + " at " + cut);
                position = cut.to();
                sequence = cut.sequence();
                recordTerm = cut.previousTerm();
                begins = cut;
            }
        }

        void read(final long ordinal, final byte[] bytes)
        {
            final ByteBuffer buffer = littleEndian(bytes);
            check(segmentLength == bytes.length, "length of segment " + ordinal + ": " + bytes.length);
            checkBlock(buffer, "JRNLSEGM");
            check(uuid.equals(uuid(buffer)), "uuid of segment " + ordinal);
            check(ordinal == buffer.getLong(48), "ordinal of segment " + ordinal);
            check(segmentLength == buffer.getLong(56), "segment length in segment " + ordinal);
            checkZero(bytes, 80, 4092, "header of segment " + ordinal);

            if (endPosition >= 0)
            {
                checkZero(bytes, BLOCK_LENGTH, bytes.length, "segment behind the end: " + ordinal);
                return;
            }

            final long base = ordinal * segmentLength;
            // A cut may cover the whole segment.
            if (position >= base + segmentLength)
            {
                return;
            }
            check(position >= base, "missing before segment " + ordinal);
            int offset = (int)(position - base);
            int markEnd = offset;
            while (segmentLength - offset >= HEADER_LENGTH)
            {
                if (0 == buffer.getInt(offset))
                {
                    check(!isInBatch, "batch without its last record at the end");
                    endPosition = position;
                    checkZero(bytes, offset, bytes.length, "behind the end in segment " + ordinal);
                    return;
                }

                final Frame frame = frame(ordinal, buffer, offset);
                frames.add(frame);
                check(BLOCK_LENGTH != offset || frame.isMark(), "no mark at the beginning of " + ordinal);
                check(null == begins || frame.isMark(), "no mark begins a term: " + frame);
                check(
                    isInBatch || frame.isControl() || offset - markEnd < MARK_DISTANCE ||
                        segmentLength - offset < MARK_LENGTH,
                    "no mark since " + markEnd + " before " + frame);
                final int next = offset + align(frame.length());
                check(!isInBatch || !frame.isControl(), "control frame within a batch: " + frame);
                isInBatch = frame.isMore();
                checkZero(bytes, offset + frame.length(), next, "behind frame " + frame);
                position = base + next;
                skipCut();
                if (position > base + segmentLength)
                {
                    check(!isInBatch, "batch without its last record in segment " + ordinal);
                    return;
                }
                offset = (int)(position - base);
                markEnd = frame.isMark() || offset != next ? offset : markEnd;
            }
            check(!isInBatch, "batch without its last record in segment " + ordinal);
            checkZero(bytes, offset, bytes.length, "implicit padding of segment " + ordinal);
            position = base + segmentLength + BLOCK_LENGTH;
            skipCut();
        }

        private Frame frame(final long ordinal, final ByteBuffer buffer, final int offset)
        {
            final Frame frame = JournalDirectory.frameAt(buffer.array(), ordinal, offset);
            check(null != frame, "length or checksum of the frame at " + offset + " of " + ordinal);
            check(frame.isControl(KIND_PADDING) || frame.body().length <= MAX_RECORD_LENGTH, "length of " + frame);
            check(sequence == frame.sequence(), "sequence " + sequence + " expected of " + frame);

            if (!frame.isControl())
            {
                entries.add(new Entry(sequence, frame.tag(), frame.body()));
                sequence++;
                recordTerm = term;
            }
            else
            {
                control(frame, segmentLength - offset);
            }

            return frame;
        }

        private void term(final Frame mark)
        {
            check(recordTerm == mark.markedPreviousTerm(), "term of the record before " + mark);
            check(mark.markedNumber() >= number, "number of the term of " + mark);
            check(mark.markedNumber() > number || term == mark.markedTerm(), "identity of the term of " + mark);
            check(
                null == begins || begins.number() == mark.markedNumber() && begins.term() == mark.markedTerm(),
                "term that begins with " + mark);
            number = mark.markedNumber();
            term = mark.markedTerm();
            begins = null;
        }

        private void control(final Frame frame, final int remaining)
        {
            final ByteBuffer body = littleEndian(frame.body());
            if (frame.isControl(KIND_PADDING))
            {
                check(frame.length() == remaining, "length of padding " + frame);
            }
            else if (frame.isControl(KIND_MARK))
            {
                check(MARK_LENGTH == frame.length(), "length of mark " + frame);
                final long forced = body.getLong(0);
                check(forced <= frame.ordinal() * segmentLength + frame.offset() && forced >= forcedPosition,
                    "forced position " + forced + " after " + forcedPosition + " in " + frame);
                forcedPosition = forced;
                term(frame);
            }
            else
            {
                check(0 == (frame.tag() & KIND_CRITICAL), "unknown critical frame " + frame);
            }
        }
    }

    private static void checkBlock(final ByteBuffer buffer, final String magic)
    {
        final byte[] bytes = buffer.array();
        check(magic.equals(new String(bytes, 0, 8, StandardCharsets.US_ASCII)), "magic " + magic);
        check(2 == buffer.getShort(8) && 0 == buffer.getShort(10), "version of " + magic);
        check(buffer.getInt(4092) == crc(bytes, 0, 4092), "checksum of " + magic);
        check(BLOCK_LENGTH == buffer.getInt(12), "block length of " + magic);
        checkZero(bytes, 16, 32, "features of " + magic);
    }

    private static UUID uuid(final ByteBuffer buffer)
    {
        final ByteBuffer text = ByteBuffer.wrap(buffer.array(), 32, 16);
        return new UUID(text.getLong(), text.getLong());
    }

    private static void checkZero(final byte[] bytes, final int from, final int to, final String what)
    {
        for (int i = from; i < to; i++)
        {
            if (0 != bytes[i])
            {
                throw new AssertionError("not zero: " + what + ", offset=" + i);
            }
        }
    }

    private static void check(final boolean isSo, final String what)
    {
        if (!isSo)
        {
            throw new AssertionError("not as the format says: " + what);
        }
    }
}
