// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;

import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.EachBackendAndWindow;
import io.journal.tests.support.JournalFixture;
import org.agrona.DirectBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JournalReaderTest extends JournalFixture
{
    @EachBackend
    void handlerMayAppendAndForce(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 1, 50);
        final List<Entry> entries = new ArrayList<>();
        final RecordHandler handler = (buffer, offset, length, header) ->
        {
            into(entries).onRecord(buffer, offset, length, header);
            appendNumbered(journal, 1, 1000);
            journal.awaitForced(header.sequence());
        };

        assertEquals(120, reader.poll(handler, 120));
        assertNumbered(1, 120, entries);
    }

    @EachBackend
    void bufferOfARecordIsUnwrappedAfterTheCall(final Backend backend)
    {
        final Journal journal = closing(open(backend));
        final JournalReader reader = closing(journal.openReader());
        appendNumbered(journal, 2, 50);
        final DirectBuffer[] kept = new DirectBuffer[1];
        reader.poll((buffer, offset, length, header) -> kept[0] = buffer, 1);

        assertEquals(0, kept[0].capacity());
        assertThrows(IndexOutOfBoundsException.class, () -> kept[0].getByte(0));

        assertThrows(
            IllegalStateException.class,
            () -> reader.poll(
                (buffer, offset, length, header) ->
                {
                    kept[0] = buffer;
                    throw new IllegalStateException("stay");
                },
                1));
        assertEquals(0, kept[0].capacity());
    }

    @EachBackendAndWindow
    void readerFindsEverySequence(final Backend backend, final int window)
    {
        final int count = 400;
        try (Journal journal = builder(directory(), backend).writeWindow(window).open();
            JournalReader reader = journal.openReader())
        {
            for (int i = 0; i < count; i++)
            {
                appendNumbered(journal, 1, i * 37 % 1000);
                if (0 == i % 50)
                {
                    journal.force();
                }
            }
            assertTrue(journal.counters().appendedPosition() > 3 * SEGMENT_LENGTH);
            for (int sequence = count; sequence >= 1; sequence--)
            {
                reader.seek(sequence);
                assertEquals(sequence, reader.nextSequence());
                assertNumbered(sequence, Math.min(count, sequence + 1), poll(reader, 2));
            }
        }
    }

    @EachBackendAndWindow
    void recordIsVisibleToOtherThreadsOnceItIsAppended(final Backend backend, final int window) throws Exception
    {
        final SynchronousQueue<Long> appended = new SynchronousQueue<>();
        final SynchronousQueue<Long> read = new SynchronousQueue<>();
        final Journal journal = closing(builder(directory(), backend).writeWindow(window).open());
        final Background reading = Background.start("reader", () ->
        {
            try (JournalReader reader = journal.openReader())
            {
                for (long last = appended.take(); last > 0; last = appended.take())
                {
                    assertNumbered(last, last, poll(reader));
                    read.put(last);
                }
            }
            finally
            {
                read.offer(-1L);
            }
        });
        for (int i = 0; i < 300; i++)
        {
            appendNumbered(journal, 1, 700);
            appended.put(journal.lastSequence());
            if (!Long.valueOf(journal.lastSequence()).equals(read.take()))
            {
                reading.join();
            }
        }
        appended.put(0L);
        reading.join();
    }
}
