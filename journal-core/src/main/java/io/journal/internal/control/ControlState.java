// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import org.jspecify.annotations.Nullable;

/**
 * Everything besides the segments that a journal's history depends on. Immutable: a change makes another state, which
 * {@link ControlFile} writes as a whole. Normative text: {@code docs/format.md}, "State".
 * <pre>
 *   0  int64   generation
 *   8  int32   length of the state, with its checksum
 *  12  int32   number of cuts
 *  16  int32   number of cursors
 *  20  int32   reserved
 *  24  int64   number of the current term
 *  32  int64   its identity
 *  40  int64   start position
 *  48  int64   start sequence
 *  56  int64   term of the record before the start
 *  64  int64   highest number of a term whose cut was pruned
 *  72  int64   position where a writer closed the journal, 0 if none has since it was opened
 *  80  int64   sequence of the next record there
 *  88  cuts    48 bytes each: number, term, from, to, sequence, previous term, int64 each
 *      cursors 16 bytes each: sequence, term; then int32 length of the name, and the name, padded with zeros to 8
 *      uint32  CRC32C
 * </pre>
 */
public final class ControlState
{
    static final int GENERATION_OFFSET = 0;
    static final int LENGTH_OFFSET = 8;
    private static final int CUTS_OFFSET = 88;
    static final int CUT_LENGTH = 48;
    private static final int CURSOR_LENGTH = 20;
    private static final int MAX_NAME_LENGTH = 100;
    private static final int MIN_LENGTH = CUTS_OFFSET + CUT_LENGTH + Integer.BYTES;

    public final long generation;
    public final History history;
    private final SortedMap<String, Saved> cursors;
    /** Where a writer closed the journal; null while a writer has it open, or if it has ended without closing it. */
    public final @Nullable End closedAt;

    /**
     * A consumer's saved position.
     *
     * @param sequence of the last record that it has processed.
     * @param term     of that record; {@link Term#NONE} if it is not known.
     */
    public record Saved(long sequence, long term)
    {
    }

    /** An end of the log: its position, and the sequence of the next record. */
    public record End(long position, long nextSequence)
    {
    }

    public ControlState(
        final long generation, final History history, final SortedMap<String, Saved> cursors,
        final @Nullable End closedAt)
    {
        this.generation = generation;
        this.history = history;
        this.cursors = Collections.unmodifiableSortedMap(cursors);
        this.closedAt = closedAt;
    }

    /** The first state of a new journal, which is empty: as if it was closed at its beginning. */
    public static ControlState create()
    {
        final History history = History.create();
        return new ControlState(
            1, history, new TreeMap<>(), new End(history.firstPosition(), history.startSequence));
    }

    public SortedMap<String, Saved> cursors()
    {
        return cursors;
    }

    /** The next state, with another history; the journal is in use. */
    public ControlState with(final History next)
    {
        return new ControlState(generation + 1, next, cursors, null);
    }

    public ControlState withCursors(final Consumer<SortedMap<String, Saved>> change)
    {
        final SortedMap<String, Saved> changed = new TreeMap<>(cursors);
        change.accept(changed);
        return new ControlState(generation + 1, history, changed, closedAt);
    }

    /**
     * The next state: its history ends with the given record, and no cursor is after that record.
     *
     * @param term of the record.
     */
    public ControlState truncated(final History next, final long sequence, final long term)
    {
        final SortedMap<String, Saved> lowered = new TreeMap<>(cursors);
        lowered.replaceAll((name, saved) -> saved.sequence() > sequence ? new Saved(sequence, term) : saved);
        return new ControlState(generation + 1, next, lowered, null);
    }

    /** The first state of a copy, which ends with a record of the given term. */
    public ControlState copied(final History of, final long lastSequence, final long lastTerm)
    {
        return new ControlState(1, of, truncated(of, lastSequence, lastTerm).cursors, null);
    }

    public ControlState closed(final End end)
    {
        return new ControlState(generation + 1, history, cursors, end);
    }

    /** The next state, which differs in its generation only. */
    public ControlState again()
    {
        return new ControlState(generation + 1, history, cursors, closedAt);
    }

    int length()
    {
        int length = CUTS_OFFSET + history.cuts().size() * CUT_LENGTH;
        for (final String name : cursors.keySet())
        {
            length += cursorLength(name.length());
        }
        return length + Integer.BYTES;
    }

    private static int cursorLength(final int nameLength)
    {
        return FrameHeader.align(CURSOR_LENGTH + nameLength);
    }

