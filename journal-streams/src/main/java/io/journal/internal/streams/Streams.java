// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalException;
import io.journal.JournalReader.Limit;
import io.journal.RecordBatch;
import io.journal.streams.Condition;
import io.journal.streams.ConflictException;
import io.journal.streams.Event;
import io.journal.streams.EventHandler;
import io.journal.streams.EventStreams;
import io.journal.streams.KeyedSnapshots;
import io.journal.streams.PrunedException;
import io.journal.streams.Query;
import io.journal.streams.Subscription;
import org.jspecify.annotations.Nullable;

/** The event store of a journal that is open for writing. */
public final class Streams extends IndexedReader implements EventStreams
{
    private static final int MICROS = 1_000_000;
    // Tails that an opening reads into memory; if there is more, it writes files.
    private static final int TAILS = 2;

    private record Encoded(Event event, byte[] bytes, EventRecord record, long[] keys)
    {
        static Encoded of(final Event event, final @Nullable String streamTag)
        {
            final byte[] bytes = EventRecord.encode(event, streamTag);
            final EventRecord record = new EventRecord().wrap(JournalAppender.wrap(bytes), 0, bytes.length, 0, 0);
            return new Encoded(event, bytes, record, record.keys());
        }
    }

    // Journals hand their appender out again and again, so they do not refuse a second event store.
    private static final Set<Journal> OPENED =
        Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    private final Journal journal;
    private final JournalAppender appender;
    private final Options options;
    private final IndexBuilder builder;
    private final DurableFutures futures;
    private final SnapshotFiles snapshots;
    private final Map<String, LocalSubscription> subscriptions = new ConcurrentHashMap<>();
    // Held by appends, truncation and close.
    private final ReentrantLock lock = new ReentrantLock();
    private long lastTimeUs;
    private long prunedBefore;
    private boolean isListening;
    // True for good if a truncation failed half-way.
    private boolean isTruncating;
    private volatile long head;
    private volatile boolean isClosed;

    private Streams(final Journal journal, final JournalAppender appender, final Log log, final Options options)
    {
        super(log, new Index(log, journal.path(), options.tailEvents(), TAILS, options.isKeepingKeys(),
            options.errorHandler()), options.isKeepingKeys());
        this.journal = journal;
        this.appender = appender;
        this.options = options;
        builder = new IndexBuilder(index, journal, options.errorHandler());
        index.onWork(builder::wake);
        futures = new DurableFutures(journal, options.executor(), () -> wake(Limit.FORCED));
        snapshots = new SnapshotFiles(journal, log, index.directory.path, options.errorHandler());
    }

    /** The default error handler. */
    public static void log(final Throwable problem)
    {
        System.getLogger("io.journal.streams").log(System.Logger.Level.WARNING, problem.getMessage(), problem);
    }

    public static Streams open(final Journal journal, final Options options)
    {
        final Streams streams =
            new Streams(journal, journal.appender(), Log.of(journal), Objects.requireNonNull(options, "options"));
        if (!OPENED.add(journal))
        {
            throw new IllegalStateException("the journal has an event store already");
        }
        try
        {
            streams.start();
        }
        catch (final RuntimeException | Error ex)
        {
            OPENED.remove(journal);
            throw ex;
        }

        return streams;
    }

