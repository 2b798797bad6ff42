// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalFixture.Entry;
import io.journal.tests.support.SampleJournal;

import static io.journal.tests.support.JournalDirectory.BLOCK_LENGTH;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.STATE_SLOT_LENGTH;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.FORCING_OFFSET;
import static io.journal.tests.support.JournalDirectory.FENCE_OFFSET;
import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.CHANGING_OFFSET;
import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.HEADER_LENGTH;
import static io.journal.tests.support.JournalDirectory.KIND_CRITICAL;
import static io.journal.tests.support.JournalDirectory.KIND_MARK;
import static io.journal.tests.support.JournalDirectory.KIND_PADDING;
import static io.journal.tests.support.JournalDirectory.MARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.MORE;
import static io.journal.tests.support.JournalDirectory.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalDirectory.segmentName;

/**
 * Files of a {@link SampleJournal} after the changes of a fuzzer's input. Some changes correct the checksums, so that
 * they pass the checksum check.
 */
final class FuzzedJournal
{
    private static final long KIND_UNKNOWN = 99;
    private static final long[] KINDS = {
        KIND_MARK, KIND_CRITICAL | 4, KIND_PADDING, KIND_UNKNOWN, KIND_CRITICAL | KIND_UNKNOWN };
    private static final int NUMBER_OFFSET = 24;
    private static final int TERM_OFFSET = 32;
    private static final int MARK_BODY_LENGTH = MARK_LENGTH - HEADER_LENGTH;
    private static final int[] WIDTHS = { 1, 2, 4, 8 };
    private static final int MAX_LENGTH = 2 * SEGMENT_LENGTH;
    private static final Map<SampleJournal, Map<String, int[]>> ANCHORS =
        Collections.synchronizedMap(new EnumMap<>(SampleJournal.class));

    private final SampleJournal sample;
    private final Map<String, byte[]> intact;
    private final Map<String, byte[]> files;
    private final Map<String, int[]> anchors;
    private boolean isForged;

    private FuzzedJournal(
        final SampleJournal sample, final Map<String, byte[]> intact, final Map<String, byte[]> files,
        final Map<String, int[]> anchors, final boolean isForged)
    {
        this.sample = sample;
        this.intact = intact;
        this.files = new TreeMap<>(files);
        this.anchors = anchors;
        this.isForged = isForged;
    }

    static FuzzedJournal choose(final FuzzInput input, final Path scratch)
    {
        final SampleJournal[] samples = SampleJournal.values();
        final SampleJournal sample = samples[input.choose(samples.length)];
        final Map<String, byte[]> files = sample.files(scratch);
        return new FuzzedJournal(
            sample, files, files, ANCHORS.computeIfAbsent(sample, (key) -> findAnchors(files)), false);
    }

    FuzzedJournal copy()
    {
        return new FuzzedJournal(sample, intact, files, anchors, isForged);
    }

    /** Whether checksums of frames or of the state were corrected after a change. */
    boolean isForged()
    {
        return isForged;
    }

    Map<String, byte[]> files()
    {
        return files;
    }

    /** Makes one change. */
    void change(final FuzzInput input)
    {
        final int kind = input.choose(8);
        final List<String> names = new ArrayList<>(files.keySet());
        if (names.isEmpty())
        {
            return;
        }

        final String name = names.get(input.choose(names.size()));
        final byte[] file = files.get(name).clone();
        final int place = place(input, name);
        switch (kind)
        {
            case 0:
                patch(input, file, place);
                break;

            case 1:
                patch(input, file, place);
                sign(name, file, place);
                break;

            case 2:
                forge(input, name, file, place);
                break;

            case 3:
                move(input, names, name, file, place);
                break;

            case 4:
                Arrays.fill(file, Math.min(place, file.length), Math.min(place + input.nextShort(), file.length),
                    (byte)0);
                break;

            case 5:
                files.put(name, Arrays.copyOf(file, (int)Math.min(Math.abs(input.nextValue(place)), MAX_LENGTH)));
                return;

            case 6:
                files.remove(name);
                return;

            default:
                files.put(other(input, name), file);
                return;
        }
        files.put(name, file);
    }

    private int place(final FuzzInput input, final String name)
    {
        final int[] known = anchors.getOrDefault(name, new int[]{ 0 });
        final int anchor = known[input.nextShort() % known.length];
        return Math.max(0, anchor + input.nextByte());
    }

    private static void patch(final FuzzInput input, final byte[] file, final int place)
    {
        final int width = WIDTHS[input.choose(WIDTHS.length)];
        if (place + width <= file.length)
        {
            long old = 0;
            for (int i = width - 1; i >= 0; i--)
            {
                old = old << Byte.SIZE | file[place + i] & 0xFF;
            }
            long value = input.nextValue(old);
            for (int i = 0; i < width; i++)
            {
                file[place + i] = (byte)value;
                value >>>= Byte.SIZE;
            }
        }
    }

