package io.journal.bench.journal;

import io.journal.JournalBuilder;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Space;

/**
 * Limits of record and segment lengths, and the disk space that records take.
 */
final class JournalLengths
{
    static final int FRAME_HEADER_LENGTH = 24;

    private static final int ALIGNMENT = 8;
    private static final int SEGMENT_HEADER_LENGTH = 4096;
    private static final int MARK_LENGTH = 40;
    private static final int MAX_RECORD_LENGTH = 16 * 1024 * 1024;
    private static final int MS_PER_S = 1000;
    // One allocated ahead, one kept for recycling, one just started.
    private static final int SPARE_SEGMENTS = 3;

    private JournalLengths()
    {
    }

    static int frameLength(final int recordLength)
    {
        return recordLength + FRAME_HEADER_LENGTH + ALIGNMENT - 1 & -ALIGNMENT;
    }

    static int largestRecord(final int segmentLength)
    {
        return Math.min(
            MAX_RECORD_LENGTH, segmentLength - SEGMENT_HEADER_LENGTH - MARK_LENGTH - FRAME_HEADER_LENGTH);
    }

    /**
     * Rejects lengths that a journal rejects.
     *
     * @param leastRecordLength that the experiment needs.
     */
    static void check(
        final OptionChecks checks, final int leastRecordLength, final int recordLength, final int segmentLength)
    {
        checkSegment(checks, "--segment-length", segmentLength);
        checks.within(leastRecordLength, largestRecord(segmentLength), "--record-length", recordLength);
    }

    static void checkSegment(final OptionChecks checks, final String option, final int segmentLength)
    {
        checks.within(
            JournalBuilder.MIN_SEGMENT_LENGTH, JournalBuilder.MAX_SEGMENT_LENGTH, option, segmentLength)
            .that(1 == Integer.bitCount(segmentLength), option + " must be a power of two");
    }

    /**
     * Number of records due in a period, rounded up.
     */
    static long count(final long perSecond, final long ms)
    {
        return Space.product(perSecond, ms) / MS_PER_S + 1;
    }

    /**
     * Disk space of a number of records, including segments allocated ahead.
     */
    static long neededBytes(final long count, final int recordLength, final int segmentLength)
    {
        final int frameLength = frameLength(recordLength);
        final int perSegment = Math.max(1, (segmentLength - SEGMENT_HEADER_LENGTH - MARK_LENGTH) / frameLength);
        return Space.product(Space.sum(count / perSegment, 1 + SPARE_SEGMENTS), segmentLength);
    }
}
