// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalReader;
import io.journal.RecordBatch;
import io.journal.RecordHandler;
import io.journal.RecordHandler.Action;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import org.agrona.DirectBuffer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Calls that pass many records deliver the same records as calls that pass one at a time, whatever lies between the
 * records, and wherever and however the calls end: at a limit, by an action, or by an exception.
 */
@InMemory
class RecordDeliveryTest extends JournalFixture
{
    private static final int COUNT = 1500;
    private static final int CALLS = 150;

    private record Delivered(long position, Entry entry)
    {
    }

    /** The action of a handler at a record. */
    private enum Deed
    {
        CONTINUE,
        COMMIT,
        BREAK,
        ABORT,
        THROW
    }

    @EachBackendAndWindow
    void manyRecordsArePassedAsSingleOnesAre(final Backend backend, final int window) throws IOException
    {
        Files.createDirectories(directory());
        for (final JournalReader.Verification verification : JournalReader.Verification.values())
        {
            final SplittableRandom random = new SplittableRandom(7411L + window + verification.ordinal());
            check(
                builder(directory().resolve(verification.name()), backend).writeWindow(window)
                    .segmentLength(0 == verification.ordinal() ? 1024 * 1024 : SEGMENT_LENGTH)
                    .verification(verification),
                random);
        }
    }

    private static void check(final JournalBuilder builder, final SplittableRandom random)
    {
        try (Journal journal = builder.open(); JournalReader reader = journal.openReader())
        {
            appendMixed(journal, random);
            final List<Delivered> expected = oneByOne(journal);
            for (int call = 0; call < CALLS; call++)
            {
                if (0 == random.nextInt(10) || reader.nextSequence() > COUNT)
                {
                    reader.seek(1 + random.nextInt(COUNT));
                }
                final int limit = 0 == random.nextInt(4) ? Integer.MAX_VALUE : 1 + random.nextInt(300);
                switch (random.nextInt(4))
                {
                    case 0 -> assertPolled(reader, limit, expected);
                    case 1 -> assertGot(journal, 1 + random.nextInt(COUNT), limit, expected);
                    case 2 -> assertPolledBackwards(reader, limit, expected);
                    default -> assertControlled(reader, limit, random.nextInt(), expected);
                }
            }
        }
    }

    /** Records of all kinds of lengths, in frames of their own and in batches, with watermarks between some. */
    private static void appendMixed(final Journal journal, final SplittableRandom random)
    {
        while (journal.lastSequence() < COUNT)
        {
            final int length = random.nextInt(0 == random.nextInt(20) ? 9000 : 200);
            switch (random.nextInt(10))
            {
                case 0 -> appendBatch(journal, 1 + random.nextInt(6), length);
                case 1 -> journal.force();
                case 2 -> appendBatch(journal, 1 + random.nextInt(400), random.nextInt(60));
                case 3 -> appendNumbered(journal, 1, random.nextInt(journal.segmentLength() / 5));
                default -> appendNumbered(journal, random.nextInt(30), length);
            }
        }
    }

    private static void appendBatch(final Journal journal, final int count, final int length)
    {
        final RecordBatch batch = new RecordBatch();
        for (int i = 1; i <= count; i++)
        {
            final long sequence = journal.lastSequence() + i;
            batch.add(-sequence, record(sequence, length));
        }
        journal.appender().append(batch);
    }

    private static List<Delivered> oneByOne(final Journal journal)
    {
        final List<Delivered> delivered = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            for (int count = 1; count > 0;)
            {
                count = reader.poll(into(delivered, null), 1);
            }
        }
        assertTrue(delivered.size() >= COUNT);
        long end = 0;
        for (int i = 0; i < delivered.size(); i++)
        {
            final Delivered each = delivered.get(i);
            assertNumbered(i + 1, each.entry);
            assertTrue(each.position >= end && 0 == each.position % 8, each::toString);
            end = each.position + FRAME_HEADER_LENGTH + each.entry.bytes().length;
        }

