package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.journal.JournalBuilder;
import io.journal.bench.journal.BackendConfig;
import io.journal.bench.journal.Sustained;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;

/**
 * Chooses a segment length: short segments roll often, long ones take space.
 */
final class SegmentLengths
{
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
            // The first segment is allocated when the journal is created, outside the measured time. So measuring
            // starts when the longest segment is full, and ends one such length later: each length allocates the
            // same number of bytes.
            benchmarks.add(
                Sustained.benchmark(label(length), leader, requirement.recordLength(), length, lengths[0]));
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
                Arrays.stream(results.of(label(length), Sustained.APPENDED)).map((rate) -> rate / BYTES_PER_MB)
                    .toArray()))
                .toList(),
            IntStream.of(lengths).mapToObj((length) -> ahead(results, length, lengths[0])).toList());
    }

    static String label(final int length)
    {
        return "segments of " + (length < MIB ? length / 1024 + " KiB" : length / MIB + " MiB");
    }

    private static Comparison ahead(final Results results, final int length, final int baseline)
    {
        return Comparison.of(Spread.ratios(results.of(label(length), Sustained.APPENDED),
            results.of(label(baseline), Sustained.APPENDED)));
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
}
