// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.EOFException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Spliterators;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.platform.PendingFault;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.write.RecordWakeup;
import org.agrona.collections.LongLongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Each call passes the gate, finds a record, verifies those that follow it in loaded memory, and passes them to the
 * handler. Anything else, such as the end, a control frame or a damaged frame, ends the run and is left to the next
 * search. Files that are pruned meanwhile may appear corrupt, so the reader decides what a failure means.
 */
public final class Reader implements JournalReader
{
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long SHORT_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG_PARK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Instant EARLIEST = Instant.ofEpochMilli(Long.MIN_VALUE);
    private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE);

    private final ReadSource source;
    private final Limit limit;
    final RecordWalk walk;
    private final FrameWalk frames;
    private final FrameCursor cursor;
    private final FoundRecord record;
    private final ReaderGate.Passage passage;
    private final @Nullable LongLongConsumer saving;
    // Action that a controlled handler returned for the last record; CONTINUE if there was no record, or for a plain
    // handler.
    private RecordHandler.Action action = RecordHandler.Action.CONTINUE;
    // Sequence at the position, for other threads.
    private final AtomicLong nextSequence = new AtomicLong();
    // Whether the last search found no record, and since when.
    private boolean isIdle;
    private long idleSinceNs;

    /** A call that searches. */
    private interface Search
    {
        void run() throws IOException;
    }

    /** A call inside the gate. */
    private interface Call<T>
    {
        T run() throws IOException;
    }

    Reader(
        final ReadSource source, final Limit limit, final VerifiedSegments verification,
        final @Nullable LongLongConsumer saving)
    {
        this.source = source;
        this.limit = limit;
        this.saving = saving;
        walk = new RecordWalk(source, limit, verification);
        frames = walk.frames;
        cursor = walk.cursor;
        record = new FoundRecord(cursor);
        passage = source.readers.newPassage();
    }

    /**
     * Opens a reader at the first record, or after the last record that a consumer has processed.
     *
     * @param processed read while no truncation moves a cursor back; or null.
     * @param saving    saves the last record that was read, and the number of its history's term; or null.
     */
    public static Reader open(
        final ReadSource source,
        final Limit limit,
        final VerifiedSegments verification,
        final @Nullable Supplier<Checkpoint> processed,
        final @Nullable LongLongConsumer saving)
    {
        final Reader reader = new Reader(source, limit, verification, saving);
        try
        {
            if (null == processed)
            {
                reader.seekToStart();
            }
            else
            {
                reader.seek(() -> reader.resume(processed.get()));
            }
            return reader;
        }
        catch (final Throwable ex)
        {
            reader.close();
            throw ex;
        }
    }

    @Override
    public int poll(final RecordHandler handler, final int limit)
    {
        return poll(handler, null, limit);
    }

    @Override
    public int controlledPoll(final RecordHandler.Controlled handler, final int limit)
    {
        return poll(null, handler, limit);
    }

    /** One of the handlers is null. */
    private int poll(final RecordHandler handler, final RecordHandler.Controlled controlled, final int limit)
    {
        checkArguments(null == handler ? controlled : handler, limit);
        passage.enter();
        try
        {
            check();
            return pass(handler, controlled, limit, true);
        }
        catch (final InternalError ex)
        {
            throw handlerFault(ex);
        }
        finally
        {
            leave();
        }
    }

    /**
     * Passes records to a handler. One of the handlers is null; each has its own call site, so that a plain poll stays
     * monomorphic.
     *
     * @param isRepeated whether a prune or a truncation is no reason to pass no record.
     * @return number of records passed, without an aborted one.
     */
    private int pass(
        final RecordHandler handler, final RecordHandler.Controlled controlled, final int limit,
        final boolean isRepeated)
    {
        int count = 0;
        action = RecordHandler.Action.CONTINUE;
        while (count < limit && (RecordHandler.Action.CONTINUE == action || RecordHandler.Action.COMMIT == action) &&
            find(isRepeated && 0 == count))
        {
            final int passed = passRun(handler, controlled, limit - count);
            count += passed;
            isIdle = isIdle && 0 == passed;
            if (RecordHandler.Action.COMMIT == action)
            {
                nextSequence.setRelease(frames.nextSequence());
            }
        }
        return count;
    }

    /** Passes the record that was found, and those that follow it. If the handler throws, the position is before it. */
    private int passRun(final RecordHandler handler, final RecordHandler.Controlled controlled, final int limit)
    {
        final long basePosition = frames.basePosition();
        final long first = frames.nextSequence();
        final int end = walk.verify(limit);
        int offset = frames.offset();
        int lastOffset = offset;
        long sequence = first;
        action = RecordHandler.Action.CONTINUE;
        try
        {
            while (offset < end && RecordHandler.Action.CONTINUE == action)
            {
                final int alignedLength = record.take(offset, sequence, basePosition + offset);
                call(handler, controlled);
                if (RecordHandler.Action.ABORT != action)
                {
                    lastOffset = offset;
                    offset += alignedLength;
                    sequence++;
                }
            }
        }
        finally
        {
            if (sequence > first)
            {
                walk.passTo(offset, sequence, lastOffset);
            }
        }
        return (int)(sequence - first);
    }

    private void call(final RecordHandler handler, final RecordHandler.Controlled controlled)
    {
        if (null == controlled)
        {
            handler.onRecord(record.view(), 0, record.length(), record);
        }
        else
        {
            action = Objects.requireNonNull(
                controlled.onRecord(record.view(), 0, record.length(), record), "action");
        }
    }

    @Override
    public int pollBackwards(final RecordHandler handler, final int limit)
    {
        checkArguments(handler, limit);
        passage.enter();
        try
        {
            check();
            int count = 0;
            boolean isContinued = true;
            while (isContinued && count < limit)
            {
                final boolean isPassed = passBefore(handler);
                count += isPassed ? 1 : 0;
                isContinued = isPassed || 0 == count && walk.isOutdated();
                if (!isPassed && isContinued)
                {
                    check();
                }
            }
            return count;
        }
        catch (final InternalError ex)
        {
            throw handlerFault(ex);
        }
        finally
        {
            leave();
        }
    }

    /** Passes the record before the position, and moves there. If there is none, the position stays what it was. */
    private boolean passBefore(final RecordHandler handler)
    {
        final History history = walk.history();
        final long position = frames.position();
        final long next = frames.nextSequence();
        if (next <= history.startSequence || 0 == source.readableEnd(limit, 0))
        {
            return false;
        }

        boolean isPassed = false;
        try
        {
            if (findBefore())
            {
                record.take(frames.offset(), frames.nextSequence(), frames.position());
                call(handler, null);
                isPassed = true;
            }
        }
        finally
        {
            if (!isPassed)
            {
                walk.moveTo(history, position, next);
            }
        }
        return isPassed;
    }

    private boolean findBefore()
    {
        try
        {
            return walk.seek.toPrevious() && find(false);
        }
        catch (final CorruptJournalException | IOException ex)
        {
            // Files that are dropped meanwhile may appear corrupt or missing.
            if (!walk.isOutdated())
            {
                throw ex instanceof final CorruptJournalException corrupt ? corrupt : unreadable(ex);
            }
            return false;
        }
    }

    /**
     * Finds the next record. If a prune or a truncation is the reason that there is none, the first search of a poll is
     * repeated: a poll that passes no record means that there is none. Another retry needs another such change.
     *
     * @param isRepeated whether this is the first search of a poll.
     */
    private boolean find(final boolean isRepeated)
    {
        while (true)
        {
            JournalException failure = null;
            try
            {
                if (walk.next())
                {
                    return true;
                }
            }
            catch (final CorruptJournalException ex)
            {
                failure = ex;
            }
            catch (final IOException | InternalError ex)
            {
                failure = unreadable(ex);
            }

            if (null != failure && cursor.isMapped())
            {
                awaitFault();
            }
            final boolean isExplained = (null != failure || isRepeated) && walk.isOutdated();
            if (null != failure && !isExplained)
            {
                throw failure;
            }
            if (!isRepeated || !isExplained)
            {
                return false;
            }
            check();
        }
    }

    /** Makes the fault of a truncated mapped file surface here, not in the caller's code. */
    private static void awaitFault()
    {
        try
        {
            PendingFault.check();
        }
        catch (final InternalError ignore)
        {
            // The caller reports the failure that the fault led to.
        }
    }

    /** Checks arguments even if there is nothing to read, so that a mistake does not hide. */
    static void checkArguments(final Object handler, final int limit)
    {
        Objects.requireNonNull(handler, "handler");
        if (limit < 0)
        {
            throw new IllegalArgumentException("limit must be 0 or more: limit=" + limit);
        }
    }

    @Override
    public boolean await(final Duration timeout)
    {
        return await(Math.max(0, TimeUnit.NANOSECONDS.convert(timeout)));
    }

    private boolean await(final long timeoutNs)
    {
        final long startNs = System.nanoTime();
        final RecordWakeup wakeup = source.wakeup(limit);
        boolean isWoken = false;
        boolean isFirstPark = true;
        try
        {
            while (true)
            {
                // Read before the end is checked: the end of a closed journal is final.
                final boolean isJournalClosed = source.isClosed();
                if (isAnyReadable())
                {
                    isIdle = false;
                    return true;
                }

                final long nowNs = System.nanoTime();
                final long idleNs = idleNs(nowNs);
                final long leftNs = timeoutNs - (nowNs - startNs);
                if (isJournalClosed || leftNs <= 0 || Thread.currentThread().isInterrupted())
                {
                    return false;
                }
                if (isWoken)
                {
                    isFirstPark = wakeup.park(isFirstPark, leftNs);
                }
                else if (null != wakeup && idleNs >= RecordWakeup.IDLE_NS)
                {
                    isWoken = true;
                    wakeup.begin();
                }
                else if (idleNs < SPIN_NS)
                {
                    Thread.onSpinWait();
                }
                else
                {
                    LockSupport.parkNanos(this, Math.min(leftNs, parkNs(idleNs)));
                }
            }
        }
        finally
        {
            if (isWoken)
            {
                wakeup.end();
            }
        }
    }

    /** How long this reader has found no record, in this call and earlier calls. */
    private long idleNs(final long nowNs)
    {
        if (!isIdle)
        {
            isIdle = true;
            idleSinceNs = nowNs;
        }

        return nowNs - idleSinceNs;
    }

    /** Intervals grow with the time waited, so that an idle reader costs little and a busy one waits little longer. */
    private static long parkNs(final long idleNs)
    {
        return Math.min(idleNs / 2, Math.max(SHORT_PARK_NS, Math.min(idleNs / 100, LONG_PARK_NS)));
    }

    private boolean isAnyReadable()
    {
        passage.enter();
        try
        {
            check();
            // Searches as the next poll does, which then need not verify the record again.
            return find(true);
        }
        catch (final InternalError ex)
        {
            throw unreadable(ex);
        }
        finally
        {
            leave();
        }
    }

    @Override
    public void commit()
    {
        if (null == saving)
        {
            throw new IllegalStateException("the reader was not opened for a cursor");
        }

        inside(() ->
        {
            boolean isSaved = false;
            while (!isSaved)
            {
                check();
                try
                {
                    saving.accept(frames.nextSequence() - 1, walk.history().number);
                    isSaved = true;
                }
                catch (final IllegalArgumentException | IllegalStateException ex)
                {
                    // Records were pruned or truncated since the check, but maybe other records.
                    if (!walk.isOutdated())
                    {
                        throw ex;
                    }
                }
            }
            return null;
        });
    }

    @Override
    public Checkpoint checkpoint()
    {
        return inside(() ->
        {
            while (true)
            {
                check();
                final long sequence = frames.nextSequence() - 1;
                final Checkpoint checkpoint = new Checkpoint(source.termOf(sequence), sequence);
                if (!walk.isOutdated())
                {
                    return checkpoint;
                }
            }
        });
    }

    @Override
    public Stream<Entry> stream()
    {
        return StreamSupport.stream(new Entries(lastSequence()), false);
    }

    @Override
    public void seek(final long sequence)
    {
        seek(() -> walk.seek.to(sequence));
    }

    @Override
    public void seekToStart()
    {
        seek(() -> walk.seek.toStart());
    }

    @Override
    public void seekToEnd()
    {
        seek(() -> walk.seek.toEnd());
    }

    @Override
    public void seekToTime(final Instant instant)
    {
        // Records of the same millisecond may be before a watermark frame that has its time.
        final long timeMs = !instant.isAfter(EARLIEST) ? Long.MIN_VALUE :
            instant.isAfter(LATEST) ? Long.MAX_VALUE : instant.toEpochMilli() - 1;
        seek(() -> walk.seek.toTime(timeMs));
    }

    /**
     * Moves to the record after the one where a consumer stopped. A prune, a truncation or a rollback of the directory
     * may have removed records that the consumer has read or would read next: {@link #state()} reports that, as for
     * an open reader.
     */
    private void resume(final Checkpoint checkpoint) throws IOException
    {
        final long sequence = checkpoint.sequence() + 1;
        while (true)
        {
            final History state = source.history();
            final State found = stateOf(checkpoint, state);
            if (State.FOLLOWING != found)
            {
                walk.begin(state);
                frames.expect(sequence);
                walk.found(found);
                return;
            }
            try
            {
                walk.seek.to(sequence);
                // Otherwise the search has begun again in a newer history, of which the checkpoint was not asked.
                if (walk.history() == state)
                {
                    return;
                }
            }
            catch (final IllegalArgumentException ex)
            {
                if (state == source.history())
                {
                    throw new JournalException(
                        "cannot resume: the record before is not durable, or was not a moment ago; try again; cause=" +
                            ex,
                        ex, null, JournalException.UNKNOWN, sequence);
                }
            }
        }
    }

    private State stateOf(final Checkpoint checkpoint, final History state)
    {
        final long sequence = checkpoint.sequence();
        final long last = source.lastSequence(Limit.WRITTEN);
        // Read after "last": throws if the source was closed meanwhile, which leaves no last record and is no
        // truncation.
        final long found = source.termOf(Math.min(sequence, last));
        if (sequence > last)
        {
            return State.TRUNCATED;
        }
        if (sequence + 1 < state.startSequence)
        {
            // Sometimes only the writer knows the record's term.
            return State.PRUNED;
        }
        return Term.NONE != found && Term.NONE != checkpoint.term() && checkpoint.term() != found ?
            State.TRUNCATED : State.FOLLOWING;
    }

    /**
     * Checks that the reader's position is part of the journal.
     *
     * @throws RecordsGoneException  if it is no longer.
     * @throws IllegalStateException if there is no position.
     */
    private void check()
    {
        final State state = walk.reconcile();
        if (null == state)
        {
            throw new IllegalStateException("a seek failed: seek again before reading");
        }
        if (State.FOLLOWING != state)
        {
            throw new RecordsGoneException(
                (State.PRUNED == state ? "the records to read were pruned" :
                    "records were truncated") +
                    ": nextSequence=" + frames.nextSequence() + ", firstSequence=" + source.history().startSequence +
                    ", lastSequence=" + source.lastSequence(Limit.WRITTEN) + "; seek to continue reading",
                frames.nextSequence());
        }
    }

    /**
     * The error to throw for a fault in mapped memory that a handler met: the handler may have read a lost page itself.
     *
     * @return the error, if it is the handler's own.
     * @throws JournalException if it came from memory of the source, maybe late.
     */
    private InternalError handlerFault(final InternalError fault)
    {
        source.checkWhole();
        if (cursor.isMapped())
        {
            throw unreadable(fault);
        }

        return fault;
    }

    /**
     * The exception for a file that could not be read. A fault in mapped memory means that the file was cut short.
     */
    private JournalException unreadable(final Throwable cause)
    {
        if (cause instanceof IOException && !(cause instanceof EOFException))
        {
            return new JournalException(
                "cannot read: sequence=" + frames.nextSequence() + "; cause=" + cause, cause, null,
                JournalException.UNKNOWN, frames.nextSequence());
        }

        source.checkWhole();
        final String file = null == cursor.segment() ?
            JournalFiles.segment(frames.position() / source.segmentLength()) : cursor.segment().name();
        return new CorruptJournalException(
            "file was cut short while it was read: " + frames.place() + ", expected=" + source.segmentLength() +
                " bytes, found=fewer; restore the file from a backup",
            cause, file, JournalException.UNKNOWN, frames.nextSequence());
    }

    private void seek(final Search search)
    {
        inside(() ->
        {
            search.run();
            return null;
        });
    }

    private <T> T inside(final Call<T> call)
    {
        passage.enter();
        try
        {
            return call.run();
        }
        catch (final IOException | InternalError ex)
        {
            throw unreadable(ex);
        }
        finally
        {
            leave();
        }
    }

    private void leave()
    {
        record.hide();
        nextSequence.setRelease(frames.nextSequence());
        passage.leave();
    }

    @Override
    public State state()
    {
        if (passage.isClosed())
        {
            return State.CLOSED;
        }

        passage.enter();
        try
        {
            // Read before the end is checked: the end of a closed journal is final.
            final boolean isJournalClosed = source.isClosed();
            final State state = walk.reconcile();
            if (State.PRUNED == state || State.TRUNCATED == state)
            {
                return state;
            }
            return isJournalClosed && frames.nextSequence() > walk.lastSequence() ? State.CLOSED : State.FOLLOWING;
        }
        catch (final InternalError ex)
        {
            throw unreadable(ex);
        }
        finally
        {
            leave();
        }
    }

    @Override
    public long nextSequence()
    {
        return nextSequence.get();
    }

    /**
     * The last record that may be read now.
     *
     * @throws JournalException if it is not known what is durable.
     */
    private long lastSequence()
    {
        // Checked before and after, because the end may become known after the sequence was read.
        final boolean wasKnown = source.isEndKnown(limit);
        final long last = walk.lastSequence();
        if (!wasKnown || !source.isEndKnown(limit))
        {
            throw ReadSource.durabilityUnknown(frames.nextSequence());
        }

        return last;
    }

    /**
     * Passes consecutive records, from a sequence on: for {@link RecordLookups}. The position does not matter.
     *
     * @throws IllegalStateException if the journal is closed.
     */
    int get(final long first, final int limit, final RecordHandler handler)
    {
        passage.enter();
        try
        {
            checkOpen(null);
            int passed = 0;
            boolean isWanted = limit > 0;
            while (isWanted && toRecord(first))
            {
                passed = pass(handler, null, limit, false);
                // If a prune or a truncation intervened, the next search shows whether the record is there.
                isWanted = 0 == passed && walk.isOutdated();
            }
            if (0 == passed)
            {
                // Closing does not wait for this call: after it nothing is found.
                checkOpen(null);
            }
            return passed;
        }
        catch (final JournalException ex)
        {
            // Likewise, the end is not known after closing.
            checkOpen(ex);
            throw ex;
        }
        catch (final InternalError ex)
        {
            throw handlerFault(ex);
        }
        finally
        {
            leave();
        }
    }

    private boolean toRecord(final long sequence)
    {
        try
        {
            return walk.seek.toRecord(sequence);
        }
        catch (final IOException | InternalError ex)
        {
            throw unreadable(ex);
        }
    }

    private void checkOpen(final @Nullable Throwable cause)
    {
        if (source.isClosed())
        {
            throw new IllegalStateException("journal is closed", cause);
        }
    }

    @Override
    public void close()
    {
        passage.close();
        closeAndShrink();
    }

    /** Closes the segment, and releases the memory by which the window has grown for a long record. */
    void closeAndShrink()
    {
        walk.closeAndShrink();
        record.release();
    }

    /** Copies of the records from the position to an end fixed in advance. */
    private final class Entries extends Spliterators.AbstractSpliterator<Entry>
    {
        private final long lastSequence;

        private Entries(final long lastSequence)
        {
            super(Long.MAX_VALUE, ORDERED | NONNULL | IMMUTABLE);
            this.lastSequence = lastSequence;
        }

        @Override
        public boolean tryAdvance(final Consumer<? super Entry> action)
        {
            while (nextSequence() <= lastSequence)
            {
                final int count = poll(
                    (buffer, offset, length, header) ->
                    {
                        final byte[] bytes = new byte[length];
                        buffer.getBytes(offset, bytes);
                        action.accept(new Entry(header.sequence(), header.tag(), bytes));
                    },
                    1);
                if (count > 0 || frames.nextSequence() > Reader.this.lastSequence())
                {
                    return count > 0;
                }
            }

            return false;
        }
    }
}
