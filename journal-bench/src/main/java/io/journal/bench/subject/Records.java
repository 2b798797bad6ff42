package io.journal.bench.subject;

import java.util.Arrays;
import java.util.SplittableRandom;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import org.agrona.DirectBuffer;

/**
 * The records to append, and the check that they are read back.
 * <p>
 * Content and tag of a record follow from its sequence, so that a missing, damaged or reordered record is detected.
 */
public final class Records
{
    private static final int PATTERN_LENGTH = 64 * 1024;
    private static final int STEP = 8;
    private static final long SEED = 0x5EED;
    private static final long TAG_FACTOR = 0x9E3779B97F4A7C15L;
    // A power of two.
    private static final int RECORDS_PER_CLOCK = 64;

    private final int recordLength;
    private final byte[] pattern;
    private final byte[] found;
    long expectedSequence;

    public Records(final int recordLength)
    {
        this.recordLength = recordLength;
        pattern = new byte[PATTERN_LENGTH + recordLength];
        found = new byte[recordLength];
        new SplittableRandom(SEED).nextBytes(pattern);
    }

    public byte[] bytes()
    {
        return pattern;
    }

    /** Offset of a record in {@link #bytes()}. */
    public static int offset(final long sequence)
    {
        return (int)(sequence * STEP) & (PATTERN_LENGTH - 1);
    }

    public static long tag(final long sequence)
    {
        return sequence * TAG_FACTOR;
    }

    /** Appends the record of a sequence. */
    public long append(final JournalAppender appender, final long sequence)
    {
        return appender.append(tag(sequence), pattern, offset(sequence), recordLength);
    }

    /**
     * Appends the next records of a journal. Looks at the clock only now and then: a plain file, with which the journal
     * is compared, is written without one.
     *
     * @param count  of records, unless the time is up before.
     * @param mostNs limit of the time.
     * @return number of records.
     */
    long append(final Journal journal, final long count, final long mostNs)
    {
        final JournalAppender appender = journal.appender();
        final long first = journal.lastSequence() + 1;
        final long end = first + count;
        final long startNs = System.nanoTime();
        long sequence = first;
        while (sequence < end && (0 != (sequence & RECORDS_PER_CLOCK - 1) || System.nanoTime() - startNs < mostNs))
        {
            append(appender, sequence);
            sequence++;
        }
        return sequence - first;
    }

    /**
     * Reads to the end.
     *
     * @return number of records.
     */
    public long read(final JournalReader reader, final long first, final RecordHandler handler)
    {
        expectedSequence = first;
        reader.seek(first);
        while (reader.poll(handler, Integer.MAX_VALUE) > 0)
        {
            Thread.onSpinWait();
        }
        return expectedSequence - first;
    }

    /** Checks content and number of all records. */
    public void check(final Journal journal, final long last)
    {
        final long first = journal.firstSequence();
        try (JournalReader reader = journal.openReader())
        {
            read(reader, first, this::checkContent);
        }
        if (expectedSequence != last + 1 || first > last)
        {
            throw new IllegalStateException(
                "records lost: appended=" + last + ", first=" + first + ", read up to=" + (expectedSequence - 1));
        }
    }

    /** Checks order and length only: cheap enough for a measured replay. */
    public void checkOrder(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        final long sequence = expectedSequence;
        if (header.sequence() != sequence || length != recordLength)
        {
            throw wrong("sequence or length", header, length);
        }
        expectedSequence = sequence + 1;
    }

    /** Checks sequence, length, tag and content of a record. */
    public void checkContent(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header)
    {
        checkOrder(buffer, offset, length, header);
        if (header.tag() != tag(header.sequence()))
        {
            throw wrong("tag", header, length);
        }

        if (!isContent(header.sequence(), buffer, offset, length))
        {
            throw wrong("bytes", header, length);
        }
    }

    /** Whether these are the length and the bytes of a sequence. */
    boolean isContent(final long sequence, final DirectBuffer buffer, final int offset, final int length)
    {
        if (length != recordLength)
        {
            return false;
        }

        buffer.getBytes(offset, found, 0, length);
        final int from = offset(sequence);
        return Arrays.equals(found, 0, length, pattern, from, from + length);
    }

    private IllegalStateException wrong(final String what, final RecordHandler.Header header, final int length)
    {
        return new IllegalStateException(
            "wrong record: wrong " + what + ", expected sequence=" + expectedSequence +
                ", found sequence=" + header.sequence() + ", length=" + length + ", tag=" + header.tag());
    }
}
