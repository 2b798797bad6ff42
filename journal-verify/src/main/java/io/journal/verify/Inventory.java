// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.JournalNotFoundException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlView;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.platform.FileType;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.SegmentStore;

/**
 * The files of a journal as a verification finds them: control file, segments and snapshots. Immutable.
 */
final class Inventory
{
    final SegmentStore store;
    final ControlContent control;
    final History history;
    final Layout layout;
    /** Ordinals of the segments, ascending, without segments that hold no part of the log. */
    final List<Long> ordinals;
    /** Names that resemble a segment's but are not valid. */
    final List<String> strays;
    final Snapshots snapshots;

    private final Path path;
    private final List<Long> all;

    private Inventory(final Path path, final SegmentStore store) throws IOException
    {
        this.path = path;
        this.store = store;
        // Read before the segments, so that they contain everything that it states to be durable.
        control = ControlView.readWhole(store);
        history = control.state().history;
        layout = new Layout(control.segmentLength());
        final List<String> names = store.list();
        all = SegmentSet.from(SegmentSet.ordinals(names, (stray) ->
        {
        }), layout.ordinal(history.startPosition));
        ordinals = all.stream().filter((ordinal) -> !isCut(ordinal)).toList();
        strays = names.stream()
            .filter((name) -> JournalFiles.isSegment(name) && !JournalFiles.isOrdinal(name)).toList();
        snapshots = Snapshots.list(store);
    }

    static Inventory of(final Path path, final SegmentStore store) throws IOException
    {
        checkJournal(path, store);
        if (store.list().contains(JournalFiles.CONTROL))
        {
            return new Inventory(path, store);
        }
        throw new CorruptJournalException(
            "segments without a journal: path=" + path + ", expected=" + JournalFiles.CONTROL +
                ", found=none; restore it from a backup, or let a repair rebuild it");
    }

    /** Throws if there is neither a control file nor a segment in a directory. */
    static void checkJournal(final Path path, final SegmentStore store) throws IOException
    {
        if (FileType.DIRECTORY != FileType.of(path))
        {
            throw new JournalNotFoundException("no journal here: not a directory: path=" + path);
        }
        if (store.list().stream()
            .noneMatch((name) -> JournalFiles.CONTROL.equals(name) || JournalFiles.isOrdinal(name)))
        {
            throw new JournalNotFoundException(
                "no journal here: no " + JournalFiles.CONTROL + ", and no segment: path=" + path);
        }
    }

    /** Whether nothing in a segment is part of the log. */
    private boolean isCut(final long ordinal)
    {
        final Cut cut = history.cutAt(layout.position(ordinal, SegmentHeader.LENGTH));
        return null != cut && cut.to() >= layout.position(ordinal + 1, 0);
    }

    /** The first missing segment from an ordinal on, below a limit, in a gap of the segments to check. */
    long firstMissing(final long ordinal, final long limit)
    {
        long next = history.skipDead(ordinal, limit, layout.segmentLength);
        while (next < limit && Collections.binarySearch(all, next) >= 0)
        {
            next = history.skipDead(next + 1, limit, layout.segmentLength);
        }
        return next;
    }

    /** Whether the journal was closed: then nothing follows the position at which it was closed. */
    boolean isClosed()
    {
        return isClosed(control);
    }

    private static boolean isClosed(final ControlContent control)
    {
        return null != control.state().closedAt && !control.isForceUnfinished() && !control.isChangeUnfinished();
    }

    String owner()
    {
        return DirectoryLock.owner(path);
    }

    /** The highest position that is durable according to the control file. */
    static long forcedPosition(final ControlContent control)
    {
        final History history = control.state().history;
        final long begin = Math.max(history.firstPosition(), history.newest().to());
        final long forced = Math.max(begin, control.durablePosition());
        return isClosed(control) ? Math.max(forced, control.state().closedAt.position()) : forced;
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
