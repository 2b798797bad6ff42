// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.DataInputStream;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import io.journal.Journal;
import io.journal.JournalCursor;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.tests.crash.KilledWriter;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Expected contents of a journal whose calls may have failed: all acknowledged effects, and either all or none of the
 * effects of a call that threw.
 * <p>
 * Every record carries an era, and each requested truncation begins a new era: a truncated record that reappears
 * differs from the record that took its sequence.
 */
final class FaultModel
{
    private static final int MAX_LENGTH = 5000;

    private final TreeMap<Long, Long> eras = new TreeMap<>();
    private final Map<String, Place> cursors = new HashMap<>();
    // Sequences that the newest snapshot may have.
    private final Set<Long> snapshots = new HashSet<>();
    private long era = 1;
    private long lastCertain;
    private long lastPossible;
    // First and last record of each batch.
    private final TreeMap<Long, Long> batches = new TreeMap<>();
    private long truncating = -1;
    private long minFirst = 1;
    private long maxFirst = 1;

    /** Where a cursor may be. */
    private record Place(boolean mayExist, boolean mustExist, long from, long to)
    {
    }

    FaultModel copy()
    {
        final FaultModel copy = new FaultModel();
        copy.eras.putAll(eras);
        copy.cursors.putAll(cursors);
        copy.snapshots.addAll(snapshots);
        copy.era = era;
        copy.lastCertain = lastCertain;
        copy.lastPossible = lastPossible;
        copy.batches.putAll(batches);
        copy.truncating = truncating;
        copy.minFirst = minFirst;
        copy.maxFirst = maxFirst;
        return copy;
    }

    long era()
    {
        return era;
    }

    /** The last record that is acknowledged. */
    long lastCertain()
    {
        return lastCertain;
    }

    byte[] record(final long sequence)
    {
        return KilledWriter.record(era, sequence, (int)(sequence * 977 % MAX_LENGTH));
    }

    /** Records are about to be appended, all or none of them. */
    void appending(final long first, final long last)
    {
        assertEquals(lastCertain + 1, first);
        for (long sequence = first; sequence <= last; sequence++)
        {
            eras.put(sequence, era);
        }
        lastPossible = last;
        if (last > first)
        {
            batches.put(first, last);
        }
    }

    void appended(final long last)
    {
        assertEquals(lastPossible, last);
        lastCertain = last;
    }

    /** Records that were appended and not written yet may be lost, as with a write window. */
    void lostBehind(final long written)
    {
        lastCertain = Math.min(lastCertain, written);
    }

    void truncating(final long last)
    {
        truncating = last;
    }

    void truncated()
    {
        eras.tailMap(truncating, false).clear();
        batches.tailMap(truncating, false).clear();
        lastCertain = truncating;
        lastPossible = truncating;
        cursors.replaceAll((name, place) -> new Place(
            place.mayExist, place.mustExist, Math.min(place.from, truncating), Math.min(place.to, truncating)));
        truncating = -1;
        era++;
    }

    void pruning(final long sequence)
    {
        maxFirst = Math.max(maxFirst, sequence);
    }

    void pruned(final long first)
    {
        assertTrue(first >= minFirst && first <= maxFirst, () -> "pruned to " + first + " of " + maxFirst);
        minFirst = first;
        maxFirst = first;
    }

    void creatingCursor(final String name)
    {
        final Place place = cursors.get(name);
        if (null == place || !place.mayExist)
        {
            cursors.put(name, new Place(true, false, minFirst - 1, maxFirst - 1));
        }
        else if (!place.mustExist)
        {
            // The cursor may be the existing one, because the call that deleted or created it threw, or a new one.
            cursors.put(name, new Place(
                true, false, Math.min(place.from, minFirst - 1), Math.max(place.to, maxFirst - 1)));
        }
    }

    void createdCursor(final JournalCursor cursor)
    {
        final Place place = cursors.get(cursor.name());
        assertTrue(place.from <= cursor.sequence() && cursor.sequence() <= place.to, () -> cursor + ", " + place);
        cursors.put(cursor.name(), new Place(true, true, cursor.sequence(), cursor.sequence()));
    }

    void saving(final String name, final long sequence)
    {
        final Place place = cursors.get(name);
        cursors.put(name, new Place(
            true, place.mustExist, Math.min(place.from, sequence), Math.max(place.to, sequence)));
    }

    void saved(final String name, final long sequence)
    {
        cursors.put(name, new Place(true, true, sequence, sequence));
    }

    void deletingCursor(final String name)
    {
        final Place place = cursors.get(name);
        cursors.put(name, new Place(place.mayExist, false, place.from, place.to));
    }

