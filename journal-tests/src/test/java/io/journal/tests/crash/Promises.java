// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.crash;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalReader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The acknowledgements of the killed writers of one journal, and the check that they hold.
 * <p>
 * Every record carries its <em>era</em>: each writer and each truncation begins a new era. So a truncated record that
 * reappears differs from the record that took its sequence.
 */
public final class Promises
{
    private final Map<Long, Long> found = new HashMap<>();
    // The lowest era that a record may have, from each sequence on.
    private final TreeMap<Long, Long> eras = new TreeMap<>();
    // The last record that each copy must hold, by the copy's number, and the copies that were completed.
    private final Map<Integer, Long> copies = new TreeMap<>();
    private final Set<Integer> completed = new HashSet<>();
    private final long[] savedFrom = new long[KilledKeeper.CURSORS];
    private final long[] savedTo = new long[KilledKeeper.CURSORS];
    private long era;
    private long forced;
    private long prunedTo = 1;
    private long mayBePrunedTo = 1;
    // The last record kept by a truncation that was announced and may or may not have happened.
    private long cutting = -1;
    private boolean hasCursors;

    /**
     * Records a message of a writer.
     *
     * @return how many records were promised by it that were not before.
     */
    long hear(final KilledWriter.Word word, final int detail, final long value)
    {
        final long before = forced;
        switch (word)
        {
            case OPENED:
                assertFound(value);
                beginEra(value + 1, era);
                break;

            case READY:
                hasCursors = true;
                break;

            case PROMISED:
                forced = Math.max(forced, value);
                break;

            case CUTTING:
                cutting = value;
                break;

            case CUT:
                cut();
                beginEra(value + 1, era + 1);
                break;

            case UNCUT:
                cutting = -1;
                break;

            case SAVING:
                savedFrom[detail] = Math.min(savedFrom[detail], value);
                savedTo[detail] = Math.max(savedTo[detail], value);
                // Retention may drop records before the saved sequence.
                mayBePrunedTo = Math.max(mayBePrunedTo, value + 1);
                break;

            case SAVED:
                savedFrom[detail] = value;
                savedTo[detail] = value;
                forced = Math.max(forced, value);
                break;

            case PRUNING:
                mayBePrunedTo = Math.max(mayBePrunedTo, value);
                break;

            case PRUNED:
                prunedTo = value;
                break;

            case COPYING:
                copies.put(detail, forced);
                break;

            default:
                completed.add(detail);
        }

        return Math.max(0, forced - before);
    }

    /** The next writer, which begins an era later than all before. */
    void nextWriter(final long era)
    {
        this.era = era;
        copies.clear();
        completed.clear();
    }

    boolean hasCursors()
    {
        return hasCursors;
    }

    /** Copies that were begun by the last writer. */
    Set<Integer> copies()
    {
        return copies.keySet();
    }

    boolean isCompleted(final int copy)
    {
        return completed.contains(copy);
    }

    /** Checks a copy, which is complete or no journal. */
    void assertKept(final int copy, final Journal journal)
    {
        readAll(journal);
        assertTrue(journal.lastSequence() >= copies.get(copy), () -> "copy=" + copy + ", promised=" + copies.get(copy));
        for (int i = 0; i < KilledKeeper.CURSORS; i++)
        {
            assertTrue(journal.cursor(KilledKeeper.cursorName(i)).sequence() <= journal.lastSequence());
        }
    }

    /** Checks a journal that was opened again. */
    void assertKept(final Journal journal)
    {
        assertFound(journal.lastSequence());
        assertTrue(journal.firstSequence() >= prunedTo, () -> "dropped before=" + prunedTo);
        assertTrue(journal.firstSequence() <= mayBePrunedTo, () -> "dropped at most=" + mayBePrunedTo);

        final Map<Long, Long> again = readAll(journal);
        for (final Map.Entry<Long, Long> record : again.entrySet())
        {
            final long sequence = record.getKey();
            final long present = record.getValue();
            final Map.Entry<Long, Long> from = eras.floorEntry(sequence);
            assertTrue(null != from && present >= from.getValue(), () -> "was cut: sequence=" + sequence);
            assertEquals(found.getOrDefault(sequence, present), present, () -> "sequence=" + sequence);
        }
        found.clear();
        found.putAll(again);

        if (hasCursors)
        {
            for (int i = 0; i < savedTo.length; i++)
            {
                final JournalCursor cursor = journal.cursor(KilledKeeper.cursorName(i));
                final String limits = cursor + ", from=" + savedFrom[i] + ", to=" + savedTo[i];
                assertTrue(savedFrom[i] <= cursor.sequence() && cursor.sequence() <= savedTo[i], limits);
            }
        }
    }

    /**
     * Reads a whole journal, and checks that its records are whole, without gap, and all of each batch or none.
     *
     * @return the records' eras, by sequence.
     */
    public static Map<Long, Long> readAll(final Journal journal)
    {
        final Map<Long, Long> eras = new TreeMap<>();
        final long[] expected = { journal.firstSequence() };
        final int[] following = new int[1];
        try (JournalReader reader = journal.openReader())
        {
            while (reader.poll((buffer, offset, length, header) ->
            {
                assertEquals(expected[0], header.sequence());
                final long era = KilledWriter.check(buffer, offset, length, expected[0]++);
                assertEquals(header.tag(), era);
                // Each record of a batch but its last is followed by the next.
                final int left = KilledWriter.following(buffer, offset);
                assertTrue(0 == following[0] || left == following[0] - 1, () -> "half a batch: " + header.sequence());
                following[0] = left;
                eras.put(header.sequence(), era);
            }, 1000) > 0)
            {
                assertTrue(expected[0] <= journal.lastSequence() + 1);
            }
        }
        assertEquals(0, following[0], "half a batch at the end");
        assertEquals(journal.lastSequence() + 1, expected[0]);

        return eras;
    }

    /** Checks the end of a journal, which shows whether a truncation in progress took place. */
    private void assertFound(final long lastSequence)
    {
        if (lastSequence == cutting)
        {
            cut();
        }
        cutting = -1;

        assertTrue(lastSequence >= forced, () -> "promised=" + forced + ", found=" + lastSequence);
        final long most = found.keySet().stream().mapToLong(Long::longValue).max().orElse(0);
        assertTrue(lastSequence >= most, () -> "found before=" + most + ", found=" + lastSequence);
    }

    private void cut()
    {
        final long last = cutting;
        cutting = -1;
        forced = Math.min(forced, last);
        found.keySet().removeIf((sequence) -> sequence > last);
        for (int i = 0; i < savedTo.length; i++)
        {
            savedFrom[i] = Math.min(savedFrom[i], last);
            savedTo[i] = Math.min(savedTo[i], last);
        }
    }

    private void beginEra(final long sequence, final long era)
    {
        this.era = era;
        eras.tailMap(sequence, true).clear();
        eras.put(sequence, era);
    }
}
