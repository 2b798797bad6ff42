// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.RecordBatch;
import io.journal.RecordHandler;
import io.journal.internal.format.FrameHeader;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture.Background;
import io.journal.tests.support.JournalFixture.Entry;
import io.journal.tests.support.MemoryDirectory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

import static io.journal.tests.support.JournalFixture.SEGMENT_LENGTH;
import static io.journal.tests.support.JournalFixture.appendNumbered;
import static io.journal.tests.support.JournalFixture.assertClosed;
import static io.journal.tests.support.JournalFixture.assertNumbered;
import static io.journal.tests.support.JournalFixture.builder;
import static io.journal.tests.support.JournalFixture.into;
import static io.journal.tests.support.JournalFixture.record;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Records by their sequence, without a reader. */
@Tag("slow")
class LookupTest
{
    private static final RecordHandler NOTHING = (buffer, offset, length, header) ->
    {
    };

    @TempDir(factory = MemoryDirectory.class)
    private Path parent;

    private interface Lookup
    {
        int get(long first, int limit, RecordHandler handler);
    }

    private Journal open(final Backend backend)
    {
        return builder(parent.resolve("journal"), backend).recycleSegments(true).backgroundThread(false).open();
    }

    @EachBackend
    void randomUseIsEqualToAList(final Backend backend)
    {
        for (long seed = 1; seed <= 3; seed++)
        {
            final Random random = new Random(seed);
            final Path directory = parent.resolve("model" + seed);
            final List<Entry> expected = new ArrayList<>();
            long first = 1;
            Journal journal = builder(directory, backend).recycleSegments(0 == (seed & 1))
                .writeWindow(3 == seed % 4 ? 64 * 1024 : 0).backgroundThread(false).open();
            ReadOnlyJournal followed = Journal.openReadOnly(directory);
            try
            {
                for (int step = 0; step < 200; step++)
                {
                    switch (random.nextInt(12))
                    {
                        case 0 -> journal.roll();
                        case 1 -> first = journal.prune(first + random.nextInt((int)(expected.size() + 2 - first)));
                        case 2 ->
                        {
                            final int kept = Math.max((int)first - 1, expected.size() - random.nextInt(40));
                            try
                            {
                                journal.truncateAfter(kept);
                                expected.subList(kept, expected.size()).clear();
                            }
                            catch (final IllegalArgumentException ignore)
                            {
                                // The record is in the middle of a batch.
                            }
                        }
                        case 3 ->
                        {
                            if (0 == random.nextInt(8))
                            {
                                journal.close();
                                followed.close();
                                journal = builder(directory, backend).backgroundThread(false).open();
                                followed = Journal.openReadOnly(directory);
                            }
                        }
                        case 4 -> appendBatch(journal, random, expected);
                        default -> append(journal, random, expected);
                    }
                    assertSame(first, expected, random, journal::get, "seed=" + seed + ", step=" + step);
                    if (0 == random.nextInt(4))
                    {
                        journal.force();
                        assertSame(first, expected, random, followed::get, "followed, seed=" + seed + ", step=" + step);
                    }
                }
            }
            finally
            {
                followed.close();
                journal.close();
            }
        }
    }

    private static void append(final Journal journal, final Random random, final List<Entry> expected)
    {
        for (int i = random.nextInt(60); i >= 0; i--)
        {
            final byte[] bytes =
                record(random.nextLong(), 0 == random.nextInt(50) ? random.nextInt(30_000) : random.nextInt(900));
            expected.add(new Entry(journal.appender().append(i, bytes, 0, bytes.length), i, bytes));
        }
    }

    private static void appendBatch(final Journal journal, final Random random, final List<Entry> expected)
    {
        final RecordBatch batch = new RecordBatch();
        final int count = 1 + random.nextInt(50);
        for (int i = 0; i < count; i++)
        {
            final byte[] bytes = record(random.nextLong(), random.nextInt(300));
            batch.add(i, bytes);
            expected.add(new Entry(expected.size() + 1, i, bytes));
        }
        journal.appender().append(batch);
    }

    private static void assertSame(
        final long first, final List<Entry> expected, final Random random, final Lookup lookup, final String context)
    {
        for (int i = 0; i < 20; i++)
        {
            final long sequence = first - 3 + random.nextInt((int)(expected.size() - first) + 8);
            final int limit = 0 == random.nextInt(3) ? random.nextInt(100) : 1;
            final List<Entry> found = new ArrayList<>();
            assertEquals(lookup.get(sequence, limit, into(found)), found.size());
            final boolean isThere = sequence >= first && sequence <= expected.size();
            assertEquals(
                isThere ? expected.subList((int)sequence - 1, (int)Math.min(expected.size(), sequence - 1 + limit)) :
                    List.of(),
                found, () -> context + ", sequence=" + sequence + ", limit=" + limit);
        }
    }

