package io.journal.verify;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkContent;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.TruncationIntent;
import io.journal.internal.format.Layout;
import io.journal.internal.platform.FileType;
import io.journal.store.SegmentStore;

/**
 * The files of a journal as a verification finds them: identity, durable watermark, segments, cursors and snapshots.
 * Immutable.
 */
final class Inventory
{
    final SegmentStore store;
    final JournalMeta meta;
    final MarkContent mark;
    final Layout layout;
    /** Ascending, without those that a pending truncation or prune will remove. */
    final List<Long> ordinals;
    /** Names in the form of a segment's that no segment has. */
    final List<String> strays;
    /** The cursors, or null if their directory cannot be read. */
    final CursorFiles cursors;
    final IOException cursorsFailure;
    final Snapshots snapshots;

    private final Path path;

    private Inventory(final Path path, final SegmentStore store, final List<String> names) throws IOException
    {
        this.path = path;
        this.store = store;
        meta = JournalMeta.read(store, false);
        layout = new Layout(meta.segmentLength);
        ordinals = ordinals(names);
        strays = names.stream()
            .filter((name) -> JournalFiles.isSegment(name) && !JournalFiles.isOrdinal(name)).toList();
        mark = MarkFile.read(store, meta.uuid);
        // Before any segment is read: a record is durable before a cursor is saved at it, so the segments have it.
        CursorFiles found = null;
        IOException failure = null;
        try
        {
            found = CursorFiles.read(store, meta.uuid);
        }
        catch (final IOException ex)
        {
            failure = ex;
        }
        cursors = found;
        cursorsFailure = failure;
        // Likewise before any segment.
        snapshots = Snapshots.list(store);
    }

    static Inventory of(final Path path, final SegmentStore store) throws IOException
    {
        if (FileType.DIRECTORY != FileType.of(path))
        {
            throw new JournalException("no journal here: not a directory: path=" + path);
        }

        final List<String> names = store.list();
        if (names.contains(JournalFiles.META))
        {
            return new Inventory(path, store, names);
        }
        if (names.stream().anyMatch(JournalFiles::isSegment))
        {
            throw new CorruptJournalException(
                "segments without a journal: path=" + path + ", expected=" + JournalFiles.META +
                    ", found=none; restore it from a backup, or let a repair rebuild it");
        }
        throw new JournalException(
            "no journal here: no " + JournalFiles.META + " in the directory: path=" + path);
    }

    private List<Long> ordinals(final List<String> names)
    {
        final long first = layout.ordinal(meta.state.startPosition);
        final long last = null == meta.state.pending ? Long.MAX_VALUE : layout.ordinal(meta.state.pending.position);
        return names.stream().filter(JournalFiles::isOrdinal).map(JournalFiles::ordinal)
            .filter((ordinal) -> ordinal >= first && ordinal <= last).sorted().toList();
    }

    /**
     * The durable watermark in the mark file, or 0 if the file is absent or holds none of this epoch.
     */
    long forcedPosition()
    {
        return mark.forcedPosition(meta.state);
    }

    /**
     * Whether {@code journal.mark} holds a durable watermark of this journal that is not of an earlier truncation
     * epoch.
     */
    boolean isMarkUsable()
    {
        return mark.isOf(meta.state);
    }

    /**
     * What is wrong with the truncation intent that the next opening is to complete, or null.
     */
    String truncationFault()
    {
        return TruncationIntent.fault(meta, ordinals, forcedPosition());
    }

    /**
     * Offset up to which a segment is to be read: a truncation that is pending will remove the rest.
     */
    int limit(final long ordinal)
    {
        final JournalMeta.Cut cut = meta.state.pending;
        return null != cut && layout.ordinal(cut.position) == ordinal ?
            layout.offset(cut.position) : meta.segmentLength;
    }

    /**
     * Whether there is an entry of a name that is neither a directory nor a link to one. A dangling link is such.
     */
    boolean isNoDirectory(final String name)
    {
        final Path entry = path.resolve(name);
        try
        {
            return FileType.DIRECTORY != FileType.of(entry) &&
                FileType.ABSENT != FileType.of(entry, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    /**
     * Type of the entry of a name. A regular file if the type is unknown: reading it then reports why.
     */
    FileType typeOf(final String name)
    {
        try
        {
            return FileType.of(path.resolve(name), LinkOption.NOFOLLOW_LINKS);
        }
        catch (final IOException ex)
        {
            return FileType.REGULAR_FILE;
        }
    }
}
