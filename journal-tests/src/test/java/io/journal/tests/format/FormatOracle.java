package io.journal.tests.format;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalFixture.Entry;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.CLOSE_LENGTH;
import static io.journal.tests.support.JournalDirectory.HEADER_LENGTH;
import static io.journal.tests.support.JournalDirectory.KIND_CLOSE;
import static io.journal.tests.support.JournalDirectory.KIND_CRITICAL;
import static io.journal.tests.support.JournalDirectory.KIND_MARK;
import static io.journal.tests.support.JournalDirectory.KIND_PADDING;
import static io.journal.tests.support.JournalDirectory.MARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.MORE;
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
    private static final int MARK_DISTANCE = 64 * 1024;

    private FormatOracle()
    {
    }

    /** What a journal holds. */
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

    /** A {@code journal.meta} of a journal that was never truncated nor pruned. */
    public static byte[] meta(final UUID uuid, final long segmentLength, final long timeMs)
    {
        final ByteBuffer buffer = identity(3 * BLOCK_LENGTH, "JRNLMETA", uuid);
        buffer.putLong(48, segmentLength).putLong(56, timeMs);
        final int state = (1 + 1 % 2) * BLOCK_LENGTH;
        buffer.putLong(state, 1).putLong(state + 8, 0).putLong(state + 16, 0).putLong(state + 24, 1);
        return seal(seal(buffer.array(), 0), state);
    }

    /** A {@code journal.mark} that attests a forced position. */
    static byte[] mark(final UUID uuid, final long epoch, final long forcedPosition, final long nextSequence)
    {
        final ByteBuffer buffer = identity(4 * BLOCK_LENGTH, "JRNLMARK", uuid);
        final int slot = 4608;
        buffer.putLong(slot, 1).putLong(slot + 8, epoch).putLong(slot + 16, forcedPosition)
            .putLong(slot + 24, nextSequence);
        buffer.putInt(slot + 32, crc(buffer.array(), slot, slot + 32));
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
            return control(KIND_MARK, longs(forcedPosition, timeMs, 0, 0, 1));
        }

        SegmentWriter close(final long timeMs)
        {
            return control(KIND_CLOSE, longs(timeMs));
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
     * Reads a journal that was closed, or at least forced and not written since. Anything the page does not allow is an
     * error, above all a byte that is not zero behind the end.
     */
    public static Content read(final Path directory) throws IOException
    {
        final byte[] meta = Files.readAllBytes(directory.resolve("journal.meta"));
        check(3 * BLOCK_LENGTH == meta.length, "length of journal.meta: " + meta.length);
        final ByteBuffer buffer = littleEndian(meta);
        checkBlock(buffer, "JRNLMETA");
        final long segmentLength = buffer.getLong(48);
        check(segmentLength >= 65_536 && segmentLength <= 1_073_741_824 && 1 == Long.bitCount(segmentLength),
            "segment length: " + segmentLength);
        checkZero(meta, 64, 4092, "journal.meta");
        final int state = stateOf(buffer);
        check(0 == buffer.getInt(state + 32), "pending truncation");

        final Reader reader = new Reader(uuid(buffer), (int)segmentLength, buffer.getLong(state + 24));
        final long firstOrdinal = buffer.getLong(state + 16) / segmentLength;
        final JournalDirectory files = new JournalDirectory(directory);
        final List<Long> ordinals = files.ordinals();
        check(!ordinals.isEmpty(), "no segment");
        for (int i = 0; i < ordinals.size(); i++)
        {
            check(firstOrdinal + i == ordinals.get(i), "gap before segment " + ordinals.get(i));
            reader.read(ordinals.get(i), files.read(segmentName(ordinals.get(i))));
        }

        return new Content(reader.uuid, reader.segmentLength, reader.frames, reader.entries, reader.endPosition);
    }

    private static int stateOf(final ByteBuffer meta)
    {
        int newest = -1;
        for (int block = 1; block <= 2; block++)
        {
            final int start = block * BLOCK_LENGTH;
            final byte[] bytes = Arrays.copyOfRange(meta.array(), start, start + BLOCK_LENGTH);
            if (!Arrays.equals(new byte[BLOCK_LENGTH], bytes))
            {
                check(meta.getInt(start + 4092) == crc(bytes, 0, 4092), "checksum of state " + block);
                final long generation = meta.getLong(start);
                check(block == 1 + generation % 2, "generation " + generation + " in block " + block);
                checkZero(bytes, 64, 4092, "state");
                if (newest < 0 || generation > meta.getLong(newest))
                {
                    newest = start;
                }
            }
        }
        check(newest > 0, "no state");

        return newest;
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

        Reader(final UUID uuid, final int segmentLength, final long firstSequence)
        {
            this.uuid = uuid;
            this.segmentLength = segmentLength;
            sequence = firstSequence;
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

            int markEnd = BLOCK_LENGTH;
            int offset = BLOCK_LENGTH;
            while (segmentLength - offset >= HEADER_LENGTH)
            {
                if (0 == buffer.getInt(offset))
                {
                    check(!isInBatch, "batch without its last record at the end");
                    endPosition = ordinal * segmentLength + offset;
                    checkZero(bytes, offset, bytes.length, "behind the end in segment " + ordinal);
                    return;
                }

                final Frame frame = frame(ordinal, buffer, offset);
                frames.add(frame);
                check(BLOCK_LENGTH != offset || frame.isControl(KIND_MARK), "no mark at the beginning of " + ordinal);
                check(
                    isInBatch || frame.isControl() || offset - markEnd < MARK_DISTANCE ||
                        segmentLength - offset < MARK_LENGTH,
                    "no mark since " + markEnd + " before " + frame);
                final int next = offset + align(frame.length());
                if (frame.isControl(KIND_MARK))
                {
                    markEnd = next;
                }
                check(!isInBatch || !frame.isControl(), "control frame within a batch: " + frame);
                isInBatch = frame.isMore();
                checkZero(bytes, offset + frame.length(), next, "behind frame " + frame);
                offset = next;
            }
            check(!isInBatch, "batch without its last record in segment " + ordinal);
            checkZero(bytes, offset, bytes.length, "implicit padding of segment " + ordinal);
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
            }
            else
            {
                control(frame, segmentLength - offset);
            }

            return frame;
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
            }
            else if (frame.isControl(KIND_CLOSE))
            {
                check(CLOSE_LENGTH == frame.length(), "length of close frame " + frame);
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
