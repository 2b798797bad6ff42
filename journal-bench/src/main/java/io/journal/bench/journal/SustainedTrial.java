package io.journal.bench.journal;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.bench.run.Child;
import io.journal.bench.run.Usage;
import io.journal.store.Backend;

/**
 * Appends without a pause, many times what is kept, then forces; then the check that what is kept is what was appended.
 */
final class SustainedTrial
{
    private static final double NS_PER_S = 1e9;

    private SustainedTrial()
    {
    }

    /**
     * Arguments: directory, backend, whether segments are recycled, length of a record, length of a segment, segments
     * to be kept, bytes of records before counting, bytes of records that count.
     */
    public static void main(final String[] args)
    {
        Child.endWithParent();
        final int recordLength = Integer.parseInt(args[3]);
        final int segmentLength = Integer.parseInt(args[4]);
        final Records records = new Records(recordLength);
        final Path path = Path.of(args[0]).resolve("journal");
        final Backend backend = Backend.valueOf(args[1]);
        try (Journal journal = Journal.builder(path)
            .backend(backend)
            .recycleSegments(Boolean.parseBoolean(args[2]))
            .segmentLength(segmentLength)
            .retention(Retention.bytes(Long.parseLong(args[5]) * segmentLength))
            .open())
        {
            append(journal, records, recordLength, Long.parseLong(args[6]) / recordLength);
            final long count = Long.parseLong(args[7]) / recordLength;
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            append(journal, records, recordLength, count);
            final long appendNs = System.nanoTime() - start;
            journal.force();
            final long forcedNs = System.nanoTime() - start;
            usage.printSince("");
            System.out.println(Sustained.APPENDED + '=' + count * recordLength * NS_PER_S / appendNs);
            System.out.println(Sustained.FORCED + '=' + count * recordLength * NS_PER_S / forcedNs);
        }

        // Opened anew, without retention: nothing is pruned while it is read.
        try (Journal journal = Journal.builder(path).backend(backend).open())
        {
            check(journal, records);
        }
    }

    private static void append(
        final Journal journal, final Records records, final int recordLength, final long count)
    {
        final JournalAppender appender = journal.appender();
        long sequence = journal.lastSequence();
        for (long i = 0; i < count; i++)
        {
            sequence++;
            appender.append(Records.tag(sequence), records.bytes(), Records.offset(sequence), recordLength);
        }
    }

    private static void check(final Journal journal, final Records records)
    {
        try (JournalReader reader = journal.openReader())
        {
            records.expect(journal.firstSequence());
            reader.seek(records.expectedSequence());
            while (reader.poll(records::checkContent, Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }
        }

        if (records.expectedSequence() != journal.lastSequence() + 1)
        {
            throw new IllegalStateException(
                "records lost: appended=" + journal.lastSequence() + ", replayed=" + (records.expectedSequence() - 1));
        }
    }
}
