// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;

import io.journal.Journal;
import io.journal.JournalReader.Limit;
import io.journal.internal.streams.Streams;
import org.agrona.ErrorHandler;

/**
 * An event store on a journal: appends events if no event that matters to the decision was appended meanwhile.
 * <pre>{@code
 * Query course = Query.tags("course:1");
 * long seen = streams.read(course, Range.ALL, decision::apply);
 * streams.append(List.of(subscribed), new Condition(course, seen));
 * }</pre>
 * An event is <em>written</em> when {@link #append} returns, and <em>durable</em> later: see {@link #durable}. It is
 * safe to decide on events that are only written. Before the outside learns of a decision, or of a rejection, the
 * events that it rests on must be durable. Open the journal with any {@link io.journal.ForcePolicy} other than
 * {@code everyRecord}, which would make each append wait for an fsync of its own.
 * <p>
 * The journal may be pruned, by its methods and by its retention. It must be truncated by {@link #truncateAfter} only.
 * Thread-safe; operations are not interruptible.
 */
public interface EventStreams extends EventReader
{
    /** Expected version that every version of a stream matches. */
    long ANY_VERSION = -1;

    /**
     * Settings.
     *
     * @param tailEvents    number of newest events whose index is in memory only, 16 to 1,048,576: an opening after a
     *                      crash reads about twice as many at most.
     * @param isKeepingKeys whether the index of pruned events is kept. Then conditions, ids and versions that reach
     *                      below what was pruned are decided as long as the index shows that nothing matches; a match
     *                      by hash there throws {@link PrunedException}. Otherwise every condition that reaches there
     *                      throws, and the ids of pruned events are forgotten.
     * @param executor      completes the futures of {@link EventStreams#durable}. Their dependents that block delay the
     *                      others.
     * @param clock         for the times of events.
     * @param errorHandler  for errors in the background, and for index files and snapshots that were damaged.
     */
    record Options(
        int tailEvents, boolean isKeepingKeys, Executor executor, Clock clock, ErrorHandler errorHandler)
    {
        /** Default settings: 16,384 events, keys are kept, errors are logged. */
        public static final Options DEFAULT = new Options(
            16 * 1024, true, ForkJoinPool.commonPool(), Clock.systemUTC(), Streams::log);

        /**
         * Settings with all values.
         *
         * @param tailEvents    number of newest events whose index is in memory only.
         * @param isKeepingKeys whether the index of pruned events is kept.
         * @param executor      completes futures.
         * @param clock         for the times of events.
         * @param errorHandler  for errors in the background.
         * @throws IllegalArgumentException if a value is out of range.
         */
        public Options
        {
            if (tailEvents < 16 || tailEvents > 1024 * 1024)
            {
                throw new IllegalArgumentException("must be from 16 to 1048576: tailEvents=" + tailEvents);
            }
            Objects.requireNonNull(executor, "executor");
            Objects.requireNonNull(clock, "clock");
            Objects.requireNonNull(errorHandler, "errorHandler");
        }
    }

    /**
     * What an append has done.
     *
     * @param first      position of the first event.
     * @param last       position of the last event; those between are consecutive.
     * @param isRepeated whether an earlier append of the same ids did it, and this one nothing.
     */
    record Appended(long first, long last, boolean isRepeated)
    {
    }

    /**
     * {@return the event store of a journal, with default settings} See {@link #open(Journal, Options)}.
     *
     * @param journal that holds the events.
     */
    static EventStreams open(final Journal journal)
    {
        return open(journal, Options.DEFAULT);
    }

    /**
     * Opens the event store of a journal, which holds nothing else. It takes the journal's exclusive appender for good,
     * so that nothing gets past conditions and index, and its durability listener with the first subscription to
     * durable events; {@link #close()} closes the journal.
     * <p>
     * Reads from the journal what the index files lack: the newest events, or all if index files are missing, damaged,
     * or of another journal. That is reported to the error handler and is no failure.
     *
     * @param journal that holds the events.
     * @param options settings.
     * @return the event store.
     * @throws IllegalStateException       if the journal's shared appender is taken, or it has an event store.
     * @throws io.journal.JournalException if the journal cannot be read, or holds a record that is no event. The
     *                                     journal is still open.
     */
    static EventStreams open(final Journal journal, final Options options)
    {
        return Streams.open(journal, options);
    }

