// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalReader;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * An example of how an application tests its use of a journal: a to-do list that completes an entry only when it is
 * durable.
 */
class ExampleTest
{
    private static final int SEGMENT_LENGTH = 64 * 1024;

    @TempDir
    private Path directory;

    /** The application. */
    private static final class ToDoList implements AutoCloseable
    {
        private final Journal journal;
        private final List<String> entries = new ArrayList<>();

        ToDoList(final Path path, final FaultStore store)
        {
            // Without a background thread, faults hit only the calls of the test itself.
            journal = Journal.builder(path).store(store).segmentLength(SEGMENT_LENGTH).backgroundThread(false).open();
            try (JournalReader reader = journal.openReader())
            {
                reader.poll(
                    (buffer, offset, length, header) -> entries
                        .add(buffer.getStringWithoutLengthUtf8(offset, length)),
                    Integer.MAX_VALUE);
            }
        }

        void add(final String entry)
        {
            journal.awaitForced(journal.appender().append(entry.getBytes(StandardCharsets.UTF_8)));
            entries.add(entry);
        }

        @Override
        public void close()
        {
            journal.close();
        }
    }

    @ParameterizedTest
    @EnumSource(Backend.class)
    void addedEntriesSurviveAPowerLoss(final Backend backend)
    {
        final FaultStore store = new FaultStore(backend);
        final List<CrashPoint> moments = new ArrayList<>();
        final List<String> entries;
        try (ToDoList list = new ToDoList(directory, store))
        {
            list.add("buy apples");
            // From here on power may be lost at every call to the storage.
            store.faults((step) ->
            {
                moments.add(store.crashPoint());
                return Fault.none();
            });
            list.add("bake a pie");
            store.faults(FaultPlan.none());
            entries = list.entries;
        }

        assertTrue(!moments.isEmpty());
        for (final CrashPoint moment : moments)
        {
            for (final FaultStore disk : moment.disks(Tearing.SECTORS, 20, 1))
            {
                try (ToDoList list = new ToDoList(directory, disk))
                {
                    assertTrue(!list.entries.isEmpty());
                    assertEquals(entries.subList(0, list.entries.size()), list.entries);
                }
            }
        }
    }

    @Test
    void nothingIsAddedWhenAForceFails()
    {
        final FaultStore store = new FaultStore(Backend.FILE_CHANNEL);
        final ToDoList list = new ToDoList(directory, store);
        list.add("buy apples");
        store.faults(FaultPlan.always(StoreStep.Kind.FORCE, Fault.error()));

        assertThrows(JournalException.class, () -> list.add("bake a pie"));
        assertEquals(List.of("buy apples"), list.entries);
        // Closing a journal that has failed throws as well.
        assertThrows(JournalException.class, list::close);
    }

    @Test
    void appendingContinuesWhenThereIsSpaceAgain()
    {
        final FaultStore store = new FaultStore(Backend.MAPPED);
        try (ToDoList list = new ToDoList(directory, store))
        {
            store.capacity(store.usedBytes());
            assertThrows(JournalFullException.class, () ->
            {
                for (int i = 0; i < 2 * SEGMENT_LENGTH / 10_000; i++)
                {
                    list.add("buy apples".repeat(1000));
                }
            });

            store.capacity(Long.MAX_VALUE);
            list.add("bake a pie");
            assertEquals("bake a pie", list.entries.get(list.entries.size() - 1));
        }
    }
}
