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

/**
 * A process has no memory for the window of a long record: the append throws, and succeeds once there is some.
 */
class LittleMemoryTest extends JournalFixture
{
    private static final int LONG = 2 << 20;

    @Test
    void longRecordIsAppendedOnceThereIsMemory() throws Exception
    {
        try (ChildJvm child = new ChildJvm(temp, List.of(), LittleMemoryTest.class, directory()))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
        }
    }

    /**
     * @param args directory.
     */
    public static void main(final String[] args)
    {
        FaultedWriter.halt(60);
        try (Journal journal = Journal.builder(Path.of(args[0])).backend(Backend.FILE_CHANNEL)
            .segmentLength(4 << 20).open())
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
        Runtime.getRuntime().halt(0);
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
