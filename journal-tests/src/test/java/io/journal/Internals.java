// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.nio.file.Path;
import java.util.function.LongSupplier;

import io.journal.internal.Engine;
import io.journal.internal.Follower;
import io.journal.internal.manage.Cursors;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;

/** Access of tests to internals of {@code io.journal}: failing stores, and fixed values instead of random ones. */
public final class Internals
{
    private Internals()
    {
    }

    public static JournalBuilder randoms(final JournalBuilder builder, final LongSupplier randoms)
    {
        return builder.randoms(randoms);
    }

    public static Backend backend(final JournalBuilder builder)
    {
        return builder.settings().backend;
    }

    public static int segmentLength(final JournalBuilder builder)
    {
        return builder.settings().segmentLength;
    }

    public static int writeWindow(final JournalBuilder builder)
    {
        return builder.settings().writeWindow();
    }

    public static boolean isBackgroundThreaded(final JournalBuilder builder)
    {
        return builder.settings().isBackgroundThreaded;
    }

    public static long backup(final Journal journal, final Path directory, final SegmentStore target)
    {
        return ((Engine)journal).backup(directory, target);
    }

    public static void historyHeldBy(final Journal journal, final Runnable action)
    {
        ((Engine)journal).history.exclusively(() ->
        {
            action.run();
            return null;
        });
    }

    public static Cursors cursors(final Journal journal)
    {
        return ((Engine)journal).cursors;
    }

    public static ReadOnlyJournal openReadOnly(final Path path, final SegmentStore store)
    {
        return Follower.open(path, store);
    }
}