        return delivered;
    }

    private static RecordHandler into(final List<Delivered> delivered, final List<Delivered> expected)
    {
        return (buffer, offset, length, header) -> check(buffer, offset, length, header, delivered, expected);
    }

    private static void check(
        final DirectBuffer buffer, final int offset, final int length, final RecordHandler.Header header,
        final List<Delivered> delivered, final List<Delivered> expected)
    {
        final Entry entry = new Entry(header.sequence(), header.tag(), bytes(buffer, offset, length));
        assertEquals(offset + length, buffer.capacity());
        delivered.add(new Delivered(header.position(), entry));
        if (null != expected)
        {
            final Delivered same = expected.get((int)header.sequence() - 1);
            assertEquals(same.position, header.position());
            assertEquals(same.entry.sequence(), header.sequence());
            assertEquals(same.entry.tag(), header.tag());
            assertArrayEquals(same.entry.bytes(), entry.bytes());
        }
    }

    private static void assertPolled(final JournalReader reader, final int limit, final List<Delivered> expected)
    {
        final long first = reader.nextSequence();
        final List<Delivered> delivered = new ArrayList<>();
        final int count = (int)Math.min(limit, expected.size() - first + 1);
        assertEquals(count, reader.poll(into(delivered, expected), limit));
        assertConsecutive(first, count, delivered);
        assertEquals(first + count, reader.nextSequence());
    }

    private static void assertPolledBackwards(
        final JournalReader reader, final int limit, final List<Delivered> expected)
    {
        final long next = reader.nextSequence();
        final List<Delivered> delivered = new ArrayList<>();
        final int count = (int)Math.min(limit, next - 1);
        assertEquals(count, reader.pollBackwards(into(delivered, expected), limit));
        Collections.reverse(delivered);
        assertConsecutive(next - count, count, delivered);
        assertEquals(next - count, reader.nextSequence());
    }

    private static void assertGot(
        final Journal journal, final long first, final int limit, final List<Delivered> expected)
    {
        final List<Delivered> delivered = new ArrayList<>();
        final int count = (int)Math.min(limit, expected.size() - first + 1);
        assertEquals(count, journal.get(first, limit, into(delivered, expected)));
        assertConsecutive(first, count, delivered);
    }

    private static void assertConsecutive(final long first, final int count, final List<Delivered> delivered)
    {
        assertEquals(count, delivered.size());
        for (int i = 0; i < count; i++)
        {
            assertEquals(first + i, delivered.get(i).entry.sequence());
        }
    }

    private static Deed deed(final long sequence, final int seed)
    {
        return switch (new SplittableRandom(seed + sequence).nextInt(80))
        {
            case 0 -> Deed.BREAK;
            case 1 -> Deed.ABORT;
            case 2 -> Deed.THROW;
            case 3, 4, 5 -> Deed.COMMIT;
            default -> Deed.CONTINUE;
        };
    }

    private static void assertControlled(
        final JournalReader reader, final int limit, final int seed, final List<Delivered> expected)
    {
        final long first = reader.nextSequence();
        final long end = first + Math.min(limit, expected.size() - first + 1);
        long last = first;
        while (last < end && (Deed.CONTINUE == deed(last, seed) || Deed.COMMIT == deed(last, seed)))
        {
            last++;
        }
        final Deed deed = last < end ? deed(last, seed) : Deed.CONTINUE;
        final long next = Deed.BREAK == deed ? last + 1 : last;

        final List<Delivered> delivered = new ArrayList<>();
        final long[] committed = { first };
        final RecordHandler.Controlled handler = (buffer, offset, length, header) ->
        {
            check(buffer, offset, length, header, delivered, expected);
            assertEquals(committed[0], reader.nextSequence());
            final Deed here = deed(header.sequence(), seed);
            if (Deed.THROW == here)
            {
                throw new UnsupportedOperationException();
            }
            if (Deed.COMMIT == here)
            {
                committed[0] = header.sequence() + 1;
            }
            return Action.valueOf(here.name());
        };
        if (Deed.THROW == deed)
        {
            assertThrows(UnsupportedOperationException.class, () -> reader.controlledPoll(handler, limit));
        }
        else
        {
            assertEquals(next - first, reader.controlledPoll(handler, limit));
        }
        assertConsecutive(first, (int)(last - first) + (last < end ? 1 : 0), delivered);
        assertEquals(next, reader.nextSequence());
    }
}
