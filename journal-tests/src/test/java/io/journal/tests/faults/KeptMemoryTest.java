// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.RecordClaim;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Memory for long records is released after the call. All memory is released once its owner is closed, although the
 * application still refers to the closed object.
 */
@Tag("slow")
class KeptMemoryTest extends JournalFixture
{
    private static final int THREADS = 32;
    // Longer than the window that a lookup keeps. All threads together need 48 MiB.
    private static final int LENGTH = 3 << 19;
    // The child may have 128 MiB outside the heap. In the heap, the old generation has 85 MiB.
    private static final int AVAILABLE_DIRECT = 100 << 20;
    private static final int AVAILABLE_HEAP = 60 << 20;

    private enum Holder
    {
        LOOKUPS, LOOKUPS_OF_A_FOLLOWER, CLOSED_READERS, WRITE_WINDOW_OF_A_CLOSED_JOURNAL
    }

    @EachBackend(and = Holder.class)
    void memoryIsReleased(final Backend backend, final Holder holder)
    {
        ChildJvm.run(temp, List.of(), KeptMemoryTest.class, directory(), backend, holder);
    }

    /**
     * @param args directory, backend, and what holds memory.
     */
    public static void main(final String[] args)
    {
        FaultedWriter.halt(60);
        final Path path = Path.of(args[0]);
        final Backend backend = Backend.valueOf(args[1]);
        switch (Holder.valueOf(args[2]))
        {
            case LOOKUPS ->
            {
                final Journal journal = open(path, backend, 0);
                lookUp((handler) -> journal.get(1, handler));
                assertMemoryIsAvailable(journal);
                journal.close();
                assertMemoryIsAvailable(journal);
            }
            case LOOKUPS_OF_A_FOLLOWER ->
            {
                open(path, backend, 0).close();
                final ReadOnlyJournal journal = Journal.openReadOnly(path);
                lookUp((handler) -> journal.get(1, handler));
                assertMemoryIsAvailable(journal);
                journal.close();
                assertMemoryIsAvailable(journal);
            }
            case CLOSED_READERS -> read(path, backend);
            default ->
            {
                // The journal is empty, because opening would read existing records.
                final Journal journal = open(path, backend, 48 << 20);
                final RecordClaim claim = journal.appender().claim(100);
                claim.commit();
                journal.close();
                assertMemoryIsAvailable(List.of(journal, claim));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static Journal open(final Path path, final Backend backend, final int writeWindow)
    {
        final Journal journal =
            Journal.builder(path).backend(backend).segmentLength(4 << 20).writeWindow(writeWindow).open();
        journal.appender().append(new byte[LENGTH]);
        journal.force();
        return journal;
    }

    private static void lookUp(final Predicate<RecordHandler> get)
    {
        final CountDownLatch inside = new CountDownLatch(THREADS);
        final List<Background> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++)
        {
            threads.add(Background.start("lookup-" + i, () -> assertTrue(get.test((buffer, offset, length, header) ->
            {
                inside.countDown();
                await(inside);
            }))));
        }
        threads.forEach(Background::join);
    }

    private static void read(final Path path, final Backend backend)
    {
        final List<Object> readers = new ArrayList<>();
        try (Journal journal = open(path, backend, 0))
        {
            for (int i = 0; i < THREADS; i++)
            {
                final JournalReader reader = journal.openReader();
                assertEquals(1, poll(reader).size());
                reader.close();
                readers.add(reader);
            }
        }
        assertMemoryIsAvailable(readers);
    }

    /**
     * @param holder of memory that should be released: reachable until the memory was available.
     */
    private static void assertMemoryIsAvailable(final Object holder)
    {
        final byte[] heap = new byte[AVAILABLE_HEAP];
        assertEquals(AVAILABLE_DIRECT, ByteBuffer.allocateDirect(AVAILABLE_DIRECT).capacity());
        assertEquals(AVAILABLE_HEAP, heap.length, holder::toString);
    }
}
