// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
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

    /** Runs the cases one after another, and names the one that fails. */
    @EachBackend
    void memoryIsReleased(final Backend backend)
    {
        ChildJvm.run(temp, List.of(), KeptMemoryTest.class, directory(), backend);
    }

    /**
     * @param args directory, backend.
     */
    public static void main(final String[] args)
    {
        FaultedWriter.halt(120);
        final Backend backend = Backend.valueOf(args[1]);
        final Map<String, BiConsumer<Path, Backend>> holders = new TreeMap<>(Map.of(
            "lookups", KeptMemoryTest::lookUpInAJournal,
            "lookups of a follower", KeptMemoryTest::lookUpInAFollower,
            "closed readers", KeptMemoryTest::read,
            "write window of a closed journal", KeptMemoryTest::write));
        holders.forEach((name, holder) ->
        {
            System.err.println(name);
            holder.accept(Path.of(args[0] + name.replace(' ', '-')), backend);
        });
        Runtime.getRuntime().halt(0);
    }

    private static void lookUpInAJournal(final Path path, final Backend backend)
    {
        final Journal journal = open(path, backend, 0);
        lookUp((handler) -> journal.get(1, handler));
        assertMemoryIsAvailable(journal);
        journal.close();
        assertMemoryIsAvailable(journal);
    }

    private static void lookUpInAFollower(final Path path, final Backend backend)
    {
        open(path, backend, 0).close();
        final ReadOnlyJournal journal = Journal.openReadOnly(path);
        lookUp((handler) -> journal.get(1, handler));
        assertMemoryIsAvailable(journal);
        journal.close();
        assertMemoryIsAvailable(journal);
    }

    private static void write(final Path path, final Backend backend)
    {
        final Journal journal = open(path, backend, 48 << 20);
        final RecordClaim claim = journal.appender().claim(100);
        claim.commit();
        journal.close();
        assertMemoryIsAvailable(List.of(journal, claim));
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