    void deletedCursor(final String name)
    {
        cursors.put(name, new Place(false, false, 0, 0));
    }

    /** From here on the newest snapshot may also have this sequence. */
    void changingSnapshot(final long sequence)
    {
        if (snapshots.isEmpty())
        {
            // 0 stands for no snapshot.
            snapshots.add(0L);
        }
        snapshots.add(sequence);
    }

    void changedSnapshot(final long sequence)
    {
        snapshots.clear();
        snapshots.add(sequence);
    }

    /** Checks which snapshot is loaded, and its content. */
    void assertSnapshot(final Journal journal)
    {
        if (!snapshots.isEmpty())
        {
            final long[] found = new long[1];
            final long sequence = journal.snapshots().load((input) -> found[0] = new DataInputStream(input).readLong());
            assertEquals(sequence, found[0], "content of the snapshot");
            assertTrue(snapshots.contains(sequence), () -> "snapshot=" + sequence + ", possible=" + snapshots);
        }
    }

    /** Checks a journal that was opened again. What was uncertain is known from then on. */
    void assertKept(final Journal journal)
    {
        final long last = journal.lastSequence();
        if (truncating >= 0 && last == truncating)
        {
            truncated();
        }
        truncating = -1;
        assertTrue(
            lastCertain <= last && last <= lastPossible && !isInBatch(last),
            () -> "last=" + last + ", acknowledged=" + lastCertain + ", possible=" + lastPossible);
        lastCertain = last;
        lastPossible = last;
        eras.tailMap(last, false).clear();
        batches.tailMap(last, false).clear();

        final long first = journal.firstSequence();
        assertTrue(
            minFirst <= first && first <= maxFirst,
            () -> "first=" + first + ", pruned to=" + minFirst + ", at most to=" + maxFirst);
        minFirst = first;
        maxFirst = first;
        assertRecords(journal);
        assertCursors(journal);
        assertSnapshot(journal);
    }

    /** Checks a copy that was made by a backup. */
    void assertCopied(final Journal copy)
    {
        assertEquals(lastCertain, copy.lastSequence(), "last of the copy");
        assertRecords(copy);
        for (final String name : copy.cursorNames())
        {
            assertTrue(copy.cursor(name).sequence() <= copy.lastSequence(), name);
        }
    }

    /** Checks one record. */
    RecordHandler checking(final List<Long> sequences)
    {
        return (buffer, offset, length, header) ->
        {
            final long found = KilledWriter.check(buffer, offset, length, header.sequence());
            assertEquals(eras.get(header.sequence()), found, () -> "era of record " + header.sequence());
            assertEquals(found, header.tag());
            sequences.add(header.sequence());
        };
    }

    /** Checks that the records that were read are the expected records from a sequence on. */
    void assertRead(final long first, final List<Long> read)
    {
        final List<Long> expected = new ArrayList<>();
        for (long sequence = first; sequence <= lastCertain; sequence++)
        {
            expected.add(sequence);
        }
        assertEquals(expected, read);
    }

    /** Whether a journal that ends with a record ends with a part of a batch. */
    private boolean isInBatch(final long last)
    {
        final Map.Entry<Long, Long> batch = batches.floorEntry(last);
        return null != batch && last < batch.getValue();
    }

    private void assertRecords(final Journal journal)
    {
        final List<Long> read = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            while (reader.poll(checking(read), 1000) > 0)
            {
                assertTrue(read.size() <= eras.size());
            }
        }
        assertRead(journal.firstSequence(), read);
    }

    private void assertCursors(final Journal journal)
    {
        final List<String> names = journal.cursorNames();
        cursors.forEach((name, place) ->
        {
            assertTrue(!place.mustExist || names.contains(name), () -> "cursor is gone: " + name);
            assertFalse(!place.mayExist && names.contains(name), () -> "deleted cursor is back: " + name);
        });
        for (final String name : names)
        {
            assertTrue(cursors.containsKey(name), name);
            final Place place = cursors.get(name);
            final JournalCursor cursor = journal.cursor(name);
            assertTrue(
                place.from <= cursor.sequence() && cursor.sequence() <= place.to, () -> cursor + ", " + place);
            assertTrue(cursor.sequence() <= journal.lastSequence(), cursor::toString);
            cursors.put(name, new Place(true, true, cursor.sequence(), cursor.sequence()));
        }
    }

    @Override
    public String toString()
    {
        return "FaultModel{lastCertain=" + lastCertain + ", lastPossible=" + lastPossible +
            ", truncating=" + truncating + ", minFirst=" + minFirst + ", maxFirst=" + maxFirst +
            ", cursors=" + cursors + '}';
    }
}
