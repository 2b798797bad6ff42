package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import io.journal.JournalBuilder;
import io.journal.bench.journal.Case;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Subject;

/**
 * What the length of segments costs here: short ones begin anew often, long ones take space.
 */
final class SegmentLengths
{
    static final String RATE = "writeBytesPerSecond";
    static final String ROLLS = "rollCount";

    private static final int MIB = 1024 * 1024;
    private static final int[] LENGTHS = { JournalBuilder.DEFAULT_SEGMENT_LENGTH, 16 * MIB, 4 * MIB };
    private static final int MIN_RECORDS = 8;
    // What a disk shall have free, in lengths of a segment, for it to be taken.
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
     * Those that records fit in, and there is room for: the default first.
     */
    static SegmentLengths of(final Requirement requirement, final long freeBytes)
    {
        final int[] fitting = IntStream.of(LENGTHS)
            .filter((length) -> length >= (long)MIN_RECORDS * requirement.recordLength() && freeBytes / ROOM >= length)
            .toArray();
        return new SegmentLengths(requirement, 0 == fitting.length ? new int[]{ smallest(requirement) } : fitting);
    }

    /**
     * What is taken unless measured otherwise.
     */
    int first()
    {
        return lengths[0];
    }

    /**
     * Whether the default is among them.
     */
    boolean isDefaultFirst()
    {
        return JournalBuilder.DEFAULT_SEGMENT_LENGTH == lengths[0];
    }

    boolean isChoice()
    {
        return lengths.length > 1;
    }

    List<Subject> subjects(final Case leader)
    {
        final List<Subject> subjects = new ArrayList<>();
        for (final int length : lengths)
        {
            subjects.add(Subject.of(label(length), SegmentTrial.class).told("longest", lengths[0])
                .with("backend", leader.backend())
                .with("windowLength", leader.writeWindow())
                .with("recordLength", requirement.recordLength())
                .with("segmentLength", length));
        }

        return subjects;
    }

    /**
     * The first, unless another one is ahead.
     */
    int best(final Results results)
    {
        int best = lengths[0];
        for (final int length : lengths)
        {
            if (ahead(results, length, best).isAhead())
            {
                best = length;
            }
        }

        return best;
    }

    /**
     * Why that one.
     */
    String reason(final Results results)
    {
        final int best = best(results);
        return best == lengths[0] ?
            "No shorter segments append clearly faster: " + label(best) + '.' :
            sentence(label(best)) + " append clearly faster than longer ones.";
    }

    /**
     * Lines of the figures that decided.
     */
    List<String> table(final Results results)
    {
        return DecisionTable.ofSegments(
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
}
