// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * A journal's files according to {@code docs/format.md}: copies and damages them, and reads and writes frames and
 * {@code journal.control} without the code under test.
 */
public final class JournalDirectory
{
    public static final int SEGMENT_LENGTH = 64 * 1024;
    public static final int BLOCK_LENGTH = 4096;
    public static final int FIRST_OFFSET = BLOCK_LENGTH;
    public static final int HEADER_LENGTH = 24;
    public static final int MARK_LENGTH = 64;
    public static final long KIND_PADDING = 1;
    public static final long KIND_MARK = 2;
    public static final long KIND_CRITICAL = 0x4000000000000000L;
    /** The bit of a record's stored length that says that more of its batch follows. */
    public static final int MORE = 0x4000_0000;
    public static final String CONTROL = "journal.control";
    public static final int CONTROL_LENGTH = 139_264;
    /** Offsets of the slots for states of even and of odd generations. */
    public static final int[] STATE_SLOTS = { 4096, 69_632 };
    public static final int STATE_SLOT_LENGTH = 65_536;
    /** Offsets of the watermarks of even and of odd generations. */
    public static final int[] WATERMARKS = { 135_168, 135_680 };
    public static final int WATERMARK_LENGTH = 36;
    public static final int FORCING_OFFSET = 136_192;
    public static final int CHANGING_OFFSET = 136_200;
    public static final int FENCE_OFFSET = 139_256;
    static final int SALT_OFFSET = 64;

    private static final int CUTS_OFFSET = 88;
    private static final int CUT_LENGTH = 48;
    private static final int CURSOR_LENGTH = 20;
    private static final long MIX = 0xD6E8FEB86659FD93L;

    public final Path path;

    public JournalDirectory(final Path path)
    {
        this.path = path;
    }

    /** A frame of a segment, with a valid checksum. */
    public record Frame(long ordinal, int offset, int storedLength, long sequence, long tag, byte[] body)
    {
        public String file()
        {
            return segmentName(ordinal);
        }

        public boolean isControl()
        {
            return storedLength < 0;
        }

        public boolean isControl(final long kind)
        {
            return isControl() && kind == tag;
        }

        public boolean isMark()
        {
            return isControl(KIND_MARK);
        }

        public boolean isMore()
        {
            return lengthOf(storedLength) < storedLength;
        }

        public int length()
        {
            return lengthOf(storedLength);
        }

        public int end()
        {
            return offset + align(length());
        }

        public long position()
        {
            return ordinal * SEGMENT_LENGTH + offset;
        }

        public long endPosition()
        {
            return ordinal * SEGMENT_LENGTH + end();
        }

        public long markedPosition()
        {
            return littleEndian(body).getLong(0);
        }

        public long markedNumber()
        {
            return littleEndian(body).getLong(16);
        }

        public long markedTerm()
        {
            return littleEndian(body).getLong(24);
        }

        public long markedPreviousTerm()
        {
            return littleEndian(body).getLong(32);
        }
    }

    /**
     * State in one slot of {@code journal.control}.
     *
     * @param closedPosition 0 if the journal is not closed.
     */
    public record State(
        long generation, long number, long term, long startPosition, long startSequence, long startTerm,
        long prunedNumber, long closedPosition, long closedSequence, List<Cut> cuts, SortedMap<String, Saved> cursors)
    {
        public boolean isClosed()
        {
            return 0 != closedPosition;
        }

        /** The cut that begins the current term. */
        public Cut newest()
        {
            return cuts.get(cuts.size() - 1);
        }

        public State withGeneration(final long other)
        {
            return new State(
                other, number, term, startPosition, startSequence, startTerm, prunedNumber, closedPosition,
                closedSequence, cuts, cursors);
        }

        public State withStart(final long position, final long sequence)
        {
            return new State(
                generation, number, term, position, sequence, startTerm, prunedNumber, closedPosition,
                closedSequence, cuts, cursors);
        }

        public State withClosed(final long position, final long sequence)
        {
            return new State(
                generation, number, term, startPosition, startSequence, startTerm, prunedNumber, position, sequence,
                cuts, cursors);
        }

        public State withCursors(final SortedMap<String, Saved> others)
        {
            return new State(
                generation, number, term, startPosition, startSequence, startTerm, prunedNumber, closedPosition,
                closedSequence, cuts, others);
        }

        /** Begins the next term with a cut. */
        public State withTerm(final long nextTerm, final List<Cut> others)
        {
            return new State(
                generation, number + 1, nextTerm, startPosition, startSequence, startTerm, prunedNumber, 0, 0, others,
                cursors);
        }
    }