    private void sign(final String name, final byte[] file, final int place)
    {
        final ByteBuffer buffer = JournalDirectory.littleEndian(file);
        if (name.endsWith(".journal") && place >= FIRST_OFFSET)
        {
            final int offset = frameAround(name, place);
            if (offset + HEADER_LENGTH <= file.length)
            {
                signFrame(file, offset);
            }
        }
        else if (CONTROL.equals(name) && place >= WATERMARKS[0])
        {
            final int slot = place >= WATERMARKS[1] ? WATERMARKS[1] : WATERMARKS[0];
            if (slot + 36 <= file.length)
            {
                buffer.putInt(slot + 32, JournalDirectory.crc(file, slot, slot + 32));
            }
        }
        else if (CONTROL.equals(name) && place >= STATE_SLOTS[0])
        {
            final int slot = place >= STATE_SLOTS[1] ? STATE_SLOTS[1] : STATE_SLOTS[0];
            final int length = slot + 12 > file.length ? 0 : buffer.getInt(slot + 8);
            if (length > 12 && length <= STATE_SLOT_LENGTH && slot + length <= file.length)
            {
                final int end = slot + length - 4;
                buffer.putInt(end, JournalDirectory.crc(file, slot, end));
                // A changed cut may bring records that were cut back into the log.
                isForged = true;
            }
        }
        else
        {
            final int block = place / BLOCK_LENGTH * BLOCK_LENGTH;
            if (block + BLOCK_LENGTH <= file.length)
            {
                buffer.putInt(
                    block + BLOCK_LENGTH - 4, JournalDirectory.crc(file, block, block + BLOCK_LENGTH - 4));
            }
        }
    }

    private void signFrame(final byte[] file, final int offset)
    {
        final ByteBuffer buffer = JournalDirectory.littleEndian(file);
        final int storedLength = buffer.getInt(offset);
        final int length = JournalDirectory.lengthOf(storedLength);
        if (length >= HEADER_LENGTH && length <= file.length - offset)
        {
            final boolean isPadding = storedLength < 0 && KIND_PADDING == buffer.getLong(offset + 16);
            buffer.putInt(
                offset + 4, JournalDirectory.checksum(
                    file, offset + 8, offset + (isPadding ? HEADER_LENGTH : length), JournalDirectory.salt(file),
                    offset, storedLength));
            isForged = true;
        }
    }

    /** The last known beginning of a frame before a place. */
    private int frameAround(final String name, final int place)
    {
        int found = FIRST_OFFSET;
        for (final int anchor : anchors.getOrDefault(name, new int[0]))
        {
            if (anchor >= FIRST_OFFSET && anchor <= place && anchor % 8 == 0)
            {
                found = Math.max(found, anchor);
            }
        }

        return found;
    }

    /** Writes a frame with a valid checksum. */
    private void forge(final FuzzInput input, final String name, final byte[] file, final int place)
    {
        final int offset = place / 8 * 8;
        final int form = input.nextByte();
        final boolean isControl = 0 != (form & 1);
        final int more = 0 == (form & 2) ? 0 : MORE;
        final long tag = isControl ? KINDS[input.choose(KINDS.length)] : input.nextValue(0);
        final long sequence = input.nextValue(sequenceAt(name, offset));
        final boolean isPadding = isControl && KIND_PADDING == tag;
        final int room = file.length - offset - HEADER_LENGTH;
        final int wanted =
            isControl && KIND_MARK == tag ? MARK_BODY_LENGTH : input.nextShort();
        final int length = isPadding ? room : Math.min(wanted, room);
        if (name.endsWith(".journal") && offset >= FIRST_OFFSET && length >= 0)
        {
            final ByteBuffer buffer = JournalDirectory.littleEndian(file);
            buffer.putInt(offset, isControl ? -(HEADER_LENGTH + length) : HEADER_LENGTH + length | more);
            buffer.putLong(offset + 8, sequence);
            buffer.putLong(offset + 16, tag);
            if (isControl && KIND_MARK == tag && length == MARK_BODY_LENGTH)
            {
                final long position = Long.parseLong(name.substring(0, 20)) * SEGMENT_LENGTH + offset;
                buffer.putLong(offset + HEADER_LENGTH, input.nextValue(position));
                buffer.putLong(offset + HEADER_LENGTH + 16, stateField(input, NUMBER_OFFSET));
                buffer.putLong(offset + HEADER_LENGTH + 24, stateField(input, TERM_OFFSET));
                buffer.putLong(offset + HEADER_LENGTH + 32, stateField(input, TERM_OFFSET));
            }
            else if (!isPadding)
            {
                final byte[] body = input.nextBytes(Math.min(length, 80));
                buffer.put(offset + HEADER_LENGTH, body);
            }
            signFrame(file, offset);
        }
    }

