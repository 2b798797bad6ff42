package io.journal;

import io.journal.internal.Engine;

/**
 * Runtime metrics of a journal that this process writes: its ends, its number of segments, the duration of forces.
 * Thread-safe; no getter allocates. Each getter returns the value at the time of its call, so two getters may return
 * values of two moments. All stay readable after the journal is closed.
 * <p>
 * Counts and times restart with each opening for writing. What another process sees of a journal:
 * {@link ReadOnlyJournal#firstSequence()}, {@link ReadOnlyJournal#lastSequence()},
 * {@link ReadOnlyJournal#forcedSequence()} and {@link ReadOnlyJournal#cursors()}.
 */
public final class JournalCounters
{
    private final Engine engine;

    JournalCounters(final Engine engine)
    {
        this.engine = engine;
    }

    /**
     * {@return whether storage has failed} Then nothing more is acknowledged until the journal is closed and opened
     * again.
     */
    public boolean isFailed()
    {
        return engine.latch.isFailed();
    }

    /** {@return the position in bytes after the last appended frame, where the journal ends} */
    public long appendedPosition()
    {
        return engine.positions.appendedPosition();
    }

    /** {@return the sequence of the newest appended record} */
    public long appendedSequence()
    {
        return engine.positions.appendedSequence();
    }

    /** {@return the position in bytes up to which the journal is written} */
    public long writtenPosition()
    {
        return engine.positions.writtenPosition();
    }

    /** {@return the sequence of the newest written record: it survives a crash of the writer's process} */
    public long writtenSequence()
    {
        return engine.positions.writtenSequence();
    }

    /** {@return the durable watermark, a position in bytes: everything below it is durable} */
    public long forcedPosition()
    {
        return engine.positions.forcedPosition();
    }

    /** {@return the sequence of the newest durable record: it survives a loss of power} */
    public long forcedSequence()
    {
        return engine.positions.forcedSequence();
    }

    /** {@return the number of segments, from the oldest to the current one; prepared segments are not counted} */
    public long segments()
    {
        return engine.segments();
    }

    /**
     * {@return the number of segments prepared for when the current one is full} 0 while the background agent is
     * preparing one, and while there is no space for one.
     */
    public long preparedSegments()
    {
        return engine.isSegmentPrepared() ? 1 : 0;
    }

    /**
     * {@return how often {@link JournalFullException} was thrown since the journal was opened, for an append or another
     * operation that needed the next segment}
     */
    public long refusals()
    {
        return engine.refusals();
    }

    /** {@return the number of forces made since the journal was opened} */
    public long forces()
    {
        return engine.forcer.times().count();
    }

    /** {@return the total duration of all forces since the journal was opened, in nanoseconds} */
    public long forceTimeNs()
    {
        return engine.forcer.times().totalNs();
    }

    /** {@return the duration of the longest force since the journal was opened, in nanoseconds} */
    public long maxForceTimeNs()
    {
        return engine.forcer.times().maxNs();
    }

    /** {@return the number of threads that wait for a force by another thread} */
    public long waiters()
    {
        return engine.forcer.waiters();
    }

    @Override
    public String toString()
    {
        return "JournalCounters{appendedSequence=" + appendedSequence() +
            ", writtenSequence=" + writtenSequence() +
            ", forcedSequence=" + forcedSequence() +
            ", segments=" + segments() +
            ", forces=" + forces() +
            ", forceTimeNs=" + forceTimeNs() +
            ", maxForceTimeNs=" + maxForceTimeNs() +
            ", waiters=" + waiters() +
            ", preparedSegments=" + preparedSegments() +
            ", refusals=" + refusals() +
            ", isFailed=" + isFailed() + '}';
    }
}