    static Thread daemon(final String name, final Runnable task)
    {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    private void start()
    {
        index.directory.prepare();
        head = log.repeatIfPruned(() ->
        {
            index.load(log.lastSequence().getAsLong());
            return index.last();
        });
        lastTimeUs = timeUs(head);
        builder.start();
    }

    @Override
    long head()
    {
        return head;
    }

    @Override
    public Appended append(final List<Event> events, final Condition... conditions)
    {
        final Matcher[] matchers = new Matcher[conditions.length];
        for (int i = 0; i < conditions.length; i++)
        {
            matchers[i] = Matcher.of(conditions[i].failIfMatch());
        }

        return append(encode(events, null), (sources) ->
        {
            for (int i = 0; i < conditions.length; i++)
            {
                check(sources, matchers[i], i, conditions[i]);
            }
        });
    }

    @Override
    public Appended appendTo(final String stream, final long expectedVersion, final List<Event> events)
    {
        if (expectedVersion < ANY_VERSION)
        {
            throw new IllegalArgumentException("no version: expectedVersion=" + expectedVersion);
        }
        final String tag = Names.streamTag(stream);
        final Matcher matcher = Matcher.of(Query.tags(tag));

        final List<Encoded> encoded = encode(events, tag);

        return append(encoded, (sources) ->
        {
            final long newest = newestMatch(sources, matcher, 0, head);
            long version = versionAt(newest);
            if (ANY_VERSION != expectedVersion && version != expectedVersion)
            {
                throw new ConflictException("stream has another version: stream=" + stream + ", expectedVersion=" +
                    expectedVersion + ", version=" + version + ", position=" + newest, 0, newest);
            }
            for (final Encoded event : encoded)
            {
                event.record.putVersion(event.bytes, ++version);
            }
        });
    }

    /** Checks and appends in one step. */
    private Appended append(final List<Encoded> events, final Consumer<Source[]> check)
    {
        lock.lock();
        try
        {
            final Source[] sources = begin();
            final Appended earlier = earlier(sources, events);
            if (null != earlier)
            {
                return earlier;
            }
            check.accept(sources);
            write(events);

            return new Appended(head - events.size() + 1, head, false);
        }
        finally
        {
            lock.unlock();
            wake(Limit.WRITTEN);
        }
    }

    @Override
    public long version(final String stream)
    {
        final Matcher matcher = Matcher.of(Query.tags(Names.streamTag(stream)));
        final Truncations.Mark mark = truncations.mark();
        final long upTo = head;
        try
        {
            return versionAt(newestMatch(index.sources(), matcher, 0, upTo));
        }
        finally
        {
            checkTruncated(mark, upTo);
        }
    }

    private long versionAt(final long position)
    {
        final long[] version = new long[1];
        if (position > 0 && !get(position, (event) -> version[0] = event.version()))
        {
            throw new PrunedException("pruned meanwhile: position=" + position, log.first());
        }

        return version[0];
    }

    private static List<Encoded> encode(final List<Event> events, final @Nullable String streamTag)
    {
        final List<Encoded> encoded = new ArrayList<>(events.size());
        final Set<UUID> ids = new HashSet<>();
        for (final Event event : events)
        {
            if (null != event.id() && !ids.add(event.id()))
            {
                throw new IllegalArgumentException("two events with one id: id=" + event.id());
            }
            encoded.add(Encoded.of(event, streamTag));
        }
        if (encoded.isEmpty())
        {
            throw new IllegalArgumentException("no events to append");
        }

        return encoded;
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the event store is closed");
        }
    }

    /** The sources, which cover everything while the lock is held. */
    private Source[] begin()
    {
        checkOpen();
        if (isTruncating || journal.lastSequence() != head)
        {
            throw new IllegalStateException("the journal was changed other than by its event store, or storage " +
                "failed: close and open it again: lastSequence=" + journal.lastSequence() + ", head=" + head);
        }

        final long oldest = log.first();
        if (oldest != prunedBefore)
        {
            // Now, because in a gap that was pruned nothing can be known.
            index.dropPruned();
            prunedBefore = oldest;
        }

        return index.sources();
    }

    /** The result of an earlier append of the same ids; null if there was none. */
    private @Nullable Appended earlier(final Source[] sources, final List<Encoded> events)
    {
        // The id of an event that was pruned may be known still, but not the result of its append.
        // Ids are forgotten together with the keys.
        final long after = (isKeepingKeys ? sources[0].first() : log.first()) - 1;
        for (final Encoded event : events)
        {
            final UUID id = event.event.id();
            final long position = null == id ? 0 : newestMatch(sources, Matcher.of(id), after, head);
            if (position > 0)
            {
                // An id is there once, so that of another event than the first is not where it should be.
                boolean isSame = true;
                for (int i = 1; isSame && i < events.size(); i++)
                {
                    isSame = position + i <= head && isAt(position + i, events.get(i).event);
                }
                if (!isSame)
                {
                    throw new ConflictException("an id was used by another append: id=" + id + ", position=" +
                        position, ConflictException.IDS, position);
                }

                return new Appended(position, position + events.size() - 1, true);
            }
        }

        return null;
    }

    /** Whether an event is there: one with its id, or if it has none, an equal one. */
    private boolean isAt(final long position, final Event event)
    {
        final UUID id = event.id();
        final boolean[] isSame = new boolean[1];
        get(position, (stored) -> isSame[0] = null == id ? event.equals(stored.copy()) : id.equals(stored.id()));
        return isSame[0];
    }

