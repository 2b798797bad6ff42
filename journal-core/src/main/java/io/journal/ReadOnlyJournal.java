package io.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

import io.journal.internal.files.CounterFile;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.read.FollowedSource;
import io.journal.internal.read.ReaderGate;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.agrona.concurrent.SystemEpochClock;

/**
 * A journal that is only read, while its writer, if there is one, lives in another process or in this one.
 * <p>
 * It takes no lock and writes nothing, so any number of processes may have the same journal open, at any time: while a
 * writer of whatever backend appends, rolls, prunes or truncates, after its death, and when another one takes over. Its
 * readers follow the end of what is written, which is found by checking frames: a record is there when its frame is
 * valid. What a writer that died left behind its last whole record is not seen. The journal's directory must not be
 * replaced by another one meanwhile.
 * <p>
 * Opening reads what is not attested as forced, not the history; memory does not grow with the journal. Safe for use by
 * several threads; an interrupt of a calling thread ends no operation.
 */
public final class ReadOnlyJournal implements AutoCloseable
{
    private static final int MAX_ATTEMPTS = 5;

    private final Path path;
    private final SegmentStore store;
    private final FollowedSource source;
    private final ReaderGate readers = new ReaderGate();
    private final CounterFile counterFile;
    private final JournalCounters counters;
    private final Object closing = new Object();

    private ReadOnlyJournal(final Path path, final SegmentStore store, final FollowedSource source)
    {
        this.path = path;
        this.store = store;
        this.source = source;
        counterFile = new CounterFile(store, source.uuid(), SystemEpochClock.INSTANCE);
        counters = new JournalCounters(counterFile);
    }

    static ReadOnlyJournal open(final Path path, final SegmentStore store)
    {
        try
        {
            Journal.checkDirectory(path);
            return new ReadOnlyJournal(path, store, new FollowedSource(store));
        }
        catch (final NoSuchFileException ex)
        {
            throw new JournalException(
                "no journal: path=" + path + "; it is there once a writer has created it; cause=" + ex, ex);
        }
        catch (final IOException | UncheckedIOException | InternalError ex)
        {
            throw new JournalException("cannot open the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Opens a reader at the first record, of all that is written.
     *
     * @return the reader, for one thread at a time; to be closed by its user.
     * @throws CorruptJournalException if the first segment is damaged or gone.
     * @throws JournalException        if it cannot be read.
     * @throws JournalClosedException  if this journal is closed.
     */
    public JournalReader openReader()
    {
        return openReader(ReadLimit.WRITTEN);
    }

    /**
     * Opens a reader at the first record. Its state becomes {@link ReaderState#CLOSED} when this object is closed; a
     * writer that closes the journal changes nothing for it, since another one may follow.
     *
     * @param limit how far it may read.
     * @return the reader, for one thread at a time; to be closed by its user.
     * @throws CorruptJournalException if the first segment is damaged or gone.
     * @throws JournalException        if it cannot be read.
     * @throws JournalClosedException  if this journal is closed.
     */
    public JournalReader openReader(final ReadLimit limit)
    {
        if (source.isClosed())
        {
            throw new JournalClosedException("journal is closed");
        }

        return JournalReader.open(source, readers, limit);
    }

    /**
     * The oldest record.
     *
     * @return its sequence, or, while there is none, that of the record to come.
     * @throws JournalException if it cannot be told.
     */
    public long firstSequence()
    {
        return source.firstSequence();
    }

    /**
     * The newest record that is written. Found by reading on from where the end was last.
     *
     * @return its sequence; one less than {@link #firstSequence()} while there is none; 0 once this object is closed.
     * @throws CorruptJournalException if what was forced is damaged.
     * @throws JournalException        if it cannot be told.
     */
    public long lastSequence()
    {
        return source.lastSequence(ReadLimit.WRITTEN);
    }

    /**
     * The newest record that the writer says is forced. While it is not known, as in the middle of a truncation, or
     * because {@code journal.mark} is lost and no writer has opened the journal since, none.
     *
     * @return its sequence; one less than {@link #firstSequence()} if there is none, or this object is closed.
     * @throws JournalException if it cannot be told.
     */
    public long forcedSequence()
    {
        return source.forcedSequence();
    }

    /**
     * The places of the journal's consumers, as they were saved last. Those whose file cannot be used are told with the
     * reason; opening the journal asks for none of them.
     *
     * @return all cursors, by name, as of now.
     * @throws JournalException       if they cannot be told.
     * @throws JournalClosedException if this journal is closed.
     */
    public List<SavedCursor> cursors()
    {
        List<SavedCursor> before = null;
        for (int i = 0;; i++)
        {
            final JournalMeta.State state = source.currentState();
            final List<SavedCursor> saved = readCursors(state);
            // What is being changed may look damaged, but not twice in the same way.
            final boolean isSure = saved.stream().allMatch(SavedCursor::isUsable) || saved.equals(before);
            if (isSure && state == source.currentState() || i == MAX_ATTEMPTS)
            {
                return saved;
            }
            before = saved;
        }
    }

    private List<SavedCursor> readCursors(final JournalMeta.State state)
    {
        if (source.isClosed())
        {
            throw new JournalClosedException("journal is closed");
        }

        try
        {
            final CursorFiles cursors = CursorFiles.look(store, source.uuid());
            // The end after the cursors: no record is forced later than a cursor is saved at it.
            return cursors.saved(state, lastSequence());
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the cursors: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * What the journal's writer says of itself. Reading it changes nothing and never fails; after closing the values
     * stay as they are.
     *
     * @return the counters: always the same object.
     */
    public JournalCounters counters()
    {
        return counters;
    }

    /**
     * Where the journal is.
     *
     * @return its directory, as it was given.
     */
    public Path path()
    {
        return path;
    }

    /**
     * Gives up the files. May be called twice. Waits until no reader is inside a call; readers hand out nothing from
     * then on, and stay open until they are closed.
     *
     * @throws IllegalStateException if it is called by a handler.
     */
    @Override
    public void close()
    {
        // Before the monitor: who has it may be waiting for this handler.
        readers.checkOutside();
        synchronized (closing)
        {
            if (!source.isClosed())
            {
                readers.hold();
                try
                {
                    CloseHelper.closeAll(source, counterFile);
                }
                finally
                {
                    readers.release();
                }
            }
        }
    }

    @Override
    public String toString()
    {
        return "ReadOnlyJournal{path=" + path + ", isClosed=" + source.isClosed() + '}';
    }
}
