// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalReader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The states that an opening may find: for each operation in progress, the state before it or after it.
 *
 * @param records      that were appended, or were about to be; the first has sequence 1.
 * @param ends         positions behind them, of those whose append has returned.
 * @param inner        sequences that are no end of a batch, so that a journal cannot end there.
 * @param acknowledged sequence up to which records are forced.
 * @param written      sequence up to which records outlive their process.
 * @param first        sequence the journal may begin with.
 * @param nextFirst    sequence it may begin with instead, if a pruning is under way.
 * @param cut          sequence behind which a truncation under way cuts, or -1.
 * @param cursors      sequences that each cursor may have, or {@link #ABSENT}.
 * @param snapshots    sequences that the newest snapshot may have, 0 for none.
 * @param checkpoints  of records that were read, each with the record.
 */
record Expected(
    List<Entry> records,
    List<Long> ends,
    BitSet inner,
    long acknowledged,
    long written,
    long first,
    long nextFirst,
    long cut,
    Map<String, Set<Long>> cursors,
    Set<Long> snapshots,
    Map<Checkpoint, Entry> checkpoints)
{
    static final long ABSENT = -1;
    static final int STATE = 123;

    static Expected nothing()
    {
        return new Expected(
            List.of(), List.of(), new BitSet(), 0, 0, 1, 1, -1, Map.of(), Set.of(0L), Map.of());
    }

    /** Checks a journal that was opened after a loss of power. */
    void check(final Journal journal)
    {
        check(journal, acknowledged);
    }

    /** Checks a journal that was opened after its process was killed. */
    void checkKilled(final Journal journal)
    {
        check(journal, written);
    }

    private void check(final Journal journal, final long kept)
    {
        final long last = journal.lastSequence();
        final boolean isWhole = kept <= last && last <= records.size();
        final boolean isCut = cut >= 0 && Math.min(kept, cut) <= last && last <= cut;
        assertTrue(isWhole || isCut, () -> "lastSequence=" + last + ", kept=" + kept);
        assertTrue(!inner.get((int)last), () -> "half a batch: lastSequence=" + last);
        final long begin = journal.firstSequence();
        assertTrue(first == begin || nextFirst == begin, () -> "firstSequence=" + begin);

        assertEquals(records.subList((int)begin - 1, (int)last), read(journal));
        assertEquals(last, journal.forcedSequence());
        assertEquals(last, journal.recoveryReport().lastSequence());
        checkCursors(journal);
        checkSnapshots(journal);
        checkCheckpoints(journal);
    }

    private void checkSnapshots(final Journal journal)
    {
        // If there may be no snapshot although records were pruned, loading throws.
        if (!Set.of(0L).equals(snapshots) && (!snapshots.contains(0L) || 1 == journal.firstSequence()))
        {
            final long found = journal.snapshots().load((input) -> assertEquals(STATE, input.read()));
            assertTrue(snapshots.contains(found), () -> "snapshot=" + found + ", expected=" + snapshots);
        }
    }

    /** A checkpoint is accepted exactly if its record is there; another record of the same sequence is not accepted. */
    private void checkCheckpoints(final Journal journal)
    {
        final long last = journal.lastSequence();
        checkpoints.forEach((checkpoint, entry) ->
        {
            final long sequence = checkpoint.sequence();
            final JournalReader.State expected;
            if (sequence <= last && sequence + 1 < journal.firstSequence())
            {
                expected = JournalReader.State.PRUNED;
            }
            else
            {
                expected = sequence <= last && records.get((int)sequence - 1) == entry ?
                    JournalReader.State.FOLLOWING : JournalReader.State.TRUNCATED;
            }
            try (JournalReader reader = journal.openReader(checkpoint))
            {
                assertEquals(expected, reader.state(), checkpoint::toString);
            }
        });
    }

    /** The expected state if the slot of the newest state rots: a cursor may be one save older. */
    Expected rotten()
    {
        final Map<String, Set<Long>> older = new HashMap<>();
        cursors.forEach((name, sequences) ->
        {
            final Set<Long> any = new HashSet<>();
            for (long sequence = ABSENT; sequence <= Collections.max(sequences); sequence++)
            {
                any.add(sequence);
            }
            older.put(name, any);
        });
        return new Expected(
            records, ends, inner, acknowledged, written, first, nextFirst, cut, older, snapshots, checkpoints);
    }

    private void checkCursors(final Journal journal)
    {
        final List<String> names = journal.cursorNames();
        assertTrue(cursors.keySet().containsAll(names), names::toString);
        cursors.forEach((name, sequences) ->
        {
            final long found = names.contains(name) ? journal.cursor(name).sequence() : ABSENT;
            assertTrue(
                sequences.contains(found) || cut >= 0 && found == cut && sequences.stream().anyMatch((s) -> s > cut),
                () -> "cursor=" + name + ", sequence=" + found + ", expected=" + sequences);
            assertTrue(found <= journal.lastSequence(), () -> "cursor=" + name + ", sequence=" + found);
        });
    }

    static List<Entry> read(final Journal journal)
    {
        final List<Entry> read = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            final long first = journal.firstSequence();
            reader.poll((buffer, offset, length, header) ->
            {
                assertEquals(first + read.size(), header.sequence());
                read.add(Entry.of(header.tag(), buffer, offset, length));
            }, Integer.MAX_VALUE);
        }

        return read;
    }

    @Override
    public String toString()
    {
        return "appended=" + records.size() + ", acknowledged=" + acknowledged + ", written=" + written + ", first=" +
            first + " or " + nextFirst + ", cut=" + cut + ", cursors=" + cursors;
    }
}
