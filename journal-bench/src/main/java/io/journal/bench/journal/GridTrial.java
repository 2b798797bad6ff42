package io.journal.bench.journal;

import java.util.concurrent.TimeUnit;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.MeasuredInterval;

/**
 * Appends a number of bytes, or as many as fit in the time, then forces and replays them, after a warm-up. Independent
 * code checks the journal in between.
 */
final class GridTrial
{
    static final int KEPT_SEGMENTS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private final JournalUnderTest measured;
    private final ForcePolicy policy;
    private final boolean isRecycling;

    private GridTrial(final Arguments args, final String name)
    {
        measured = JournalUnderTest.of(args, name);
        policy = Forcing.policy(args.text("forcePolicy"));
        isRecycling = JournalGrid.Segments.RECYCLED == args.one(JournalGrid.Segments.class, "segments");
    }

    public static void main(final String[] args)
    {
        final Arguments arguments = Arguments.of(args);
        final long length = arguments.number("length");
        new GridTrial(arguments, "warm-up").warmUp(Math.min(length, WARM_UP_LENGTH));
        new GridTrial(arguments, "journal").run(length, TimeUnit.MILLISECONDS.toNanos(arguments.number("ms")));
    }

    private void warmUp(final long length)
    {
        try (Journal journal = open(policy))
        {
            append(journal, length, WARM_UP_NS);
        }
        read();
    }

    private void run(final long length, final long mostNs)
    {
        final int recordLength = measured.recordLength();
        if (isRecycling)
        {
            // Exceeds what retention keeps, so that segments are recycled from the start.
            try (Journal journal = open(ForcePolicy.manual()))
            {
                append(journal, (KEPT_SEGMENTS + 2L) * measured.segmentLength(), Long.MAX_VALUE);
            }
        }
        final long last;
        System.gc();
        try (Journal journal = open(policy))
        {
            final MeasuredInterval interval = MeasuredInterval.start();
            final long count = append(journal, length, mostNs);
            interval.rate(JournalGrid.WRITE, count * recordLength);
            journal.force();
            interval.rate(JournalGrid.DURABLE, count * recordLength);
            interval.print("write");
            last = journal.lastSequence();
            System.out.println("recordsCount=" + count);
        }
        final long first = measured.check(last);
        System.gc();
        final MeasuredInterval interval = MeasuredInterval.start();
        final long count = read();
        interval.rate(JournalGrid.READ, count * recordLength);
        interval.print("read");
        if (count != last - first + 1)
        {
            throw new IllegalStateException("records lost: expected=" + (last - first + 1) + ", read=" + count);
        }
    }

    private Journal open(final ForcePolicy force)
    {
        final JournalBuilder builder = measured.builder().force(force).recycleSegments(isRecycling);
        return (isRecycling ?
            builder.retention(Retention.bytes((long)KEPT_SEGMENTS * measured.segmentLength())) : builder).open();
    }

    /** Returns the number of records. */
    private long append(final Journal journal, final long length, final long mostNs)
    {
        final JournalAppender appender = journal.appender();
        final Records records = measured.records();
        final long first = journal.lastSequence() + 1;
        final long end = first + Math.max(1, length / measured.recordLength());
        final long startNs = System.nanoTime();
        long sequence = first;
        do
        {
            records.append(appender, sequence);
            sequence++;
        }
        while (sequence < end && System.nanoTime() - startNs < mostNs);
        return sequence - first;
    }

    /** Replays everything; verifies the checksum of each frame, and sequence and length of each record. */
    private long read()
    {
        try (Journal journal = measured.reopen(); JournalReader reader = journal.openReader())
        {
            return measured.records().read(reader, journal.firstSequence(), measured.records()::checkOrder);
        }
    }
}
