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
import io.journal.internal.write.RecordWakeup;
import org.jspecify.annotations.Nullable;

/**
 * Each call passes the gate, finds records and passes them to the handler. Files that are pruned or truncated meanwhile
 * may appear corrupt, so the reader decides what a failure means. The first record is passed as it is found. A loop
 * that only verifies passes the records after it in loaded memory; anything else, such as the end, a control frame or a
 * damaged frame, ends the loop and is left to the next search.
 */
public final class Reader implements JournalReader
{
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long SHORT_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG_PARK_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Instant EARLIEST = Instant.ofEpochMilli(Long.MIN_VALUE);
    private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE);

    private final ReadSource source;
    private final ReadSource.End end;
    private final RecordWalk walk;
    private final ReadableEnd readable;
    private final FrameCursor cursor;
    private final FoundRecord record;
    private final ReaderGate.Passage passage;
    private final @Nullable Saving saving;
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

    /** Saves a consumer's position. */
    public interface Saving
    {
        /**
         * @param sequence of the last record that was read.
         * @param number   of the term in which it was read.
         */
        void save(long sequence, long number);
    }

    Reader(
        final ReadSource source, final ReaderGate gate, final ReadSource.End end, final VerifiedSegments verification,
        final @Nullable Saving saving)
    {
        this.source = source;
        this.end = end;
        this.saving = saving;
        walk = new RecordWalk(source, end, verification);
        readable = walk.readable();
        cursor = walk.cursor();
        record = walk.record();
        passage = gate.newPassage();
    }

    /**
     * Opens a reader at the first record, or after the last record that a consumer has processed.
     *
     * @param processed read while no truncation moves a cursor back; or null.
     * @param saving    what {@link #commit()} does, or null.
     */
    public static Reader open(
        final ReadSource source,
        final ReaderGate gate,
        final Limit limit,
        final VerifiedSegments verification,
        final @Nullable Supplier<Checkpoint> processed,
        final @Nullable Saving saving)
    {
        final ReadSource.End end = Limit.FORCED == limit ? ReadSource.End.FORCED : ReadSource.End.WRITTEN;
        final Reader reader = new Reader(source, gate, end, verification, saving);
        try
        {
            if (null == processed)
            {
                reader.seekToStart();
            }
            else
            {
                reader.inside(() -> reader.resume(processed.get()));
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
            int count = 0;
            boolean isContinued = limit > 0;
            while (isContinued)
            {
                final int passed = pass(handler, controlled, limit - count, 0 == count);
                count += passed;
                if (RecordHandler.Action.COMMIT == action)
                {
                    nextSequence.setRelease(walk.nextSequence());
                }
                isIdle = isIdle && 0 == passed;
                isContinued = passed > 0 && count < limit && !isStopped();
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

    /**
     * Passes the next record to a handler, and maybe some after it. One of the handlers is null; each has its own call
     * site, so that a plain poll stays monomorphic. If the handler throws, the position is before that record.
     *
     * @param limit   number of records, 1 or more.
     * @param isFirst whether this is the first search of a poll.
     * @return number of records passed, without an aborted one; 0 if there is none.
     */
    private int pass(
        final RecordHandler handler, final RecordHandler.Controlled controlled, final int limit,
        final boolean isFirst)
    {
        action = RecordHandler.Action.CONTINUE;
        if (!find(isFirst))
        {
            return 0;
        }
        call(handler, controlled);
        if (RecordHandler.Action.ABORT == action)
        {
            return 0;
        }

        walk.pass();
        return RecordHandler.Action.CONTINUE == action ? 1 + follow(handler, controlled, limit - 1) : 1;
    }

    private int follow(final RecordHandler handler, final RecordHandler.Controlled controlled, final int limit)
    {
        final long first = walk.nextSequence();
        final long last = readable.published(first + limit - 1);
        final long basePosition = walk.basePosition();
        int offset = walk.offset();
        final int end = cursor.validRecords(offset, Math.min(walk.limit(), cursor.loadedEnd()), first, last);
        int passedOffset = offset;
        long sequence = first;
        try
        {
            while (offset < end && RecordHandler.Action.CONTINUE == action)
            {
                final int alignedLength = record.takeValid(offset, sequence, basePosition + offset);
                call(handler, controlled);
                if (RecordHandler.Action.ABORT != action)
                {
                    passedOffset = offset;
                    offset += alignedLength;
                    sequence++;
                }
            }
        }
        finally
        {
            if (sequence > first)
            {
                cursor.show(passedOffset);
                walk.passTo(offset, sequence, cursor.isMore());
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
                if (findBefore())
                {
                    passBackwards(handler);
                    count++;
                }
                else if (0 == count && walk.isOutdated())
                {
                    check();
                }
                else
                {
                    isContinued = false;
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

    /** Looks up the record before the position, and moves there. If there is none, the position stays what it was. */
    private boolean findBefore()
    {
        final History history = walk.history();
        final long position = walk.position();
        final long next = walk.nextSequence();
        if (next <= history.startSequence || 0 == readable.current())
        {
            return false;
        }

        boolean isFound = false;
        try
        {
            isFound = walk.seek().toPrevious() && find(false);
        }
        catch (final CorruptJournalException | IOException ex)
        {
            // Files that are dropped meanwhile may appear corrupt or missing.
            if (!walk.isOutdated())
            {
                throw ex instanceof final CorruptJournalException corrupt ? corrupt : unreadable(ex);
            }
        }
        finally
        {
            if (!isFound)
            {
                walk.moveBack(history, position, next);
            }
        }
        return isFound;
    }

    private void passBackwards(final RecordHandler handler)
    {
        boolean isPassed = false;
        try
        {
            handler.onRecord(record.view(), 0, record.length(), record);
            isPassed = true;
        }
        finally
        {
            if (!isPassed)
            {
                walk.pass();
            }
        }
    }

    /** Whether the handler ended the poll. */
    private boolean isStopped()
    {
        return RecordHandler.Action.ABORT == action || RecordHandler.Action.BREAK == action;
    }

    /**
     * Finds the next record. If a prune or a truncation is the reason that there is none, the first search of a poll is
     * repeated: a poll that passes no record means that there is none. Another retry needs another such change.
     *
     * @param isRepeated whether this is the first search of a poll.
     */
    boolean find(final boolean isRepeated)
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
        final RecordWakeup wakeup = source.wakeup(end);
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
                    saving.save(walk.nextSequence() - 1, walk.number());
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
        });
    }

    @Override
    public Checkpoint checkpoint()
    {
        final Checkpoint[] checkpoint = new Checkpoint[1];
        inside(() ->
        {
            do
            {
                // Repeated after a prune or truncation since the check.
                check();
                final long sequence = walk.nextSequence() - 1;
                checkpoint[0] = new Checkpoint(source.termOf(sequence), sequence);
            }
            while (walk.isOutdated());
        });
        return checkpoint[0];
    }

    @Override
    public Stream<Entry> stream()
    {
        return StreamSupport.stream(new Entries(lastSequence()), false);
    }

    @Override
    public void seek(final long sequence)
    {
        inside(() -> search(() -> walk.seek().to(sequence)));
    }

    @Override
    public void seekToStart()
    {
        inside(() -> search(() -> walk.seek().toStart()));
    }

    @Override
    public void seekToEnd()
    {
        inside(() -> search(() -> walk.seek().toEnd()));
    }

    @Override
    public void seekToTime(final Instant instant)
    {
        // Records of the same millisecond may be before a watermark frame that has its time.
        final long timeMs = !instant.isAfter(EARLIEST) ? Long.MIN_VALUE :
            instant.isAfter(LATEST) ? Long.MAX_VALUE : instant.toEpochMilli() - 1;
        inside(() -> search(() -> walk.seek().toTime(timeMs)));
    }

    private void search(final Search search)
    {
        try
        {
            search.run();
        }
        catch (final IOException | InternalError ex)
        {
            throw unreadable(ex);
        }
    }

    /**
     * Moves to the record after the one where a consumer stopped. A prune, a truncation or a rollback of the directory
     * may have removed records that the consumer has read or would read next: the walk's standing shows that, as for an
     * open reader.
     */
    private void resume(final Checkpoint checkpoint)
    {
        final long sequence = checkpoint.sequence() + 1;
        while (true)
        {
            final History state = source.history();
            final RecordWalk.Standing standing = standing(checkpoint, state);
            if (RecordWalk.Standing.FOLLOWING != standing)
            {
                walk.begin(state);
                walk.expect(sequence);
                walk.found(standing);
                return;
            }
            try
            {
                search(() -> walk.seek().to(sequence));
                return;
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

    private RecordWalk.Standing standing(final Checkpoint checkpoint, final History state)
    {
        final long sequence = checkpoint.sequence();
        final long last = source.lastSequence(ReadSource.End.WRITTEN);
        // Read after "last": throws if the source was closed meanwhile, which leaves no last record and is no
        // truncation.
        final long found = source.termOf(Math.min(sequence, last));
        if (sequence > last)
        {
            return RecordWalk.Standing.TRUNCATED;
        }
        if (sequence + 1 < state.startSequence)
        {
            // Sometimes only the writer knows the record's term.
            return RecordWalk.Standing.PRUNED;
        }
        return Term.NONE != found && Term.NONE != checkpoint.term() && checkpoint.term() != found ?
            RecordWalk.Standing.TRUNCATED : RecordWalk.Standing.FOLLOWING;
    }

    /**
     * Moves to a record if there is one.
     *
     * @return false if there is no record with this sequence now.
     */
    private boolean toRecord(final long sequence)
    {
        try
        {
            return walk.seek().toRecord(sequence);
        }
        catch (final IOException | InternalError ex)
        {
            throw unreadable(ex);
        }
    }

    /**
     * Checks that the reader's position is part of the journal.
     *
     * @throws RecordsGoneException  if it is no longer.
     * @throws IllegalStateException if there is no position.
     */
    private void check()
    {
        final RecordWalk.Standing standing = walk.reconcile();
        if (RecordWalk.Standing.LOST == standing)
        {
            throw new IllegalStateException("a seek failed: seek again before reading");
        }
        if (RecordWalk.Standing.FOLLOWING != standing)
        {
            throw new RecordsGoneException(
                (RecordWalk.Standing.PRUNED == standing ? "the records to read were pruned" :
                    "records were truncated") +
                    ": nextSequence=" + walk.nextSequence() + ", firstSequence=" + source.history().startSequence +
                    ", lastSequence=" + source.lastSequence(ReadSource.End.WRITTEN) + "; seek to continue reading",
                walk.nextSequence());
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
                "cannot read: sequence=" + walk.nextSequence() + "; cause=" + cause, cause, null,
                JournalException.UNKNOWN, walk.nextSequence());
        }

        source.checkWhole();
        final String file = null == cursor.segment() ?
            JournalFiles.segment(walk.position() / source.segmentLength()) : cursor.segment().name();
        return new CorruptJournalException(
            "file was cut short while it was read: " + walk.place() + ", expected=" + source.segmentLength() +
                " bytes, found=fewer; restore the file from a backup",
            cause, file, JournalException.UNKNOWN, walk.nextSequence());
    }

    private void inside(final Runnable call)
    {
        passage.enter();
        try
        {
            call.run();
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

    private void leave()
    {
        record.hide();
        nextSequence.setRelease(walk.nextSequence());
        passage.leave();
    }

    @Override
    public State state()
    {
        return switch (standing())
        {
            case PRUNED -> State.PRUNED;
            case TRUNCATED -> State.TRUNCATED;
            case FINISHED -> State.CLOSED;
            default -> State.FOLLOWING;
        };
    }

    /** Whether the position is part of the journal, and whether there will be more to read. */
    private RecordWalk.Standing standing()
    {
        if (passage.isClosed())
        {
            return RecordWalk.Standing.FINISHED;
        }

        passage.enter();
        try
        {
            // Read before the end is checked: the end of a closed journal is final.
            final boolean isJournalClosed = source.isClosed();
            final RecordWalk.Standing standing = walk.reconcile();
            final boolean isGone = RecordWalk.Standing.PRUNED == standing || RecordWalk.Standing.TRUNCATED == standing;
            return !isGone && isJournalClosed && walk.isAtEnd() ? RecordWalk.Standing.FINISHED : standing;
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
        final boolean wasKnown = source.isEndKnown(end);
        final long last = walk.lastSequence();
        if (!wasKnown || !source.isEndKnown(end))
        {
            throw ReadSource.durabilityUnknown(walk.nextSequence());
        }

        return last;
    }

    /**
     * Whether there is something to read.
     *
     * @throws JournalException if it is not known what is durable.
     */
    private boolean isReadable()
    {
        return walk.nextSequence() <= lastSequence();
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
            if (source.isClosed())
            {
                throw new IllegalStateException("journal is closed");
            }

            int passed = 0;
            boolean isWanted = limit > 0;
            while (isWanted && toRecord(first))
            {
                passed = passFound(limit, handler);
                // If a prune or a truncation intervened, the next search shows whether the record is there.
                isWanted = 0 == passed && walk.isOutdated();
            }
            if (0 == passed && source.isClosed())
            {
                // Closing does not wait for this call: after it nothing is found.
                throw new IllegalStateException("journal is closed");
            }
            return passed;
        }
        catch (final JournalException ex)
        {
            if (source.isClosed())
            {
                // Likewise, the end is not known after closing.
                throw new IllegalStateException("journal is closed", ex);
            }
            throw ex;
        }
        catch (final InternalError ex)
        {
            throw handlerFault(ex);
        }
        finally
        {
            record.hide();
            passage.leave();
        }
    }

    private int passFound(final int limit, final RecordHandler handler)
    {
        int passed = 0;
        while (passed < limit && find(false))
        {
            handler.onRecord(record.view(), 0, record.length(), record);
            walk.pass();
            passed++;
        }

        return passed;
    }

    RecordWalk walk()
    {
        return walk;
    }

    @Override
    public void close()
    {
        passage.close();
        walk.closeAndShrink();
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
                if (count > 0)
                {
                    return true;
                }
                if (!isReadable())
                {
                    return false;
                }
            }

            return false;
        }
    }
}
