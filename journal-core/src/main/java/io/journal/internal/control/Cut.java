// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

/**
 * A stretch of positions that is not part of the log, made by the truncation or the opening that began a term. After it
 * the log continues with the watermark frame that begins the term, or ends. If nothing was cut, both positions are
 * equal.
 *
 * @param number       of the term.
 * @param term         its identity.
 * @param from         position of the first frame that is cut.
 * @param to           position where the log continues.
 * @param sequence     of the next record there.
 * @param previousTerm of the record before it; {@link Term#NONE} if there is none.
 */
public record Cut(long number, long term, long from, long to, long sequence, long previousTerm)
{
    public boolean isEmpty()
    {
        return from == to;
    }

    public boolean contains(final long position)
    {
        return position >= from && position < to;
    }
}
