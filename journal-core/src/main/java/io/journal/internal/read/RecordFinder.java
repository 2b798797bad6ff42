package io.journal.internal.read;

import java.io.EOFException;
import java.io.IOException;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.platform.PendingFault;
import io.journal.internal.control.History;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.control.Term;

/**
 * Finds records for a reader, and decides what a failure means: files that are pruned or truncated meanwhile may appear
 * corrupt. For one thread at a time.
 */
public final class RecordFinder
{
    private final ReadSource source;
    private final RecordWalk walk;

    public RecordFinder(final ReadSource source, final RecordWalk walk)
    {
        this.source = source;
        this.walk = walk;
    }

    /**
     * Finds the next record, or the one before the position. If a prune or a truncation is the reason that there is
     * none, the first search of a poll is repeated: a poll that passes no record means that there is none. Each retry
     * takes another such change.
     *
     * @param isRepeated whether this is the first search of a poll.
     */
    public boolean find(final boolean isForward, final boolean isRepeated)
    {
        while (true)
        {
            JournalException failure = null;
            try
            {
                if (isForward ? walk.next() : walk.previous())
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

            if (null != failure && walk.cursor().isMapped())
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

    /** Has the fault of a mapped file that was cut short surface here instead of in the caller's code. */
    private static void awaitFault()
    {
        try
        {
            PendingFault.check();
        }
        catch (final InternalError ignore)
        {
            // What it led to is reported.
        }
    }

    /** A call of {@link Seek}. */
    public interface Search
    {
        void run() throws IOException;
    }

    public void search(final Search search)
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
     * Moves behind the record where a consumer stopped. If it was not there for a prune or a truncation, or the
     * directory was rolled back, what it has to read next or has read before may be gone: the walk's standing shows
     * that, as if it had been there.
     */
    public void resume(final Checkpoint checkpoint)
    {
        final long sequence = checkpoint.sequence() + 1;
        while (true)
        {
            final History state = source.history();
            final RecordWalk.Standing standing = standing(checkpoint, state);
            if (RecordWalk.Standing.FOLLOWING != standing)
            {
                walk.begin(state);
                walk.goTo(SegmentHeader.LENGTH, sequence);
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
        // In this order: throws if the source was closed meanwhile, which leaves no last record and is no truncation.
        final long found = source.termOf(Math.min(sequence, last));
        if (sequence > last)
        {
            return RecordWalk.Standing.TRUNCATED;
        }
        if (sequence + 1 < state.startSequence)
        {
            // Its term is known to the writer alone, sometimes.
            return RecordWalk.Standing.PRUNED;
        }
        return Term.NONE != found && Term.NONE != checkpoint.term() && checkpoint.term() != found ?
            RecordWalk.Standing.TRUNCATED : RecordWalk.Standing.FOLLOWING;
    }

    /**
     * Moves to a record if there is one.
     *
     * @return false if the sequence is not that of a record now.
     */
    public boolean toRecord(final long sequence)
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
     * @throws RecordsGoneException  if it is not any more.
     * @throws IllegalStateException if there is no position.
     */
    public void check()
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
     * The error to throw for a fault in mapped memory that a handler met: it, too, may have read a page of a file that
     * no longer exists.
     *
     * @return the error, if it is the handler's own.
     * @throws JournalException if it came from memory of the source, maybe late.
     */
    public InternalError handlerFault(final InternalError fault)
    {
        source.checkWhole();
        if (walk.cursor().isMapped())
        {
            throw unreadable(fault);
        }

        return fault;
    }

    /**
     * The exception for a file that could not be read. A fault in mapped memory means that the file was cut short.
     */
    public JournalException unreadable(final Throwable cause)
    {
        if (cause instanceof IOException && !(cause instanceof EOFException))
        {
            return new JournalException(
                "cannot read: sequence=" + walk.nextSequence() + "; cause=" + cause, cause, null,
                JournalException.UNKNOWN, walk.nextSequence());
        }

        source.checkWhole();
        return new CorruptJournalException(
            "file was cut short while it was read: " + walk.place() + ", expected=" + source.segmentLength() +
                " bytes, found=fewer; restore the file from a backup",
            cause, null, JournalException.UNKNOWN, walk.nextSequence());
    }
}