    /** Each record says which sequence it has, and its tag in which round it was appended. */
    @EachBackend
    void threadsFindRecordsWhileHistoryChanges(final Backend backend) throws Exception
    {
        final long seed = Long.getLong("journal.test.seed", 1);
        final Random random = new Random(seed);
        final AtomicBoolean isOver = new AtomicBoolean();
        // All records in between are there, and stay.
        final AtomicLong lowest = new AtomicLong(1);
        final AtomicLong highest = new AtomicLong();
        final AtomicLong found = new AtomicLong();
        try (Journal journal = open(backend); ReadOnlyJournal followed = Journal.openReadOnly(journal.path()))
        {
            final List<Background> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++)
            {
                final Random own = new Random(seed + i);
                final Lookup lookup = 3 == i ? followed::get : journal::get;
                threads.add(Background.start("lookup-" + i, () ->
                {
                    while (!isOver.get())
                    {
                        lookUp(lookup, own, lowest, highest, found, seed);
                    }
                }));
            }

            final long end = System.nanoTime() + 200_000_000L;
            for (long round = 0; System.nanoTime() < end || found.get() < 100; round++)
            {
                threads.forEach(Background::check);
                for (int i = random.nextInt(200); i >= 0; i--)
                {
                    final long sequence = journal.lastSequence() + 1;
                    final byte[] bytes = record(sequence + round, random.nextInt(1500));
                    journal.appender().append(round, bytes, 0, bytes.length);
                }
                highest.set(journal.lastSequence());
                final long last = journal.lastSequence();
                if (0 == random.nextInt(3))
                {
                    final long kept = Math.max(journal.firstSequence(), last - random.nextInt(100));
                    highest.set(kept);
                    journal.truncateAfter(kept);
                }
                if (0 == random.nextInt(5))
                {
                    final long needed = Math.max(lowest.get(), highest.get() - 500);
                    lowest.set(needed);
                    journal.prune(needed);
                }
            }
            isOver.set(true);
            for (final Background thread : threads)
            {
                thread.join();
            }
        }
    }

    private static void lookUp(
        final Lookup lookup,
        final Random random,
        final AtomicLong lowest,
        final AtomicLong highest,
        final AtomicLong found,
        final long seed)
    {
        final long low = lowest.get();
        final long high = highest.get();
        final long sequence = Math.max(1, low - 5 + random.nextInt((int)Math.max(1, high - low + 10)));
        final int limit = 1 + random.nextInt(3);
        final long[] next = { sequence };
        final int count = lookup.get(sequence, limit, (buffer, offset, length, header) ->
        {
            assertEquals(next[0]++, header.sequence());
            final byte[] bytes = new byte[length];
            buffer.getBytes(offset, bytes);
            assertEquals(
                new Entry(header.sequence(), header.tag(), record(header.sequence() + header.tag(), length)),
                new Entry(header.sequence(), header.tag(), bytes), () -> "seed=" + seed);
        });
        found.addAndGet(count);
        final boolean wasThere = sequence >= lowest.get() && sequence <= Math.min(high, highest.get());
        // A truncation and the next append may have come between the two reads of the bounds.
        assertTrue(count > 0 || !wasThere || sequence > high - 300, () -> "missing: sequence=" + sequence +
            ", low=" + low + ", high=" + high + ", seed=" + seed);
    }

    @EachBackend
    void closingWhileThreadsLookUpIsSafe(final Backend backend)
    {
        for (int round = 0; round < 10; round++)
        {
            final Path directory = parent.resolve("closing" + round);
            final Journal journal = builder(directory, backend).backgroundThread(false).open();
            appendNumbered(journal, 300, 700);
            journal.force();
            final ReadOnlyJournal followed = Journal.openReadOnly(directory);
            final AtomicLong found = new AtomicLong();
            final List<Background> threads = new ArrayList<>();
            for (int i = 0; i < 3; i++)
            {
                final Lookup lookup = 2 == i ? followed::get : journal::get;
                final Random random = new Random(i);
                threads.add(Background.start("lookup-" + i, () -> assertClosed(() ->
                {
                    while (true)
                    {
                        assertFound(lookup, 1 + random.nextInt(300));
                        found.incrementAndGet();
                    }
                })));
            }
            while (found.get() < 100)
            {
                Thread.onSpinWait();
            }
            journal.close();
            followed.close();
            threads.forEach(Background::join);
        }
    }

    @EachBackend
    void missingRecordIsNotFound(final Backend backend)
    {
        try (Journal journal = open(backend))
        {
            assertFalse(journal.get(1, NOTHING));
            appendNumbered(journal, 30, 900);
            for (final long sequence : new long[]{ Long.MIN_VALUE, -1, 0, 31, Long.MAX_VALUE })
            {
                assertFalse(journal.get(sequence, NOTHING));
            }
            assertEquals(0, journal.get(1, 0, NOTHING));
            assertEquals(10, journal.get(21, Integer.MAX_VALUE, NOTHING));
        }
    }

    @EachBackend
    void longRecordsAreFoundAmongShortOnes(final Backend backend)
    {
        final int mib = 1024 * 1024;
        final int[] lengths = { 10, 2 * mib, 0, 3 * mib, 100, 100, mib, 100 };
        final Path directory = parent.resolve("journal");
        try (Journal journal = builder(directory, backend).segmentLength(4 * mib).backgroundThread(false).open();
            ReadOnlyJournal followed = Journal.openReadOnly(directory))
        {
            for (final int length : lengths)
            {
                appendNumbered(journal, 1, length);
            }
            for (final int sequence : new int[]{ 2, 8, 5, 4, 1, 7, 6, 3, 2 })
            {
                for (final Lookup lookup : List.<Lookup>of(journal::get, followed::get))
                {
                    assertFound(lookup, sequence);
                }
            }
        }
    }

    private static void assertFound(final Lookup lookup, final long sequence)
    {
        final List<Entry> found = new ArrayList<>();
        assertEquals(1, lookup.get(sequence, 1, into(found)));
        assertNumbered(sequence, sequence, found);
    }

    @EachBackend
    void damageToARecordDoesNotKeepOthersFromBeingFound(final Backend backend)
    {
        final JournalDirectory directory = new JournalDirectory(parent.resolve("journal"));
        final long[] positions = new long[301];
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 300, 900);
            journal.get(1, 300, (b, o, l, h) -> positions[(int)h.sequence()] = h.position());
        }
        // Damages the body of a record, the length of another record, and the sequence of a third.
        flip(directory, positions[70] + 500);
        flip(directory, positions[90] + 1);
        flip(directory, positions[92] + 8);
        try (Journal journal = open(backend); ReadOnlyJournal followed = Journal.openReadOnly(journal.path()))
        {
            for (final Lookup lookup : List.<Lookup>of(journal::get, followed::get))
            {
                for (long sequence = 300; sequence >= 1; sequence--)
                {
                    if (70 != sequence && 90 != sequence && 92 != sequence)
                    {
                        assertFound(lookup, sequence);
                        continue;
                    }
                    final long damaged = sequence;
                    final long position = positions[(int)sequence];
                    final CorruptJournalException ex =
                        assertThrows(CorruptJournalException.class, () -> lookup.get(damaged, 1, NOTHING));
                    assertEquals(position % SEGMENT_LENGTH, ex.offset());
                    assertEquals(segment(position), ex.file());
                }
                final List<Entry> found = new ArrayList<>();
                assertThrows(CorruptJournalException.class, () -> lookup.get(60, 20, into(found)));
                assertNumbered(60, 69, found);
            }
        }
    }

    @EachBackend
    void damagedRecordOfABatchHidesNoOther(final Backend backend)
    {
        final JournalDirectory directory = new JournalDirectory(parent.resolve("journal"));
        final long[] position = { 0 };
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 9, 100);
            final RecordBatch batch = new RecordBatch();
            for (int i = 0; i < 4; i++)
            {
                batch.add(new byte[100]);
            }
            journal.appender().append(batch);
            for (int i = 0; i < 30; i++)
            {
                journal.appender().append(new byte[100]);
            }
            journal.get(11, (b, o, l, h) -> position[0] = h.position());
            rollOn(journal);
        }
        // Flips the bit that says that more records of the batch follow.
        directory.flip(segment(position[0]), position[0] % SEGMENT_LENGTH + 3, 6);

        try (Journal journal = open(backend))
        {
            for (long sequence = 1; sequence <= journal.lastSequence(); sequence++)
            {
                final long wanted = sequence;
                if (11 == sequence)
                {
                    assertThrows(CorruptJournalException.class, () -> journal.get(wanted, NOTHING));
                }
                else
                {
                    assertTrue(journal.get(wanted, NOTHING), () -> "sequence=" + wanted);
                }
            }
        }
    }

    /** A record whose damaged length makes every eighth byte of its content a possible beginning of a frame. */
    @EachBackend
    void contentThatResemblesFramesDelaysNoLookup(final Backend backend)
    {
        final int length = 8 * 1024 * 1024;
        final ByteBuffer content = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
        while (content.remaining() >= FrameHeader.LENGTH)
        {
            // Write a length, the checksum 0, the sequence, and the tag.
            content.putLong(length / 2).putLong(1).putLong(0);
        }
        final JournalDirectory directory = new JournalDirectory(parent.resolve("journal"));
        try (
            Journal journal = builder(directory.path, backend).segmentLength(2 * length).backgroundThread(false).open())
        {
            appendNumbered(journal, 1, 100);
            final long position = journal.counters().appendedPosition();
            journal.appender().append(content.array());
            appendNumbered(journal, 2, 100);
            journal.force();
            directory.flip(JournalDirectory.segmentName(0), position + 3, 6);

            assertTimeoutPreemptively(Duration.ofMinutes(10), () ->
            {
                for (final long sequence : new long[]{ 1, 3, 4 })
                {
                    final List<Entry> found = new ArrayList<>();
                    assertTrue(journal.get(sequence, into(found)));
                    assertNumbered(sequence, sequence, found);
                }
                final CorruptJournalException ex =
                    assertThrows(CorruptJournalException.class, () -> journal.get(2, NOTHING));
                assertEquals(position, ex.offset());
            });
        }
    }

    @EachBackend
    void controlFrameInPlaceOfARecordIsReported(final Backend backend)
    {
        final JournalDirectory directory = new JournalDirectory(parent.resolve("journal"));
        final long[] position = { 0 };
        try (Journal journal = open(backend))
        {
            appendNumbered(journal, 9, 100);
            journal.get(5, (b, o, l, h) -> position[0] = h.position());
            rollOn(journal);
        }
        // A control frame of a kind that may be skipped, with the sequence of a later record.
        directory.writeFrame(0, (int)position[0], true, 500, 99, new byte[100]);

        try (Journal journal = open(backend))
        {
            for (final long wanted : new long[]{ 5, 6 })
            {
                final CorruptJournalException ex =
                    assertThrows(CorruptJournalException.class, () -> journal.get(wanted, NOTHING));
                assertTrue(ex.getMessage().contains("found=sequence 500"), ex::getMessage);
            }
            assertTrue(journal.get(4, NOTHING));
        }
    }

    /** Rolls on, so that the next opening does not read the earlier segments. */
    private static void rollOn(final Journal journal)
    {
        journal.roll();
        journal.appender().append(new byte[10]);
    }

    private static String segment(final long position)
    {
        return String.format("%020d.journal", position / SEGMENT_LENGTH);
    }

    private static void flip(final JournalDirectory directory, final long position)
    {
        directory.flip(segment(position), position % SEGMENT_LENGTH, 2);
    }

    @EachBackend
    void handlerMayLookUpCloseAndThrow(final Backend backend)
    {
        final Journal journal = open(backend);
        appendNumbered(journal, 300, 900);
        final List<Entry> found = new ArrayList<>();
        assertEquals(2, journal.get(10, 2, (b, o, l, h) ->
        {
            assertTrue(journal.get(h.sequence() + 200, into(found)));
            into(found).onRecord(b, o, l, h);
        }));
        assertEquals(List.of(210L, 10L, 211L, 11L), found.stream().map(Entry::sequence).toList());

        assertTrue(journal.get(300, (b, o, l, h) ->
        {
            journal.truncateAfter(299);
            into(found).onRecord(b, o, l, h);
        }));
        assertNumbered(300, found.remove(4));
        assertFalse(journal.get(300, NOTHING));

        final RuntimeException mine = new RuntimeException();
        assertEquals(mine, assertThrows(RuntimeException.class, () -> journal.get(5, (b, o, l, h) ->
        {
            throw mine;
        })));
        assertTrue(journal.get(5, (b, o, l, h) ->
        {
            journal.close();
            into(found).onRecord(b, o, l, h);
        }));
        assertNumbered(5, found.get(4));
        assertClosed(() -> journal.get(5, NOTHING));
    }
}
