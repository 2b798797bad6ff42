// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

import io.journal.Journal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/** The check of histories detects each kind of error. */
class HistoryTest
{
    @TempDir
    private Path directory;
    private final History history = new History();

    /** The sequences whose records a journal holds, in its order. Five were appended, and four acknowledged. */
    private enum Found
    {
        WHOLE(true, 1, 2, 3, 4, 5),
        WITHOUT_AN_UNACKNOWLEDGED_RECORD(true, 1, 2, 3, 4),
        LOST_RECORD(false, 1, 2, 4, 5),
        LOST_END(false, 1, 2, 3),
        DOUBLED_RECORD(false, 1, 2, 2, 3, 4, 5),
        ANOTHER_ORDER(false, 1, 3, 2, 4, 5);

        private final boolean isRight;
        private final long[] sequences;

        Found(final boolean isRight, final long... sequences)
        {
            this.isRight = isRight;
            this.sequences = sequences;
        }
    }

    @ParameterizedTest
    @EnumSource
    void eachErrorIsNoticed(final Found found)
    {
        final List<String> problems = problems((journal) -> append(journal, found.sequences));
        assertEquals(found.isRight, problems.isEmpty(), problems::toString);
    }

    @Test
    void lossBeforeAPartOfTheJournalIsNoticed()
    {
        problems((journal) -> append(journal, 1, 2, 4, 5));
        assertFalse(history.problems(directory, 3, 4).isEmpty());
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
