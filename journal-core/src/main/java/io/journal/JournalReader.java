package io.journal;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.journal.internal.buffer.ByteBufferView;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderUse;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.RecordWalk;
import org.agrona.DirectBuffer;

/**
 * Reads records in order, forwards or backwards, and follows the newest end. A reader stands between two records. Each
 * is used by one thread at a time; any number of readers may be open. Every record's checksum is verified before it is
 * handed out. No polling call allocates per record.
 * <p>
 * Following the end is polling again and again; what to do while there is nothing is an
 * {@link org.agrona.concurrent.IdleStrategy}'s business:
 * <pre>{@code
 * IdleStrategy idle = new BackoffIdleStrategy();
 * while (isRunning && reader.state() != ReaderState.CLOSED)
 * {
 *     idle.idle(reader.poll(handler, 64));
 * }
 * }</pre>
 * A reader goes on after its journal was closed, to the last record that was appended. If the records it stands at are
 * pruned or cut, {@link #state()} says so, and polling throws {@link RecordsGoneException} until a seek sends it
 * elsewhere. While the journal is being truncated, polling finds nothing, and other calls wait.
 */
public final class JournalReader implements AutoCloseable
{
    private static final VarHandle NEXT_SEQUENCE;

    static
    {
        try
        {
            NEXT_SEQUENCE = MethodHandles.lookup().findVarHandle(JournalReader.class, "nextSequence", long.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private static final Instant EARLIEST = Instant.ofEpochMilli(Long.MIN_VALUE);
    private static final Instant LATEST = Instant.ofEpochMilli(Long.MAX_VALUE);

    private final ReadSource source;
    private final ReaderGate readers;
    private final RecordWalk walk;
    private final RecordHeader header = new RecordHeader();
    private final ByteBufferView view = new ByteBufferView();

    private final ReaderUse use = new ReaderUse();
    private volatile long nextSequence;
    private ByteBuffer shown;
    private boolean isClosed;

    JournalReader(final ReadSource source, final ReaderGate readers, final ReadLimit readLimit)
    {
        this.source = source;
        this.readers = readers;
        walk = new RecordWalk(source, readLimit);
    }

    /**
     * Opens a reader at the first record.
     */
    static JournalReader open(final ReadSource source, final ReaderGate readers, final ReadLimit readLimit)
    {
        final JournalReader reader = new JournalReader(source, readers, readLimit);
        readers.register(reader.use);
        try
        {
            reader.seekToStart();
            return reader;
        }
        catch (final Throwable ex)
        {
            reader.close();
            throw ex;
        }
    }

    /**
     * Hands out the records that come next, as far as there are any.
     * <p>
     * If the handler throws, the reader stays at that record; those before it count as read.
     *
     * @param handler takes the records; it must not use this reader, truncate or prune.
     * @param limit   most records to hand out, 0 or more.
     * @return number of records handed out; 0, if the limit is more, says that there is none to hand out now, or that
     *         the journal is being truncated.
     * @throws RecordsGoneException       if the records that come next were pruned, or some before them cut; the reader
     *                                    stays there until a seek sends it elsewhere.
     * @throws CorruptJournalException    if a record is damaged; the reader stays there.
     * @throws UnsupportedFormatException if there is something this version must not skip; the reader stays there.
     * @throws JournalException           if the files cannot be read; the reader stays where it was.
     * @throws IllegalStateException      if the reader is closed, or the last seek failed.
     */
    public int poll(final RecordHandler handler, final int limit)
    {
        if (!enter())
        {
            return 0;
        }

        int count = 0;
        try
        {
            checkPlace();
            while (count < limit && (find(true) || 0 == count && findAgain(true)))
            {
                handler.onRecord(show(walk.nextSequence()), 0, walk.recordLength(), header);
                walk.pass();
                count++;
            }

            return count;
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

    /**
     * Hands out the records that come next, as {@link #poll} does, while the handler says so.
     * <p>
     * If the handler throws, the reader stays at that record; those before it count as read, whatever was said of them.
     *
     * @param handler takes the records and says how to go on; it must not use this reader, truncate or prune.
     * @param limit   most records to hand out, 0 or more.
     * @return number of records handed out, without one that was aborted. Errors are those of {@link #poll}.
     */
    public int controlledPoll(final ControlledRecordHandler handler, final int limit)
    {
        if (!enter())
        {
            return 0;
        }

        int count = 0;
        try
        {
            checkPlace();
            ControlledRecordHandler.Action action = ControlledRecordHandler.Action.CONTINUE;
            while (count < limit && ControlledRecordHandler.Action.BREAK != action &&
                (find(true) || 0 == count && findAgain(true)))
            {
                action = Objects.requireNonNull(
                    handler.onRecord(show(walk.nextSequence()), 0, walk.recordLength(), header), "action");
                if (ControlledRecordHandler.Action.ABORT == action)
                {
                    break;
                }

                walk.pass();
                count++;
                if (ControlledRecordHandler.Action.COMMIT == action)
                {
                    NEXT_SEQUENCE.setRelease(this, walk.nextSequence());
                }
            }

            return count;
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

    /**
     * Hands out the records before the reader's place, newest first, down to the first. Afterwards the reader stands
     * before the last one it handed out: {@link #poll} would hand that out again.
     * <p>
     * If the handler throws, the reader stays behind that record. What is read at once is bounded, whatever the length
     * of a segment; the first call takes some memory for that.
     *
     * @param handler takes the records; it must not use this reader, truncate or prune.
     * @param limit   most records to hand out, 0 or more.
     * @return number of records handed out; errors are those of {@link #poll}.
     */
    public int pollBackwards(final RecordHandler handler, final int limit)
    {
        if (!enter())
        {
            return 0;
        }

        int count = 0;
        try
        {
            checkPlace();
            while (count < limit && (find(false) || 0 == count && findAgain(false)))
            {
                handler.onRecord(show(walk.nextSequence() - 1), 0, walk.recordLength(), header);
                walk.passBack();
                count++;
            }

            return count;
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

    /**
     * Copies of the records from the reader's place to what is the last one now. The reader moves as the stream is
     * consumed, and must not be used otherwise meanwhile; an exception thrown in the stream leaves it at that record.
     * For convenience: each record is copied.
     *
     * @return a sequential stream, which ends; it needs no closing. Its errors are those of {@link #poll}.
     */
    public Stream<JournalRecord> stream()
    {
        return StreamSupport.stream(new RecordSpliterator(this, walk.lastSequence()), false);
    }

    /**
     * Goes to a record.
     *
     * @param sequence of the record to be read next, from {@link Journal#firstSequence()} to one behind
     *                 {@link Journal#lastSequence()}.
     * @throws IllegalArgumentException if the journal has no such record; the reader stays where it was.
     * @throws CorruptJournalException  if damage was met on the way; the reader has no place until a seek succeeds.
     * @throws JournalException         if the files cannot be read; likewise.
     */
    public void seek(final long sequence)
    {
        search(() -> walk.seek().to(sequence));
    }

    /**
     * Goes to the first record.
     */
    public void seekToStart()
    {
        search(() -> walk.seek().toStart());
    }

    /**
     * Goes behind the last record, so that only what is appended from now on is read.
     */
    public void seekToEnd()
    {
        search(() -> walk.seek().toEnd());
    }

    /**
     * Goes to the first record behind the last mark that is not later than an instant; to the first record if there is
     * no such mark. Whatever was appended after the instant is read from there, after what was appended shortly before.
     * <p>
     * Marks are put by the writer and carry its clock: one at the beginning of each segment and whenever 64 KiB have
     * passed, more when forces happen. If the clock was set back meanwhile, there are several places where it passed
     * over the instant, and the reader goes to one of them.
     *
     * @param instant to go to, with the precision of milliseconds.
     * @throws CorruptJournalException if damage was met on the way; the reader has no place until a seek succeeds.
     * @throws JournalException        if the files cannot be read; likewise.
     * @throws IllegalStateException   if the reader is closed.
     */
    public void seekToTime(final Instant instant)
    {
        final long timeMs = instant.isBefore(EARLIEST) ? Long.MIN_VALUE :
            instant.isAfter(LATEST) ? Long.MAX_VALUE : instant.toEpochMilli();
        search(() -> walk.seek().toTime(timeMs));
    }

    /**
     * The record that {@link #poll} hands out next. May be asked by any thread, and tells others the place after the
     * last call that moved the reader, or after the last {@link ControlledRecordHandler.Action#COMMIT} in the present
     * one.
     *
     * @return its sequence.
     */
    public long nextSequence()
    {
        return nextSequence;
    }

    /**
     * How the reader stands to its journal now.
     *
     * @return the state; when it is {@link ReaderState#CLOSED}, polling finds nothing any more.
     * @throws JournalException if it cannot be told.
     */
    public ReaderState state()
    {
        if (isClosed)
        {
            return ReaderState.CLOSED;
        }

        awaitEntry();
        try
        {
            // Before the end is looked at, which is final then.
            final boolean isJournalClosed = source.isClosed();
            final ReaderState standing = walk.settle();
            return ReaderState.FOLLOWING == standing && isJournalClosed && walk.isAtEnd() ?
                ReaderState.CLOSED : standing;
        }
        catch (final InternalError ex)
        {
            throw faulted(ex);
        }
        finally
        {
            leave();
        }
    }

    /**
     * Gives up the reader's files and memory. May be called twice.
     */
    @Override
    public void close()
    {
        if (null != use.user())
        {
            throw new IllegalStateException("reader is in use: a handler must not close it");
        }

        isClosed = true;
        readers.unregister(use);
        walk.close();
    }

    /**
     * Waits while readers are held off.
     *
     * @return whether there is something to read.
     */
    boolean awaitReadable()
    {
        readers.awaitRelease();
        return !walk.isAtEnd();
    }

    /**
     * Begins to use what the journal's history must not change under.
     *
     * @return false if it is changing.
     */
    private boolean enter()
    {
        if (isClosed)
        {
            throw new IllegalStateException("reader is closed");
        }
        if (null != use.user())
        {
            throw new IllegalStateException("reader is in use: a handler must not use it");
        }

        use.begin();
        boolean isInside = false;
        try
        {
            isInside = !readers.isHeldOff(use);
        }
        finally
        {
            // Also if that failed, as with an OutOfMemoryError: others would wait for the reader for ever.
            if (!isInside)
            {
                use.end();
            }
        }

        return isInside;
    }

    private void awaitEntry()
    {
        while (!enter())
        {
            readers.awaitRelease();
        }
    }

    private void leave()
    {
        // Who keeps the view beyond the call finds nothing in it: its memory may be gone by then.
        if (null != shown)
        {
            view.wrap(shown, 0, 0);
            shown = null;
        }
        NEXT_SEQUENCE.setRelease(this, walk.nextSequence());
        use.end();
    }

    private DirectBuffer show(final long sequence)
    {
        shown = walk.recordBuffer();
        view.wrap(shown, walk.recordIndex(), walk.recordLength());
        header.set(sequence, walk.recordTag(), walk.recordPosition());
        return view;
    }

    private void checkPlace()
    {
        if (walk.isLost())
        {
            throw new IllegalStateException("a seek failed: seek again before reading");
        }

        final ReaderState standing = walk.settle();
        if (ReaderState.FOLLOWING != standing)
        {
            throw new RecordsGoneException(
                (ReaderState.PRUNED == standing ? "the records to read were pruned" :
                    "records were cut by a truncation") +
                    ": nextSequence=" + walk.nextSequence() + ", firstSequence=" + source.state().startSequence +
                    ", lastSequence=" + source.lastSequence(ReadLimit.WRITTEN) + "; seek to go on reading");
        }
    }

    /**
     * Tries again as long as it was something pruned or cut, and not the end, that kept from finding: a poll that hands
     * out nothing says that there is nothing. Each turn takes another change.
     */
    private boolean findAgain(final boolean isForward)
    {
        while (walk.isUnsettled())
        {
            checkPlace();
            if (find(isForward))
            {
                return true;
            }
        }

        return false;
    }

    private boolean find(final boolean isForward)
    {
        try
        {
            return isForward ? walk.next() : walk.previous();
        }
        catch (final CorruptJournalException ex)
        {
            return refuse(ex);
        }
        catch (final IOException ex)
        {
            return refuse(unreadable(ex));
        }
        catch (final InternalError ex)
        {
            return refuse(faulted(ex));
        }
    }

    /**
     * Throws, unless it came about because something was pruned or cut: then another try, or the next call, tells that.
     */
    private boolean refuse(final JournalException ex)
    {
        if (walk.isUnsettled())
        {
            return false;
        }

        throw ex;
    }

    private interface Search
    {
        void run() throws IOException;
    }

    private void search(final Search search)
    {
        awaitEntry();
        try
        {
            search.run();
        }
        catch (final IOException ex)
        {
            throw unreadable(ex);
        }
        catch (final InternalError ex)
        {
            throw faulted(ex);
        }
        finally
        {
            leave();
        }
    }

    private JournalException unreadable(final IOException cause)
    {
        return cause instanceof EOFException ? cutShort(cause) :
            new JournalException("cannot read: sequence=" + walk.nextSequence() + "; cause=" + cause, cause);
    }

    /**
     * A handler that reads a page of a mapped segment that is gone has an error for it, as we have. Of other backends
     * it is the handler's own.
     */
    private JournalException unreadable(final InternalError error)
    {
        if (!walk.isMapped())
        {
            source.checkWhole();
            throw error;
        }

        return faulted(error);
    }

    private JournalException faulted(final InternalError error)
    {
        source.checkWhole();
        return cutShort(error);
    }

    private CorruptJournalException cutShort(final Throwable cause)
    {
        return new CorruptJournalException(
            "file was cut short while it was read: file=" + JournalFiles.segment(walk.ordinal()) +
                ", offset=" + walk.offset() + ", sequence=" + walk.nextSequence() + ", expected=" +
                source.segmentLength() + " bytes, found=fewer; restore the file from a backup",
            cause);
    }
}
