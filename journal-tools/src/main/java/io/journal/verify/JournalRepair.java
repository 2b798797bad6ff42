package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalLockedException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FrameSearch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.files.SegmentSet;
import io.journal.internal.files.Window;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.FileType;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.store.SegmentStore;

/**
 * Repairs a damaged journal so that it opens again. First rebuilds the files that describe the journal from the others,
 * as far as possible; then truncates the journal before the damage, which loses the records after it. Deletes nothing,
 * except by {@link #deleteCursor}: what is removed or changed is moved or copied into the journal's {@code quarantine}
 * first. For operators and tools that know from {@link JournalVerifier} what is damaged, and have no backup.
 * <p>
 * Holds the journal's lock until it is closed. If a step fails, or the process ends, opening still refuses the journal,
 * and the steps can be repeated. Not thread-safe.
 */
public final class JournalRepair implements AutoCloseable
{
    private static final int COPY_LENGTH = 1024 * 1024;
    private static final int MAX_NAMESAKES = 10_000;
    private static final int MAX_ROUNDS = 5;

    private final Path path;
    private final SegmentStore store;
    private final DirectoryLock lock;
    private boolean isFenced;

    private JournalRepair(final Path path, final DirectoryLock lock)
    {
        this.path = path;
        this.lock = lock;
        store = Backend.FILE_CHANNEL.store(path);
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

    /**
     * Reports what {@link #rebuild()} would do. Changes nothing and takes no lock.
     * <p>
     * A salt that is in no header is searched for: that can take a minute on all processors for each such segment.
     *
     * @param path of the journal's directory.
     * @return what can be rebuilt; empty if no such file is damaged, or only a segment header that cannot be rebuilt.
     * @throws CorruptJournalException    if something must be rebuilt first and cannot be; the message names what is
     *                                    missing.
     * @throws JournalException           if the journal is of a newer format.
     * @throws JournalException           if there is no journal, or it cannot be read.
     */
    public static List<Rebuild> rebuildable(final Path path)
    {
        checkThere(path);
        try
        {
            final SegmentStore store = Backend.FILE_CHANNEL.store(path);
            List<Rebuild> rebuilds = Reconstruction.of(store).rebuilds();
            List<Rebuild> before = List.of();
            // A file that a writer is changing may appear damaged, but not twice in the same way.
            for (int round = 1; round < MAX_ROUNDS && !rebuilds.equals(before); round++)
            {
                before = rebuilds;
                rebuilds = Reconstruction.of(store).rebuilds();
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
        checkThere(path);
        try
        {
            return new JournalRepair(path, DirectoryLock.acquire(path));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot lock the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    private static void checkThere(final Path path)
    {
        try
        {
            if (Backend.FILE_CHANNEL.store(path).list().stream()
                .noneMatch((name) -> JournalFiles.META.equals(name) || JournalFiles.isOrdinal(name)))
            {
                throw new JournalException(
                    "no journal here: no " + JournalFiles.META + ", and no segment: path=" + path);
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the journal: path=" + path + "; cause=" + ex, ex);
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
     * @throws JournalException           if the journal is of a newer format; nothing was changed.
     * @throws JournalFullException       if there is no space for the copies.
     * @throws JournalException           if it failed otherwise.
     */
    public List<String> rebuild()
    {
        try
        {
            final Reconstruction found = Reconstruction.of(store);
            final List<String> names = new ArrayList<>();
            for (final Map.Entry<Long, ByteBuffer> entry : found.headers().entrySet())
            {
                final String name = JournalFiles.segment(entry.getKey());
                names.add(copy(name, 0, SegmentHeader.LENGTH, name + ".header"));
                fence();
                try (SegmentFile file = store.open(name, SegmentStore.Access.WRITE))
                {
                    file.write(0, entry.getValue());
                    file.force(0, SegmentHeader.LENGTH);
                }
            }
            if (found.isMetaRebuilt())
            {
                // Moved before they are below the journal's start: opening deletes what is below it.
                for (final long ordinal : found.unreadable())
                {
                    names.add(move(JournalFiles.segment(ordinal)));
                }
                rebuildMeta(found, names);
            }

            return names;
        }
        catch (final NoSpaceException ex)
        {
            throw full(ex);
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    private void rebuildMeta(final Reconstruction found, final List<String> names) throws IOException
    {
        final boolean isThere = store.list().contains(JournalFiles.META);
        if (isThere && found.isMetaWhole())
        {
            names.add(copy(JournalFiles.META, 0, JournalMeta.LENGTH, JournalFiles.META));
            fence();
            JournalMeta.rewrite(store, found.uuid(), found.segmentLength(), found.state(), found.timeMs());
        }
        else
        {
            if (isThere)
            {
                names.add(move(JournalFiles.META));
            }
            fence();
            store.delete(JournalMeta.TEMPORARY);
            JournalMeta.create(
                store, JournalFiles.META, found.uuid(), found.segmentLength(), found.state(), found.timeMs());
        }
    }

    /**
     * Moves a file of the journal into quarantine.
     *
     * @param name of the file, or of what is in its place.
     * @return its new name, within the journal's directory.
     * @throws JournalException if it cannot be moved; it stays where it is.
     */
    public String putAside(final String name)
    {
        try
        {
            return move(name);
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    /**
     * Deletes a cursor without opening the journal, which cannot be opened while a cursor's file is unreadable. Any
     * other cursor is deleted with {@link Journal#deleteCursor}.
     *
     * @param name of the cursor; nothing happens if there is none.
     * @throws IllegalArgumentException   if no cursor can have that name.
     * @throws CorruptJournalException    if {@code journal.meta} is damaged; nothing was changed.
     * @throws JournalException           if the journal is of a newer format; nothing was changed.
     * @throws JournalException           if it failed otherwise.
     */
    public void deleteCursor(final String name)
    {
        if (!CursorFile.isName(name))
        {
            throw new IllegalArgumentException("not the name of a cursor: name=" + name);
        }

        try
        {
            JournalMeta.read(store, true);
            if (store.list().contains(JournalFiles.CURSORS))
            {
                final SegmentStore cursors = store.child(JournalFiles.CURSORS);
                fence();
                cursors.delete(CursorFile.fileName(name));
                cursors.force();
            }
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    /**
     * Truncates a journal at a position, even below the durable watermark. Quarantines what is after it: the rest of
     * the segment as a copy, later segments and {@code journal.mark} as they are. The next opening completes the
     * truncation. As with {@link Journal#truncateAfter}, cursors move back, and readers in other processes are
     * notified.
     *
     * @param position     up to which everything is valid, as reported by
     *                     {@link JournalVerifier.Verdict#endPosition()}.
     * @param nextSequence the sequence that follows the last record before it.
     * @return names of the quarantined files, within the journal's directory.
     * @throws IllegalArgumentException if nothing would remain, or the position is not allowed.
     * @throws JournalFullException     if there is no space for the copy; nothing was truncated.
     * @throws JournalException         if it failed otherwise.
     */
    public List<String> cut(final long position, final long nextSequence)
    {
        try
        {
            final JournalMeta meta = JournalMeta.read(store, true);
            final Layout layout = new Layout(meta.segmentLength);
            if (position < meta.state.startPosition + SegmentHeader.LENGTH ||
                nextSequence < meta.state.startSequence || 0 != (position & (FrameHeader.ALIGNMENT - 1)))
            {
                throw new IllegalArgumentException(
                    "cannot cut there: position=" + position + ", nextSequence=" + nextSequence +
                        ", startPosition=" + meta.state.startPosition +
                        ", firstSequence=" + meta.state.startSequence);
            }

            return layout.offset(position) < SegmentHeader.LENGTH ?
                cutBefore(meta, layout, layout.ordinal(position), nextSequence) :
                cutWithin(meta, layout, position, nextSequence);
        }
        catch (final NoSpaceException ex)
        {
            throw full(ex);
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    /**
     * Truncates before a segment that is unreadable or missing. The state records the truncation first: as long as one
     * of the segments is there, opening refuses the journal, and any durable watermark is of another epoch.
     */
    private List<String> cutBefore(
        final JournalMeta meta, final Layout layout, final long ordinal, final long nextSequence) throws IOException
    {
        final long position = layout.position(ordinal, SegmentHeader.LENGTH);
        CursorFiles.read(store, meta.uuid).lower(meta.state.epoch + 1, nextSequence - 1);
        final JournalMeta cut =
            meta.with(store, meta.state.afterCut(new JournalMeta.Cut(position, nextSequence, position)));
        // Written to the other slot as well: otherwise later damage to this one would bring the previous epoch back.
        final JournalMeta both = cut.with(store, cut.state.again());
        assert null == both.state.pending : "an intent: position=" + position;

        final List<String> names = new ArrayList<>();
        moveFrom(ordinal, names);
        moveMark(names);
        return names;
    }

    private List<String> cutWithin(
        final JournalMeta meta, final Layout layout, final long position, final long nextSequence) throws IOException
    {
        final List<String> names = new ArrayList<>();
        final long ordinal = layout.ordinal(position);
        // Copied first: what takes space may fail.
        final int contentEnd = copyTail(meta, layout, position, names);
        fence();
        moveFrom(ordinal + 1, names);

        final long zeroEnd = Math.max(position, layout.position(ordinal, contentEnd));
        final JournalMeta cutting =
            meta.with(store, meta.state.cutting(new JournalMeta.Cut(position, nextSequence, zeroEnd)));
        assert null != cutting.state.pending : "no intent: position=" + position;
        // Not earlier: its durable watermark covers what will be truncated; without it, that could be mistaken for a
        // torn tail.
        moveMark(names);
        return names;
    }

    /**
     * @return offset after the last non-zero byte.
     */
    private int copyTail(
        final JournalMeta meta, final Layout layout, final long position, final List<String> names) throws IOException
    {
        final long ordinal = layout.ordinal(position);
        final int offset = layout.offset(position);
        final int end;
        try (FrameCursor cursor = new FrameCursor(Window.copying(Math.min(COPY_LENGTH, meta.segmentLength))))
        {
            cursor.attach(Segment.open(
                store, SegmentStore.Access.READ, true, meta.uuid, ordinal, meta.segmentLength));
            end = FrameSearch.contentEnd(cursor, offset, meta.segmentLength);
        }

        if (end > offset)
        {
            names.add(copy(
                JournalFiles.segment(ordinal), offset, end, JournalFiles.quarantined(position, meta.state.epoch)));
        }
        return end;
    }

    private void moveMark(final List<String> names) throws IOException
    {
        if (store.list().contains(JournalFiles.MARK))
        {
            names.add(move(JournalFiles.MARK));
        }
    }

    /**
     * Moves segments, newest first, so that no gap arises on the way.
     */
    private void moveFrom(final long ordinal, final List<String> names) throws IOException
    {
        for (final long behind : segmentsFrom(ordinal))
        {
            names.add(move(JournalFiles.segment(behind)));
        }
    }

    private List<Long> segmentsFrom(final long first) throws IOException
    {
        final List<Long> ordinals = SegmentSet.ordinalsFrom(store, first);
        ordinals.sort(Collections.reverseOrder());

        return ordinals;
    }

    /**
     * Copies a part of a file into quarantine.
     *
     * @return the name of the copy, within the journal's directory.
     */
    private String copy(final String name, final int from, final int to, final String copyName) throws IOException
    {
        final SegmentStore quarantine = store.child(JournalFiles.QUARANTINE);
        final String unused = unused(copyName);
        try (SegmentFile source = store.open(name, SegmentStore.Access.READ);
            SegmentFile target = quarantine.create(unused, to - from))
        {
            final ByteBuffer buffer = ByteBuffer.allocate(Math.min(COPY_LENGTH, to - from));
            for (int done = 0; done < to - from; done += buffer.capacity())
            {
                buffer.clear().limit(Math.min(buffer.capacity(), to - from - done));
                source.read(from + done, buffer);
                target.write(done, buffer.flip());
            }
            target.force(0, to - from);
        }
        quarantine.force();
        store.force();
        return JournalFiles.QUARANTINE + "/" + unused;
    }

    /**
     * Comes before the first change, and behind what may still fail without one.
     */
    private void fence() throws IOException
    {
        if (!isFenced)
        {
            MarkFile.fence(store);
            isFenced = true;
        }
    }

    private String move(final String name) throws IOException
    {
        fence();
        final SegmentStore quarantine = store.child(JournalFiles.QUARANTINE);
        final String target = unused(name);
        // The target directory must be durable before the name here is gone.
        store.force();
        Files.move(
            path.resolve(name), path.resolve(JournalFiles.QUARANTINE).resolve(target), StandardCopyOption.ATOMIC_MOVE);
        // The new name is fsynced first: after a loss of power there may be two names, never none.
        quarantine.force();
        store.force();
        return JournalFiles.QUARANTINE + "/" + target;
    }

    private String unused(final String name) throws IOException
    {
        final Path directory = path.resolve(JournalFiles.QUARANTINE);
        String target = name;
        for (int i = 1; FileType.ABSENT != FileType.of(directory.resolve(target), LinkOption.NOFOLLOW_LINKS); i++)
        {
            if (i > MAX_NAMESAKES)
            {
                throw new IOException("too many files of this name in quarantine: file=" + name);
            }
            target = name + "." + i;
        }

        return target;
    }

    private JournalFullException full(final IOException cause)
    {
        return new JournalFullException(
            "no space to put aside what is to be changed: path=" + path + "; free some space and try again", cause);
    }

    private JournalException failed(final IOException cause)
    {
        return new JournalException("cannot repair: path=" + path + "; cause=" + cause, cause);
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
