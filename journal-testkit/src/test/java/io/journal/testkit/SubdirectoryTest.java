// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Tests which states of a new subdirectory a power loss may leave. */
class SubdirectoryTest
{
    private static final int LENGTH = 4096;
    private static final long SEED = 1;

    private final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);

    @Test
    void subdirectoryIsDurableOnceItsParentIsFsynced() throws IOException
    {
        final SegmentStore child = store.child("below");
        try (SegmentFile file = child.create("a", LENGTH))
        {
            file.force(0, LENGTH);
            child.force();
        }
        assertEquals(Set.of(List.of(), List.of("below")), lists(store.crashPoint()));
        // The name of the subdirectory is not durable yet, so the next process has to fsync it.
        final FaultStore killed = store.crashPoint().killed();
        assertEquals(List.of("a"), killed.child("below").list());
        assertEquals(Set.of(List.of(), List.of("below")), lists(killed.crashPoint()));

        killed.force();
        assertEquals(Set.of(List.of("below")), lists(killed.crashPoint()));
        assertEquals(List.of("a"), killed.crashPoint().disk(Tearing.PAGES, SEED).child("below").list());
    }

    private static Set<List<String>> lists(final CrashPoint point) throws IOException
    {
        final Set<List<String>> lists = new HashSet<>();
        for (final FaultStore disk : point.disks(Tearing.PAGES, 2, SEED))
        {
            lists.add(disk.list());
        }
        return lists;
    }

    @Test
    void subdirectoryIsNotCreatedInPlaceOfAFile() throws IOException
    {
        store.create("a", LENGTH).close();
        assertThrows(FileAlreadyExistsException.class, () -> store.child("a"));
        assertEquals(List.of("a"), store.list());
    }
}
