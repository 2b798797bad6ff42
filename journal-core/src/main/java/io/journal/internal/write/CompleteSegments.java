package io.journal.internal.write;

/**
 * Fsyncs complete segments before anyone asks for it, so that a later fsync has less to do. Preparing segments for
 * records that stream in is more urgent, up to a limit; beyond a higher one the stream has to wait.
 */
public final class CompleteSegments
{
    // Deferred while the allocator is behind: no more than either of these.
    private static final long MAX_DEFERRED_LENGTH = 256L * 1024 * 1024;
    private static final int MAX_DEFERRED = 8;
    private static final int MAX_UNFORCED = 15;

    private final Forcer forcer;
    private final SegmentAllocator allocator;
    private final int maxDeferred;

    public CompleteSegments(final Forcer forcer, final SegmentAllocator allocator, final int segmentLength)
    {
        this.forcer = forcer;
        this.allocator = allocator;
        maxDeferred = (int)Math.min(MAX_DEFERRED, MAX_DEFERRED_LENGTH / segmentLength);
    }

    /** Fsyncs the oldest complete segment, unless that can wait. A duty of the background agent. */
    public boolean force()
    {
        final boolean isDeferred = allocator.isBehind() && unforced() <= maxDeferred;
        return !isDeferred && forcer.forceComplete(Long.MAX_VALUE);
    }

    /** Fsyncs the oldest complete segment if there are too many. By the appending thread, when it has rolled. */
    public void rolled()
    {
        if (unforced() > MAX_UNFORCED)
        {
            forcer.forceComplete(Long.MAX_VALUE);
        }
    }

    private int unforced()
    {
        return forcer.backlog() - 1;
    }
}
