package io.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import io.journal.store.Backend;
import io.journal.store.NoSpaceException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.Window;

/**
 * Makes a damaged journal one that opens, at the price of what lies behind the damage. Deletes nothing: what goes is
 * moved or copied into the journal's {@code quarantine} first. For people and tools that were told by
 * {@link JournalVerifier} what is damaged, and have no backup.
 * <p>
 * Holds the journal's lock until it is closed. If a step fails, or the process ends, opening still refuses the journal,
 * and the steps can be made again. Not safe for use by several threads.
 */
public final class JournalRepair implements AutoCloseable
{
    private static final int COPY_LENGTH = 1024 * 1024;
    private static final int MAX_NAMESAKES = 10_000;

    private final Path path;
    private final SegmentStore store;
    private final DirectoryLock lock;

    private JournalRepair(final Path path, final DirectoryLock lock)
    {
        this.path = path;
        this.lock = lock;
        store = Backend.FILE_CHANNEL.store(path);
    }

    /**
     * Takes a journal's lock.
     *
     * @param path of the journal's directory.
     * @return the repair, which holds the lock.
     * @throws JournalLockedException if a writer has the journal open.
     * @throws JournalException       if there is no journal, or the lock cannot be taken.
     */
    public static JournalRepair open(final Path path)
    {
        if (!Files.isRegularFile(path.resolve(JournalFiles.META), LinkOption.NOFOLLOW_LINKS))
        {
            throw new JournalException("no journal here: no " + JournalFiles.META + ": path=" + path);
        }

        try
        {
            return new JournalRepair(path, DirectoryLock.acquire(path));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot lock the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Moves a file of the journal into quarantine.
     *
     * @param name of the file.
     * @return where it is now, within the journal's directory.
     * @throws JournalException if it cannot be moved; it stays where it is.
     */
    public String putAside(final String name)
    {
        try
        {
            return move(quarantine(), name);
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    /**
     * Cuts a journal at a position, whatever was attested behind it. What lies there is put into quarantine: the rest
     * of the segment as a copy, later segments and {@code journal.mark} as they are. The next opening completes it.
     *
     * @param position     up to which all is valid, as {@link JournalVerifier.Verdict#endPosition()} tells it.
     * @param nextSequence the sequence that follows the last record before it.
     * @return names of what was put aside, within the journal's directory.
     * @throws IllegalArgumentException if nothing would be left, or the position cannot be one.
     * @throws JournalFullException     if there is no space for the copy; nothing was cut.
     * @throws JournalException         if it failed otherwise.
     */
    public List<String> cut(final long position, final long nextSequence)
    {
        try
        {
            final JournalMeta meta = JournalMeta.read(store, true);
            final Layout layout = new Layout(meta.segmentLength);
            final boolean isAtBoundary = layout.offset(position) < SegmentHeader.LENGTH;
            if (position < meta.state.startPosition + SegmentHeader.LENGTH ||
                nextSequence < meta.state.startSequence || 0 != (position & (FrameHeader.ALIGNMENT - 1)))
            {
                throw new IllegalArgumentException(
                    "cannot cut there: position=" + position + ", nextSequence=" + nextSequence +
                        ", startPosition=" + meta.state.startPosition +
                        ", firstSequence=" + meta.state.startSequence);
            }

            return cut(meta, layout, position, nextSequence, isAtBoundary);
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space to put aside what is to be cut: path=" + path + "; free some space and try again", ex);
        }
        catch (final IOException ex)
        {
            throw failed(ex);
        }
    }

    private List<String> cut(
        final JournalMeta meta, final Layout layout, final long position, final long nextSequence,
        final boolean isAtBoundary) throws IOException
    {
        final SegmentStore quarantine = quarantine();
        final List<String> names = new ArrayList<>();
        final long ordinal = layout.ordinal(position);
        int contentEnd = 0;
        if (!isAtBoundary)
        {
            // The copy first: what takes space may fail.
            contentEnd = copyTail(meta, layout, position, quarantine, names);
        }

        // The newest first, so that no gap comes about on the way.
        final List<Long> later = segmentsFrom(isAtBoundary ? ordinal : ordinal + 1);
        for (final long behind : later)
        {
            names.add(move(quarantine, JournalFiles.segment(behind)));
        }
        // It attests what is going to be cut.
        if (Files.exists(path.resolve(JournalFiles.MARK), LinkOption.NOFOLLOW_LINKS))
        {
            names.add(move(quarantine, JournalFiles.MARK));
        }

        if (!isAtBoundary)
        {
            final long zeroEnd = Math.max(position, layout.position(ordinal, contentEnd));
            final JournalMeta cutting =
                meta.with(store, meta.state.cutting(new JournalMeta.Cut(position, nextSequence, zeroEnd)));
            assert null != cutting.state.pending : "no intent: position=" + position;
        }
        else
        {
            // What finishing a truncation does for the others: a cursor behind the end would be damage.
            Cursors.load(store, meta.uuid).clamp(meta.state.epoch, nextSequence - 1);
        }
        return names;
    }

    /**
     * @return offset behind the last byte that is not zero.
     */
    private int copyTail(
        final JournalMeta meta, final Layout layout, final long position, final SegmentStore quarantine,
        final List<String> names) throws IOException
    {
        final long ordinal = layout.ordinal(position);
        final int offset = layout.offset(position);
        final int end;
        try (FrameCursor cursor = new FrameCursor(Window.copying(Math.min(COPY_LENGTH, meta.segmentLength))))
        {
            cursor.attach(Segment.open(
                store, SegmentStore.Access.READ, true, meta.uuid, ordinal, meta.segmentLength));
            end = cursor.lastContent(offset, meta.segmentLength);
        }

        if (end > offset)
        {
            final String name = unused(JournalFiles.quarantined(position, meta.state.epoch));
            try (SegmentFile source = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.READ);
                SegmentFile target = quarantine.create(name, end - offset))
            {
                final ByteBuffer buffer = ByteBuffer.allocate(COPY_LENGTH);
                for (int done = 0; done < end - offset; done += COPY_LENGTH)
                {
                    buffer.clear().limit(Math.min(COPY_LENGTH, end - offset - done));
                    source.read(offset + done, buffer);
                    target.write(done, buffer.flip());
                }
                target.force(0, end - offset);
            }
            quarantine.force();
            names.add(JournalFiles.QUARANTINE + "/" + name);
        }

        return end;
    }

    private List<Long> segmentsFrom(final long first) throws IOException
    {
        final List<Long> ordinals = new ArrayList<>();
        for (final String name : store.list())
        {
            if (JournalFiles.isSegment(name) && JournalFiles.ordinal(name) >= first)
            {
                ordinals.add(JournalFiles.ordinal(name));
            }
        }
        ordinals.sort(Collections.reverseOrder());

        return ordinals;
    }

    private SegmentStore quarantine() throws IOException
    {
        return store.child(JournalFiles.QUARANTINE);
    }

    private String move(final SegmentStore quarantine, final String name) throws IOException
    {
        final String target = unused(name);
        Files.move(
            path.resolve(name), path.resolve(JournalFiles.QUARANTINE).resolve(target), StandardCopyOption.ATOMIC_MOVE);
        // The new name first: after a loss of power there may be two, never none.
        quarantine.force();
        store.force();
        return JournalFiles.QUARANTINE + "/" + target;
    }

    private String unused(final String name) throws IOException
    {
        final Path directory = path.resolve(JournalFiles.QUARANTINE);
        String target = name;
        for (int i = 1; Files.exists(directory.resolve(target), LinkOption.NOFOLLOW_LINKS); i++)
        {
            if (i > MAX_NAMESAKES)
            {
                throw new IOException("too many files of this name in quarantine: file=" + name);
            }
            target = name + "." + i;
        }

        return target;
    }

    private JournalException failed(final IOException cause)
    {
        return new JournalException("cannot repair: path=" + path + "; cause=" + cause, cause);
    }

    /**
     * Gives up the lock. May be called twice.
     */
    @Override
    public void close()
    {
        lock.close();
    }
}
