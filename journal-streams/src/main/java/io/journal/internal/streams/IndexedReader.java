// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.BooleanSupplier;

import io.journal.JournalException;
import io.journal.JournalReader.Limit;
import io.journal.RecordHandler;
import io.journal.streams.EventHandler;
import io.journal.streams.EventReader;
import io.journal.streams.PrunedException;
import io.journal.streams.Query;
import io.journal.streams.Range;
import org.agrona.DirectBuffer;

/** Reads of events: candidates from the index, each confirmed by its record. */
abstract class IndexedReader implements EventReader
{
    // Consecutive candidates are read by one call.
    private static final int RUN = 256;

    final Log log;
    final Index index;
    final boolean isKeepingKeys;

    IndexedReader(final Log log, final Index index, final boolean isKeepingKeys)
    {
        this.log = log;
        this.index = index;
        this.isKeepingKeys = isKeepingKeys;
    }

    /** The newest event that is indexed. */
    abstract long head();

    @Override
    public final long head(final Limit visibility)
    {
        final long head = head();
        return Limit.FORCED == Objects.requireNonNull(visibility, "visibility") ? Math.min(head, log.durable()) : head;
    }

    @Override
    public final long first()
    {
        return log.first();
    }

    @Override
    public final long read(final Query query, final Range range, final EventHandler handler)
    {
        Objects.requireNonNull(handler, "handler");
        return read(Matcher.of(query), Objects.requireNonNull(range, "range"), handler, () -> false);
    }

    /** @param isStopped asked after each event. */
    final long read(
        final Matcher matcher, final Range range, final EventHandler handler, final BooleanSupplier isStopped)
    {
        final long top = Math.min(range.upTo(), head(range.visibility()));
        // Taken after the head, so they cover it.
        final Source[] sources = index.sources();
        return range.isBackwards() ? readBackwards(sources, matcher, range, top, handler) :
            readForwards(sources, matcher, range, top, handler, isStopped);
    }

    private long readForwards(
        final Source[] sources,
        final Matcher matcher,
        final Range range,
        final long top,
        final EventHandler handler,
        final BooleanSupplier isStopped)
    {
        // A prune after this check is noticed by what is missing.
        long next = Math.max(range.after() + 1, checkPruned(sources, matcher, range.after()));
        final Candidates candidates = index.candidates(sources, matcher);
        final Delivery delivery = new Delivery(matcher, handler, isStopped);
        while (next <= top && delivery.count < range.limit() && !isStopped.getAsBoolean())
        {
            final long begin = candidates.find(next, true);
            if (Candidates.NONE == begin || begin > top)
            {
                return top;
            }
            final long longest = Math.min(Math.min(RUN, top - begin + 1), range.limit() - delivery.count);
            int run = 1;
            while (run < longest && candidates.find(begin + run, true) == begin + run)
            {
                run++;
            }
            get(begin, run, delivery);
            next = begin + run;
        }

        return next <= top || isStopped.getAsBoolean() ? Math.max(delivery.last, range.after()) : top;
    }

    private long readBackwards(
        final Source[] sources, final Matcher matcher, final Range range, final long top, final EventHandler handler)
    {
        final Candidates candidates = index.candidates(sources, matcher);
        final Delivery delivery = new Delivery(matcher, handler, () -> false);
        final long end = Math.max(range.after() + 1, log.first());
        long next = top;
        while (next >= end && delivery.count < range.limit())
        {
            final long position = candidates.find(next, false);
            if (position < end)
            {
                break;
            }
            get(position, 1, delivery);
            next = position - 1;
        }
        if (delivery.count < range.limit())
        {
            checkPruned(sources, matcher, range.after());
        }

        return top;
    }

    /** Newest event after a position, up to another, that matches; 0 if there is none. */
    final long newestMatch(final Source[] sources, final Matcher matcher, final long after, final long upTo)
    {
        final long[] newest = new long[1];
        readBackwards(
            sources, matcher, Range.from(after).first(1), upTo, (event) -> newest[0] = event.position());
        return newest[0];
    }

    /** Throws if an event that matches may have been pruned; returns the oldest event. */
    private long checkPruned(final Source[] sources, final Matcher matcher, final long after)
    {
        final long first = log.first();
        if (after + 1 < first)
        {
            final long candidate = isKeepingKeys && sources[0].first() <= after + 1 ?
                index.candidates(sources, matcher).find(after + 1, true) : after + 1;
            if (Candidates.NONE != candidate && candidate < first)
            {
                throw new PrunedException(
                    "events that may match were pruned: after=" + after + ", first=" + first, first);
            }
        }

        return first;
    }

    private void get(final long begin, final int count, final Delivery delivery)
    {
        final int passed = log.get(begin, count, delivery::onRecord);
        if (passed < count)
        {
            final long first = log.first();
            final long missing = begin + passed;
            if (missing < first)
            {
                throw new PrunedException("events were pruned meanwhile: position=" + missing, first);
            }
            throw new JournalException(
                "events were truncated meanwhile: position=" + missing, null, null, JournalException.UNKNOWN, missing);
        }
    }

    @Override
    public final boolean get(final long position, final EventHandler handler)
    {
        Objects.requireNonNull(handler, "handler");
        return position <= head() && log.get(position, 1, (buffer, offset, length, header) -> handler.onEvent(
            new EventRecord().wrap(buffer, offset, length, header.sequence(), header.tag()))) > 0;
    }

    @Override
    public final long positionAt(final Instant time)
    {
        Objects.requireNonNull(time, "time");
        long low = log.first();
        long high = head() + 1;
        while (low < high)
        {
            final long middle = low + high >>> 1;
            if (Instant.EPOCH.plus(timeUs(middle), ChronoUnit.MICROS).isBefore(time))
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low - 1;
    }

    final long timeUs(final long position)
    {
        final long[] time = new long[1];
        log.get(position, 1, (buffer, offset, length, header) -> time[0] = header.tag());
        return time[0];
    }

    /** Passes the records that match to a handler. */
    private static final class Delivery
    {
        private final EventRecord event = new EventRecord();
        private final Matcher matcher;
        private final EventHandler handler;
        private final BooleanSupplier isStopped;
        private long count;
        private long last;

        Delivery(final Matcher matcher, final EventHandler handler, final BooleanSupplier isStopped)
        {
            this.matcher = matcher;
            this.handler = handler;
            this.isStopped = isStopped;
        }

        void onRecord(
            final DirectBuffer buffer,
            final int offset,
            final int length,
            final RecordHandler.Header header)
        {
            if (!isStopped.getAsBoolean() &&
                matcher.matches(event.wrap(buffer, offset, length, header.sequence(), header.tag())))
            {
                handler.onEvent(event);
                count++;
                last = event.position();
            }
        }
    }
}
