package io.journal.bench.journal;

import io.journal.JournalBuilder;
import io.journal.bench.run.Checks;
import io.journal.bench.run.Space;

/**
 * What records and segments may be asked for, and what they take.
 */
final class JournalLengths
{
    static final int FRAME_HEADER_LENGTH = 24;

    private static final int ALIGNMENT = 8;
    private static final int SEGMENT_HEADER_LENGTH = 4096;
    private static final int MARK_LENGTH = 40;
    private static final int MAX_RECORD_LENGTH = 16 * 1024 * 1024;
    private static final int MS_PER_S = 1000;
    // One that is prepared, one that is kept for later, and one that has been begun.
    private static final int SPARE_SEGMENTS = 3;

    private JournalLengths()
    {
    }

    /**
     * Of a record with what is around it.
     */
    static int frameLength(final int recordLength)
    {
        return recordLength + FRAME_HEADER_LENGTH + ALIGNMENT - 1 & -ALIGNMENT;
    }

    /**
     * Of the longest record that a segment takes.
     */
    static int largestRecord(final int segmentLength)
    {
        return Math.min(
            MAX_RECORD_LENGTH, segmentLength - SEGMENT_HEADER_LENGTH - MARK_LENGTH - FRAME_HEADER_LENGTH);
    }

    /**
     * Refuses what a journal would refuse.
     *
     * @param leastRecordLength that what is measured can do with.
     */
    static void check(
        final Checks checks, final int leastRecordLength, final int recordLength, final int segmentLength)
    {
        checkSegment(checks, "--segment-length", segmentLength);
        checks.within(leastRecordLength, largestRecord(segmentLength), "--record-length", recordLength);
    }

    static void checkSegment(final Checks checks, final String option, final int segmentLength)
    {
        checks.within(
            JournalBuilder.MIN_SEGMENT_LENGTH, JournalBuilder.MAX_SEGMENT_LENGTH, option, segmentLength)
            .that(1 == Integer.bitCount(segmentLength), option + " must be a power of two");
    }

    /**
     * Records that are due in a time, and one more.
     */
    static long count(final long perSecond, final long ms)
    {
        return Space.product(perSecond, ms) / MS_PER_S + 1;
    }

    /**
     * Bytes on the device of records that were appended, with the segments that wait for more.
     */
    static long neededBytes(final long count, final int recordLength, final int segmentLength)
    {
        final int frameLength = frameLength(recordLength);
        final int perSegment = Math.max(1, (segmentLength - SEGMENT_HEADER_LENGTH - MARK_LENGTH) / frameLength);
        return Space.product(Space.sum(count / perSegment, 1 + SPARE_SEGMENTS), segmentLength);
    }
}
