// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.util.ArrayList;
import java.util.List;

import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;

/**
 * Defines what belongs to the log: everything from its start on, except cuts. Immutable; as long as it is the same
 * object, nothing was pruned or truncated.
 * <p>
 * The cuts ascend, in positions and in sequences, and there is a record between two of them. The newest cut begins the
 * current term and is always kept, even if it cuts nothing: it excludes frames that a writer stores there after it lost
 * its lock.
 */
public final class History
{
    /** Number and identity of the current term. */
    public final long number;
    public final long term;
    /** Position where the log starts, a multiple of the segment length. */
    public final long startPosition;
    /** Sequence of the first record. */
    public final long startSequence;
    /** Term of the record before, or {@link Term#NONE} if there is none or it is not known. */
    public final long startTerm;
    /** The highest number of a term whose cut was pruned; 0 if there is none. */
    public final long prunedNumber;
    private final List<Cut> cuts;

    public History(
        final long number,
        final long term,
        final long startPosition,
        final long startSequence,
        final long startTerm,
        final long prunedNumber,
        final List<Cut> cuts)
    {
        this.number = number;
        this.term = term;
        this.startPosition = startPosition;
        this.startSequence = startSequence;
        this.startTerm = startTerm;
        this.prunedNumber = prunedNumber;
        this.cuts = List.copyOf(cuts);
    }

    /** The history of a journal without a record, which was never opened. */
    public static History create()
    {
        final Cut begin = new Cut(0, Term.NONE, SegmentHeader.LENGTH, SegmentHeader.LENGTH, 1, Term.NONE);
        return new History(0, Term.NONE, 0, 1, Term.NONE, 0, List.of(begin));
    }

    public List<Cut> cuts()
    {
        return cuts;
    }

    /** The cut that begins the current term. */
    public Cut newest()
    {
        return cuts.get(cuts.size() - 1);
    }

    /** An equal history, which a comparison of references takes for a change. */
    public History copy()
    {
        return new History(number, term, startPosition, startSequence, startTerm, prunedNumber, cuts);
    }

    /**
     * The history in which the next term begins.
     *
     * @param term         its identity.
     * @param from         where the log ends.
     * @param to           where it continues, at or after {@code from}.
     * @param sequence     of the next record.
     * @param previousTerm of the record before.
     */
    public History begin(
        final long term, final long from, final long to, final long sequence, final long previousTerm)
    {
        return begin(number + 1, term, from, to, sequence, previousTerm);
    }

    /** The history in which a later term has begun. */
    public History begin(
        final long number, final long term, final long from, final long to, final long sequence,
        final long previousTerm)
    {
        final List<Cut> kept = new ArrayList<>(cuts);
        long first = from;
        // Cuts without a record between them are one.
        while (!kept.isEmpty() && kept.get(kept.size() - 1).sequence() >= sequence)
        {
            final Cut last = kept.remove(kept.size() - 1);
            first = last.isEmpty() ? first : Math.min(first, last.from());
        }
        // The watermark frames say where older terms begin.
        kept.removeIf(Cut::isEmpty);
        kept.add(new Cut(number, term, first, to, sequence, previousTerm));
        return new History(number, term, startPosition, startSequence, startTerm, prunedNumber, kept);
    }

    /**
     * The history that starts at a segment.
     *
     * @param sequence of the first record there.
     * @param term     of the record before.
     */
    public History startingAt(final long position, final long sequence, final long term)
    {
        final List<Cut> kept = new ArrayList<>();
        long pruned = prunedNumber;
        for (final Cut cut : cuts)
        {
            if (cut.to() > position || newest() == cut)
            {
                kept.add(cut);
            }
            else if (!cut.isEmpty())
            {
                pruned = Math.max(pruned, cut.number());
            }
        }
        return new History(number, this.term, position, sequence, term, pruned, kept);
    }

    /** The cut that a position lies in, or null. */
    public Cut cutAt(final long position)
    {
        final Cut cut = cutEndingAfter(position);
        return null != cut && cut.contains(position) ? cut : null;
    }

    /** The first non-empty cut that ends after a position; null if there is none. */
    public Cut cutEndingAfter(final long position)
    {
        final int next = cutsEndingBefore(position + 1);
        return next < cuts.size() && !cuts.get(next).isEmpty() ? cuts.get(next) : null;
    }

