package io.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.store.NoSpaceException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.Window;

/**
 * Copies a journal in use, up to a forced position, to a directory in which it opens as it is. Nothing below that
 * position changes meanwhile if the caller keeps the journal from being pruned and truncated.
 * <p>
 * What {@code journal.meta} makes a journal comes last, so a copy that ended half-way is none.
 */
final class Backup
{
    private static final int COPY_LENGTH = 256 * 1024;

    private final SegmentStore source;
    private final SegmentStore target;
    private final JournalMeta meta;
    private final Layout layout;
    private final Health health;
    private final ByteBuffer buffer;
    private final List<String> made = new ArrayList<>();

    Backup(final SegmentStore source, final SegmentStore target, final JournalMeta meta, final Health health)
    {
        this.source = source;
        this.target = target;
        this.meta = meta;
        this.health = health;
        layout = new Layout(meta.segmentLength);
        buffer = ByteBuffer.allocate(Math.min(COPY_LENGTH, meta.segmentLength));
    }

    /**
     * A directory that a backup may be put into.
     *
     * @param journal directory of the journal.
     * @return the directory, absolute.
     * @throws IllegalArgumentException if it is in use, no directory, or within the journal.
     */
    static Path checkTarget(final Path directory, final Path journal)
    {
        final Path path = directory.toAbsolutePath().normalize();
        try
        {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !isEmptyDirectory(path))
            {
                throw new IllegalArgumentException(
                    "a backup needs an empty directory, or none: target=" + directory);
            }
            if (existing(path).toRealPath().startsWith(journal.toRealPath()))
            {
                throw new IllegalArgumentException(
                    "backup would lie within the journal: target=" + directory + ", path=" + journal);
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("backup failed: target=" + directory + "; cause=" + ex, ex);
        }

        return path;
    }

    private static boolean isEmptyDirectory(final Path path) throws IOException
    {
        if (!Files.isDirectory(path))
        {
            return false;
        }

        try (DirectoryStream<Path> entries = Files.newDirectoryStream(path))
        {
            return !entries.iterator().hasNext();
        }
    }

    private static Path existing(final Path path) throws IOException
    {
        Path existing = path;
        while (null != existing && !Files.exists(existing))
        {
            existing = existing.getParent();
        }
        if (null == existing)
        {
            throw new NoSuchFileException(path.toString());
        }

        return existing;
    }

    /**
     * Makes the copy. If that fails, what was made of it is removed.
     *
     * @param directory   of the target's store.
     * @param endPosition up to which the journal is forced.
     * @return sequence of the last record that was copied.
     */
    long copy(final Path directory, final long endPosition, final Cursors cursors, final long timeMs)
    {
        final List<Path> absent = absent(directory);
        boolean isComplete = false;
        try
        {
            target.makeDirectory();
            final long nextSequence = copySegments(endPosition);
            copyCursors(cursors, nextSequence - 1);
            attest(endPosition, nextSequence);
            putMeta(timeMs);
            isComplete = true;
            return nextSequence - 1;
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space for the backup: target=" + directory + "; nothing is left of it; cause=" + ex, ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "backup failed: target=" + directory + "; nothing is left of it; cause=" + ex, ex);
        }
        finally
        {
            if (!isComplete)
            {
                undo(directory, absent);
            }
        }
    }

    /**
     * The directory and those above it that are still to be made, innermost first.
     */
    private static List<Path> absent(final Path directory)
    {
        final List<Path> absent = new ArrayList<>();
        for (Path path = directory; null != path && !Files.exists(path); path = path.getParent())
        {
            absent.add(path);
        }

        return absent;
    }