    private void check(final Source[] sources, final Matcher matcher, final int number, final Condition condition)
    {
        if (condition.after() > head)
        {
            throw new IllegalArgumentException(
                "condition after an event that does not exist: after=" + condition.after() + ", head=" + head);
        }
        final long newest = newestMatch(sources, matcher, condition.after(), head);
        if (newest > 0)
        {
            throw new ConflictException("an event matches: condition=" + number + ", after=" + condition.after() +
                ", position=" + newest + ", query=" + condition.failIfMatch(), number, newest);
        }
    }

    private void write(final List<Encoded> events)
    {
        final Instant now = options.clock().instant();
        final long timeUs = Math.max(lastTimeUs, now.getEpochSecond() * MICROS + now.getNano() / 1000);
        final long last;
        if (1 == events.size())
        {
            last = appender.append(timeUs, events.get(0).bytes);
        }
        else
        {
            final RecordBatch batch = new RecordBatch();
            events.forEach((event) -> batch.add(timeUs, event.bytes));
            last = appender.append(batch);
        }
        lastTimeUs = timeUs;
        events.forEach((event) -> index.add(event.keys));
        head = last;
    }

    @Override
    public CompletableFuture<Void> durable(final long position)
    {
        // Excludes a truncation.
        lock.lock();
        try
        {
            if (position < 0 || position > head)
            {
                throw new IllegalArgumentException("no such event: position=" + position + ", head=" + head);
            }

            return futures.future(position, truncations.mark());
        }
        finally
        {
            lock.unlock();
        }
    }

    @Override
    public Subscription subscribe(
        final String name,
        final Query query,
        final Limit visibility,
        final EventHandler handler,
        final Executor executor,
        final Duration interval)
    {
        Objects.requireNonNull(visibility, "visibility");
        Objects.requireNonNull(handler, "handler");
        Objects.requireNonNull(executor, "executor");
        if (interval.isNegative())
        {
            throw new IllegalArgumentException("negative: interval=" + interval);
        }
        final Matcher matcher = Matcher.of(query);
        final LocalSubscription subscription;
        lock.lock();
        try
        {
            checkOpen();
            if (Limit.FORCED == visibility && !isListening)
            {
                // Not before it is needed, because it takes a wake-up of the background agent for each fsync.
                journal.onForced((sequence) -> wake(Limit.FORCED));
                isListening = true;
            }
            // Under the lock, because a truncation moves the cursor back.
            subscription = new LocalSubscription(
                this, journal.cursor(name), matcher, visibility, handler, executor, interval);
            if (null != subscriptions.putIfAbsent(name, subscription))
            {
                throw new IllegalStateException("a subscription of this name is open: name=" + name);
            }
        }
        finally
        {
            lock.unlock();
        }
        subscription.wake();

        return subscription;
    }

    void remove(final LocalSubscription subscription)
    {
        subscriptions.remove(subscription.name(), subscription);
    }

    private void wake(final Limit visibility)
    {
        for (final LocalSubscription subscription : subscriptions.values())
        {
            if (visibility == subscription.visibility())
            {
                subscription.wake();
            }
        }
    }

    @Override
    public KeyedSnapshots snapshots()
    {
        return snapshots;
    }

    @Override
    public void truncateAfter(final long position)
    {
        final List<LocalSubscription> ended;
        lock.lock();
        try
        {
            begin();
            // Lowered first, so that a read which begins meanwhile does not look for what is going.
            final long before = head;
            head = Math.min(before, Math.max(0, position));
            try
            {
                journal.truncateAfter(position);
            }
            catch (final RuntimeException ex)
            {
                head = before;
                // They may have seen the lower one.
                subscriptions.values().forEach(LocalSubscription::wake);
                throw ex;
            }
            isTruncating = true;
            truncations.add(position);
            ended = List.copyOf(subscriptions.values());
            ended.forEach((subscription) -> subscription.stop(new JournalException(
                "events were truncated: subscription=" + subscription.name() + ", after=" + position +
                    "; subscribe again")));
            log.repeatIfPruned(() -> index.truncateAfter(position));
            isTruncating = false;
        }
        finally
        {
            lock.unlock();
        }
        ended.forEach(LocalSubscription::endUnlessInTurn);
    }

    @Override
    public void close()
    {
        lock.lock();
        try
        {
            if (isClosed)
            {
                return;
            }
            isClosed = true;
        }
        finally
        {
            lock.unlock();
        }
        try
        {
            subscriptions.values().forEach(LocalSubscription::close);
            builder.close(
                journal.counters().isFailed() || journal.isClosed() ? null : options.tailEvents() / 8);
        }
        finally
        {
            try
            {
                journal.close();
            }
            finally
            {
                futures.close();
                OPENED.remove(journal);
            }
        }
    }
}
