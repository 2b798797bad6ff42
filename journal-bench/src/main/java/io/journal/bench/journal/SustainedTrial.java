package io.journal.bench.journal;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.Retention;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Usage;

/**
 * Appends many times what is retained, then forces; then checks the retained records.
 */
final class SustainedTrial
{
    private static final double NS_PER_S = 1e9;

    private SustainedTrial()
    {
    }

    public static void main(final String[] args)
    {
        final Arguments arguments = Arguments.of(args);
        final JournalUnderTest measured = JournalUnderTest.of(arguments, "journal");
        final int recordLength = measured.recordLength();
        final long last;
        try (Journal journal = measured.builder()
            .recycleSegments(arguments.is("recycling"))
            .retention(Retention.bytes(arguments.number("keptSegments") * measured.segmentLength()))
            .open())
        {
            append(journal, measured.records(), arguments.number("warmUpBytes") / recordLength);
            final long count = arguments.number("bytes") / recordLength;
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            append(journal, measured.records(), count);
            final long appendNs = System.nanoTime() - start;
            journal.force();
            final long forcedNs = System.nanoTime() - start;
            usage.printSince("");
            System.out.println(Sustained.APPENDED + '=' + count * recordLength * NS_PER_S / appendNs);
            System.out.println(Sustained.FORCED + '=' + count * recordLength * NS_PER_S / forcedNs);
            last = journal.lastSequence();
        }
        try (Journal journal = measured.reopen())
        {
            measured.records().check(journal, last);
        }
    }

    private static void append(final Journal journal, final Records records, final long count)
    {
        final JournalAppender appender = journal.appender();
        final long last = journal.lastSequence() + count;
        for (long sequence = journal.lastSequence() + 1; sequence <= last; sequence++)
        {
            records.append(appender, sequence);
        }
    }
}
