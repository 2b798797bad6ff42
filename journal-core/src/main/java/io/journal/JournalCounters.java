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
     * Whether a writer has the journal open, so that the values keep changing. From {@link ReadOnlyJournal#counters()}:
     * whether a writer has stored them within the last ten seconds by the system's clock and has not closed the journal
     * since. Otherwise they are the last known values, or 0 if none are known.
     *
     * @return whether the values are live.
     */
    public boolean isLive()
    {
        return source.isLive();
    }

    /**
     * Whether storage has failed: nothing more is acknowledged until the journal is closed and opened again. A failed
     * writer stores its counters once more, and again when it is closed.
     *
     * @return whether it has.
     */
    public boolean isFailed()
    {
        return 0 != source.get(CounterSource.FAILED);
    }

    /**
     * The time of the values. From {@link Journal#counters()}: now.
     *
     * @return milliseconds since 1970, by the clock of the writer's system; 0 if none are known.
     */
    public long timeMs()
    {
        return source.timeMs();
    }

    /**
     * Where the journal ends.
     *
     * @return position in bytes after the last appended frame.
     */
    public long appendedPosition()
    {
        return source.get(CounterSource.APPENDED_POSITION);
    }

    /**
     * The newest appended record.
     *
     * @return its sequence.
     */
    public long appendedSequence()
    {
        return source.get(CounterSource.APPENDED_SEQUENCE);
    }

    /**
     * The end of what is written.
     *
     * @return position in bytes.
     */
    public long writtenPosition()
    {
        return source.get(CounterSource.WRITTEN_POSITION);
    }

    /**
     * The newest written record: it survives a crash of the writer's process.
     *
     * @return its sequence.
     */
    public long writtenSequence()
    {
        return source.get(CounterSource.WRITTEN_SEQUENCE);
    }

    /**
     * The durable watermark: everything below it is durable.
     *
     * @return position in bytes.
     */
    public long forcedPosition()
    {
        return source.get(CounterSource.FORCED_POSITION);
    }

    /**
     * The newest durable record: it survives a loss of power.
     *
     * @return its sequence.
     */
    public long forcedSequence()
    {
        return source.get(CounterSource.FORCED_SEQUENCE);
    }

    /**
     * Segments of the journal, from the oldest to the current one; prepared segments are not counted.
     *
     * @return their number.
     */
    public long segments()
    {
        return source.get(CounterSource.SEGMENTS);
    }

    /**
     * Segments prepared for when the current one is full. 0 while the background agent is preparing one, and while
     * there is no space for one.
     *
     * @return their number.
     */
    public long preparedSegments()
    {
        return source.get(CounterSource.PREPARED_SEGMENTS);
    }

    /**
     * How often {@link JournalFullException} was thrown, for an append or another operation that needed the next
     * segment, since the journal was opened.
     *
     * @return the count.
     */
    public long refusals()
    {
        return source.get(CounterSource.REFUSALS);
    }

    /**
     * Forces made since the journal was opened.
     *
     * @return their number.
     */
    public long forces()
    {
        return source.get(CounterSource.FORCES);
    }

    /**
     * Total duration of all forces since the journal was opened.
     *
     * @return the sum in nanoseconds.
     */
    public long forceTimeNs()
    {
        return source.get(CounterSource.FORCE_TIME_NS);
    }

    /**
     * Duration of the longest force since the journal was opened.
     *
     * @return the duration in nanoseconds.
     */
    public long maxForceTimeNs()
    {
        return source.get(CounterSource.MAX_FORCE_TIME_NS);
    }

    /**
     * Threads that wait for a force by another thread.
     *
     * @return their number.
     */
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
