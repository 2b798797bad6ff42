package io.journal.tests.format;

import java.io.ByteArrayOutputStream;
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
import java.util.stream.Stream;

import io.journal.tests.support.JournalFixture.Entry;

/**
 * Reads and writes journals as {@code docs/format.md} says, and by nothing else: no class of the library takes part.
 * What it reads it checks for everything the page promises, also for what no reader needs.
 */
public final class FormatOracle
{
    static final int BLOCK_LENGTH = 4096;
    static final int FRAME_HEADER_LENGTH = 24;
    public static final long PADDING = 1;
    static final long MARK = 2;
    public static final long CLOSE = 3;
    static final long CRITICAL = 0x4000_0000_0000_0000L;
    static final long BATCH = 4 | CRITICAL;

    private static final int MARK_FRAME_LENGTH = 40;
    private static final int CLOSE_FRAME_LENGTH = 32;
    private static final int MAX_RECORD_LENGTH = 16_777_216;
    private static final int MARK_DISTANCE = 64 * 1024;
    private static final int[] CRC_TABLE = crcTable();

    private FormatOracle()
    {
    }

    /** A frame; of a control frame the tag is its kind and the stored length is negative. */
    record Frame(long ordinal, int offset, int storedLength, long sequence, long tag, byte[] body)
    {
        boolean isControl()
        {
            return storedLength < 0;
        }

        boolean isControl(final long kind)
        {
            return storedLength < 0 && kind == tag;
        }

        int length()
        {
            return Math.abs(storedLength);
        }

        @Override
        public String toString()
        {
            return "ordinal=" + ordinal + ", offset=" + offset + ", storedLength=" + storedLength + ", sequence=" +
                sequence + ", tag=" + Long.toHexString(tag);
        }
    }

    /** What a journal holds. */
    public record Content(UUID uuid, int segmentLength, List<Frame> frames, List<Entry> entries, long endPosition)
    {
        public long count(final long kind)
        {
            return frames.stream().filter((frame) -> frame.isControl(kind)).count();
        }
    }

    // Checksums.

    private static int[] crcTable()
    {
        final int[] table = new int[256];
        for (int i = 0; i < 256; i++)
        {
            int value = i;
            for (int bit = 0; bit < 8; bit++)
            {
                value = 0 == (value & 1) ? value >>> 1 : value >>> 1 ^ 0x82F6_3B78;
            }
            table[i] = value;
        }

        return table;
    }

    static int crc32c(final byte[] bytes, final int from, final int to)
    {
        int crc = 0xFFFF_FFFF;
        for (int i = from; i < to; i++)
        {
            crc = CRC_TABLE[(crc ^ bytes[i]) & 0xFF] ^ crc >>> 8;
        }

        return ~crc;
    }

    static int mix(final long salt, final int offset, final int storedLength)
    {
        long h = salt ^ offset * 0x1_0000_0000L + (storedLength & 0xFFFF_FFFFL);
        h = (h ^ h >>> 32) * 0xD6E8_FEB8_6659_FD93L;
        h = (h ^ h >>> 32) * 0xD6E8_FEB8_6659_FD93L;
        return (int)(h ^ h >>> 32);
    }

    // Writing.

    /** The first 48 bytes of a block, and room for the rest. */
    private static ByteBuffer identity(final int length, final String magic, final UUID uuid)
    {
        final ByteBuffer buffer = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        buffer.put(magic.getBytes(StandardCharsets.US_ASCII));
        buffer.putShort((short)1).putShort((short)0).putInt(BLOCK_LENGTH);
        buffer.putInt(0).putInt(0).putInt(0).putInt(0);
        buffer.order(ByteOrder.BIG_ENDIAN).putLong(uuid.getMostSignificantBits())
            .putLong(uuid.getLeastSignificantBits()).order(ByteOrder.LITTLE_ENDIAN);
        return buffer;
    }

    /** Puts the checksum of a block in its place. */
    static byte[] seal(final byte[] bytes, final int block)
    {
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(block + 4092, crc32c(bytes, block, block + 4092));
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
        buffer.putInt(slot + 32, crc32c(buffer.array(), slot, slot + 32));
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
            put(FRAME_HEADER_LENGTH + record.length, tag, record);
            sequence++;
            return this;
        }

