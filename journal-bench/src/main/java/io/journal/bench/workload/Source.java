package io.journal.bench.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import io.journal.bench.subject.Records;
import io.journal.bench.subject.Subject;

/**
 * The records to append, whose content follows from their number; remembers what was appended, so that a replay can be
 * compared with it.
 */
final class Source
{
    private static final VarHandle WORD =
        MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final List<Range> appended = new ArrayList<>();
    private final byte[] bytes;
    private long end;

    Source(final int maxRecordLength)
    {
        bytes = new Records(maxRecordLength).bytes();
    }

    /** The array that holds every record. */
    byte[] bytes()
    {
        return bytes;
    }

    void append(final Subject subject, final long count, final int length) throws Exception
    {
        final long last = end + count;
        for (long number = end; number < last; number++)
        {
            subject.append(bytes, Records.offset(number), length);
        }
        note(count, length);
    }

    /**
     * Offset of the next record in {@link #bytes()}, for a caller that appends it itself.
     */
    int next(final int length)
    {
        note(1, length);
        return Records.offset(end - 1);
    }

    private void note(final long count, final int length)
    {
        final int newest = appended.size() - 1;
        if (newest >= 0 && appended.get(newest).length == length)
        {
            appended.get(newest).end += count;
        }
        else
        {
            appended.add(new Range(length, end + count));
        }
        end += count;
    }

    /** The first eight bytes of a record. */
    long first(final long number)
    {
        return (long)WORD.get(bytes, Records.offset(number));
    }

    /**
     * Replays, and compares number, order and content with what was appended and not removed.
     *
     * @throws IllegalStateException if they differ.
     */
    void check(final Subject subject) throws Exception
    {
        final Digest found = new Digest();
        final long removedBefore = subject.removed();
        subject.replay(found);
        final long removed = end - found.count();
        // Removing may go on meanwhile.
        check(found, Math.max(removedBefore, Math.min(removed, subject.removed())));
    }

    /**
     * Compares what was read with what was appended.
     *
     * @throws IllegalStateException if they differ.
     */
    void check(final Digest found)
    {
        check(found, 0);
    }

    private void check(final Digest found, final long removed)
    {
        final Digest expected = expectedFrom(removed);
        if (found.count() != expected.count() || found.value() != expected.value())
        {
            throw new IllegalStateException(
                "replay differs: appended=" + end + ", removed=" + removed + ", replayed=" + found.count());
        }
    }

    private Digest expectedFrom(final long first)
    {
        final Digest expected = new Digest();
        long number = first;
        for (final Range range : appended)
        {
            for (; number < range.end; number++)
            {
                final int offset = Records.offset(number);
                expected.visit(
                    (long)WORD.get(bytes, offset), (long)WORD.get(bytes, offset + range.length - Long.BYTES),
                    range.length);
            }
        }
        return expected;
    }

    /** Numbers of consecutive records of one length, from the end of the range before it. */
    private static final class Range
    {
        private final int length;
        private long end;

        Range(final int length, final long end)
        {
            this.length = length;
            this.end = end;
        }
    }
}
