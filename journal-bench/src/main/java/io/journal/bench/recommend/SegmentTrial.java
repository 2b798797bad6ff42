package io.journal.bench.recommend;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.journal.Case;
import io.journal.bench.journal.Records;
import io.journal.bench.run.Child;
import io.journal.bench.run.Percentiles;
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
     * Arguments: directory, backend, length of the write window, length of a record, length of a segment, bytes of
     * records.
     */
    public static void main(final String[] args)
    {
        Child.endWithParent();
        final Path directory = Path.of(args[0]);
        final Case measured = new Case(Backend.valueOf(args[1]), Integer.parseInt(args[2]));
        final int recordLength = Integer.parseInt(args[3]);
        final int segmentLength = Integer.parseInt(args[4]);
        final long count = Long.parseLong(args[5]) / recordLength;

        final Records records = new Records(recordLength);
        run(directory.resolve("warm-up"), measured, records, recordLength, segmentLength, count / WARM_UP_SHARE, false);
        run(directory.resolve("journal"), measured, records, recordLength, segmentLength, count, true);
    }

    private static void run(
        final Path path,
        final Case measured,
        final Records records,
        final int recordLength,
        final int segmentLength,
        final long count,
        final boolean isCounted)
    {
        final Histogram rolls = new Histogram(3);
        final long appendNs;
        try (Journal journal = Journal.builder(path)
            .backend(measured.backend())
            .writeWindow(measured.writeWindow())
            .segmentLength(segmentLength)
            .open())
        {
            appendNs = append(journal, recordLength, count, records, rolls);
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
            System.out.println(SegmentLengths.RATE + '=' + count * recordLength * NS_PER_S / appendNs);
            System.out.println(SegmentLengths.ROLLS + '=' + rolls.getTotalCount());
            Percentiles.print(rolls);
        }
    }

    private static long append(
        final Journal journal, final int recordLength, final long count, final Records records, final Histogram rolls)
    {
        final JournalAppender appender = journal.appender();
        final long segmentLength = journal.segmentLength();
        final long start = System.nanoTime();
        long before = start;
        long ordinal = 0;
        for (long sequence = 1; sequence <= count; sequence++)
        {
            appender.append(Records.tag(sequence), records.bytes(), Records.offset(sequence), recordLength);
            // Asked for each record, which costs the same with each length.
            final long now = System.nanoTime();
            final long current = (journal.endPosition() - 1) / segmentLength;
            if (current != ordinal)
            {
                rolls.recordValue(now - before);
                ordinal = current;
            }
            before = now;
        }

        return System.nanoTime() - start;
    }
}
