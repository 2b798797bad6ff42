// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.streams.Event;
import io.journal.streams.EventStreams;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Index files that are whole, with the right checksums, but not the index of their events. */
class IndexCheckTest
{
    private static final int EVENTS = 50;

    @TempDir
    private Path directory;

    /** Replaces the index by a file of the right events, or of others. */
    private String check(final int missing, final int more) throws IOException
    {
        try (EventStreams streams = EventStreams.open(Journal.open(directory)))
        {
            for (int i = 1; i <= EVENTS; i++)
            {
                streams.append(List.of(new Event("type", Set.of("tag" + i), new byte[10])));
            }
        }
        final Path index = Files.createDirectories(directory.resolve("streams"));
        final EntryList entries = new EntryList(1);
        final Checkpoint end;
        try (ReadOnlyJournal journal = Journal.openReadOnly(directory))
        {
            end = Log.of(journal).readKeys(1, EVENTS, (position, keys) ->
            {
                for (int i = position == missing ? 1 : 0; i < keys.length; i++)
                {
                    entries.add(keys[i], position);
                }
                if (position == more)
                {
                    entries.add(1, position);
                }
                return true;
            });
        }
        final Path file = index.resolve("1-50.index");
        IndexFile.write(file, Checkpoint.START, end, List.of(entries.sort()), () -> false);

        final List<IndexCheck.Problem> problems = IndexCheck.check(directory);
        problems.forEach((problem) -> assertEquals("streams/1-50.index", problem.file()));
        return problems.isEmpty() ? "" : problems.get(0).reason();
    }

    @Test
    void fileOfItsEventsIsRight() throws IOException
    {
        assertEquals("", check(0, 0));
    }

    @Test
    void missingEntryIsFound() throws IOException
    {
        assertEquals("no entry for event 7", check(7, 0));
    }

    @Test
    void entryThatNoEventHasIsFound() throws IOException
    {
        assertEquals("entries that no event has", check(0, 50));
    }
}
