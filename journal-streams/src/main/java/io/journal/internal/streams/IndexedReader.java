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
    final Truncations truncations = new Truncations();

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
        return Limit.FORCED == Objects.requireNonNull(visibility, "visibility") ?
            Math.min(head, log.forcedSequence().getAsLong()) : head;
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
        // A follower learns here of earlier truncations, which do not concern this read.
        head();
        final Truncations.Mark mark = truncations.mark();
        final long top = Math.min(range.upTo(), head(range.visibility()));
        // Taken after the head, so they cover it.
        final Source[] sources = index.sources();
        final Delivery delivery = new Delivery(matcher, handler, isStopped);
        if (range.isBackwards())
        {
            readBackwards(sources, delivery, range.after(), top, range.limit());
            return checkTruncated(mark, top);
        }

        // A prune after this check is noticed by what is missing.
        final long first = Math.max(range.after() + 1, checkPruned(sources, matcher, range.after()));
        long begin = findUpTo(sources, matcher, first, top);
        while (Source.NONE != begin && delivery.count < range.limit() && !isStopped.getAsBoolean())
        {
            final long longest = Math.min(RUN, range.limit() - delivery.count);
            long end = begin + 1;
            long next = findUpTo(sources, matcher, end, top);
            while (next == end && end - begin < longest)
            {
                end++;
                next = findUpTo(sources, matcher, end, top);
            }
            get(begin, (int)(end - begin), delivery);
            begin = next;
        }

        return checkTruncated(mark,
            Source.NONE == begin && !isStopped.getAsBoolean() ? top : Math.max(delivery.last, range.after()));
    }

    /** Throws if another event may have a position by now, which was not looked at. */
    final long checkTruncated(final Truncations.Mark mark, final long position)
    {
        // A follower learns of truncations when it looks.
        head();
        if (mark.isGone(position))
        {
            throw truncated(position);
        }

        return position;
    }

    private static JournalException truncated(final long position)
    {
        return new JournalException(
            "events were truncated meanwhile: position=" + position, null, null, JournalException.UNKNOWN, position);
    }

    private long findUpTo(final Source[] sources, final Matcher matcher, final long from, final long top)
    {
        return from > top ? Source.NONE : find(sources, matcher, from, top);
    }

    private void readBackwards(
        final Source[] sources, final Delivery delivery, final long after, final long top, final long limit)
    {
        final long end = Math.max(after + 1, log.first());
        long next = top;
        while (next >= end && delivery.count < limit)
        {
            final long position = find(sources, delivery.matcher, next, end);
            if (Source.NONE == position)
            {
                break;
            }
            get(position, 1, delivery);
            next = position - 1;
        }
        if (delivery.count < limit)
        {
            checkPruned(sources, delivery.matcher, after);
        }
    }

    private long find(final Source[] sources, final Matcher matcher, final long from, final long to)
    {
        return matcher.find((key, begin, end) -> index.find(sources, key, begin, end), from, to);
    }

    /** Newest event after a position, up to another, that matches; 0 if there is none. */
    final long newestMatch(final Source[] sources, final Matcher matcher, final long after, final long upTo)
    {
        final Delivery delivery = new Delivery(matcher, (event) ->
        {
        }, () -> false);
        readBackwards(sources, delivery, after, upTo, 1);
        return delivery.last;
    }

    /** Throws if an event that matches may have been pruned; returns the oldest event. */
    private long checkPruned(final Source[] sources, final Matcher matcher, final long after)
    {
        final long first = log.first();
        if (after + 1 < first)
        {
            if (!isKeepingKeys || sources[0].first() > after + 1 ||
                Source.NONE != find(sources, matcher, after + 1, first - 1))
            {
                throw new PrunedException(
                    "events that may match were pruned: after=" + after + ", first=" + first, first);
            }
        }

        return first;
    }

    private void get(final long begin, final int count, final Delivery delivery)
    {
        final int passed = log.lookup().get(begin, count, delivery);
        if (passed < count)
        {
            final long first = log.first();
            final long missing = begin + passed;
            if (missing < first)
            {
                throw new PrunedException("events were pruned meanwhile: position=" + missing, first);
            }
            throw truncated(missing);
        }
    }

    @Override
    public final boolean get(final long position, final EventHandler handler)
    {
        Objects.requireNonNull(handler, "handler");
        return position <= head() && log.lookup().get(position, 1, (buffer, offset, length, header) -> handler
            .onEvent(new EventRecord().wrap(buffer, offset, length, header))) > 0;
    }

    @Override
    public final long positionAt(final Instant time)
    {
        Objects.requireNonNull(time, "time");
        return Source.bisect(log.first(), head() + 1,
            (position) -> Instant.EPOCH.plus(timeUs(position), ChronoUnit.MICROS).isBefore(time)) - 1;
    }

    final long timeUs(final long position)
    {
        final long[] time = new long[1];
        log.lookup().get(position, 1, (buffer, offset, length, header) -> time[0] = header.tag());
        return time[0];
    }

    /** Passes the records that match to a handler. */
    private static final class Delivery implements RecordHandler
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

        @Override
        public void onRecord(final DirectBuffer buffer, final int offset, final int length, final Header header)
        {
            if (!isStopped.getAsBoolean() && matcher.matches(event.wrap(buffer, offset, length, header)))
            {
                handler.onEvent(event);
                count++;
                last = event.position();
            }
        }
    }
}
