// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.nio.ByteBuffer;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.support.InMemory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * The file of a mapped segment lacks bytes that were stored into the mapping, as after a store that a full device
 * rejected. {@link CopyOnWriteTest} uses such devices.
 */
@Tag("slow")
@InMemory
class ReadBackTest extends JournalFixture
{
    private static final int RECORD_LENGTH = 20;

    @Test
    void recordThatIsNotInTheFileIsNotAcknowledged()
    {
        final LossyReads reads = new LossyReads();
        final Journal journal = closing(open(reads));
        appendNumbered(journal, 3, RECORD_LENGTH);
        journal.force();
        appendNumbered(journal, 2, RECORD_LENGTH);
        reads.from = 0;
        reads.mask = -1;

        assertThrows(JournalException.class, journal::force);

        assertEquals(3, journal.forcedSequence());
        assertThrows(JournalException.class, () -> journal.awaitForced(5));
        assertThrows(JournalException.class, () -> journal.appender().append(new byte[1]));
        closeFallible(journal);
        assertNumbered(1, 5, readAll(directory(), Backend.MAPPED));
    }

    @Test
    void eachBitOfAFrameCounts()
    {
        final int frameLength = FRAME_HEADER_LENGTH + RECORD_LENGTH;
        for (int bit = 0; bit < frameLength * Byte.SIZE; bit++)
        {
            final LossyReads reads = new LossyReads();
            final Journal journal = open(reads);
            final long last = journal.lastSequence();
            journal.force();
            appendNumbered(journal, 1, RECORD_LENGTH);
            reads.from = bit / Byte.SIZE;
            reads.mask = 1 << bit % Byte.SIZE;

            assertThrows(JournalException.class, journal::force, "bit=" + bit);

            assertEquals(last, journal.forcedSequence());
            closeFallible(journal);
        }
    }

    @Test
    void recordThatACompleteSegmentLacksIsNotAcknowledged()
    {
        final LossyReads reads = new LossyReads();
        final Journal journal = closing(open(reads));
        appendNumbered(journal, 3, RECORD_LENGTH);
        reads.from = 2 * (FRAME_HEADER_LENGTH + RECORD_LENGTH);
        reads.mask = 1;
        appendNumbered(journal, 3, LARGEST_RECORD);

        assertThrows(JournalException.class, journal::force);

        assertEquals(0, journal.forcedSequence());
    }

    private Journal open(final LossyReads reads)
    {
        final Journal journal = builder(Backend.MAPPED, reads).backgroundThread(false).open();
        reads.isOpen = true;
        return journal;
    }

    /** Changes the bytes that are read from a segment. After the opening, only an fsync reads them back. */
    private static final class LossyReads implements StepStore.AllSteps
    {
        private boolean isOpen;
        // Index of the byte to change, in the bytes that are read.
        private int from = Integer.MAX_VALUE;
        private int mask;

        @Override
        public void afterRead(final String name, final long offset, final ByteBuffer bytes)
        {
            if (isOpen && JournalFiles.isSegment(name) && offset >= SEGMENT_HEADER_LENGTH && from < bytes.remaining())
            {
                bytes.put(from, (byte)(mask < 0 ? 0 : bytes.get(from) ^ mask));
            }
        }
    }
}
