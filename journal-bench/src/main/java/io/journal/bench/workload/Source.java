// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Unit;
import io.journal.bench.subject.Subject;

/**
 * The records to append, whose content follows from their number, so that a missing, damaged or reordered record is
 * detected; knows how many were appended.
 */
public final class Source
{
    private static final int PATTERN_LENGTH = 64 * 1024;
    private static final int STEP = 8;
    private static final long SEED = 0x5EED;

    private final byte[] bytes;
    private final int length;
    private long count;

    public Source(final int recordLength)
    {
        length = recordLength;
        bytes = new byte[PATTERN_LENGTH + recordLength];
        new SplittableRandom(SEED).nextBytes(bytes);
    }

    /** The array that holds every record. */
    byte[] bytes()
    {
        return bytes;
    }

    /** Offset of a record in {@link #bytes()}. */
    static int offset(final long number)
    {
        return (int)(number * STEP) & PATTERN_LENGTH - 1;
    }

    /** Offset of the next record, for a caller that appends it itself. */
    int next()
    {
        return offset(count++);
    }

    public long count()
    {
        return count;
    }

    public void append(final Subject subject, final long more) throws Exception
    {
        final long last = count + more;
        for (long number = count; number < last; number++)
        {
            subject.append(bytes, offset(number), length);
        }
        count = last;
    }

    void appendDurably(final Subject subject) throws Exception
    {
        subject.appendDurably(bytes, next(), length);
    }

    /** Reads one record and compares it. */
    void read(final Subject.Lookup lookup, final long number, final Digest found) throws Exception
    {
        found.count = 0;
        lookup.read(number, found);
        if (1 != found.count || (long)Subject.WORD.get(bytes, offset(number)) != found.first)
        {
            throw new IllegalStateException("not the record that was appended: number=" + number);
        }
    }

    /**
     * Replays, and compares number, order and content with the records that were appended and not removed.
     *
     * @throws IllegalStateException if they differ.
     */
    public void check(final Subject subject) throws Exception
    {
        long removedBefore = subject.removed();
        Digest found = null;
        while (null == found)
        {
            try
            {
                found = Digest.of(subject);
            }
            catch (final RuntimeException ex)
            {
                final long removedNow = subject.removed();
                if (removedNow == removedBefore)
                {
                    throw ex;
                }
                // The records to be replayed next were removed.
                removedBefore = removedNow;
            }
        }
        // Segments may be removed during the replay.
        final long removed = Math.max(removedBefore, Math.min(count - found.count(), subject.removed()));
        final Digest expected = new Digest();
        for (long number = removed; number < count; number++)
        {
            final int offset = offset(number);
            expected.visit(
                (long)Subject.WORD.get(bytes, offset), (long)Subject.WORD.get(bytes, offset + length - Long.BYTES),
                length);
        }
        if (found.count != expected.count || found.value != expected.value)
        {
            throw differs(count, removed, found);
        }
    }

    /** Compares the number of records alone: the order of several threads is not known. */
    static void checkCount(final Subject subject, final long appended) throws Exception
    {
        final Digest found = Digest.of(subject);
        if (found.count != appended)
        {
            throw differs(appended, 0, found);
        }
    }

    /**
     * Replays again and again for a time, at least once.
     *
     * @return records/s.
     * @throws IllegalStateException if the number of records differs.
     */
    public double replayRate(final Subject subject, final long ms) throws Exception
    {
        final Digest all = new Digest();
        final long start = System.nanoTime();
        long passes = 0;
        long ns;
        do
        {
            subject.replay(all);
            passes++;
            ns = System.nanoTime() - start;
        }
        while (ns < TimeUnit.MILLISECONDS.toNanos(ms));
        if (all.count != passes * count)
        {
            throw differs(passes * count, 0, all);
        }
        return all.count * Unit.NS_PER_S / ns;
    }

    private static IllegalStateException differs(final long appended, final long removed, final Digest found)
    {
        return new IllegalStateException(
            "replay differs: appended=" + appended + ", removed=" + removed + ", replayed=" + found.count);
    }

    /** Number of visited records, and a value that depends on the content and order of all of them. */
    public static final class Digest implements Subject.Visitor
    {
        private static final int FACTOR = 31;

        private long count;
        private long value;
        // The first word of the last visited record.
        private long first;

        static Digest of(final Subject subject) throws Exception
        {
            final Digest found = new Digest();
            subject.replay(found);
            return found;
        }

        @Override
        public void visit(final long firstWord, final long last, final int length)
        {
            count++;
            first = firstWord;
            value = FACTOR * value + (first ^ Long.rotateLeft(last, 1)) + length;
        }

        public long count()
        {
            return count;
        }
    }
}