    private long copySegments(final long endPosition) throws IOException
    {
        final long first = layout.ordinal(meta.state.startPosition);
        final long last = Math.max(first, layout.ordinal(endPosition - SegmentHeader.LENGTH - 1));
        long nextSequence = meta.state.startSequence;
        try (FrameCursor cursor = new FrameCursor(Window.copying(buffer.capacity())))
        {
            for (long ordinal = first; ordinal <= last; ordinal++)
            {
                final int end = (int)Math.min(meta.segmentLength, endPosition - layout.position(ordinal, 0));
                copySegment(ordinal, end);
                // What was written is what is verified.
                cursor.attach(open(target, ordinal));
                nextSequence = verify(cursor, end, nextSequence);
            }
        }

        return nextSequence;
    }

    private void copySegment(final long ordinal, final int end) throws IOException
    {
        final String spare = JournalFiles.spare(ordinal);
        made.add(spare);
        try (Segment segment = open(source, ordinal); SegmentFile file = target.create(spare, meta.segmentLength))
        {
            for (int offset = 0; offset < end; offset += buffer.capacity())
            {
                health.check();
                buffer.clear().limit(Math.min(buffer.capacity(), end - offset));
                segment.file.read(offset, buffer);
                file.write(offset, buffer.flip());
            }
            file.force(0, meta.segmentLength);
        }
        made.add(JournalFiles.segment(ordinal));
        target.rename(spare, JournalFiles.segment(ordinal));
        target.force();
    }

    /**
     * @return sequence of the record that follows.
     */
    private static long verify(final FrameCursor cursor, final int end, final long firstSequence) throws IOException
    {
        long nextSequence = firstSequence;
        int offset = SegmentHeader.LENGTH;
        while (offset < end)
        {
            final FrameCursor.Verdict verdict = cursor.examine(offset, end, nextSequence);
            if (SegmentHeader.LENGTH == offset ? !cursor.isMark(verdict) : FrameCursor.Verdict.VALID != verdict)
            {
                throw new CorruptJournalException(
                    "damaged record met by a backup: " + cursor.describe(verdict, nextSequence) +
                        "; restore the file from a former backup");
            }
            cursor.checkKnown();
            nextSequence = cursor.nextSequence();
            offset = cursor.nextOffset();
        }

        return nextSequence;
    }

    private void copyCursors(final Cursors cursors, final long lastSequence) throws IOException
    {
        made.add(JournalFiles.CURSORS);
        cursors.copyTo(target, lastSequence, (name) -> made.add(JournalFiles.CURSORS + "/" + name));
    }

    /**
     * Lets the copy refuse later damage to what was copied.
     */
    private void attest(final long endPosition, final long nextSequence) throws IOException
    {
        made.add(JournalFiles.MARK);
        try (MarkFile markFile = MarkFile.open(target, meta.uuid))
        {
            markFile.forced(meta.state.epoch, endPosition, nextSequence);
        }
        try (SegmentFile file = target.open(JournalFiles.MARK, SegmentStore.Access.WRITE))
        {
            file.force(0, MarkFile.LENGTH);
        }
    }

    private Segment open(final SegmentStore store, final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, false, meta.uuid, ordinal, meta.segmentLength);
    }

    private void putMeta(final long timeMs) throws IOException
    {
        final JournalMeta.State state = meta.state;
        made.add(JournalMeta.TEMPORARY);
        made.add(JournalFiles.META);
        JournalMeta.create(
            target,
            meta.uuid,
            meta.segmentLength,
            new JournalMeta.State(1, state.epoch, state.startPosition, state.startSequence, state.cut, false),
            timeMs);
    }

    /**
     * Removes what was made, and nothing else.
     */
    private void undo(final Path directory, final List<Path> absent)
    {
        try
        {
            // What makes it a journal first.
            for (int i = made.size() - 1; i >= 0; i--)
            {
                Files.deleteIfExists(directory.resolve(made.get(i)));
            }
            for (final Path path : absent)
            {
                Files.deleteIfExists(path);
            }
        }
        catch (final IOException ignore)
        {
            // The reason why there is no backup says more.
        }
    }
}
