// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A process has no memory outside the heap for the window of a long record or for a segment's zeros: the append throws,
 * and succeeds once there is memory. An fsync needs none.
 */
@Tag("slow")
class LittleMemoryTest extends JournalFixture
{
    private static final int LONG = 2 << 20;

    @Test
    void longRecordIsAppendedOnceThereIsMemory()
    {
        ChildJvm.run(temp, List.of(), LittleMemoryTest.class, directory(), "record");
    }

    @Test
    void segmentIsMadeOnceThereIsMemory() throws Exception
    {
        // Create the journal here, so that the child has no memory when it makes its first segment.
        builder(directory(), Backend.FILE_CHANNEL).backgroundThread(false).open().close();
        ChildJvm.run(temp, List.of(), LittleMemoryTest.class, directory(), "segment");
    }

    @Test
    void fsyncNeedsNoMemory() throws Exception
    {
        ChildJvm.run(temp, List.of(), LittleMemoryTest.class, directory(), "fsync");
    }

    /**
     * @param args directory, and what there is no memory for.
     */
    public static void main(final String[] args)
    {
        FaultedWriter.halt(900);
        final Path path = Path.of(args[0]);
        switch (args[1])
        {
            case "record" -> appendLongRecord(path);
            case "segment" -> appendIntoTheNextSegment(path);
            default -> fsync(path);
        }
        Runtime.getRuntime().halt(0);
    }

    private static void fsync(final Path path)
    {
        for (final Backend backend : new Backend[]{ Backend.MAPPED, Backend.FILE_CHANNEL, Backend.RANDOM_ACCESS_FILE })
        {
            try (Journal journal = builder(path, backend).backgroundThread(false).open())
            {
                appendNumbered(journal, 1, 1000);
                final List<ByteBuffer> taken = takeAllDirectMemory();
                // A thread keeps the memory of its last transfer for the next one.
                Background.start("forcing", journal::force).join();
                assertEquals(journal.lastSequence(), journal.forcedSequence());
                taken.clear();
            }
        }
    }

    private static void appendIntoTheNextSegment(final Path path)
    {
        try (Journal journal = builder(path, Backend.FILE_CHANNEL).backgroundThread(false).open())
        {
            final List<ByteBuffer> taken = takeAllDirectMemory();
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
            final List<ByteBuffer> taken = takeDirectMemory();
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

    private static List<ByteBuffer> takeAllDirectMemory()
    {
        final List<ByteBuffer> taken = takeDirectMemory();
        final BufferPoolMXBean pool = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
            .filter((each) -> "direct".equals(each.getName())).findFirst().orElseThrow();
        taken.add(ByteBuffer.allocateDirect((int)(Runtime.getRuntime().maxMemory() - pool.getTotalCapacity())));
        assertThrows(OutOfMemoryError.class, () -> ByteBuffer.allocateDirect(1));
        return taken;
    }

    private static List<ByteBuffer> takeDirectMemory()
    {
        final List<ByteBuffer> taken = new ArrayList<>();
        try
        {
            while (true)
            {
                taken.add(ByteBuffer.allocateDirect(LONG / 2));
            }
        }
        catch (final OutOfMemoryError ignore)
        {
            return taken;
        }
    }
}