    /** The last non-empty cut that ends at or before a position; null if there is none. */
    public Cut cutBefore(final long position)
    {
        final int next = cutsEndingBefore(position + 1);
        final int last = next == cuts.size() && newest().isEmpty() ? next - 2 : next - 1;
        return last < 0 ? null : cuts.get(last);
    }

    /** Number of cuts that end before a position. */
    public int cutsEndingBefore(final long position)
    {
        int low = 0;
        int high = cuts.size();
        while (low < high)
        {
            final int middle = (low + high) >>> 1;
            if (cuts.get(middle).to() < position)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }
        return low;
    }

    /** A position, or the end of the cut that it lies in. */
    public long live(final long position)
    {
        final Cut cut = cutAt(position);
        return null == cut ? position : cut.to();
    }

    public long firstPosition()
    {
        return live(startPosition + SegmentHeader.LENGTH);
    }

    /**
     * Whether all frames of a segment are cut, so that it may be absent. The segment at the start is always there. So
     * is the segment before the current term as long as it may be the last segment, because the next segment is made
     * after it.
     */
    public boolean isDead(final long basePosition, final int segmentLength)
    {
        final Cut cut = cutAt(basePosition + SegmentHeader.LENGTH);
        final long end = basePosition + segmentLength;
        return null != cut && cut.to() >= end && basePosition > startPosition &&
            (cut != newest() || cut.to() > end + SegmentHeader.LENGTH);
    }

    /**
     * The first segment from an ordinal on that is not dead, at most the limit. Does not check each segment, because a
     * crafted state may have very long cuts.
     */
    public long skipDead(final long ordinal, final long limit, final int segmentLength)
    {
        long next = ordinal;
        while (next < limit && isDead(next * segmentLength, segmentLength))
        {
            final long end = cutAt(next * segmentLength + SegmentHeader.LENGTH).to() / segmentLength;
            next = Math.max(next + 1, Math.min(limit, end - 1));
        }
        return next;
    }

    /** Whether records below a sequence were cut since a term, as far as the cuts are not pruned. */
    public boolean isCutSince(final long sinceNumber, final long nextSequence)
    {
        for (int i = cuts.size() - 1; i >= 0 && cuts.get(i).number() > sinceNumber; i--)
        {
            if (cuts.get(i).sequence() < nextSequence)
            {
                return true;
            }
        }
        return false;
    }

    /** Checks that a sequence is a record's, or that of the record before the first. */
    public void checkRange(final long sequence, final long lastSequence)
    {
        if (sequence < startSequence - 1 || sequence > lastSequence)
        {
            throw outside(sequence, lastSequence);
        }
    }

    public IllegalArgumentException outside(final long sequence, final long lastSequence)
    {
        return new IllegalArgumentException(
            "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + startSequence +
                ", lastSequence=" + lastSequence);
    }

    /** Whether the numbers are possible for a segment length. */
    public boolean isPossible(final int segmentLength)
    {
        boolean isPossible = isNumber(number) && isNumber(term) && isNumber(startPosition) &&
            0 == (startPosition & (segmentLength - 1)) && startSequence >= 1 && isNumber(startSequence) &&
            isNumber(startTerm) && isNumber(prunedNumber) && prunedNumber <= number && !cuts.isEmpty();
        long position = 0;
        long sequence = 0;
        for (final Cut cut : cuts)
        {
            isPossible = isPossible && isPlace(cut.from(), segmentLength) && isPlace(cut.to(), segmentLength) &&
                cut.from() >= position && cut.to() >= cut.from() && cut.sequence() > sequence &&
                isNumber(cut.sequence()) && isNumber(cut.number()) && cut.number() <= number &&
                isNumber(cut.term()) && isNumber(cut.previousTerm());
            position = cut.to();
            sequence = cut.sequence();
        }
        return isPossible && newest().number() == number && newest().term() == term;
    }

    private static boolean isNumber(final long value)
    {
        return value >= 0 && value < Layout.MAX_POSITION;
    }

    private static boolean isPlace(final long position, final int segmentLength)
    {
        final int offset = (int)(position & (segmentLength - 1));
        return isNumber(position) && 0 == (offset & (FrameHeader.ALIGNMENT - 1)) && offset >= SegmentHeader.LENGTH;
    }
}