    /** Positions that are not in the log; after them it continues with the given sequence. */
    public record Cut(long number, long term, long from, long to, long sequence, long previousTerm)
    {
        public boolean isEmpty()
        {
            return from == to;
        }
    }

    /** A cursor in the state. */
    public record Saved(long sequence, long term)
    {
    }

    /** A durable watermark of {@code journal.control}. */
    public record Forced(long generation, long term, long position, long nextSequence)
    {
    }

    public static String segmentName(final long ordinal)
    {
        return String.format("%020d.journal", ordinal);
    }

    public static ByteBuffer littleEndian(final byte[] bytes)
    {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static int align(final int length)
    {
        return (length + 7) / 8 * 8;
    }

    public Path file(final String name)
    {
        return path.resolve(name);
    }

    public Path segment(final long ordinal)
    {
        return file(segmentName(ordinal));
    }

    public boolean exists(final String name)
    {
        return Files.exists(file(name), LinkOption.NOFOLLOW_LINKS);
    }

    public List<Long> ordinals()
    {
        try (Stream<Path> files = Files.list(path))
        {
            return files.map((file) -> file.getFileName().toString())
                .filter((name) -> name.matches("[0-9]{20}\\.journal"))
                .map((name) -> Long.parseLong(name.substring(0, 20)))
                .sorted()
                .toList();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public long newest()
    {
        final List<Long> ordinals = ordinals();
        return ordinals.get(ordinals.size() - 1);
    }

    /** The newest segment with a frame of the log in it; the newest one if none has. */
    public long newestUsed()
    {
        return ordinals().stream().mapToLong(Long::longValue).filter((ordinal) ->
        {
            final byte[] bytes = read(segmentName(ordinal));
            final int offset = liveOffset(cuts(), ordinal, FIRST_OFFSET, bytes.length);
            return offset < bytes.length && 0 != littleEndian(bytes).getInt(offset);
        }).max().orElseGet(this::newest);
    }

    public byte[] read(final String name)
    {
        try
        {
            return Files.readAllBytes(file(name));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public byte[] read(final String name, final long from, final long to)
    {
        return Arrays.copyOfRange(read(name), (int)from, (int)to);
    }

    /**
     * Creates or replaces a file. A file of the same length keeps its blocks, because freeing and allocating them takes
     * most of the time.
     */
    public void put(final String name, final byte[] bytes)
    {
        try (FileChannel channel =
            FileChannel.open(file(name), StandardOpenOption.CREATE, StandardOpenOption.WRITE))
        {
            if (channel.size() > bytes.length)
            {
                channel.truncate(bytes.length);
            }
            final ByteBuffer source = ByteBuffer.wrap(bytes);
            while (source.hasRemaining())
            {
                channel.write(source, source.position());
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Changes bytes in place. */
    public void overwrite(final String name, final long offset, final byte... bytes)
    {
        try (FileChannel channel = FileChannel.open(file(name), StandardOpenOption.WRITE))
        {
            final ByteBuffer source = ByteBuffer.wrap(bytes);
            while (source.hasRemaining())
            {
                channel.write(source, offset + source.position());
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public void zero(final String name, final long from, final long to)
    {
        overwrite(name, from, new byte[(int)(to - from)]);
    }

    public void flip(final String name, final long offset, final int bit)
    {
        overwrite(name, offset, (byte)(read(name)[(int)offset] ^ (1 << bit)));
    }

    public void cut(final String name, final long length)
    {
        try (FileChannel channel = FileChannel.open(file(name), StandardOpenOption.WRITE))
        {
            channel.truncate(length);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public void delete(final String name)
    {
        try
        {
            Files.delete(file(name));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    public void rename(final String from, final String to)
    {
        try
        {
            Files.move(file(from), file(to));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Copies all files, the state after a process crash at this moment; the copy is not locked. */
    public JournalDirectory copyTo(final Path target)
    {
        final JournalDirectory copy = new JournalDirectory(target);
        copy.restore(content());
        return copy;
    }

    /** Files by name, including subdirectories, excluding lock files. */
    public Map<String, byte[]> content()
    {
        final Map<String, byte[]> content = new TreeMap<>();
        try (Stream<Path> files = Files.walk(path))
        {
            for (final Path file : (Iterable<Path>)files::iterator)
            {
                final String name = name(file);
                if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && !"journal.lock".equals(name))
                {
                    content.put(name, Files.readAllBytes(file));
                }
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }

        return content;
    }

    /** Replaces the content of the directory by the given files. */
    public void restore(final Map<String, byte[]> content)
    {
        try
        {
            Files.createDirectories(path);
            try (Stream<Path> files = Files.walk(path))
            {
                for (final Path file : (Iterable<Path>)files.sorted(Comparator.reverseOrder())::iterator)
                {
                    final String name = name(file);
                    if (!name.isEmpty() && content.keySet().stream().noneMatch(
                        (kept) -> kept.equals(name) || kept.startsWith(name + "/")))
                    {
                        Files.delete(file);
                    }
                }
            }
            for (final Map.Entry<String, byte[]> entry : content.entrySet())
            {
                Files.createDirectories(file(entry.getKey()).getParent());
                put(entry.getKey(), entry.getValue());
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private String name(final Path file)
    {
        return path.relativize(file).toString().replace('\\', '/');
    }

    /**
     * Asserts that no byte of any file has changed, and no file has come or gone. Only the fence of another writer may
     * be there: each opening for writing replaces it.
     */
    public void assertHolds(final Map<String, byte[]> expected)
    {
        final Map<String, byte[]> found = content();
        assertEquals(expected.keySet(), found.keySet());
        expected.forEach(
            (name, bytes) -> assertArrayEquals(withoutFence(name, bytes), withoutFence(name, found.get(name)), name));
    }

    private static byte[] withoutFence(final String name, final byte[] bytes)
    {
        if (!CONTROL.equals(name) || CONTROL_LENGTH != bytes.length)
        {
            return bytes;
        }

        final byte[] copy = bytes.clone();
        Arrays.fill(copy, FENCE_OFFSET, CONTROL_LENGTH, (byte)0);
        return copy;
    }

    /**
     * Frames of the log in a segment, up to the first that is invalid or missing, without those that are cut.
     */
    public List<Frame> frames(final long ordinal)
    {
        final List<Frame> frames = new ArrayList<>();
        final List<Cut> cuts = cuts();
        final byte[] bytes = read(segmentName(ordinal));
        Frame frame = frameAt(bytes, ordinal, liveOffset(cuts, ordinal, FIRST_OFFSET, bytes.length));
        while (null != frame)
        {
            frames.add(frame);
            frame = frameAt(bytes, ordinal, liveOffset(cuts, ordinal, frame.end(), bytes.length));
        }

        return frames;
    }

    /** Cuts of the current state; none if there is no valid one. */
    private List<Cut> cuts()
    {
        final State state = exists(CONTROL) ? state() : null;
        return null == state ? List.of() : state.cuts;
    }

    /**
     * Returns the offset, or the offset at which the log continues after a cut; the segment length if the log continues
     * in another segment.
     */
    private static int liveOffset(
        final List<Cut> cuts, final long ordinal, final int offset, final int segmentLength)
    {
        final long base = ordinal * segmentLength;
        long position = base + offset;
        for (final Cut cut : cuts)
        {
            position = position >= cut.from && position < cut.to ? cut.to : position;
        }
        return (int)Math.min(segmentLength, position - base);
    }

    /** Marks of a segment, whether or not the frames before them are valid. */
    public List<Frame> marks(final long ordinal)
    {
        final List<Frame> marks = new ArrayList<>();
        final byte[] bytes = read(segmentName(ordinal));
        for (int offset = FIRST_OFFSET; offset <= bytes.length - MARK_LENGTH; offset += 8)
        {
            final Frame frame = frameAt(bytes, ordinal, offset);
            if (null != frame && frame.isMark() && -MARK_LENGTH == frame.storedLength())
            {
                marks.add(frame);
            }
        }

        return marks;
    }

    /** Frames that hold a record. */
    public List<Frame> records(final long ordinal)
    {
        return frames(ordinal).stream().filter((frame) -> !frame.isControl()).toList();
    }

    /** The frame of a record, in whichever segment. */
    public Frame record(final long sequence)
    {
        for (final long ordinal : ordinals())
        {
            for (final Frame frame : records(ordinal))
            {
                if (frame.sequence() == sequence)
                {
                    return frame;
                }
            }
        }

        throw new AssertionError("no record " + sequence);
    }

    public Frame lastRecord()
    {
        final List<Frame> records = records(newestUsed());
        return records.get(records.size() - 1);
    }

    public Frame lastFrame()
    {
        final List<Frame> frames = frames(newestUsed());
        return frames.get(frames.size() - 1);
    }

    /** The offset after the last frame. */
    public int end()
    {
        return lastFrame().end();
    }

    /** Whether a byte after the beginning of a frame, that included, is not zero. */
    public boolean isContentBehind(final Frame frame)
    {
        for (long ordinal = frame.ordinal; ordinal <= newest(); ordinal++)
        {
            final byte[] bytes = read(segmentName(ordinal));
            for (int i = ordinal == frame.ordinal ? frame.offset : FIRST_OFFSET; i < bytes.length; i++)
            {
                if (0 != bytes[i])
                {
                    return true;
                }
            }
        }

        return false;
    }

    /** Length of a frame, header included, by its stored length. */
    public static int lengthOf(final int storedLength)
    {
        return storedLength < 0 ? -storedLength : storedLength & ~MORE;
    }

    public static Frame frameAt(final byte[] bytes, final long ordinal, final int offset)
    {
        if (offset + HEADER_LENGTH > bytes.length)
        {
            return null;
        }

        final ByteBuffer buffer = littleEndian(bytes);
        final int storedLength = buffer.getInt(offset);
        final int length = lengthOf(storedLength);
        if (length < HEADER_LENGTH || length > bytes.length - offset)
        {
            return null;
        }

        final long tag = buffer.getLong(offset + 16);
        final int checked = storedLength < 0 && KIND_PADDING == tag ? HEADER_LENGTH : length;
        final int checksum = checksum(bytes, offset + 8, offset + checked, salt(bytes), offset, storedLength);
        return checksum != buffer.getInt(offset + 4) ? null : new Frame(
            ordinal, offset, storedLength, buffer.getLong(offset + 8), tag,
            Arrays.copyOfRange(bytes, offset + HEADER_LENGTH, offset + checked));
    }

    /** Writes a frame with a valid checksum. */
    public void writeFrame(
        final long ordinal, final int offset, final boolean isControl, final long sequence, final long tag,
        final byte... body)
    {
        final int length = HEADER_LENGTH + body.length;
        writeFrame(ordinal, offset, isControl ? -length : length, sequence, tag, body);
    }

    private void writeFrame(
        final long ordinal, final int offset, final int storedLength, final long sequence, final long tag,
        final byte... body)
    {
        final byte[] frame = new byte[HEADER_LENGTH + body.length];
        final ByteBuffer buffer = littleEndian(frame);
        buffer.putInt(0, storedLength);
        buffer.putLong(8, sequence);
        buffer.putLong(16, tag);
        buffer.put(HEADER_LENGTH, body);
        buffer.putInt(4, checksum(
            frame, 8, frame.length, salt(read(segmentName(ordinal))), offset, storedLength));
        overwrite(segmentName(ordinal), offset, frame);
    }

    /** Writes a record of a batch that is not its last one, with a valid checksum. */
    public void writeMore(
        final long ordinal, final int offset, final long sequence, final long tag, final byte... body)
    {
        writeFrame(ordinal, offset, HEADER_LENGTH + body.length | MORE, sequence, tag, body);
    }

    /** Writes a mark of the current term, without the term of the record before it. */
    public void writeMark(final long ordinal, final int offset, final long nextSequence, final long forcedPosition)
    {
        final State state = state();
        writeMark(ordinal, offset, nextSequence, forcedPosition, state.number, state.term, 0);
    }

    public void writeMark(
        final long ordinal, final int offset, final long nextSequence, final long forcedPosition, final long number,
        final long term, final long previousTerm)
    {
        final byte[] body = new byte[MARK_LENGTH - HEADER_LENGTH];
        littleEndian(body).putLong(0, forcedPosition).putLong(16, number).putLong(24, term).putLong(32, previousTerm);
        writeFrame(ordinal, offset, true, nextSequence, KIND_MARK, body);
    }

    public static int checksum(
        final byte[] bytes, final int from, final int to, final long salt, final int offset, final int storedLength)
    {
        long h = salt ^ (offset * 0x1_0000_0000L + (storedLength & 0xFFFF_FFFFL));
        h = (h ^ (h >>> 32)) * MIX;
        h = (h ^ (h >>> 32)) * MIX;
        return crc(bytes, from, to) ^ (int)(h ^ (h >>> 32));
    }

    public static int crc(final byte[] bytes, final int from, final int to)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, from, to - from);
        return (int)crc.getValue();
    }

    public static long salt(final byte[] segment)
    {
        return littleEndian(segment).getLong(SALT_OFFSET);
    }

    /** The block with a corrected checksum. */
    public static byte[] sealed(final byte[] block)
    {
        littleEndian(block).putInt(BLOCK_LENGTH - 4, crc(block, 0, BLOCK_LENGTH - 4));
        return block;
    }

    /** Changes the UUID in the first block of a file, so that it belongs to another journal. */
    public void adopt(final String name, final UUID uuid)
    {
        final byte[] block = read(name, 0, BLOCK_LENGTH);
        ByteBuffer.wrap(block).putLong(32, uuid.getMostSignificantBits()).putLong(40, uuid.getLeastSignificantBits());
        overwrite(name, 0, sealed(block));
    }

    /** The current state; null if neither slot is valid. */
    public State state()
    {
        final State even = state(0);
        final State odd = state(1);
        return null == odd || null != even && even.generation > odd.generation ? even : odd;
    }

    /** The state in one slot; null if it is torn or was never written. */
    public State state(final int slot)
    {
        final byte[] control = read(CONTROL);
        if (control.length < STATE_SLOTS[slot] + STATE_SLOT_LENGTH)
        {
            return null;
        }

        final byte[] bytes = Arrays.copyOfRange(control, STATE_SLOTS[slot], STATE_SLOTS[slot] + STATE_SLOT_LENGTH);
        final ByteBuffer buffer = littleEndian(bytes);
        final int length = buffer.getInt(8);
        final boolean isValid = length > CUTS_OFFSET && length <= STATE_SLOT_LENGTH &&
            buffer.getInt(length - 4) == crc(bytes, 0, length - 4);
        return isValid ? state(buffer) : null;
    }

    private static State state(final ByteBuffer buffer)
    {
        final List<Cut> cuts = new ArrayList<>();
        int offset = CUTS_OFFSET;
        for (int i = 0; i < buffer.getInt(12); i++)
        {
            cuts.add(new Cut(
                buffer.getLong(offset), buffer.getLong(offset + 8), buffer.getLong(offset + 16),
                buffer.getLong(offset + 24), buffer.getLong(offset + 32), buffer.getLong(offset + 40)));
            offset += CUT_LENGTH;
        }
        final SortedMap<String, Saved> cursors = new TreeMap<>();
        for (int i = 0; i < buffer.getInt(16); i++)
        {
            final int length = buffer.getInt(offset + 16);
            cursors.put(
                new String(buffer.array(), offset + CURSOR_LENGTH, length, StandardCharsets.US_ASCII),
                new Saved(buffer.getLong(offset), buffer.getLong(offset + 8)));
            offset += align(CURSOR_LENGTH + length);
        }

        return new State(
            buffer.getLong(0), buffer.getLong(24), buffer.getLong(32), buffer.getLong(40), buffer.getLong(48),
            buffer.getLong(56), buffer.getLong(64), buffer.getLong(72), buffer.getLong(80), cuts, cursors);
    }

    /** Writes a state into the slot of its generation. */
    public void writeState(final State state)
    {
        overwrite(CONTROL, STATE_SLOTS[(int)(state.generation & 1)], encoded(state));
    }

    /** Writes a state into both slots, like a change that must not be lost. */
    public void writeStates(final State state)
    {
        writeState(state);
        writeState(state.withGeneration(state.generation + 1));
    }

    /** The bytes of a state, with its checksum. */
    public static byte[] encoded(final State state)
    {
        int length = CUTS_OFFSET + CUT_LENGTH * state.cuts.size() + 4;
        for (final String name : state.cursors.keySet())
        {
            length += align(CURSOR_LENGTH + name.length());
        }

        final ByteBuffer buffer = littleEndian(new byte[length]);
        buffer.putLong(state.generation).putInt(length).putInt(state.cuts.size()).putInt(state.cursors.size());
        buffer.putInt(0);
        buffer.putLong(state.number).putLong(state.term);
        buffer.putLong(state.startPosition).putLong(state.startSequence).putLong(state.startTerm);
        buffer.putLong(state.prunedNumber).putLong(state.closedPosition).putLong(state.closedSequence);
        for (final Cut cut : state.cuts)
        {
            buffer.putLong(cut.number).putLong(cut.term).putLong(cut.from).putLong(cut.to);
            buffer.putLong(cut.sequence).putLong(cut.previousTerm);
        }
        state.cursors.forEach((name, saved) ->
        {
            final int start = buffer.position();
            buffer.putLong(saved.sequence).putLong(saved.term).putInt(name.length());
            buffer.put(name.getBytes(StandardCharsets.US_ASCII));
            buffer.position(start + align(CURSOR_LENGTH + name.length()));
        });
        buffer.putInt(length - 4, crc(buffer.array(), 0, length - 4));
        return buffer.array();
    }

    /** The newest durable watermark, whatever its term; null if none is valid. */
    public Forced forced()
    {
        Forced newest = null;
        for (final int offset : WATERMARKS)
        {
            final byte[] slot = read(CONTROL, offset, offset + WATERMARK_LENGTH);
            final ByteBuffer buffer = littleEndian(slot);
            if (buffer.getLong(0) > 0 && buffer.getInt(32) == crc(slot, 0, 32) &&
                (null == newest || buffer.getLong(0) > newest.generation))
            {
                newest = new Forced(
                    buffer.getLong(0), buffer.getLong(8), buffer.getLong(16), buffer.getLong(24));
            }
        }

        return newest;
    }

    /** Stores a durable watermark of the current term, in both slots. */
    public void writeForced(final long position, final long nextSequence)
    {
        writeForced(state().term, position, nextSequence);
    }

    public void writeForced(final long term, final long position, final long nextSequence)
    {
        final Forced before = forced();
        final long first = null == before ? 1 : before.generation + 1;
        for (long generation = first; generation < first + 2; generation++)
        {
            final byte[] slot = new byte[WATERMARK_LENGTH];
            littleEndian(slot)
                .putLong(0, generation)
                .putLong(8, term)
                .putLong(16, position)
                .putLong(24, nextSequence)
                .putInt(32, crc(slot, 0, 32));
            overwrite(CONTROL, WATERMARKS[(int)(generation & 1)], slot);
        }
    }

    /** Loses the durable watermark. */
    public void loseForced()
    {
        for (final int offset : WATERMARKS)
        {
            zero(CONTROL, offset, offset + WATERMARK_LENGTH);
        }
    }

    public boolean isForceFlagRaised()
    {
        return 0 != littleEndian(read(CONTROL)).getLong(FORCING_OFFSET);
    }

    public void raiseForceFlag()
    {
        overwrite(CONTROL, FORCING_OFFSET, (byte)1);
    }
}
