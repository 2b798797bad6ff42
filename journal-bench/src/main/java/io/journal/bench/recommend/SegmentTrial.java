package io.journal.bench.recommend;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.bench.journal.MeasuredJournal;
import io.journal.bench.journal.Records;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;

/**
 * Appends with one length of segments, without a pause, and times the appends that had to begin a new one.
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
        final Arguments told = Arguments.of(args);
        final long longest = told.number("longest");
        run(MeasuredJournal.of(told, "warm-up"), longest / WARM_UP_SHARE, false);
        run(MeasuredJournal.of(told, "journal"), longest, true);
    }

    private static void run(final MeasuredJournal measured, final long length, final boolean isCounted)
    {
        final Histogram rolls = new Histogram(3);
        final long count;
        final double rate;
        try (Journal journal = measured.open())
        {
            // The first segment is filled when the journal is made, before any clock: so the time begins when the
            // longest of them is full, and ends one such length later. Each length prepares and begins as many bytes.
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
                throw new IllegalStateException("no segment was filled: segmentLength=" + measured.segmentLength());
            }
            System.out.println(SegmentLengths.RATE + '=' + rate);
            System.out.println(SegmentLengths.ROLLS + '=' + rolls.getTotalCount());
            Percentiles.print(rolls);
        }
    }

    /**
     * Appends until the end is behind a position.
     *
     * @param rolls times of appends that began a segment; null if nobody asks.
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
            // Asked for each record, which costs the same with each length.
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