    /** A field of the newer state, or a value near it. */
    private long stateField(final FuzzInput input, final int field)
    {
        long value = 0;
        if (intact.containsKey(CONTROL))
        {
            final ByteBuffer control = JournalDirectory.littleEndian(intact.get(CONTROL));
            final int slot =
                control.getLong(STATE_SLOTS[0]) > control.getLong(STATE_SLOTS[1]) ? STATE_SLOTS[0] : STATE_SLOTS[1];
            value = control.getLong(slot + field);
        }
        return 0 == (input.nextByte() & 1) ? value : input.nextValue(value);
    }

    private long sequenceAt(final String name, final int offset)
    {
        long sequence = 1;
        if (name.endsWith(".journal") && intact.containsKey(name))
        {
            final byte[] file = intact.get(name);
            for (final int anchor : anchors.get(name))
            {
                final Frame frame = anchor < FIRST_OFFSET || anchor > offset ? null :
                    JournalDirectory.frameAt(file, 0, anchor);
                sequence = null == frame ? sequence : Math.max(sequence, frame.sequence());
            }
        }

        return sequence;
    }

    /** Copies bytes of any file to a place. */
    private void move(
        final FuzzInput input, final List<String> names, final String name, final byte[] file, final int place)
    {
        final String from = names.get(input.choose(names.size()));
        final byte[] source = files.get(from);
        final int start = Math.min(place(input, from), source.length);
        final int length =
            Math.max(0, Math.min(input.nextShort(), Math.min(source.length - start, file.length - place)));
        if (length > 0)
        {
            System.arraycopy(source.clone(), start, file, place, length);
            if (0 != (input.nextByte() & 1))
            {
                sign(name, file, place);
            }
        }
    }

    private String other(final FuzzInput input, final String name)
    {
        switch (input.choose(4))
        {
            case 0:
                return segmentName(input.choose(8));

            case 1:
                return segmentName(input.nextLong() & Long.MAX_VALUE);

            case 2:
                return "spare-" + (char)('a' + input.choose(26));

            default:
                return name + (char)('0' + input.choose(10));
        }
    }

    /** Asserts that a record is one that was written or, where frames were forged, one that lies in the files. */
    void check(final Entry record, final long position)
    {
        if (!isKnown(record, position))
        {
            throw new AssertionError(
                "wrong record: sequence=" + record.sequence() + ", position=" + position + ", tag=" + record.tag() +
                    ", length=" + record.bytes().length);
        }
    }

    boolean isKnown(final Entry record, final long position)
    {
        final Entry written = sample.record(record.sequence());
        final boolean isWritten = null != written && written.tag() == record.tag() &&
            Arrays.equals(written.bytes(), record.bytes());
        return isWritten || isForged && isThere(record, position);
    }

    private boolean isThere(final Entry record, final long position)
    {
        final byte[] file = files.get(segmentName(position / SEGMENT_LENGTH));
        final Frame frame = null == file ? null :
            JournalDirectory.frameAt(file, position / SEGMENT_LENGTH, (int)(position % SEGMENT_LENGTH));
        return null != frame && !frame.isControl() && frame.sequence() == record.sequence() &&
            frame.tag() == record.tag() && Arrays.equals(frame.body(), record.bytes());
    }

    /** Places worth a look: fields, frames and ends. */
    private static Map<String, int[]> findAnchors(final Map<String, byte[]> files)
    {
        final Map<String, int[]> anchors = new TreeMap<>();
        files.forEach((name, bytes) ->
        {
            final TreeSet<Integer> places = new TreeSet<>();
            for (int block = 0; block < Math.min(3 * BLOCK_LENGTH, bytes.length); block += BLOCK_LENGTH)
            {
                final boolean isFrames = name.endsWith(".journal") && block > 0;
                for (int field = 0; field <= 72 && !isFrames; field += 4)
                {
                    places.add(block + field);
                }
            }
            if (name.endsWith(".journal"))
            {
                Frame frame = JournalDirectory.frameAt(bytes, 0, FIRST_OFFSET);
                int end = FIRST_OFFSET;
                while (null != frame)
                {
                    places.add(frame.offset());
                    end = frame.end();
                    frame = JournalDirectory.frameAt(bytes, 0, end);
                }
                places.add(end);
                places.add(bytes.length);
            }
            if (CONTROL.equals(name))
            {
                for (int i = 0; i < 2; i++)
                {
                    // The fields of the state, its first cuts and a cursor.
                    for (int field = 0; field <= 240; field += 8)
                    {
                        places.add(STATE_SLOTS[i] + field);
                    }
                    for (int field = 0; field <= 32; field += 8)
                    {
                        places.add(WATERMARKS[i] + field);
                    }
                }
                places.addAll(List.of(FORCING_OFFSET, CHANGING_OFFSET, FENCE_OFFSET));
            }
            anchors.put(name, places.stream().mapToInt(Integer::intValue).toArray());
        });

        return anchors;
    }
}
