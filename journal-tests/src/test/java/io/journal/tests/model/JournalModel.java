// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.JournalFixture.Entry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The states that an opening may find. An operation that failed, or that a crash interrupted, leaves either the state
 * before it or the state after it.
 */
final class JournalModel
{
    static final long NONE = -1;

    private static final int MAX_SNAPSHOT_LENGTH = 20_000;

    /** Records that may be there; the first has sequence 1. */
    final List<Entry> records = new ArrayList<>();
    /** Sequences that do not end a batch, so that a journal cannot end there. */
    final BitSet inner = new BitSet();
    /** Sequence up to which records survive a power loss. */
    long durable;
    /** Sequence up to which records survive a killed process. */
    long written;
    /** Sequence after which a truncation in doubt truncates, or {@link #NONE}. */
    long cut = NONE;
    /** The journal begins with a sequence from this to the next. */
    long first = 1;
    long lastFirst = 1;
    /** Sequences that each cursor may have, {@link #NONE} if it may be absent. */
    final Map<String, Set<Long>> cursors = new TreeMap<>();
    /** Sequences that the newest snapshot may have; 0 if there may be none. */
    Set<Long> snapshots = Set.of(0L);
    /** Checkpoints that were taken, each with its record. */
    final Map<Checkpoint, Entry> checkpoints = new LinkedHashMap<>();

    JournalModel copy()
    {
        final JournalModel copy = new JournalModel();
        copy.records.addAll(records);
        copy.inner.or(inner);
        copy.durable = durable;
        copy.written = written;
        copy.cut = cut;
        copy.first = first;
        copy.lastFirst = lastFirst;
        copy.cursors.putAll(cursors);
        copy.snapshots = snapshots;
        copy.checkpoints.putAll(checkpoints);
        return copy;
    }

    static Set<Long> union(final Set<Long> some, final Set<Long> others)
    {
        final Set<Long> union = new HashSet<>(some);
        union.addAll(others);
        return union;
    }

    Set<Long> cursor(final String name)
    {
        return cursors.getOrDefault(name, Set.of(NONE));
    }

    void forgetAfter(final long last)
    {
        records.subList((int)last, records.size()).clear();
        inner.clear((int)last, Math.max((int)last, inner.length()));
        // A save that failed before its record was durable has left no snapshot.
        snapshots = snapshots.stream().filter((each) -> each <= last).collect(Collectors.toSet());
    }

    /**
     * @param isPowerLost whether the disk lost what was not fsynced; otherwise only the process ended.
     */
    void check(final Journal journal, final boolean isPowerLost)
    {
        final long kept = isPowerLost ? durable : written;
        final long last = journal.lastSequence();
        final long begin = journal.firstSequence();
        final boolean isWhole = kept <= last && last <= records.size();
        final boolean isCut = NONE != cut && Math.min(kept, cut) <= last && last <= cut;
        assertTrue(isWhole || isCut, () -> "last=" + last + ", kept=" + kept + ", " + this);
        assertTrue(!inner.get((int)last), () -> "half a batch: last=" + last);
        assertTrue(first <= begin && begin <= lastFirst, () -> "first=" + begin + ", " + this);
        assertEquals(records.subList((int)begin - 1, (int)last), JournalFixture.readAll(journal));
        assertEquals(last, journal.forcedSequence());

        assertTrue(cursors.keySet().containsAll(journal.cursorNames()));
        // A truncation that is complete has lowered the cursors.
        cursors.forEach((name, sequences) -> assertTrue(
            found(journal, name) <= last && (sequences.contains(found(journal, name)) ||
                last == cut && sequences.stream().anyMatch((each) -> Math.min(each, cut) == found(journal, name))),
            () -> "cursor=" + name + ", sequence=" + found(journal, name) + ", " + this));
        checkSnapshots(journal);
        checkCheckpoints(journal, begin, last);
    }

    private static long found(final Journal journal, final String name)
    {
        return journal.cursorNames().contains(name) ? journal.cursor(name).sequence() : NONE;
    }

    /** The content of the snapshot of a sequence. */
    static byte[] snapshot(final long sequence)
    {
        return JournalFixture.record(sequence, (int)(sequence * 7919 % MAX_SNAPSHOT_LENGTH));
    }

    private void checkSnapshots(final Journal journal)
    {
        // If there may be no snapshot although records were pruned, loading throws.
        if (!snapshots.contains(0L) || 1 == journal.firstSequence())
        {
            final List<byte[]> contents = new ArrayList<>();
            final long found = journal.snapshots().load((input) -> contents.add(input.readAllBytes()));
            assertTrue(snapshots.contains(found), () -> "snapshot=" + found + ", " + this);
            contents.forEach((content) -> assertArrayEquals(snapshot(found), content));
        }
    }

    /** A checkpoint is accepted exactly if its record is there; another record of the same sequence is not accepted. */
    private void checkCheckpoints(final Journal journal, final long begin, final long last)
    {
        checkpoints.forEach((checkpoint, entry) ->
        {
            final long sequence = checkpoint.sequence();
            final boolean isThere = sequence <= last && records.get((int)sequence - 1) == entry;
            final JournalReader.State expected = sequence <= last && sequence + 1 < begin ?
                JournalReader.State.PRUNED :
                isThere ? JournalReader.State.FOLLOWING : JournalReader.State.TRUNCATED;
            try (JournalReader reader = journal.openReader(checkpoint))
            {
                assertEquals(expected, reader.state(), checkpoint::toString);
            }
        });
    }

    /** The opening has decided which of the possible states is true. */
    void found(final Journal journal)
    {
        cut = NONE;
        forgetAfter(journal.lastSequence());
        durable = journal.lastSequence();
        written = durable;
        first = journal.firstSequence();
        lastFirst = first;
        cursors.replaceAll((name, sequences) -> Set.of(found(journal, name)));
        if (snapshots.size() > 1 && (!snapshots.contains(0L) || 1 == first))
        {
            final long found = journal.snapshots().load((input) ->
            {
            });
            // A power loss may bring back the newer snapshot of a failed save, although it was deleted.
            snapshots = snapshots.stream().filter((sequence) -> sequence >= found).collect(Collectors.toSet());
        }
    }

    @Override
    public String toString()
    {
        return "model: " + Arrays.asList(records.size(), durable, written, cut, first, lastFirst, cursors, snapshots);
    }
}
