// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.jspecify.annotations.Nullable;

/**
 * Sparse index in memory: positions of frames that seeks have passed, about one for each 2 KiB of the journal. Bounded:
 * in a long journal an entry stands for more records. Entries are hints, which a seek verifies: what was pruned or
 * truncated stays. So they are stored and loaded without any order. Thread-safe, without a lock.
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

    private volatile @Nullable Table table;

    /** Entries for one of so many records, a power of two. */
    static final class Table
    {
        private final int shift;
        private final AtomicReferenceArray<long[]> chunks = new AtomicReferenceArray<>(CHUNKS);

        private Table(final int shift)
        {
            this.shift = shift;
        }

        /**
         * Stores where a record's frame is, if there is an entry for it.
         */
        void put(final long sequence, final long position)
        {
            if (0 == (sequence & ((1L << shift) - 1)))
            {
                final long i = sequence >>> shift;
                final int number = (int)(i >>> CHUNK_SHIFT) & (CHUNKS - 1);
                if (null == chunks.get(number))
                {
                    chunks.compareAndSet(number, null, new long[CHUNK_LENGTH]);
                }
                final long[] chunk = chunks.get(number);
                final int entry = (int)i & (CHUNK_LENGTH - 1);
                // Mostly the entry is there already: storing it again would take the cache line from other seeking
                // threads.
                if (position != chunk[entry])
                {
                    chunk[entry] = position;
                }
            }
        }
    }

    /**
     * Position of the frame of a record or of a record not far before it; 0 if none is known.
     *
     * @param records from the journal's first record to the sequence.
     */
    long find(final long sequence, final long records)
    {
        final Table table = this.table;
        if (null == table || (records >>> table.shift) >= REACH)
        {
            return 0;
        }

        final long entry = sequence >>> table.shift;
        for (long i = entry; i >= Math.max(0, entry - MAX_PROBES); i--)
        {
            final long[] chunk = table.chunks.get((int)(i >>> CHUNK_SHIFT) & (CHUNKS - 1));
            final long position = null == chunk ? 0 : chunk[(int)i & (CHUNK_LENGTH - 1)];
            if (0 != position)
            {
                return position;
            }
        }

        return 0;
    }

    /**
     * The entries to store to.
     *
     * @param records of the journal.
     * @param length  of the journal in bytes.
     */
    Table table(final long records, final long length)
    {
        Table known = table;
        if (null == known || (records >>> known.shift) >= REACH)
        {
            final long recordsInStride = records * STRIDE_LENGTH / Math.max(1, length);
            int shift = 63 - Long.numberOfLeadingZeros(Math.max(1, recordsInStride));
            while ((records >>> shift) >= REACH)
            {
                shift++;
            }
            known = new Table(shift);
            table = known;
        }
        return known;
    }
}
