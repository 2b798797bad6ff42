// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.support;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.RecordBatch;
import io.journal.store.Backend;
import io.journal.tests.support.JournalFixture.Entry;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The records that a test appended, to be compared with the journal's. Its clock advances only on request, so that
 * watermark frames appear where the test wants them.
 */
public final class RecordModel
{
    private final List<Entry> entries = new ArrayList<>();
    private long timeMs = 1_000_000;
    // Records in the place of lost records hold other bytes, so that they cannot be confused.
    private int life;

    /** Settings with short segments, a clock that stands still, and no thread. */
    public JournalBuilder builder(final JournalDirectory directory, final Backend backend)
    {
        return builder(directory.path, backend);
    }

    JournalBuilder builder(final Path path, final Backend backend)
    {
        return Journal.builder(path)
            .backend(backend).writeWindow(0)
            .segmentLength(JournalDirectory.SEGMENT_LENGTH)
            .clock(() -> timeMs)
            .backgroundThread(false);
    }

    public RecordModel copy()
    {
        final RecordModel copy = new RecordModel();
        copy.entries.addAll(entries);
        copy.timeMs = timeMs;
        copy.life = life;
        return copy;
    }

    public long size()
    {
        return entries.size();
    }

    public long append(final Journal journal, final int length)
    {
        final long sequence = entries.size() + 1;
        final Entry entry = new Entry(sequence, tag(sequence + 31 * life), bytes(sequence + 31 * life, length));
        assertEquals(sequence, journal.appender().append(entry.tag(), entry.bytes(), 0, length));
        entries.add(entry);
        return sequence;
    }

    public void append(final Journal journal, final int count, final int length)
    {
        for (int i = 0; i < count; i++)
        {
            append(journal, length);
        }
    }

    /** Appends several records as a batch. */
    public void appendBatch(final Journal journal, final int... lengths)
    {
        final RecordBatch batch = new RecordBatch();
        for (final int length : lengths)
        {
            final long sequence = entries.size() + 1;
            final Entry entry = new Entry(sequence, tag(sequence + 31 * life), bytes(sequence + 31 * life, length));
            batch.add(entry.tag(), entry.bytes());
            entries.add(entry);
        }
        assertEquals(entries.size(), journal.appender().append(batch));
    }

    /** Appends until records lie in a segment. */
    public void appendInto(final Journal journal, final long ordinal, final int length)
    {
        while ((journal.counters().appendedPosition() - 1) / JournalDirectory.SEGMENT_LENGTH < ordinal)
        {
            append(journal, length);
        }
    }

    /** Appends so that a number of bytes is left in the newest segment. */
    public void appendUpTo(final Journal journal, final int left)
    {
        final int overhead = JournalDirectory.HEADER_LENGTH;
        int missing = missing(journal, left);
        while (missing > 16 * 1024)
        {
            append(journal, 8 * 1024 - overhead);
            missing = missing(journal, left);
        }
        // With a mark before it, perhaps.
        append(journal, missing - 1024);
        append(journal, missing(journal, left) - overhead);
        assertEquals(0, missing(journal, left));
    }

    private static int missing(final Journal journal, final int left)
    {
        final long used = (journal.counters().appendedPosition() - 1) % JournalDirectory.SEGMENT_LENGTH + 1;
        return (int)(JournalDirectory.SEGMENT_LENGTH - left - used);
    }

    /** Fsyncs, and advances the clock so that a mark records the watermark before the next record. */
    public void forceAndMark(final Journal journal)
    {
        journal.force();
        timeMs += 1000;
    }

    /** Forgets the records after the last one that the journal still has. */
    public void forgetAfter(final long sequence)
    {
        entries.subList((int)sequence, entries.size()).clear();
        life++;
    }

    /** Asserts that a journal holds exactly the first records of the model, through reading all of them. */
    public void assertHolds(final Journal journal, final long lastSequence)
    {
        assertEquals(lastSequence, journal.lastSequence());
        assertHolds(JournalFixture.readAll(journal), lastSequence);
    }

    public void assertHolds(final Journal journal)
    {
        assertHolds(journal, entries.size());
    }

    public void assertHolds(final List<Entry> found, final long lastSequence)
    {
        for (int i = 0; i < Math.min(lastSequence, found.size()); i++)
        {
            assertEntry(entries.get(i), found.get(i));
        }
        assertEquals(lastSequence, found.size());
    }

    public static void assertEntry(final Entry expected, final Entry found)
    {
        assertEquals(expected.sequence(), found.sequence());
        assertEquals(expected.tag(), found.tag(), () -> "tag of " + expected.sequence());
        assertArrayEquals(expected.bytes(), found.bytes(), () -> "record " + expected.sequence());
    }

    public Entry entry(final long sequence)
    {
        return entries.get((int)sequence - 1);
    }

    static long tag(final long sequence)
    {
        return sequence * 0x9E3779B97F4A7C15L;
    }

    public static byte[] bytes(final long sequence, final int length)
    {
        final byte[] bytes = new byte[length];
        // No byte is zero, so that zeroing any byte damages the record.
        Arrays.fill(bytes, (byte)(1 + sequence % 251));
        for (int i = 0; i < length; i += 7)
        {
            bytes[i] = (byte)(1 + (sequence + i) % 127);
        }

        return bytes;
    }
}