        SegmentWriter control(final long kind, final byte[] body)
        {
            put(-(FRAME_HEADER_LENGTH + body.length), kind, body);
            return this;
        }

        SegmentWriter mark(final long forcedPosition, final long timeMs)
        {
            return control(MARK, longs(forcedPosition, timeMs));
        }

        SegmentWriter close(final long timeMs)
        {
            return control(CLOSE, longs(timeMs));
        }

        SegmentWriter padding()
        {
            final int remaining = buffer.capacity() - tail;
            if (remaining >= FRAME_HEADER_LENGTH)
            {
                put(-remaining, PADDING, new byte[0]);
            }
            return this;
        }

        SegmentWriter batch(final Entry... entries)
        {
            final ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.writeBytes(ints(entries.length, 0));
            for (final Entry entry : entries)
            {
                body.writeBytes(ints(entry.bytes().length, 0));
                body.writeBytes(longs(entry.tag()));
                body.writeBytes(Arrays.copyOf(entry.bytes(), align(entry.bytes().length)));
            }
            control(BATCH, body.toByteArray());
            sequence += entries.length;
            return this;
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
            buffer.put(tail + FRAME_HEADER_LENGTH, body);
            buffer.putInt(tail + 4, checksum(buffer.array(), tail, storedLength, tag, salt));
            tail += align(Math.abs(storedLength));
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

    private static int checksum(
        final byte[] bytes, final int offset, final int storedLength, final long tag, final long salt)
    {
        final boolean isPadding = storedLength < 0 && PADDING == tag;
        final int end = offset + (isPadding ? FRAME_HEADER_LENGTH : Math.abs(storedLength));
        return crc32c(bytes, offset + 8, end) ^ mix(salt, offset, storedLength);
    }

    private static int align(final int length)
    {
        return (length + 7) / 8 * 8;
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
        final ByteBuffer buffer = ByteBuffer.wrap(meta).order(ByteOrder.LITTLE_ENDIAN);
        checkBlock(buffer, "JRNLMETA");
        final long segmentLength = buffer.getLong(48);
        check(segmentLength >= 65_536 && segmentLength <= 1_073_741_824 && 1 == Long.bitCount(segmentLength),
            "segment length: " + segmentLength);
        checkZero(meta, 64, 4092, "journal.meta");
        final int state = stateOf(buffer);
        check(0 == buffer.getInt(state + 32), "pending truncation");

        final Reader reader = new Reader(uuid(buffer), (int)segmentLength, buffer.getLong(state + 24));
        final long firstOrdinal = buffer.getLong(state + 16) / segmentLength;
        final List<String> names = segmentNames(directory);
        check(!names.isEmpty(), "no segment");
        for (int i = 0; i < names.size(); i++)
        {
            final long ordinal = firstOrdinal + i;
            check(String.format("%020d.journal", ordinal).equals(names.get(i)), "gap before " + names.get(i));
            reader.read(ordinal, Files.readAllBytes(directory.resolve(names.get(i))));
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
                check(meta.getInt(start + 4092) == crc32c(bytes, 0, 4092), "checksum of state " + block);
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

    private static List<String> segmentNames(final Path directory) throws IOException
    {
        try (Stream<Path> paths = Files.list(directory))
        {
            return paths.map((path) -> path.getFileName().toString())
                .filter((name) -> name.endsWith(".journal")).sorted().toList();
        }
    }

    private static final class Reader
    {
        private final UUID uuid;
        private final int segmentLength;
        private final List<Frame> frames = new ArrayList<>();
        private final List<Entry> entries = new ArrayList<>();
        private long sequence;
        private long endPosition = -1;
        private long forcedPosition;

        Reader(final UUID uuid, final int segmentLength, final long firstSequence)
        {
            this.uuid = uuid;
            this.segmentLength = segmentLength;
            sequence = firstSequence;
        }

        void read(final long ordinal, final byte[] bytes)
        {
            final ByteBuffer buffer = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
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
            while (segmentLength - offset >= FRAME_HEADER_LENGTH)
            {
                if (0 == buffer.getInt(offset))
                {
                    endPosition = ordinal * segmentLength + offset;
                    checkZero(bytes, offset, bytes.length, "behind the end in segment " + ordinal);
                    return;
                }

                final Frame frame = frame(ordinal, buffer, offset);
                frames.add(frame);
                check(BLOCK_LENGTH != offset || frame.isControl(MARK), "no mark at the beginning of " + ordinal);
                check(
                    frame.isControl() || offset - markEnd < MARK_DISTANCE ||
                        segmentLength - offset < MARK_FRAME_LENGTH,
                    "no mark since " + markEnd + " before " + frame);
                final int next = offset + align(frame.length());
                if (frame.isControl(MARK))
                {
                    markEnd = next;
                }
                checkZero(bytes, offset + frame.length(), next, "behind frame " + frame);
                offset = next;
            }
            checkZero(bytes, offset, bytes.length, "implicit padding of segment " + ordinal);
        }

        private Frame frame(final long ordinal, final ByteBuffer buffer, final int offset)
        {
            final int storedLength = buffer.getInt(offset);
            final int length = Math.abs(storedLength);
            final int remaining = segmentLength - offset;
            final long tag = buffer.getLong(offset + 16);
            final boolean isPadding = storedLength < 0 && PADDING == tag;
            check(storedLength != Integer.MIN_VALUE && length >= FRAME_HEADER_LENGTH && length <= remaining &&
                (isPadding || length - FRAME_HEADER_LENGTH <= MAX_RECORD_LENGTH),
                "length at " + offset + " of " + ordinal + ": " + storedLength);
            final Frame frame = new Frame(
                ordinal,
                offset,
                storedLength,
                buffer.getLong(offset + 8),
                tag,
                Arrays.copyOfRange(buffer.array(), offset + FRAME_HEADER_LENGTH, offset + length));
            check(checksum(buffer.array(), offset, storedLength, tag, buffer.getLong(64)) ==
                buffer.getInt(offset + 4), "checksum of " + frame);
            check(sequence == frame.sequence(), "sequence " + sequence + " expected of " + frame);

            if (!frame.isControl())
            {
                entries.add(new Entry(sequence, tag, frame.body()));
                sequence++;
            }
            else
            {
                control(frame, remaining);
            }

            return frame;
        }

        private void control(final Frame frame, final int remaining)
        {
            final ByteBuffer body = ByteBuffer.wrap(frame.body()).order(ByteOrder.LITTLE_ENDIAN);
            if (frame.isControl(PADDING))
            {
                check(frame.length() == remaining, "length of padding " + frame);
            }
            else if (frame.isControl(MARK))
            {
                check(MARK_FRAME_LENGTH == frame.length(), "length of mark " + frame);
                final long forced = body.getLong(0);
                check(forced <= frame.ordinal() * segmentLength + frame.offset() && forced >= forcedPosition,
                    "forced position " + forced + " after " + forcedPosition + " in " + frame);
                forcedPosition = forced;
            }
            else if (frame.isControl(CLOSE))
            {
                check(CLOSE_FRAME_LENGTH == frame.length(), "length of close frame " + frame);
            }
            else if (frame.isControl(BATCH))
            {
                batch(frame, body);
            }
            else
            {
                check(0 == (frame.tag() & CRITICAL), "unknown critical frame " + frame);
            }
        }

        private void batch(final Frame frame, final ByteBuffer body)
        {
            final int count = body.getInt();
            check(count >= 1 && 0 == body.getInt() && 0 == frame.length() % 8, "batch " + frame);
            for (int i = 0; i < count; i++)
            {
                final byte[] record = new byte[body.getInt()];
                check(0 == body.getInt(), "entry of batch " + frame);
                final long tag = body.getLong();
                body.get(record);
                while (0 != body.position() % 8)
                {
                    check(0 == body.get(), "bytes between entries of batch " + frame);
                }
                entries.add(new Entry(sequence, tag, record));
                sequence++;
            }
            check(!body.hasRemaining(), "bytes behind the last entry of batch " + frame);
        }
    }

    private static void checkBlock(final ByteBuffer buffer, final String magic)
    {
        final byte[] bytes = buffer.array();
        check(magic.equals(new String(bytes, 0, 8, StandardCharsets.US_ASCII)), "magic " + magic);
        check(1 == buffer.getShort(8) && 0 == buffer.getShort(10), "version of " + magic);
        check(buffer.getInt(4092) == crc32c(bytes, 0, 4092), "checksum of " + magic);
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
