// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Sparse index in memory: positions of frames that seeks have passed, about one for each 2 KiB of the journal. Bounded:
 * in a long journal an entry stands for more records. Entries are hints, which a seek verifies, so they are stored and
 * loaded without any order. Thread-safe, without a lock.
 */
final class PositionIndex
{
    /** Entries that are allocated together, when the first of them is stored. */
    private static final int CHUNK_SHIFT = 10;
    private static final int CHUNK_LENGTH = 1 << CHUNK_SHIFT;
    // All chunks take 16 MiB together.
    private static final int CHUNKS = 2048;
    private static final long CAPACITY = (long)CHUNKS * CHUNK_LENGTH;
    private static final int STRIDE_LENGTH = 2 * 1024;
    // The distance of watermark frames: beyond it, a search among them is as quick.
    private static final int MAX_PROBES = 64;

    // Two records farther apart than this could share an entry.
    private static final long REACH = CAPACITY - MAX_PROBES - 1;
    private volatile Table table = new Table(-1, 0);

    /** The entries of one term: a record that is appended after a truncation has another position. */
    static final class Table
    {
        private final long number;
        private final int shift;
        private final AtomicReferenceArray<long[]> chunks = new AtomicReferenceArray<>(CHUNKS);

        private Table(final long number, final int shift)
        {
            this.number = number;
            this.shift = shift;
        }

        boolean isOf(final long number)
        {
            return this.number == number;
        }

        /**
         * Position of the frame of a record or of a record not far before it; 0 if none is known.
         *
         * @param records from the journal's first record to the sequence.
         */
        long find(final long sequence, final long records)
        {
            if ((records >>> shift) >= REACH)
            {
                return 0;
            }

            final long entry = sequence >>> shift;
            for (long i = entry; i >= Math.max(0, entry - MAX_PROBES); i--)
            {
                final long[] chunk = chunks.get((int)(i >>> CHUNK_SHIFT) & (CHUNKS - 1));
                final long position = null == chunk ? 0 : chunk[(int)i & (CHUNK_LENGTH - 1)];
                if (0 != position)
                {
                    return position;
                }
            }

            return 0;
        }

        /**
         * Stores where a record's frame is, if there is an entry for it.
         */
        void put(final long sequence, final long position)
        {
            if (0 == (sequence & ((1L << shift) - 1)))
            {
                final long i = sequence >>> shift;
                final long[] chunk = chunk((int)(i >>> CHUNK_SHIFT) & (CHUNKS - 1));
                final int entry = (int)i & (CHUNK_LENGTH - 1);
                // Mostly the entry is there already: storing it again would take the cache line from other seeking
                // threads.
                if (position != chunk[entry])
                {
                    chunk[entry] = position;
                }
            }
        }

        private long[] chunk(final int number)
        {
            final long[] chunk = chunks.get(number);
            if (null != chunk)
            {
                return chunk;
            }

            chunks.compareAndSet(number, null, new long[CHUNK_LENGTH]);
            return chunks.get(number);
        }
    }

    /** The present entries, of any term. */
    Table current()
    {
        return table;
    }

    /**
     * The entries of a term.
     *
     * @param records of the journal.
     * @param length  of the journal in bytes.
     */
    Table of(final long number, final long records, final long length)
    {
        final Table known = table;
        if (known.number == number && (records >>> known.shift) < REACH)
        {
            return known;
        }

        final long recordsInStride = records * STRIDE_LENGTH / Math.max(1, length);
        int shift = 63 - Long.numberOfLeadingZeros(Math.max(1, recordsInStride));
        while ((records >>> shift) >= REACH)
        {
            shift++;
        }
        final Table next = new Table(number, shift);
        // If threads of different terms meet here, the older table may win: then the next call begins anew.
        table = next;
        return next;
    }
}
