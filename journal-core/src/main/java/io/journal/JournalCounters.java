// SPDX-License-Identifier: Apache-2.0
package io.journal;

/**
 * Runtime metrics of a journal that this process writes: its ends, its number of segments, the duration of forces.
 * Thread-safe; no getter allocates. Each getter returns the value at the time of its call, so two getters may return
 * values of two moments. All stay readable after the journal is closed.
 * <p>
 * Counts and times restart with each opening for writing. Another process can read
 * {@link ReadOnlyJournal#firstSequence()}, {@link ReadOnlyJournal#lastSequence()},
 * {@link ReadOnlyJournal#forcedSequence()} and {@link ReadOnlyJournal#cursors()}.
 */
public interface JournalCounters
{
    /**
     * {@return whether storage has failed} Then nothing more is acknowledged until the journal is closed and opened
     * again. {@link Journal#get Journal.get} and readers that are open continue up to {@link #writtenSequence()},
     * including records whose fsync failed: only those up to {@link #forcedSequence()} are durable.
     */
    boolean isFailed();

    /** {@return the position in bytes after the last appended frame, where the journal ends} */
    long appendedPosition();

    /** {@return the sequence of the newest appended record} */
    long appendedSequence();

    /** {@return the position in bytes up to which the journal is written} */
    long writtenPosition();

    /** {@return the sequence of the newest written record: it survives a crash of the writer's process} */
    long writtenSequence();

    /** {@return the durable watermark, a position in bytes: everything below it is durable} */
    long forcedPosition();

    /** {@return the sequence of the newest durable record: it survives a loss of power} */
    long forcedSequence();

    /** {@return the number of segments, from the oldest to the current one; prepared segments are not counted} */
    long segments();

    /**
     * {@return the number of segments prepared for when the current one is full} 1 once the end of the current segment
     * is 4 to 128 MiB away, up to 3 while records stream in; 0 before, while the background agent is preparing a
     * segment, and while there is no space for it.
     */
    long preparedSegments();

    /**
     * {@return how often {@link JournalFullException} was thrown since the journal was opened, for an append or another
     * operation that needed the next segment}
     */
    long refusals();

    /** {@return the number of forces made since the journal was opened} */
    long forces();

    /** {@return the total duration of all forces since the journal was opened, in nanoseconds} */
    long forceTimeNs();

    /** {@return the duration of the longest force since the journal was opened, in nanoseconds} */
    long maxForceTimeNs();

    /** {@return the number of threads that wait for a force by another thread} */
    long waiters();
}
