package io.journal.internal.write;

import java.util.concurrent.TimeUnit;

/**
 * Decides from the last segment whether records stream in faster than they are fsynced, and how many files to fill
 * ahead then. The appending thread measures; the background agent asks. See
 * {@code docs/adr/0010-sustained-appending.md}.
 */
final class StreamDetector
{
    // A stream fills a segment in less time, and is fsynced less often than once for each of these lengths.
    private static final long STREAM_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int STREAM_FORCE_LENGTH = 1024 * 1024;

    private final long mostForces;
    // Stored by the appending thread.
    private volatile boolean isStreaming;
    private volatile int wantedAhead;
    // Confined to the appending thread.
    private long takenNs;
    private long takenForces;

    StreamDetector(final int segmentLength)
    {
        mostForces = segmentLength / STREAM_FORCE_LENGTH;
    }

    /** Starts again: nothing is known of a stream. */
    void reset()
    {
        isStreaming = false;
        wantedAhead = 0;
        takenNs = System.nanoTime();
    }

    /**
     * Measures the segment that is full now.
     *
     * @param forces    number of fsyncs so far that a thread has waited for.
     * @param isOutrun  whether the appender has found no segment prepared.
     * @param mostAhead files to fill ahead at most.
     */
    void segmentTaken(final long forces, final boolean isOutrun, final int mostAhead)
    {
        final long nowNs = System.nanoTime();
        isStreaming = nowNs - takenNs < STREAM_NS && forces - takenForces <= mostForces;
        takenNs = nowNs;
        takenForces = forces;
        if (!isStreaming)
        {
            wantedAhead = 0;
        }
        else if (isOutrun)
        {
            wantedAhead = mostAhead;
        }
    }

    boolean isStreaming()
    {
        return isStreaming;
    }

    int wantedAhead()
    {
        return wantedAhead;
    }
}
