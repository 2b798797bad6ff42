// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.nio.file.Path;
import java.time.Instant;

import io.journal.JournalReader.Limit;
import io.journal.internal.streams.Follower;

/**
 * Reads events by query. A <em>position</em> is the sequence of the event's record in the journal: unique, rising, 1,
 * 2, 3, … without gaps, and no event is visible before those before it. Thread-safe.
 * <p>
 * A method that reads throws {@link io.journal.JournalException} if the journal cannot be read, holds a record that is
 * no event, or is truncated meanwhile below what the call would return, and {@link IllegalStateException} if it is
 * closed.
 */
public interface EventReader extends AutoCloseable
{
    /**
     * {@return a reader of events that another process may be appending} It uses the index files of the writing process
     * and indexes the newest events in memory. Where index files are missing it reads the journal instead.
     *
     * @param path directory of the journal. Exceptions are those of {@link io.journal.Journal#openReadOnly}.
     */
    static EventReader openReadOnly(final Path path)
    {
        return new Follower(path);
    }

    /**
     * Passes the events that match a query to a handler, in order of their positions, as far as they were there when
     * the call began.
     * <p>
     * If the range begins before the oldest event that is left, it is not known what matched there. Then the call
     * throws, unless the index still shows that nothing did: see {@link EventStreams.Options#isKeepingKeys()}. A read
     * from {@code first() - 1} takes what is left.
     *
     * @param query   that the events match.
     * @param range   to read.
     * @param handler called once per event; its exceptions are passed on.
     * @return the position up to which every event that matches was looked at: the {@link Condition#after()} of a
     *         condition with the same query. It is that of the newest event, or {@link Range#upTo()} if that is lower;
     *         the last event's if a forward read has reached its limit.
     * @throws PrunedException if the range reaches below the oldest event; if it is read backwards, after the events
     *                         that are left.
     */
    long read(Query query, Range range, EventHandler handler);

    /**
     * Passes one event to a handler.
     *
     * @param position of the event.
     * @param handler  called with the event.
     * @return false if there is no such event: it was pruned, or is not there yet.
     */
    boolean get(long position, EventHandler handler);

    /**
     * The last event before an instant, by the times of the events, found by bisection.
     *
     * @param time of the writer's clock.
     * @return its position; one less than {@link #first()} if there is none.
     */
    long positionAt(Instant time);

    /** {@return the position of the oldest event; the next position while there is none} */
    long first();

    /**
     * {@return the position of the newest event; one less than {@link #first()} if there is none}
     *
     * @param visibility of written or of durable events.
     */
    long head(Limit visibility);

    /** Closes the reader. Idempotent. */
    @Override
    void close();
}
