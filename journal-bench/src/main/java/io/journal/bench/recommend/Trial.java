package io.journal.bench.recommend;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.bench.journal.Case;
import io.journal.bench.journal.MeasuredJournal;
import io.journal.bench.journal.Records;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Subject;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;

/**
 * Measures one case once, in a process of its own: writes a journal, opens it again, checks every record, replays it.
 * <p>
 * It does the same before, shorter and uncounted, so that code and memory are warm.
 */
final class Trial
{
    private static final int MIB = 1024 * 1024;
    private static final int MAX_PREPARE_MS = 2000;
    private static final int PREPARE_POLL_MS = 5;
    private static final int WARM_MS = 40;
    private static final double NS_PER_S = 1e9;

    private final MeasuredJournal measured;
    private final Plan plan;
    private final Records records;
    private final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
    private final Histogram forceLatencies = new Histogram(3);
    private long lastSequence;

    private Trial(final MeasuredJournal measured, final Plan plan)
    {
        this.measured = measured;
        this.plan = plan;
        records = measured.records();
    }

    /**
     * A case as what a session measures.
     */
    static Subject subject(final Case measured, final Plan plan)
    {
        final Subject subject = Subject.of(measured.label(), Trial.class)
            .with("backend", measured.backend())
            .with("windowLength", measured.writeWindow())
            .with("recordLength", plan.recordLength());
        plan.tell(subject);
        return subject;
    }

    public static void main(final String[] args) throws InterruptedException
    {
        final Arguments told = Arguments.of(args);
        final Plan plan = Plan.of(told);
        new Trial(MeasuredJournal.of(told, "warm-up"), plan.warmUp()).run();
        final Trial trial = new Trial(MeasuredJournal.of(told, "journal"), plan);
        final Usage usage = Usage.now();
        trial.run();
        usage.printSince("");
        trial.figures.forEach((figure, value) -> System.out.println(figure.key() + '=' + value));
        // With 99 of 100 among them, as the figures have it.
        Percentiles.print(trial.forceLatencies);
    }

    private void run() throws InterruptedException
    {
        try (Journal journal = measured.open())
        {
            append(journal);
            journal.force();
            for (final Figure figure : Figure.FORCED)
            {
                awaitPrepared(journal);
                appendForced(journal, figure);
            }
        }

        // What is read is what an opening finds, not what this process remembers.
        try (Journal journal = measured.open(); JournalReader reader = journal.openReader())
        {
            records.check(journal, lastSequence);
            replayTimed(reader);
        }
    }

    /**
     * Waits until the background agent has prepared the segment that comes next: it gets its name then. A journal that
     * is forced all the time has it prepared nearly always; here, it would still be at work for what was appended
     * before. Under its name a mapped one is still brought into memory, which takes a processor for some milliseconds.
     */
    private void awaitPrepared(final Journal journal) throws InterruptedException
    {
        final long next = journal.counters().appendedPosition() / journal.segmentLength() + 1;
        final Path file = measured.path().resolve(String.format(Locale.ROOT, "%020d.journal", next));
        for (int waitedMs = 0; waitedMs < MAX_PREPARE_MS && Files.notExists(file); waitedMs += PREPARE_POLL_MS)
        {
            Thread.sleep(PREPARE_POLL_MS);
        }
        Thread.sleep(WARM_MS);
    }

    private void append(final Journal journal)
    {
        final JournalAppender appender = journal.appender();
        final long mostRecords = Math.max(1, plan.appendLength() / plan.recordLength());
        final long chunkRecords = Math.max(1, MIB / plan.recordLength());
        final List<Double> chunkRates = new ArrayList<>();
        final long start = System.nanoTime();
        final long deadline = start + TimeUnit.MILLISECONDS.toNanos(plan.appendMs());

        long count = 0;
        long now = start;
        while (count < mostRecords && now < deadline)
        {
            final long chunk = Math.min(chunkRecords, mostRecords - count);
            for (long i = 0; i < chunk; i++)
            {
                append(appender);
            }
            count += chunk;

            final long chunkStart = now;
            now = System.nanoTime();
            chunkRates.add(rate(chunk, now - chunkStart));
        }

        figures.put(Figure.APPEND, rate(count, now - start));
        figures.put(Figure.BURST, Spread.of(chunkRates.stream().mapToDouble(Double::doubleValue).toArray()).median());
    }

    private void append(final JournalAppender appender)
    {
        final long sequence = ++lastSequence;
        final long appended = records.append(appender, sequence);
        if (appended != sequence)
        {
            throw new IllegalStateException("wrong sequence: expected=" + sequence + ", found=" + appended);
        }
    }

    private void appendForced(final Journal journal, final Figure figure)
    {
        final JournalAppender appender = journal.appender();
        final int groupSize = plan.groupSize(figure);
        final Histogram latencies = Figure.FORCED_1 == figure ? forceLatencies : new Histogram(3);
        final long start = System.nanoTime();
        final long deadline = start + TimeUnit.MILLISECONDS.toNanos(plan.forceMs());

        long count = 0;
        long now = start;
        do
        {
            for (int i = 0; i < groupSize; i++)
            {
                append(appender);
            }
            journal.force();
            count += groupSize;

            final long groupStart = now;
            now = System.nanoTime();
            latencies.recordValue(now - groupStart);
        }
        while (now < deadline);

        figures.put(figure, count * NS_PER_S / (now - start));
    }

    private void replayTimed(final JournalReader reader)
    {
        final long start = System.nanoTime();
        final long end = start + TimeUnit.MILLISECONDS.toNanos(plan.replayMs());
        long count = 0;
        long now;
        do
        {
            final long replayed = records.read(reader, 1, records::checkOrder);
            if (replayed != lastSequence)
            {
                throw new IllegalStateException("records lost: appended=" + lastSequence + ", replayed=" + replayed);
            }
            count += replayed;
            now = System.nanoTime();
        }
        while (now < end);

        figures.put(Figure.REPLAY, rate(count, now - start));
    }

    /**
     * Bytes of records per second.
     */
    private double rate(final long count, final long durationNs)
    {
        return count * plan.recordLength() * NS_PER_S / durationNs;
    }
}
