package io.journal.bench.recommend;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.journal.Case;
import io.journal.bench.journal.Records;
import io.journal.bench.run.Child;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Usage;
import io.journal.store.Backend;
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

    /**
     * Arguments: directory, backend, length of the write window, length of a record, length of a segment, length of the
     * longest segment of all trials.
     */
    public static void main(final String[] args)
    {
        Child.endWithParent();
        final Path directory = Path.of(args[0]);
        final Case measured = new Case(Backend.valueOf(args[1]), Integer.parseInt(args[2]));
        final int recordLength = Integer.parseInt(args[3]);
        final int segmentLength = Integer.parseInt(args[4]);
        final long longest = Long.parseLong(args[5]);

        final Records records = new Records(recordLength);
        run(
            directory.resolve("warm-up"), measured, records, recordLength, segmentLength, longest / WARM_UP_SHARE,
            false);
        run(directory.resolve("journal"), measured, records, recordLength, segmentLength, longest, true);
    }

    private static void run(
        final Path path,
        final Case measured,
        final Records records,
        final int recordLength,
        final int segmentLength,
        final long length,
        final boolean isCounted)
    {
        final Histogram rolls = new Histogram(3);
        final long count;
        final double rate;
        try (Journal journal = Journal.builder(path)
            .backend(measured.backend())
            .writeWindow(measured.writeWindow())
            .segmentLength(segmentLength)
            .open())
        {
            // The first segment is filled when the journal is made, before any clock: so the time begins when the
            // longest of them is full, and ends one such length later. Each length prepares and begins as many bytes.
            final long before = append(journal, recordLength, length, records, null);
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            count = append(journal, recordLength, 2 * length, records, rolls);
            rate = (count - before) * recordLength * NS_PER_S / (System.nanoTime() - start);
            if (isCounted)
            {
                usage.printSince("");
            }
        }

        // What is read is what an opening finds.
        try (Journal journal = Journal.builder(path).backend(measured.backend()).open();
            JournalReader reader = journal.openReader())
        {
            records.expect(1);
            while (reader.poll(records::checkContent, Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }
            if (records.expectedSequence() != count + 1)
            {
                throw new IllegalStateException(
                    "records lost: appended=" + count + ", replayed=" + (records.expectedSequence() - 1));
            }
        }

        if (isCounted)
        {
            if (0 == rolls.getTotalCount())
            {
                throw new IllegalStateException("no segment was filled: segmentLength=" + segmentLength);
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
        final Journal journal, final int recordLength, final long position, final Records records,
        final Histogram rolls)
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
            appender.append(Records.tag(sequence), records.bytes(), Records.offset(sequence), recordLength);
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
