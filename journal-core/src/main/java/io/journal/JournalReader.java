package io.journal;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Reads records in order and follows the newest end. Each reader is used by one thread at a time; any number of readers
 * may be open. Every record's checksum is verified before it is handed out. No call allocates per record.
 * <p>
 * A reader goes on after its journal was closed, to the last record that was appended.
 */
public final class JournalReader implements AutoCloseable
{
    private final ReadSource source;
    private final Readers readers;
    private final RecordWalk walk;
    private final RecordHeader header = new RecordHeader();
    private final ByteBufferView view = new ByteBufferView();

    // The thread inside one of the methods. Others look at it to know whether memory is in use.
    private volatile Thread user;
    private boolean isClosed;

    JournalReader(final ReadSource source, final Readers readers, final ReadLimit readLimit)
    {
        this.source = source;
        this.readers = readers;
        walk = new RecordWalk(source, readLimit);
    }

    /**
     * Opens a reader at the first record.
     */
    static JournalReader open(final ReadSource source, final Readers readers, final ReadLimit readLimit)
    {
        final JournalReader reader = new JournalReader(source, readers, readLimit);
        readers.register(reader);
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
     * If the handler throws, the reader stays at that record.
     *
     * @param handler takes the records; it must not use this reader.
     * @param limit   most records to hand out, 0 or more.
     * @return number of records handed out.
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
        ByteBuffer shown = null;
        try
        {
            checkPlace();
            while (count < limit && next())
            {
                shown = walk.recordBuffer();
                view.wrap(shown, walk.recordIndex(), walk.recordLength());
                header.set(walk.nextSequence(), walk.recordTag(), walk.position());
                handler.onRecord(view, 0, walk.recordLength(), header);
                walk.pass();
                count++;
            }

            return count;
        }
        finally
        {
            // Who keeps the view beyond the call finds nothing in it: its memory may be gone by then.
            if (null != shown)
            {
                view.wrap(shown, 0, 0);
            }
            user = null;
        }
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
        search(() -> walk.seek(sequence));
    }

    /**
     * Goes to the first record.
     */
    public void seekToStart()
    {
        search(walk::seekToStart);
    }

    /**
     * Goes behind the last record, so that only what is appended from now on is read.
     */
    public void seekToEnd()
    {
        search(walk::seekToEnd);
    }

    /**
     * The record that {@link #poll} hands out next.
     *
     * @return its sequence.
     */
    public long nextSequence()
    {
        return walk.nextSequence();
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
        if (null != user)
        {
            throw new IllegalStateException("reader is in use: a handler must not use it");
        }

        // Before the end is looked at, which is final then.
        final boolean isJournalClosed = source.isClosed();
        final ReaderState standing = walk.settle();
        return ReaderState.FOLLOWING == standing && isJournalClosed && walk.isAtEnd() ? ReaderState.CLOSED : standing;
    }

    /**
     * Gives up the reader's files and memory. May be called twice.
     */
    @Override
    public void close()
    {
        if (null != user)
        {
            throw new IllegalStateException("reader is in use: a handler must not close it");
        }

        isClosed = true;
        readers.unregister(this);
        walk.close();
    }

    /**
     * The thread that is inside one of the methods, or null.
     */
    Thread user()
    {
        return user;
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
        if (null != user)
        {
            throw new IllegalStateException("reader is in use: a handler must not use it");
        }

        // Said before it is asked whether readers are held off; who holds them does it the other way round.
        user = Thread.currentThread();
        if (readers.isHeldOff(this))
        {
            user = null;
            return false;
        }

        return true;
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

    private boolean next()
    {
        try
        {
            return walk.next();
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
            return refuse(cutShort(ex));
        }
    }

    /**
     * Throws, unless it came about because something was pruned or cut: then the next call tells that.
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
        while (!enter())
        {
            readers.awaitRelease();
        }

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
            throw cutShort(ex);
        }
        finally
        {
            user = null;
        }
    }

    private JournalException unreadable(final IOException cause)
    {
        return cause instanceof EOFException ? cutShort(cause) :
            new JournalException("cannot read: sequence=" + walk.nextSequence() + "; cause=" + cause, cause);
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