    void encode(final ByteBuffer buffer)
    {
        final int length = length();
        buffer.putLong(generation).putInt(length).putInt(history.cuts().size()).putInt(cursors.size()).putInt(0);
        buffer.putLong(history.number).putLong(history.term);
        buffer.putLong(history.startPosition).putLong(history.startSequence).putLong(history.startTerm);
        buffer.putLong(history.prunedNumber);
        buffer.putLong(null == closedAt ? 0 : closedAt.position);
        buffer.putLong(null == closedAt ? 0 : closedAt.nextSequence);
        for (final Cut cut : history.cuts())
        {
            buffer.putLong(cut.number()).putLong(cut.term()).putLong(cut.from()).putLong(cut.to());
            buffer.putLong(cut.sequence()).putLong(cut.previousTerm());
        }
        cursors.forEach((name, saved) ->
        {
            final int end = buffer.position() + cursorLength(name.length());
            buffer.putLong(saved.sequence).putLong(saved.term).putInt(name.length());
            buffer.put(name.getBytes(StandardCharsets.US_ASCII));
            while (buffer.position() < end)
            {
                buffer.put((byte)0);
            }
        });
    }

    public static boolean isCursorName(final String name)
    {
        return !name.isEmpty() && name.length() <= MAX_NAME_LENGTH && '.' != name.charAt(0) &&
            name.chars().allMatch(ControlState::isInNames);
    }

    private static boolean isInNames(final int character)
    {
        return character >= 'A' && character <= 'Z' || character >= 'a' && character <= 'z' ||
            character >= '0' && character <= '9' || '.' == character || '_' == character || '-' == character;
    }

    /** Whether a length that was read is possible in a slot. */
    static boolean isLength(final int length, final int slotLength)
    {
        return length >= MIN_LENGTH && length <= slotLength;
    }

    /**
     * Decodes a state whose checksum matches.
     *
     * @return the state, or null if it is impossible.
     */
    static @Nullable ControlState decode(final ByteBuffer buffer, final int start, final int segmentLength)
    {
        final ByteBuffer in = buffer.duplicate().order(buffer.order());
        in.position(start);
        final long generation = in.getLong();
        final int end = start + in.getInt() - Integer.BYTES;
        final int cutCount = in.getInt();
        final int cursorCount = in.getInt();
        in.getInt();
        final long number = in.getLong();
        final long term = in.getLong();
        final long startPosition = in.getLong();
        final long startSequence = in.getLong();
        final long startTerm = in.getLong();
        final long prunedNumber = in.getLong();
        final End closedAt = new End(in.getLong(), in.getLong());
        if (cutCount < 1 || cursorCount < 0 || cutCount > (end - start - CUTS_OFFSET) / CUT_LENGTH)
        {
            return null;
        }

        final List<Cut> cuts = new ArrayList<>(cutCount);
        for (int i = 0; i < cutCount; i++)
        {
            cuts.add(
                new Cut(in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong(), in.getLong()));
        }
        final SortedMap<String, Saved> cursors = new TreeMap<>();
        for (int i = 0; i < cursorCount; i++)
        {
            if (!decodeCursor(in, end, cursors))
            {
                return null;
            }
        }

        final History history =
            new History(number, term, startPosition, startSequence, startTerm, prunedNumber, cuts);
        final boolean isPossible = in.position() == end && cursors.size() == cursorCount &&
            generation >= 1 && generation < Layout.MAX_POSITION && history.isPossible(segmentLength) &&
            closedAt.position >= 0 && closedAt.position < Layout.MAX_POSITION &&
            closedAt.nextSequence >= 0 && closedAt.nextSequence < Layout.MAX_POSITION;
        return isPossible ? new ControlState(generation, history, cursors, 0 == closedAt.position ? null : closedAt) :
            null;
    }

    private static boolean decodeCursor(final ByteBuffer in, final int end, final SortedMap<String, Saved> cursors)
    {
        final int first = in.position();
        if (end - first < CURSOR_LENGTH)
        {
            return false;
        }
        final Saved saved = new Saved(in.getLong(), in.getLong());
        final int nameLength = in.getInt();
        if (nameLength < 1 || nameLength > MAX_NAME_LENGTH || end - first < cursorLength(nameLength))
        {
            return false;
        }
        final byte[] name = new byte[nameLength];
        in.get(name);
        in.position(first + cursorLength(nameLength));
        final String text = new String(name, StandardCharsets.US_ASCII);
        cursors.put(text, saved);
        return isCursorName(text) && saved.sequence >= 0 && saved.sequence < Layout.MAX_POSITION &&
            saved.term >= 0 && saved.term < Layout.MAX_POSITION;
    }
}
