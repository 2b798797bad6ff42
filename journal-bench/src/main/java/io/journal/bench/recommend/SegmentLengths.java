package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.bench.journal.BackendConfig;
import io.journal.bench.journal.JournalUnderTest;
import io.journal.bench.journal.Records;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;

/**
 * Chooses a segment length: short segments roll often, long ones take space.
 */
final class SegmentLengths
{
    static final String RATE = "writeBytesPerSecond";
    static final String ROLLS = "rollCount";

    private static final int MIB = 1024 * 1024;
    private static final int[] LENGTHS = { JournalBuilder.DEFAULT_SEGMENT_LENGTH, 16 * MIB, 4 * MIB };
    private static final int MIN_RECORDS = 8;
    // Free disk space that a segment length requires, in segments.
    private static final int ROOM = 32;
    private static final double BYTES_PER_MB = 1e6;

    private final Requirement requirement;
    private final int[] lengths;

    private SegmentLengths(final Requirement requirement, final int[] lengths)
    {
        this.requirement = requirement;
        this.lengths = lengths;
    }

    /**
     * The lengths that fit the records and the free space, the default first.
     */
    static SegmentLengths of(final Requirement requirement, final long freeBytes)
    {
        final int[] fitting = IntStream.of(LENGTHS)
            .filter((length) -> length >= (long)MIN_RECORDS * requirement.recordLength() && freeBytes / ROOM >= length)
            .toArray();
        return new SegmentLengths(requirement, 0 == fitting.length ? new int[]{ smallest(requirement) } : fitting);
    }

    /**
     * The length to use unless another one is better.
     */
    int first()
    {
        return lengths[0];
    }

    boolean isDefaultFirst()
    {
        return JournalBuilder.DEFAULT_SEGMENT_LENGTH == lengths[0];
    }

    boolean isChoice()
    {
        return lengths.length > 1;
    }

    List<BenchmarkCase> benchmarks(final BackendConfig leader)
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final int length : lengths)
        {
            benchmarks.add(BenchmarkCase.of(label(length), SegmentTrial.class).argument("longest", lengths[0])
                .parameter("backend", leader.backend())
                .parameter("windowLength", leader.writeWindow())
                .parameter("recordLength", requirement.recordLength())
                .parameter("segmentLength", length));
        }

        return benchmarks;
    }

    /**
     * The first, unless another one is ahead.
     */
    int best(final Results results)
    {
        int best = lengths[0];
        for (final int length : results.roundCount() < Comparison.MIN_ROUNDS ? new int[0] : lengths)
        {
            if (ahead(results, length, best).isAhead())
            {
                best = length;
            }
        }

        return best;
    }

    String reason(final Results results)
    {
        if (results.roundCount() < Comparison.MIN_ROUNDS)
        {
            return "Too few rounds to compare segment lengths: rounds=" + results.roundCount() + ", needed=" +
                Comparison.MIN_ROUNDS + "; increase --seconds. " + sentence(label(lengths[0])) + '.';
        }

        final int best = best(results);
        return best == lengths[0] ?
            "Shorter segments are not clearly faster: " + label(best) + '.' :
            sentence(label(best)) + " append clearly faster than longer ones.";
    }

    List<String> table(final Results results)
    {
        return 0 == results.roundCount() ? List.of() : DecisionTable.ofSegments(
            IntStream.of(lengths).mapToObj(SegmentLengths::label).toList(),
            IntStream.of(lengths).mapToObj((length) -> Comparison.of(
                Arrays.stream(results.of(label(length), RATE)).map((rate) -> rate / BYTES_PER_MB).toArray())).toList(),
            IntStream.of(lengths).mapToObj((length) -> ahead(results, length, lengths[0])).toList());
    }

    static String label(final int length)
    {
        return "segments of " + (length < MIB ? length / 1024 + " KiB" : length / MIB + " MiB");
    }

    private static Comparison ahead(final Results results, final int length, final int baseline)
    {
        return Comparison.of(Spread.ratios(results.of(label(length), RATE), results.of(label(baseline), RATE)));
    }

    private static int smallest(final Requirement requirement)
    {
        int length = LENGTHS[LENGTHS.length - 1];
        while (length < (long)MIN_RECORDS * requirement.recordLength())
        {
            length *= 2;
        }

        return length;
    }

    private static String sentence(final String text)
    {
        return Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    /**
     * Appends without a pause with one segment length, and times the appends that roll.
     */
    static final class SegmentTrial
    {
        private static final int WARM_UP_SHARE = 8;
        private static final double NS_PER_S = 1e9;

        private SegmentTrial()
        {
        }

        public static void main(final String[] args)
        {
            final Arguments arguments = Arguments.of(args);
            final long longest = arguments.number("longest");
            run(JournalUnderTest.of(arguments, "warm-up"), longest / WARM_UP_SHARE, false);
            run(JournalUnderTest.of(arguments, "journal"), longest, true);
        }

        private static void run(final JournalUnderTest measured, final long length, final boolean isCounted)
        {
            final Histogram rolls = new Histogram(3);
            final long count;
            final double rate;
            try (Journal journal = measured.open())
            {
                // The first segment is allocated when the journal is created, outside the measured time. So measuring
                // starts when the longest segment is full and ends one such length later: each length allocates the
                // same number of bytes.
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
                    throw new IllegalStateException("no roll: segmentLength=" + measured.segmentLength());
                }
                System.out.println(SegmentLengths.RATE + '=' + rate);
                System.out.println(SegmentLengths.ROLLS + '=' + rolls.getTotalCount());
                Percentiles.print(rolls);
            }
        }

        /**
         * Appends up to a position.
         *
         * @param rolls latencies of appends that rolled; null if not recorded.
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
                // Read after each record, at the same cost for each length.
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
}
