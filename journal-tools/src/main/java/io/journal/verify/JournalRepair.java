package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalLockedException;
import io.journal.internal.files.CursorName;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.store.SegmentStore;

/**
 * Repairs a damaged journal so that it opens again. First rebuilds the files that describe the journal from the others,
 * as far as possible; then truncates the journal before the damage, which loses the records after it. Deletes nothing,
 * except by {@link #deleteCursor}: what is removed or changed is moved or copied into the journal's {@code quarantine}
 * first. For operators and tools that know from {@link JournalVerifier} what is damaged, and have no backup:
 * <pre>{@code
 * try (JournalRepair repair = JournalRepair.open(path))
 * {
 *     repair.rebuild();
 *     Verdict verdict = JournalVerifier.verify(path);
 *     if (verdict.isRepairableByTruncation())
 *     {
 *         repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
 *     }
 * }
 * Journal.builder(path).openExisting().close();
 * }</pre>
 * No other finding is a reason to truncate: what cannot be read, or is of a newer format, may be intact.
 * <p>
 * Holds the journal's lock until it is closed. If a step fails, or the process ends, opening still refuses the journal,
 * and the steps can be repeated. Not thread-safe.
 */
public final class JournalRepair implements AutoCloseable
{
    private static final int MAX_ROUNDS = 5;

    private final Path path;
    private final SegmentStore store;
    private final DirectoryLock lock;
    private final Quarantine quarantine;

    private JournalRepair(final Path path, final SegmentStore store, final DirectoryLock lock)
    {
        this.path = path;
        this.store = store;
        this.lock = lock;
        quarantine = new Quarantine(path, store);
    }

    /**
     * A file that can be rebuilt from the others.
     *
     * @param file    {@code journal.meta}, or a segment whose header is damaged.
     * @param fault   what is wrong with it.
     * @param content what it will contain.
     * @param lost    how many records cannot be read even then, because the first segments are unreadable or missing;
     *                -1 if unknown.
     */
    public record Rebuild(String file, String fault, String content, long lost)
    {
    }

    private interface Step
    {
        void run() throws IOException;
    }

