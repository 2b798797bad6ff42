// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.util.ArrayList;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.JournalReader.Verification;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory.Frame;

import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Damage to records of an open journal. */
class LiveDamageTest extends RecoveryFixture
{
    /** The damaged length leads beyond the end, or into what was truncated. */
    @EachBackend
    void damagedLengthHidesNoOtherRecord(final Backend backend)
    {
        for (final boolean isCut : new boolean[]{ false, true })
        {
            begin();
            try (Journal journal = open(live, backend))
            {
                append(journal, 1, 20, 8);
                if (isCut)
                {
                    journal.truncateAfter(15);
                    append(journal, 16, 30, 8);
                }
                journal.force();
                final Frame damaged = live.records(0).stream().filter((frame) -> 10 == frame.sequence()).findFirst()
                    .orElseThrow();
                live.flip(segmentName(0), damaged.offset() + 1, isCut ? 0 : 4);

                final List<Long> found = new ArrayList<>();
                journal.get(11, 1, (buffer, offset, length, header) -> found.add(header.sequence()));
                try (JournalReader reader = journal.openReader())
                {
                    reader.seek(11);
                    reader.poll((buffer, offset, length, header) -> found.add(header.sequence()), 1);
                    reader.seek(9);
                    reader.poll((buffer, offset, length, header) -> found.add(header.sequence()), 1);
                    assertThrows(CorruptJournalException.class, () -> reader.poll((b, offset, length, header) ->
                    {
                    }, 1));
                }
                assertEquals(List.of(11L, 11L, 9L), found, "cut: " + isCut);
            }
        }
    }

    private static void append(final Journal journal, final long first, final long last, final int length)
    {
        for (long sequence = first; sequence <= last; sequence++)
        {
            journal.appender().append(sequence, new byte[length], 0, length);
        }
    }

    @EachBackend
    void seekLeavesNoSegmentUnverified(final Backend backend)
    {
        try (Journal journal = model.builder(live, backend).verification(Verification.ONCE).open())
        {
            append(journal, 1, 150, 1000);
            journal.force();
            try (JournalReader first = journal.openReader())
            {
                first.poll((buffer, offset, length, header) ->
                {
                }, 100);
            }
            final Frame damaged =
                live.records(2).stream().filter((frame) -> 140 == frame.sequence()).findFirst().orElseThrow();
            live.flip(segmentName(2), damaged.offset() + 500, 3);

            try (JournalReader second = journal.openReader())
            {
                second.poll((buffer, offset, length, header) ->
                {
                }, 1);
                second.seek(140);
                assertThrows(CorruptJournalException.class, () -> second.poll((buffer, offset, length, header) ->
                {
                }, 1));
            }
        }
    }
}
