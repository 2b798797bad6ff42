// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;

/**
 * The rule that the next watermark frame of a walk has to match, for opening, readers and the verifier alike. It
 * rejects an older copy of a segment, and a frame that a writer stored after it had lost its lock. Normative text:
 * {@code docs/format.md}, "Terms". For one thread at a time.
 */
public final class Chain
{
    private History history;
    // Terms of the last watermark frame and of the record before it; unknown until the first watermark frame.
    private long number;
    private long term;
    private long previousTerm;
    private long sequence;
    // The cut that the walk has just crossed: the next frame begins its term.
    private Cut begins;

    /** Begins where the frames before are unknown. */
    public void start(final History history)
    {
        this.history = history;
        number = 0;
        term = Term.NONE;
        previousTerm = Term.NONE;
        sequence = 0;
        begins = null;
    }

    /** Begins anywhere after the newest cut, where all frames are of the current term. */
    public void startInCurrentTerm(final History history)
    {
        start(history);
        cross(history.newest());
        number = history.number;
        term = history.term;
        begins = null;
    }

    /** Begins at the first frame of the log. */
    public void startAtBeginning(final History history)
    {
        start(history);
        previousTerm = history.startTerm;
        sequence = history.startSequence;
    }

    /** Continues after a cut. */
    public void cross(final Cut cut)
    {
        begins = cut;
        previousTerm = cut.previousTerm();
        term = Term.NONE;
        sequence = cut.sequence();
    }

    /** Whether the cut can have been made after the records that the walk has passed. */
    public boolean isBefore(final Cut cut, final long nextSequence)
    {
        return nextSequence == cut.sequence() && isSame(termBefore(nextSequence), cut.previousTerm());
    }

    /** Whether the next frame has to be the watermark frame that begins a term. */
    public boolean isTermDue()
    {
        return null != begins;
    }

    /** Term of the record before a sequence, after the last watermark frame; {@link Term#NONE} if not known. */
    public long termBefore(final long nextSequence)
    {
        return nextSequence > sequence ? term : previousTerm;
    }

    /** Whether the valid watermark frame that a cursor shows is the next one; if so, passes it. */
    public boolean pass(final FrameCursor cursor)
    {
        final long nextNumber = cursor.markNumber();
        final long nextTerm = cursor.markTerm();
        if (!isNext(nextNumber, nextTerm, cursor.markPreviousTerm(), cursor.sequence()))
        {
            return false;
        }

        final long before = termBefore(cursor.sequence());
        number = nextNumber;
        term = nextTerm;
        previousTerm = Term.NONE == cursor.markPreviousTerm() ? before : cursor.markPreviousTerm();
        sequence = cursor.sequence();
        begins = null;
        return true;
    }

    /** Whether a valid watermark frame with these numbers is the next one. */
    public boolean isNext(
        final long nextNumber, final long nextTerm, final long nextPreviousTerm, final long nextSequence)
    {
        return isSame(termBefore(nextSequence), nextPreviousTerm) && isTerm(nextNumber, nextTerm);
    }

    private boolean isTerm(final long nextNumber, final long nextTerm)
    {
        if (null != begins)
        {
            return nextNumber == begins.number() && nextTerm == begins.term();
        }
        if (Term.NONE != term && nextNumber == number)
        {
            return nextTerm == term;
        }
        return nextNumber >= number && nextNumber <= history.number &&
            (nextNumber < history.number || nextTerm == history.term);
    }

    private static boolean isSame(final long term, final long other)
    {
        return term == other || Term.NONE == term || Term.NONE == other;
    }
}
