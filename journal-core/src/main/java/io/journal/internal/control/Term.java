// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.util.function.LongSupplier;

/**
 * Terms: each opening for writing and each truncation begins one. Its number is one more than the previous term's, its
 * identity is random. A record is of the term of the last watermark frame before it, so a term's identity and a
 * sequence identify a record for good, also in a directory that was rolled back, where the numbers are used again.
 * Normative text: {@code docs/format.md}, "Terms".
 */
public final class Term
{
    /** Identity if there is no record before, or if its term is no longer known. */
    public static final long NONE = 0;

    private Term()
    {
    }

    public static long next(final LongSupplier randoms)
    {
        return randoms.getAsLong() >>> 2 | 1;
    }
}
