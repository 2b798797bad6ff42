package io.journal;

import io.journal.internal.files.CounterSource;

/**
 * What a journal's writer says of itself: where its ends are, how many segments there are, what forces take. For any
 * thread; no getter allocates.
 * <p>
 * From {@link Journal#counters()} the values are those of the moment. From {@link ReadOnlyJournal#counters()}, in
 * whatever process, they are those that the writer has put into {@code journal.mark}: at each force, each time its
 * companion has gone round, and when it closes the journal, not at each append. A companion with a thread of its own
 * goes round at least ten times a second, unless preparing a segment or a force takes it longer. Each getter then reads
 * what is there now, so two of them may tell of two moments.
 * <p>
 * Counts and times begin anew with each opening for writing.
 */
public final class JournalCounters
{
    private final CounterSource source;

    JournalCounters(final CounterSource source)
    {
        this.source = source;
    }

    /**
     * Whether a writer has the journal open, so that the values go on. From {@link ReadOnlyJournal#counters()}: whether
     * one has stored them within the last ten seconds by the system's clock and has not closed the journal since. Else
     * they are the last that are known, or 0 if none are.
     *
     * @return whether the values are live.
     */
    public boolean isLive()
    {
        return source.isLive();
    }

    /**
     * Whether storage has failed: nothing more is acknowledged until the journal is closed and opened again. A writer
     * that has failed stores its counters once more, and then when it is closed.
     *
     * @return whether it has.
     */
    public boolean isFailed()
    {
        return 0 != source.get(CounterSource.FAILED);
    }

    /**
     * Of when the values are. From {@link Journal#counters()}: of now.
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
     * @return position in bytes behind the last frame that is appended.
     */
    public long appendedPosition()
    {
        return source.get(CounterSource.APPENDED_POSITION);
    }

    /**
     * The newest record that is appended.
     *
     * @return its sequence.
     */
    public long appendedSequence()
    {
        return source.get(CounterSource.APPENDED_SEQUENCE);
    }

    /**
     * Up to where the journal is written.
     *
     * @return position in bytes.
     */
    public long writtenPosition()
    {
        return source.get(CounterSource.WRITTEN_POSITION);
    }

    /**
     * The newest record that is written, and outlives the writer's process.
     *
     * @return its sequence.
     */
    public long writtenSequence()
    {
        return source.get(CounterSource.WRITTEN_SEQUENCE);
    }

    /**
     * Up to where the journal is forced.
     *
     * @return position in bytes.
     */
    public long forcedPosition()
    {
        return source.get(CounterSource.FORCED_POSITION);
    }

    /**
     * The newest record that is forced, and survives a loss of power.
     *
     * @return its sequence.
     */
    public long forcedSequence()
    {
        return source.get(CounterSource.FORCED_SEQUENCE);
    }

    /**
     * Segments of the journal's history, from the oldest to the one that is appended to; those that are prepared do not
     * count.
     *
     * @return their number.
     */
    public long segments()
    {
        return source.get(CounterSource.SEGMENTS);
    }

    /**
     * Segments that are ready for the time when the one that is appended to is full. 0 while the background agent is
     * preparing one, and as long as there is no space for it.
     *
     * @return their number.
     */
    public long preparedSegments()
    {
        return source.get(CounterSource.PREPARED_SEGMENTS);
    }

    /**
     * How often {@link JournalFullException} refused an append, or whatever else needed the next segment, since the
     * journal was opened.
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
     * What all forces since the journal was opened took.
     *
     * @return the sum in nanoseconds.
     */
    public long forceTimeNs()
    {
        return source.get(CounterSource.FORCE_TIME_NS);
    }

    /**
     * What the longest force since the journal was opened took.
     *
     * @return its duration in nanoseconds.
     */
    public long maxForceTimeNs()
    {
        return source.get(CounterSource.MAX_FORCE_TIME_NS);
    }

    /**
     * Threads that wait for a force that another one makes.
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
