package io.journal.bench.journal;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.bench.run.Child;
import io.journal.bench.run.Usage;
import io.journal.store.Backend;

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

    private final Backend backend;
    private final int writeWindow;
    private final int segmentLength;
    private final boolean isRecycling;
    private final int recordLength;
    private final Records records;

    private GridTrial(
        final Backend backend,
        final int writeWindow,
        final int segmentLength,
        final boolean isRecycling,
        final int recordLength)
    {
        this.backend = backend;
        this.writeWindow = writeWindow;
        this.segmentLength = segmentLength;
        this.isRecycling = isRecycling;
        this.recordLength = recordLength;
        records = new Records(recordLength);
    }

    /**
     * Arguments: directory, backend, length of the write window, length of a segment, force policy, whether segments
     * are recycled, length of a record, bytes of records, milliseconds at most.
     */
    public static void main(final String[] args)
    {
        Child.endWithParent();
        final Path directory = Path.of(args[0]);
        final ForcePolicy policy = Forcing.policy(args[4]);
        final GridTrial trial = new GridTrial(
            Backend.valueOf(args[1]), Integer.parseInt(args[2]), Integer.parseInt(args[3]),
            Boolean.parseBoolean(args[5]), Integer.parseInt(args[6]));
        final long length = Long.parseLong(args[7]);
        trial.warmUp(directory.resolve("warm-up"), policy, Math.min(length, WARM_UP_LENGTH));
        trial.run(directory.resolve("journal"), policy, length, TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[8])));
    }

    private void warmUp(final Path path, final ForcePolicy policy, final long length)
    {
        try (Journal journal = open(path, policy))
        {
            append(journal, length, WARM_UP_NS);
        }
        read(path);
    }

    private void run(final Path path, final ForcePolicy policy, final long length, final long mostNs)
    {
        if (isRecycling)
        {
            // As much as is kept, and more, so that there is something to recycle from the beginning.
            try (Journal journal = open(path, ForcePolicy.manual()))
            {
                append(journal, (KEPT_SEGMENTS + 2L) * segmentLength, Long.MAX_VALUE);
            }
        }

        final long last;
        System.gc();
        try (Journal journal = open(path, policy))
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

        final long first = Verification.check(path, backend, records, last);
        System.gc();
        final Usage usage = Usage.now();
        final long startNs = System.nanoTime();
        final long count = read(path);
        final long readNs = System.nanoTime() - startNs;
        usage.printSince("read");
        if (count != last - first + 1)
        {
            throw new IllegalStateException("records lost: expected=" + (last - first + 1) + ", read=" + count);
        }
        System.out.println(JournalGrid.READ + '=' + count * recordLength * NS_PER_S / readNs);
    }

    private Journal open(final Path path, final ForcePolicy policy)
    {
        final JournalBuilder builder = Journal.builder(path).backend(backend).writeWindow(writeWindow)
            .segmentLength(segmentLength).force(policy).recycleSegments(isRecycling);
        return (isRecycling ? builder.retention(Retention.bytes((long)KEPT_SEGMENTS * segmentLength)) : builder).open();
    }

    /**
     * @return how many records that were.
     */
    private long append(final Journal journal, final long length, final long mostNs)
    {
        final JournalAppender appender = journal.appender();
        final long first = journal.lastSequence() + 1;
        final long end = first + Math.max(1, length / recordLength);
        final long startNs = System.nanoTime();
        long sequence = first;
        do
        {
            appender.append(Records.tag(sequence), records.bytes(), Records.offset(sequence), recordLength);
            sequence++;
        }
        while (sequence < end && System.nanoTime() - startNs < mostNs);

        return sequence - first;
    }

    /**
     * Reads all there is: every frame's checksum is verified, and each record's sequence and length.
     *
     * @return how many records that were.
     */
    private long read(final Path path)
    {
        try (Journal journal = Journal.builder(path).backend(backend).open();
            JournalReader reader = journal.openReader())
        {
            final long first = journal.firstSequence();
            records.expect(first);
            reader.seek(first);
            while (reader.poll(records::checkOrder, Integer.MAX_VALUE) > 0)
            {
                Thread.onSpinWait();
            }

            return records.expectedSequence() - first;
        }
    }
}
