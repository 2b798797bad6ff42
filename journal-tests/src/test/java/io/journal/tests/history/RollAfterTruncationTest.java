// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.history;

import io.journal.Journal;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** A roll right after a truncation for whose watermark frame there was no room before the end of the zeros. */
class RollAfterTruncationTest extends JournalFixture
{
    // Zeros are written in steps of this length.
    private static final int FILLED = 1024 * 1024;
    private static final int FRAME_LENGTH = 24;

    @EachBackend
    void recordsAfterTheRollAreRead(final Backend backend) throws Exception
    {
        final long last;
        final long kept;
        try (Journal journal = Journal.builder(temp).backend(backend).segmentLength(4 * FILLED)
            .writeWindow(0).backgroundThread(false).open())
        {
            appendUpTo(journal, FILLED - FRAME_LENGTH - 8);
            kept = journal.lastSequence() - 5;
            journal.truncateAfter(kept);
            journal.roll();
            for (int i = 0; i < 20; i++)
            {
                journal.appender().append(new byte[1000]);
            }
            journal.force();
            last = kept + 20;
            assertEquals(25, count(journal, kept - 4, 100));
        }
        try (Journal journal = Journal.open(temp))
        {
            assertEquals(last, journal.lastSequence());
            assertEquals(25, count(journal, kept - 4, 100));
        }
    }

    private static void appendUpTo(final Journal journal, final long end)
    {
        long left = end - journal.counters().appendedPosition();
        while (left > 0)
        {
            final long length = left > 22_000 ? 5000 : left > 2200 ? 1000 : left;
            journal.appender().append(new byte[(int)length - FRAME_LENGTH]);
            left = end - journal.counters().appendedPosition();
        }
        assertEquals(0, left);
    }

    private static int count(final Journal journal, final long first, final int limit)
    {
        return journal.get(first, limit, (buffer, offset, length, header) ->
        {
        });
    }
}
