package io.journal.bench.recommend;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.bench.journal.JournalUnderTest;
import io.journal.bench.journal.Records;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;

/**
 * Appends without a pause with one segment length, and times the appends that roll.
 */
final class SegmentTrial
{
    private static final int WARM_UP_SHARE = 8;
    private static final double NS_PER_S = 1e9;

    private SegmentTrial()
    {
    }

    public static void main(final String[] args)
    {
        final Arguments arguments = Arguments.of(args);
        final long longest = arguments.number("longest");
        run(JournalUnderTest.of(arguments, "warm-up"), longest / WARM_UP_SHARE, false);
        run(JournalUnderTest.of(arguments, "journal"), longest, true);
    }

    private static void run(final JournalUnderTest measured, final long length, final boolean isCounted)
    {
        final Histogram rolls = new Histogram(3);
        final long count;
        final double rate;
        try (Journal journal = measured.open())
        {
            // The first segment is allocated when the journal is created, outside the measured time. So measuring
            // starts when the longest segment is full and ends one such length later: each length allocates the same
            // number of bytes.
            final long before = append(journal, measured.records(), length, null);
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            count = append(journal, measured.records(), 2 * length, rolls);
            rate = (count - before) * measured.recordLength() * NS_PER_S / (System.nanoTime() - start);
            if (isCounted)
            {
                usage.printSince("");
            }
        }
        try (Journal journal = measured.reopen())
        {
            measured.records().check(journal, count);
        }
        if (isCounted)
        {
            if (0 == rolls.getTotalCount())
            {
                throw new IllegalStateException("no roll: segmentLength=" + measured.segmentLength());
            }
            System.out.println(SegmentLengths.RATE + '=' + rate);
            System.out.println(SegmentLengths.ROLLS + '=' + rolls.getTotalCount());
            Percentiles.print(rolls);
        }
    }

    /**
     * Appends up to a position.
     *
     * @param rolls latencies of appends that rolled; null if not recorded.
     * @return the last sequence.
     */
    private static long append(
        final Journal journal, final Records records, final long position, final Histogram rolls)
    {
        final JournalAppender appender = journal.appender();
        final long segmentLength = journal.segmentLength();
        long sequence = journal.lastSequence();
        long end = journal.counters().appendedPosition();
        long before = System.nanoTime();
        long ordinal = (end - 1) / segmentLength;
        while (end <= position)
        {
            sequence++;
            records.append(appender, sequence);
            // Read after each record, at the same cost for each length.
            final long now = System.nanoTime();
            end = journal.counters().appendedPosition();
            final long current = (end - 1) / segmentLength;
            if (current != ordinal)
            {
                if (null != rolls)
                {
                    rolls.recordValue(now - before);
                }
                ordinal = current;
            }
            before = now;
        }

        return sequence;
    }
}