    /**
     * Reports what {@link #rebuild()} would do. Changes nothing and takes no lock.
     * <p>
     * A salt that is in no header is searched for: that can take a minute on all processors for each such segment.
     *
     * @param path of the journal's directory.
     * @return what can be rebuilt; empty if no such file is damaged, or only a segment header that cannot be rebuilt.
     * @throws CorruptJournalException    if something must be rebuilt first and cannot be; the message names what is
     *                                    missing.
     * @throws UnsupportedFormatException if the journal is of a newer format.
     * @throws JournalException           if there is no journal, or it cannot be read.
     */
    public static List<Rebuild> rebuildable(final Path path)
    {
        try
        {
            final SegmentStore store = Backend.FILE_CHANNEL.store(path);
            checkJournal(path, store);
            List<Rebuild> rebuilds = Reconstruction.of(store).rebuilds;
            List<Rebuild> before = List.of();
            // A file that a writer is changing may appear damaged, but not twice in the same way.
            for (int round = 1; round < MAX_ROUNDS && !rebuilds.equals(before); round++)
            {
                before = rebuilds;
                rebuilds = Reconstruction.of(store).rebuilds;
            }

            return rebuilds;
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Opens a journal for repair: takes its lock.
     *
     * @param path of the journal's directory.
     * @return the repair, which holds the lock.
     * @throws JournalLockedException if a writer has the journal open.
     * @throws JournalException       if there is no journal, or the lock cannot be taken.
     */
    public static JournalRepair open(final Path path)
    {
        return open(path, Backend.FILE_CHANNEL.store(path));
    }

    static JournalRepair open(final Path path, final SegmentStore store)
    {
        try
        {
            checkJournal(path, store);
            return new JournalRepair(path, store, DirectoryLock.acquire(path));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot open the journal for repair: path=" + path + "; cause=" + ex, ex);
        }
    }

    private static void checkJournal(final Path path, final SegmentStore store) throws IOException
    {
        if (store.list().stream().noneMatch((name) -> JournalFiles.META.equals(name) || JournalFiles.isOrdinal(name)))
        {
            throw new JournalException("no journal here: no " + JournalFiles.META + ", and no segment: path=" + path);
        }
    }

    /**
     * Rebuilds {@code journal.meta} and damaged segment headers from all other files. Copies the damaged blocks into
     * quarantine. Segments at the beginning that are unreadable even so are moved there, and the journal then begins
     * after them. Afterwards {@link JournalVerifier} reports what else is damaged.
     *
     * @return names of the quarantined files, within the journal's directory; empty if there was nothing to rebuild, or
     *         {@code journal.meta} was absent.
     * @throws CorruptJournalException    as {@link #rebuildable} does; nothing was changed.
     * @throws UnsupportedFormatException if the journal is of a newer format; nothing was changed.
     * @throws JournalFullException       if there is no space for the copies.
     * @throws JournalException           if it failed otherwise.
     */
    public List<String> rebuild()
    {
        return run(() ->
        {
            final Reconstruction found = Reconstruction.of(store);
            for (final Map.Entry<Long, ByteBuffer> entry : found.headers.entrySet())
            {
                rebuildHeader(JournalFiles.segment(entry.getKey()), entry.getValue());
            }
            if (found.isMetaRebuilt())
            {
                // Moved before they are below the journal's start: opening deletes what is below it.
                for (final long ordinal : found.unreadable)
                {
                    quarantine.move(JournalFiles.segment(ordinal));
                }
                rebuildMeta(found);
            }
        });
    }

    private void rebuildHeader(final String name, final ByteBuffer header) throws IOException
    {
        quarantine.copy(name, 0, SegmentHeader.LENGTH, name + ".header");
        quarantine.fence();
        try (SegmentFile file = store.open(name, SegmentStore.Access.WRITE))
        {
            file.write(0, header);
            file.force(0, SegmentHeader.LENGTH);
        }
    }

    private void rebuildMeta(final Reconstruction found) throws IOException
    {
        if (found.isMetaThere())
        {
            quarantine.copy(JournalFiles.META, 0, found.metaLength(), JournalFiles.META);
        }
        quarantine.fence();
        if (JournalMeta.LENGTH != found.metaLength())
        {
            // By one that opening refuses as well, in one step: a repair that is interrupted can be repeated, since it
            // finds what is left of the old state, or the new one.
            store.delete(JournalMeta.TEMPORARY);
            try (SegmentFile file = store.create(JournalMeta.TEMPORARY, JournalMeta.LENGTH))
            {
                found.state.write(file);
            }
            Files.move(
                path.resolve(JournalMeta.TEMPORARY), path.resolve(JournalFiles.META), StandardCopyOption.ATOMIC_MOVE);
            store.force();
        }
        JournalMeta.rewrite(store, found.uuid, found.segmentLength, found.state, found.timeMs());
    }

    /**
     * Moves a file of the journal into quarantine.
     *
     * @param name of the file, or of what is in its place.
     * @return its new name, within the journal's directory.
     * @throws JournalException if it cannot be moved; it stays where it is.
     */
    public String quarantine(final String name)
    {
        return run(() -> quarantine.move(name)).get(0);
    }

    /**
     * Deletes a cursor without opening the journal, for one whose file cannot be read while a torn tail or a truncation
     * is pending: opening then throws, since the cursor would miss the truncation. Any other cursor is deleted with
     * {@link Journal#deleteCursor}.
     *
     * @param name of the cursor; nothing happens if there is none.
     * @throws IllegalArgumentException   if no cursor can have that name.
     * @throws CorruptJournalException    if {@code journal.meta} is damaged; nothing was changed.
     * @throws UnsupportedFormatException if the journal is of a newer format; nothing was changed.
     * @throws JournalException           if it failed otherwise.
     */
    public void deleteCursor(final String name)
    {
        if (!CursorName.isValid(name))
        {
            throw new IllegalArgumentException("not the name of a cursor: name=" + name);
        }

        run(() ->
        {
            JournalMeta.read(store, true);
            if (store.list().contains(JournalFiles.CURSORS))
            {
                final SegmentStore cursors = store.child(JournalFiles.CURSORS);
                MarkFile.fence(store, false);
                cursors.delete(CursorName.fileName(name));
                cursors.force();
            }
        });
    }

    /**
     * Truncates a journal at a position, even below the durable watermark. Quarantines what is after it: the rest of
     * the segment as a copy, later segments and {@code journal.mark} as they are. The next opening completes the
     * truncation. As with {@link Journal#truncateAfter}, cursors move back, and readers in other processes are
     * notified.
     *
     * @param position     up to which everything is valid, as reported by {@link Verdict#endPosition()}.
     * @param nextSequence the sequence that follows the last record before it.
     * @return names of the quarantined files, within the journal's directory.
     * @throws IllegalArgumentException if nothing would remain, or the position is not allowed.
     * @throws JournalFullException     if there is no space for the copy; nothing was truncated.
     * @throws JournalException         if it failed otherwise.
     */
    public List<String> truncate(final long position, final long nextSequence)
    {
        return run(() ->
        {
            final JournalMeta meta = JournalMeta.read(store, true);
            if (position < meta.state.startPosition + SegmentHeader.LENGTH ||
                nextSequence < meta.state.startSequence || 0 != (position & (FrameHeader.ALIGNMENT - 1)))
            {
                throw new IllegalArgumentException(
                    "cannot truncate there: position=" + position + ", nextSequence=" + nextSequence +
                        ", startPosition=" + meta.state.startPosition +
                        ", firstSequence=" + meta.state.startSequence);
            }

            new RepairTruncation(store, quarantine, meta).run(position, nextSequence);
        });
    }

    /** Runs a step of a repair, and returns the names of the files that it quarantined. */
    private List<String> run(final Step step)
    {
        try
        {
            step.run();
            return quarantine.takeNames();
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space to quarantine what is to be changed: path=" + path + "; free some space and try again", ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot repair: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Releases the lock. Idempotent.
     */
    @Override
    public void close()
    {
        lock.close();
    }
}
