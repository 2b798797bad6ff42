package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import io.journal.JournalBuilder;
import io.journal.bench.journal.BackendConfig;
import io.journal.bench.journal.Sustained;
import io.journal.bench.recommend.Measurements.Comparison;
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

    /** The lengths that fit the records and the free space, the default first. */
    SegmentLengths(final Requirement requirement, final long freeBytes)
    {
        this.requirement = requirement;
        final long needed = (long)MIN_RECORDS * requirement.recordLength();
        final int[] fitting =
            IntStream.of(LENGTHS).filter((length) -> length >= needed && freeBytes / ROOM >= length).toArray();
        lengths = fitting.length > 0 ? fitting : IntStream.iterate(4 * MIB, (length) -> 2 * length)
            .filter((length) -> length >= needed).limit(1).toArray();
    }

    /** The length to use unless another one is better. */
    int first()
    {
        return lengths[0];
    }

    boolean isChoice()
    {
        return lengths.length > 1;
    }

    List<BenchmarkCase> benchmarks(final BackendConfig leader)
    {
        // The first segment is allocated when the journal is created, outside the measured time. So measuring starts
        // when the longest segment is full, and ends one such length later: each length allocates the same number of
        // bytes.
        return IntStream.of(lengths).mapToObj((length) -> Sustained.benchmark(
            label(length), leader, requirement.recordLength(), length, lengths[0])).toList();
    }

    /** The first, unless another one is ahead. */
    int best(final Results results)
    {
        return IntStream.of(lengths)
            .reduce(
                (best, length) -> results.roundCount() > 0 && ahead(results, length, best).isAhead() ? length : best)
            .orElseThrow();
    }

    String reason(final Results results)
    {
        if (results.roundCount() < Comparison.MIN_ROUNDS)
        {
            return "Too few rounds to compare segment lengths: rounds=" + results.roundCount() + ", needed=" +
                Comparison.MIN_ROUNDS + "; increase --seconds. " + Verdict.sentence(label(lengths[0])) + '.';
        }

        final String best = label(best(results));
        return best.equals(label(lengths[0])) ? "Shorter segments are not clearly faster: " + best + '.' :
            Verdict.sentence(best) + " append clearly faster than longer ones.";
    }

    /** Rate by length, and its ratio to the first. */
    List<String> table(final Results results)
    {
        final List<String> table = new ArrayList<>();
        if (results.roundCount() > 0)
        {
            table.add("Append without a pause, no fsync: MB/s");
            table.add(String.format(Locale.ROOT, "%-26s %24s %24s", "", "median", "of the default"));
            IntStream.of(lengths).forEach((length) -> table.add(String.format(
                Locale.ROOT, "%-26s %24s %24s", label(length),
                Comparison.of(rates(results, length)).dividedBy(BYTES_PER_MB).text("%,.0f"),
                ahead(results, length, lengths[0]))));
            table.add("");
        }
        return table;
    }

    static String label(final int length)
    {
        return "segments of " + BackendConfig.length(length);
    }

    private static Comparison ahead(final Results results, final int length, final int baseline)
    {
        return Comparison.of(Spread.ratios(rates(results, length), rates(results, baseline)));
    }

    private static double[] rates(final Results results, final int length)
    {
        return results.of(label(length), Sustained.APPENDED);
    }
}
