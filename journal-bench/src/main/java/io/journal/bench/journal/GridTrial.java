package io.journal.bench.journal;

import java.util.concurrent.TimeUnit;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Usage;

/**
 * Appends records until there are enough of them or the time is up, forces, and reads them, in a process of its own,
 * warmed up; in between, other code checks what was written.
 */
final class GridTrial
{
    static final int KEPT_SEGMENTS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double NS_PER_S = 1e9;

    private final MeasuredJournal measured;
    private final ForcePolicy policy;
    private final boolean isRecycling;

    private GridTrial(final Arguments args, final String name)
    {
        measured = MeasuredJournal.of(args, name);
        policy = Forcing.policy(args.text("forcePolicy"));
        isRecycling = JournalGrid.Segments.RECYCLED == args.one(JournalGrid.Segments.class, "segments");
    }

    public static void main(final String[] args)
    {
        final Arguments told = Arguments.of(args);
        final long length = told.number("length");
        new GridTrial(told, "warm-up").warmUp(Math.min(length, WARM_UP_LENGTH));
        new GridTrial(told, "journal").run(length, TimeUnit.MILLISECONDS.toNanos(told.number("ms")));
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
            // As much as is kept, and more, so that there is something to recycle from the beginning.
            try (Journal journal = open(ForcePolicy.manual()))
            {
                append(journal, (KEPT_SEGMENTS + 2L) * measured.segmentLength(), Long.MAX_VALUE);
            }
        }
        final long last;
        System.gc();
        try (Journal journal = open(policy))
        {
            final Usage usage = Usage.now();
            final long startNs = System.nanoTime();
            final long count = append(journal, length, mostNs);
            final long writeNs = System.nanoTime() - startNs;
            journal.force();
            final long durableNs = System.nanoTime() - startNs;
            usage.printSince("write");
            last = journal.lastSequence();
            System.out.println("recordsCount=" + count);
            System.out.println(JournalGrid.WRITE + '=' + count * recordLength * NS_PER_S / writeNs);
            System.out.println(JournalGrid.DURABLE + '=' + count * recordLength * NS_PER_S / durableNs);
        }
        final long first = measured.check(last);
        System.gc();
        final Usage usage = Usage.now();
        final long startNs = System.nanoTime();
        final long count = read();
        final long readNs = System.nanoTime() - startNs;
        usage.printSince("read");
        if (count != last - first + 1)
        {
            throw new IllegalStateException("records lost: expected=" + (last - first + 1) + ", read=" + count);
        }
        System.out.println(JournalGrid.READ + '=' + count * recordLength * NS_PER_S / readNs);
    }

    private Journal open(final ForcePolicy force)
    {
        final JournalBuilder builder = measured.builder().force(force).recycleSegments(isRecycling);
        return (isRecycling ?
            builder.retention(Retention.bytes((long)KEPT_SEGMENTS * measured.segmentLength())) : builder).open();
    }

    /** Returns how many records that were. */
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

    /** Reads all there is: every frame's checksum is verified, and each record's sequence and length. */
    private long read()
    {
        try (Journal journal = measured.reopen(); JournalReader reader = journal.openReader())
        {
            return measured.records().read(reader, journal.firstSequence(), measured.records()::checkOrder);
        }
    }
}
