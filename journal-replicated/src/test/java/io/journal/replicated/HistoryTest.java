// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import io.journal.Journal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** The check of histories detects each kind of error. */
class HistoryTest
{
    @TempDir
    private Path directory;
    private final History history = new History();

    @Test
    void wholeHistoryHasNoProblems()
    {
        assertEquals(List.of(), problems((journal) -> append(journal, 1, 2, 3, 4, 5)));
    }

    @Test
    void unacknowledgedRecordsAtTheEndMayBeMissing()
    {
        assertEquals(List.of(), problems((journal) -> append(journal, 1, 2, 3, 4)));
    }

    @Test
    void lostRecordIsNoticed()
    {
        assertFalse(problems((journal) -> append(journal, 1, 2, 4, 5)).isEmpty());
        assertFalse(history.problems(directory, 3, 4).isEmpty());
    }

    @Test
    void lostEndIsNoticed()
    {
        assertFalse(problems((journal) -> append(journal, 1, 2, 3)).isEmpty());
    }

    @Test
    void doubledRecordIsNoticed()
    {
        assertFalse(problems((journal) -> append(journal, 1, 2, 2, 3, 4, 5)).isEmpty());
    }

    @Test
    void recordsInAnotherOrderAreNoticed()
    {
        assertFalse(problems((journal) -> append(journal, 1, 3, 2, 4, 5)).isEmpty());
    }

    @Test
    void recordOfAFencedWriterIsNoticed()
    {
        assertFalse(problems((journal) ->
        {
            append(journal, 1, 2, 3, 4);
            history.opened(2, 3);
            history.appended(2, 4);
        }).isEmpty());
    }

    private List<String> problems(final Consumer<Journal> action)
    {
        history.opened(1, 0);
        history.appended(1, 5);
        history.acknowledged(1, 4);
        try (Journal journal = Journal.open(directory))
        {
            action.accept(journal);
        }
        return history.problems(directory, 1, history.acknowledged());
    }

    private static void append(final Journal journal, final long... sequences)
    {
        for (final long sequence : sequences)
        {
            journal.appender().append(1, History.record(1, sequence));
        }
    }
}
