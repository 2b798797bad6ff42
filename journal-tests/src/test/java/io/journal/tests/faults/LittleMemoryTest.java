package io.journal.tests.faults;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A process has no memory outside the heap, for the window of a long record or for a segment's zeros: the append
 * throws, and succeeds once there is some.
 */
class LittleMemoryTest extends JournalFixture
{
    private static final int LONG = 2 << 20;
    private static final int SHORT = 4 << 10;

    @Test
    void longRecordIsAppendedOnceThereIsMemory() throws Exception
    {
        runInChild("record");
    }

    @Test
    void segmentIsMadeOnceThereIsMemory() throws Exception
    {
        // So that the child makes its first segment while it has no memory.
        builder(directory(), Backend.FILE_CHANNEL).backgroundThread(false).open().close();
        runInChild("segment");
    }

    private void runInChild(final String what) throws Exception
    {
        try (ChildJvm child = new ChildJvm(temp, List.of(), LittleMemoryTest.class, directory(), what))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
        }
    }

    /**
     * @param args directory, and what there is no memory for.
     */
    public static void main(final String[] args)
    {
        FaultedWriter.halt(60);
        final Path path = Path.of(args[0]);
        if ("record".equals(args[1]))
        {
            appendLongRecord(path);
        }
        else
        {
            appendIntoTheNextSegment(path);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void appendIntoTheNextSegment(final Path path)
    {
        try (Journal journal = builder(path, Backend.FILE_CHANNEL).backgroundThread(false).open())
        {
            final List<ByteBuffer> taken = takeDirectMemory(SHORT);
            assertThrows(OutOfMemoryError.class, () -> appendNumbered(journal, 100, 1000));
            assertFalse(journal.counters().isFailed());
            final long last = journal.lastSequence();
            assertTrue(last > 0);

            taken.clear();
            appendNumbered(journal, 100, 1000);
            assertNumbered(1, last + 100, readAll(journal));
        }
    }

    private static void appendLongRecord(final Path path)
    {
        try (Journal journal = Journal.builder(path).backend(Backend.FILE_CHANNEL).segmentLength(4 << 20).open())
        {
            final byte[] record = new byte[LONG];
            assertEquals(1, journal.appender().append(new byte[100]));
            final List<ByteBuffer> taken = takeDirectMemory(LONG / 2);
            assertThrows(OutOfMemoryError.class, () -> journal.appender().append(record));
            assertFalse(journal.counters().isFailed());
            assertEquals(2, journal.appender().append(new byte[100]));

            taken.clear();
            assertEquals(3, journal.appender().append(record));
            journal.force();
            final int[] lengths = new int[4];
            try (JournalReader reader = journal.openReader())
            {
                reader.poll(
                    (buffer, offset, length, header) -> lengths[(int)header.sequence()] = length, lengths.length);
            }
            assertEquals(List.of(100, 100, LONG), List.of(lengths[1], lengths[2], lengths[3]));
        }
    }

    /** Takes all but less than so many bytes. */
    private static List<ByteBuffer> takeDirectMemory(final int left)
    {
        final List<ByteBuffer> taken = new ArrayList<>();
        int length = LONG / 2;
        while (length >= left)
        {
            try
            {
                taken.add(ByteBuffer.allocateDirect(length));
            }
            catch (final OutOfMemoryError ignore)
            {
                length /= 2;
            }
        }
        return taken;
    }
}
