package io.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

import io.journal.internal.Opening;
import io.journal.internal.control.ControlState;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.manage.Cursors;
import io.journal.internal.follow.FollowedSource;
import io.journal.internal.manage.BackupTarget;
import io.journal.internal.manage.FollowerBackup;
import io.journal.internal.platform.Permissions;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.Verification;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;

/**
 * A journal open for reading only, while its writer, if there is one, runs in another process or in this one.
 * <p>
 * It takes no lock and writes nothing, so any number of processes may open the same journal at any time: while a writer
 * of any backend appends, rolls, prunes or truncates, after that writer has ended, and when another one takes over. Its
 * readers follow the end of the written records, which is found by validating frames: a record is there once its frame
 * is valid. Bytes that a crashed writer left after its last complete record are not seen. The journal's directory must
 * not be replaced meanwhile.
 * <p>
 * Opening reads only what is above the durable watermark, not the history; memory use does not grow with the journal.
 * Thread-safe. Operations are not interruptible; the interrupt status is preserved.
 */
public final class ReadOnlyJournal extends ReadableJournal
{
    private final SegmentStore store;
    private final FollowedSource source;
    private final ReaderGate readers;

    private ReadOnlyJournal(
        final Path path, final SegmentStore store, final FollowedSource source, final ReaderGate readers)
    {
        super(path, source, readers, new Verification(Verification.Mode.ALWAYS));
        this.store = store;
        this.source = source;
        this.readers = readers;
    }

    static ReadOnlyJournal open(final Path path, final SegmentStore store)
    {
        try
        {
            Opening.checkDirectory(path);
            final FollowedSource source = FollowedSource.open(store);
            return new ReadOnlyJournal(path, store, source, new ReaderGate());
        }
        catch (final NoSuchFileException ex)
        {
            throw new JournalNotFoundException(
                "no journal: path=" + path + "; it is there once a writer has created it" + adviceIfMetaIsLost(store) +
                    "; cause=" + ex,
                ex);
        }
        catch (final IOException | UncheckedIOException | InternalError ex)
        {
            throw new JournalException(
                "cannot open the journal: path=" + path + Permissions.explain(ex) + "; cause=" + ex, ex);
        }
    }

    private static String adviceIfMetaIsLost(final SegmentStore store)
    {
        try
        {
            return store.list().stream().noneMatch(JournalFiles::isSegment) ? "" :
                "; if it was there, and " + JournalFiles.CONTROL +
                    " is lost, \"journal repair\" rebuilds that from the " +
                    "segments";
        }
        catch (final IOException ignore)
        {
            return "";
        }
    }

    /**
     * The oldest record.
     *
     * @return its sequence; that of the next record while there is none.
     * @throws JournalException if it cannot be determined.
     */
    public long firstSequence()
    {
        return source.currentState().history.startSequence;
    }

    /**
     * The newest written record, found by reading on from the last known end.
     *
     * @return its sequence; one less than {@link #firstSequence()} while there is none; 0 once this object is closed.
     * @throws CorruptJournalException if durable data is damaged.
     * @throws JournalException        if it cannot be determined.
     */
    public long lastSequence()
    {
        return source.lastSequence(ReadSource.End.WRITTEN);
    }

    /**
     * The newest durable record, as recorded by the writer. There is none while it is unknown: if the watermark is lost
     * and no writer has opened the journal since.
     *
     * @return its sequence; one less than {@link #firstSequence()} if there is none, or this object is closed.
     * @throws JournalException if it cannot be determined.
     */
    public long forcedSequence()
    {
        return source.forcedSequence();
    }

    /**
     * The cursors of the journal's consumers, as saved last.
     *
     * @return all cursors, by name, at the time of the call.
     * @throws JournalException      if they cannot be read.
     * @throws IllegalStateException if this journal is closed.
     */
    public List<JournalCursor.Saved> cursors()
    {
        checkReadable();
        final ControlState state = source.currentState();
        // The end is read after the cursors: a record is durable before a cursor is saved at it.
        final long last = lastSequence();
        return state.cursors().entrySet().stream().map((cursor) -> new JournalCursor.Saved(
            cursor.getKey(), cursor.getValue().sequence(),
            Cursors.lag(cursor.getValue().sequence(), state.history, last))).toList();
    }

    /**
     * Copies the journal to another directory, where it can be opened with any backend, while its writer, if there is
     * one, continues. The copy holds all records that were durable before the call, and the cursors and snapshots, as
     * {@link Journal#backup} has them. Each record is verified while it is copied. On return the copy is durable.
     * <p>
     * If the journal is truncated meanwhile, or pruned faster than it is copied, the copy is made again. A writer that
     * never forces has nothing durable to be copied.
     *
     * @param target directory of the copy, which must not exist; its parent is created if only that is absent.
     * @return sequence of the last record in the copy.
     * @throws IllegalArgumentException if the target exists or lies within this journal.
     * @throws JournalLockedException   if another backup to the target is in progress.
     * @throws CorruptJournalException  if a record is damaged.
     * @throws JournalFullException     if there is no space for the copy.
     * @throws JournalException         if the journal or a cursor cannot be read, or the copy cannot be written, if it
     *                                  is not known what is durable, or if the journal was truncated, or pruned faster
     *                                  than it was copied, during each of several attempts.
     * @throws IllegalStateException    if this journal is closed. Whatever is thrown, nothing of the copy remains.
     */
    public long backup(final Path target)
    {
        checkReadable();
        final Path directory = BackupTarget.check(target, path());
        return new FollowerBackup(store, source.uuid())
            .copyTo(directory, Backend.FILE_CHANNEL.store(directory.getParent()));
    }

    @Override
    void checkReadable()
    {
        if (source.isClosed())
        {
            throw new IllegalStateException("journal is closed");
        }
    }

    /**
     * Releases the files. Idempotent. From then on readers find nothing, and stay open until they are closed. Does not
     * wait for a call of a reader that is in progress in another thread or calls this from its handler: such a call may
     * still pass records that it has found, and the last one to end releases the files.
     */
    @Override
    public void close()
    {
        source.end();
        readers.onceDrained(source::close);
    }

    @Override
    public String toString()
    {
        return "ReadOnlyJournal{path=" + path() + ", isClosed=" + source.isClosed() + '}';
    }
}
