package io.journal;

import io.journal.internal.files.CounterSource;

/**
 * Runtime metrics of a journal's writer: the journal's ends, its number of segments, the duration of forces.
 * Thread-safe; no getter allocates.
 * <p>
 * {@link Journal#counters()} returns current values. {@link ReadOnlyJournal#counters()}, in any process, returns the
 * values that the writer last stored in {@code journal.mark}: at each force, in the duty cycles of its background
 * agent, and when it closes the journal, not at each append. A background agent with a thread of its own stores them at
 * least ten times a second, unless preparing a segment or a force takes longer. Each getter reads the value stored at
 * the time of its call, so two getters may return values of two moments.
 * <p>
 * Counts and times restart with each opening for writing.
 */
public final class JournalCounters
{
    private final CounterSource source;

    JournalCounters(final CounterSource source)
    {
        this.source = source;
    }

    /**
     * {@return whether a writer has the journal open, so that the values keep changing} From
     * {@link ReadOnlyJournal#counters()}: whether a writer has stored them within the last ten seconds by the system's
     * clock and has not closed the journal since. Otherwise they are the last known values, or 0 if none are known.
     */
    public boolean isLive()
    {
        return source.isLive();
    }

    /**
     * {@return whether storage has failed} Then nothing more is acknowledged until the journal is closed and opened
     * again. A failed writer stores its counters once more, and again when it is closed.
     */
    public boolean isFailed()
    {
        return 0 != source.get(CounterSource.FAILED);
    }

    /**
     * {@return the time of the values, in milliseconds since 1970 by the clock of the writer's system; 0 if none are
     * known} From {@link Journal#counters()}: now.
     */
    public long timeMs()
    {
        return source.timeMs();
    }

    /** {@return the position in bytes after the last appended frame, where the journal ends} */
    public long appendedPosition()
    {
        return source.get(CounterSource.APPENDED_POSITION);
    }

    /** {@return the sequence of the newest appended record} */
    public long appendedSequence()
    {
        return source.get(CounterSource.APPENDED_SEQUENCE);
    }

    /** {@return the position in bytes up to which the journal is written} */
    public long writtenPosition()
    {
        return source.get(CounterSource.WRITTEN_POSITION);
    }

    /** {@return the sequence of the newest written record: it survives a crash of the writer's process} */
    public long writtenSequence()
    {
        return source.get(CounterSource.WRITTEN_SEQUENCE);
    }

    /** {@return the durable watermark, a position in bytes: everything below it is durable} */
    public long forcedPosition()
    {
        return source.get(CounterSource.FORCED_POSITION);
    }

    /** {@return the sequence of the newest durable record: it survives a loss of power} */
    public long forcedSequence()
    {
        return source.get(CounterSource.FORCED_SEQUENCE);
    }

    /** {@return the number of segments, from the oldest to the current one; prepared segments are not counted} */
    public long segments()
    {
        return source.get(CounterSource.SEGMENTS);
    }

    /**
     * {@return the number of segments prepared for when the current one is full} 0 while the background agent is
     * preparing one, and while there is no space for one.
     */
    public long preparedSegments()
    {
        return source.get(CounterSource.PREPARED_SEGMENTS);
    }

    /**
     * {@return how often {@link JournalFullException} was thrown since the journal was opened, for an append or another
     * operation that needed the next segment}
     */
    public long refusals()
    {
        return source.get(CounterSource.REFUSALS);
    }

    /** {@return the number of forces made since the journal was opened} */
    public long forces()
    {
        return source.get(CounterSource.FORCES);
    }

    /** {@return the total duration of all forces since the journal was opened, in nanoseconds} */
    public long forceTimeNs()
    {
        return source.get(CounterSource.FORCE_TIME_NS);
    }

    /** {@return the duration of the longest force since the journal was opened, in nanoseconds} */
    public long maxForceTimeNs()
    {
        return source.get(CounterSource.MAX_FORCE_TIME_NS);
    }

    /** {@return the number of threads that wait for a force by another thread} */
    public long waiters()
    {
        return source.get(CounterSource.WAITERS);
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
            ", isFailed=" + isFailed() +
            ", isLive=" + isLive() + '}';
    }
}
