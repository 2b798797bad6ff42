package io.journal.bench.recommend;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Subject;

/**
 * How much a trial does.
 *
 * @param recordLength  of each record.
 * @param segmentLength of the journal; short, so that what is appended rolls often enough to show what that costs.
 * @param appendLength  bytes of records to be appended without force.
 * @param appendMs      at most so long.
 * @param forceMs       so long for each group size.
 * @param replayMs      at least so long, and at least one pass.
 */
record Plan(int recordLength, int segmentLength, long appendLength, int appendMs, int forceMs, int replayMs)
{
    private static final int MIB = 1024 * 1024;
    private static final int SEGMENT_LENGTH = 16 * MIB;
    private static final int APPEND_LENGTH = 64 * MIB;
    private static final int WARM_UP_SHARE = 8;
    private static final int MAX_GROUP_LENGTH = 4 * MIB;

    /**
     * Measures for so long, most of it what decides.
     */
    static Plan of(final Requirement requirement, final int ms)
    {
        final boolean isForcing = DurabilityRequirement.POWER == requirement.durability();
        return new Plan(
            requirement.recordLength(), SEGMENT_LENGTH, APPEND_LENGTH, isForcing ? ms / 4 : ms / 2,
            isForcing ? ms / 5 : ms / 10, ms / 8);
    }

    /**
     * What is done in the same JVM before anything counts: the same, but less of it.
     */
    Plan warmUp()
    {
        return new Plan(
            recordLength, segmentLength, appendLength / WARM_UP_SHARE, appendMs / 2, forceMs / WARM_UP_SHARE,
            replayMs / 2);
    }

    /**
     * Records that are forced together: fewer if they are long.
     */
    int groupSize(final Figure figure)
    {
        return groupSize(figure, recordLength);
    }

    /**
     * The same for records of some length.
     */
    static int groupSize(final Figure figure, final int recordLength)
    {
        return Math.max(1, Math.min(figure.groupSize(), MAX_GROUP_LENGTH / recordLength));
    }

    /**
     * Bytes on the device that a trial needs at most, roughly: what is forced is bounded by its time alone.
     */
    long neededSpace()
    {
        return 4 * appendLength + 8L * segmentLength;
    }

    /** Has a trial do so much; the length of a record is one of its properties. */
    void tell(final Subject subject)
    {
        subject.told("segmentLength", segmentLength).told("appendLength", appendLength).told("appendMs", appendMs)
            .told("forceMs", forceMs).told("replayMs", replayMs);
    }

    static Plan of(final Arguments args)
    {
        return new Plan(
            args.length("recordLength"), args.length("segmentLength"), args.number("appendLength"),
            args.length("appendMs"), args.length("forceMs"), args.length("replayMs"));
    }
}
