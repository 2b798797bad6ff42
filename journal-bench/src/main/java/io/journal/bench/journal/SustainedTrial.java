package io.journal.bench.journal;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.Retention;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.MeasuredInterval;

/**
 * Appends many times what is retained, then forces; then checks the retained records.
 */
final class SustainedTrial
{
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
            final MeasuredInterval interval = MeasuredInterval.start();
            append(journal, measured.records(), count);
            interval.rate(Sustained.APPENDED, count * recordLength);
            journal.force();
            interval.rate(Sustained.FORCED, count * recordLength);
            interval.print("");
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
