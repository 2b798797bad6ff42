package io.journal.internal.manage;

import java.io.IOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

import io.journal.internal.files.CursorName;
import io.journal.internal.follow.FollowedSource;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.RealPath;
import io.journal.store.SegmentStore;

/**
 * The cursors of one follower, one object for each file: two would overwrite what the other has saved. Its monitor
 * excludes opening a cursor twice, and is taken before that of a cursor.
 */
public final class FollowerCursors
{
    private final Path journal;
    private final FollowedSource source;
    private final Function<Path, SegmentStore> stores;
    // By file, in its real directory.
    private final Map<Path, FollowerCursor> cursors = new HashMap<>();

    /**
     * @param journal directory of the journal, where nothing may be written.
     * @param stores  of the directories that cursors are kept in.
     */
    public FollowerCursors(
        final Path journal, final FollowedSource source, final Function<Path, SegmentStore> stores)
    {
        this.journal = journal;
        this.source = source;
        this.stores = stores;
    }

    /**
     * Returns the cursor of a name, and creates it, and the directory, if there is none.
     */
    public synchronized FollowerCursor get(final Path directory, final String name) throws IOException
    {
        CursorName.check(name);
        checkOutside(directory);
        stores.apply(directory).makeDirectory();
        final Path real = directory.toRealPath();
        final Path path = real.resolve(CursorName.fileName(name));
        final FollowerCursor known = cursors.get(path);
        final boolean isPresent = FileType.ABSENT != FileType.of(path, LinkOption.NOFOLLOW_LINKS);
        if (null != known && isPresent && known.isUsable())
        {
            return known;
        }

        if (null != known && !isPresent)
        {
            // Deleted by hand, to begin again.
            known.retire();
        }
        final FollowerCursor cursor = FollowerCursor.open(stores.apply(real), path, name, source);
        cursors.put(path, cursor);
        return cursor;
    }

    private void checkOutside(final Path directory) throws IOException
    {
        if (RealPath.ofNearest(directory).startsWith(journal.toRealPath()))
        {
            throw new IllegalArgumentException(
                "a follower writes nothing into the journal's directory: directory=" + directory + ", path=" + journal);
        }
    }
}
