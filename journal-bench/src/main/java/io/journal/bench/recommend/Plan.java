package io.journal.bench.recommend;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;

/**
 * Sizes and times of a trial.
 *
 * @param recordLength  of each record.
 * @param segmentLength of the journal; short, so that rolls contribute to the result.
 * @param appendLength  bytes of records to append without fsync.
 * @param appendMs      limit for that.
 * @param forceMs       for each group size.
 * @param replayMs      at least this, and at least one pass.
 */
record Plan(int recordLength, int segmentLength, long appendLength, int appendMs, int forceMs, int replayMs)
{
    private static final int MIB = 1024 * 1024;
    private static final int SEGMENT_LENGTH = 16 * MIB;
    private static final int APPEND_LENGTH = 64 * MIB;
    private static final int WARM_UP_SHARE = 8;
    private static final int MAX_GROUP_LENGTH = 4 * MIB;

    /**
     * Splits a time, most of it for the deciding figures.
     */
    static Plan of(final Requirement requirement, final int ms)
    {
        final boolean isForcing = Requirement.Durability.POWER == requirement.durability();
        return new Plan(
            requirement.recordLength(), SEGMENT_LENGTH, APPEND_LENGTH, isForcing ? ms / 4 : ms / 2,
            isForcing ? ms / 5 : ms / 10, ms / 8);
    }

    /**
     * The warm-up in the same JVM: the same steps, shorter.
     */
    Plan warmUp()
    {
        return new Plan(
            recordLength, segmentLength, appendLength / WARM_UP_SHARE, appendMs / 2, forceMs / WARM_UP_SHARE,
            replayMs / 2);
    }

    /**
     * Records per fsync: fewer if they are long.
     */
    int groupSize(final Figure figure)
    {
        return groupSize(figure, recordLength);
    }

    /**
     * As above, for a record length.
     */
    static int groupSize(final Figure figure, final int recordLength)
    {
        return Math.max(1, Math.min(figure.groupSize(), MAX_GROUP_LENGTH / recordLength));
    }

    /**
     * Disk space of a trial, roughly: fsynced appends are bounded only by their time.
     */
    long neededSpace()
    {
        return 4 * appendLength + 8L * segmentLength;
    }

    /** Passes the plan to a trial; the record length is a parameter of its own. */
    void addTo(final BenchmarkCase benchmark)
    {
        benchmark.argument("segmentLength", segmentLength).argument("appendLength", appendLength)
            .argument("appendMs", appendMs)
            .argument("forceMs", forceMs).argument("replayMs", replayMs);
    }

    static Plan of(final Arguments args)
    {
        return new Plan(
            args.length("recordLength"), args.length("segmentLength"), args.number("appendLength"),
            args.length("appendMs"), args.length("forceMs"), args.length("replayMs"));
    }
}