    /**
     * Appends events if all conditions hold: all or none, also after a crash, with consecutive positions. Conditions
     * are checked and events appended in one step, so appends are serializable. The check is exact: an append is
     * refused only if an event really matches, and never accepted if one does.
     * <p>
     * Idempotent by {@link Event#id()}: if an event with the first event's id is there, and after it events with the
     * ids of the others, or events that equal those without an id, nothing is checked or appended, and the result is
     * that of the first time. So an append whose outcome is unknown is repeated as it is.
     *
     * @param events     one or more, together at most 16 MiB and less than a segment.
     * @param conditions that must hold.
     * @return the positions; the events are written, as by {@link io.journal.JournalAppender#append}.
     * @throws ConflictException           if a condition does not hold, or ids are there already, but not those of the
     *                                     same append; nothing was appended. The matching event may not be durable yet.
     * @throws PrunedException             if a condition reaches below what was pruned, and it is not known what was
     *                                     there, or an id is that of a pruned event; nothing was appended.
     * @throws IllegalArgumentException    if there is no event, two have the same id, they are too long, or a condition
     *                                     is after a position that does not exist; nothing was appended.
     * @throws io.journal.JournalException as by {@link io.journal.JournalAppender}, also of its subclasses such as
     *                                     {@link io.journal.JournalFullException}.
     */
    Appended append(List<Event> events, Condition... conditions);

    /**
     * Appends events to a stream, which is created by its first event, if its version is the expected one. Appends to
     * other streams never conflict. The version of an event is the number of events in its stream up to it.
     *
     * @param stream          key of the stream, 1 to 1,000 characters.
     * @param expectedVersion of the stream's newest event; 0 if there must be none; {@link #ANY_VERSION}.
     * @param events          one or more.
     * @return the positions. Exceptions are those of {@link #append}.
     * @throws ConflictException if the stream has another version.
     */
    Appended appendTo(String stream, long expectedVersion, List<Event> events);

    /**
     * {@return the version of a stream's newest event; 0 if there is none}
     *
     * @param stream key of the stream.
     * @throws PrunedException if all of its events may have been pruned.
     */
    long version(String stream);

    /**
     * A future that completes when all events up to a position are durable. An event is durable together with all
     * before it, and so with all that it was decided on. Causes an fsync as
     * {@link Journal#awaitForced(long) Journal.awaitForced} does; waiting futures share it.
     *
     * @param position of the last event.
     * @return the future, which {@link Options#executor()} completes; exceptionally with the cause if the journal has
     *         failed, or is closed or truncated before.
     * @throws IllegalArgumentException if there is no such event yet.
     */
    CompletableFuture<Void> durable(long position);

    /**
     * Passes the events that match a query to a consumer, first those after its cursor, then live ones: durable events,
     * in order, each at least once. The cursor is {@link Journal#cursor(String)} of the same name; it is saved after
     * events that the handler has returned from, and passes events that do not match.
     *
     * @param name     of the consumer.
     * @param query    that the events match; the same each time.
     * @param handler  of the events, called by one thread at a time. If it throws, the subscription stops.
     * @param executor that runs the handler; it must neither run tasks in the thread that submits them, nor make that
     *                 thread wait.
     * @param interval between two saves of the cursor, at least; with 0 each event is saved.
     * @return the subscription, which is running.
     * @throws IllegalStateException if a subscription of this name is open, the journal's durability listener is taken,
     *                               or the store is closed. Further exceptions are those of
     *                               {@link Journal#cursor(String)}.
     */
    default Subscription subscribe(
        final String name,
        final Query query,
        final EventHandler handler,
        final Executor executor,
        final Duration interval)
    {
        return subscribe(name, query, Limit.FORCED, handler, executor, interval);
    }

    /**
     * Passes events to a consumer, as {@link #subscribe(String, Query, EventHandler, Executor, Duration)} does.
     *
     * @param name       of the consumer.
     * @param query      that the events match.
     * @param visibility {@link Limit#WRITTEN} to get events before they are durable. A power loss may take them back.
     * @param handler    of the events.
     * @param executor   that runs the handler.
     * @param interval   between two saves of the cursor.
     * @return the subscription.
     */
    Subscription subscribe(
        String name, Query query, Limit visibility, EventHandler handler, Executor executor, Duration interval);

    /** {@return snapshots of the application's state by key, always the same object} */
    KeyedSnapshots snapshots();

    /**
     * Truncates the newest end as {@link Journal#truncateAfter} does, together with the index. Positions are used
     * again: whoever has seen events that are gone must forget them. Open subscriptions fail: subscribe again.
     *
     * @param position of the last event to keep. Exceptions are those of {@link Journal#truncateAfter}.
     */
    void truncateAfter(long position);

    /**
     * Closes subscriptions, the index and the journal: all events are durable then. Throws what {@link Journal#close}
     * throws. Idempotent.
     */
    @Override
    void close();
}
