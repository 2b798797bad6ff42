// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.util.Arrays;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.RecoveryReport;
import io.journal.store.Backend;
import io.journal.tests.damage.Damage;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;

import static io.journal.tests.support.JournalDirectory.MARK_LENGTH;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Segments and records that are larger than a read of recovery. */
class LargeSegmentTest extends RecoveryFixture
{
    private static final int MIB = 1024 * 1024;
    private static final int LENGTH = 2 * MIB;

    @EachBackend
    void recordsLargerThanABufferAreRecovered(final Backend backend)
    {
        final int[] lengths = { 100, MIB - 24, MIB, 100, MIB + MIB / 2, MIB + 7, 100 };
        try (Journal journal = openLarge(live, backend))
        {
            for (final int length : lengths)
            {
                model.append(journal, length);
            }
            live.copyTo(crashed.path);
        }
        final Map<String, byte[]> image = crashed.content();
        try (Journal journal = openLarge(crashed, backend))
        {
            model.assertHolds(journal);
            assertNothingCut(journal.recoveryReport());
        }

        // Flip a bit in the last byte of the last large record.
        final Frame damaged = crashed.record(6);
        crashed.restore(image);
        crashed.flip(damaged.file(), damaged.offset() + 24 + MIB + 6, 5);
        final byte[] before = crashed.read(damaged.file());
        final Journal journal = closing(openLarge(crashed, backend));
        model.assertHolds(journal, 5);
        final RecoveryReport report = journal.recoveryReport();
        assertEquals(damaged.ordinal() * LENGTH + damaged.offset(), report.endPosition());
        assertTrue(report.tornLength() > MIB, report::toString);
        assertArrayEquals(
            Arrays.copyOf(before, damaged.end()), Arrays.copyOf(crashed.read(damaged.file()), damaged.end()));
        model.forgetAfter(5);
        model.append(journal, 3, MIB + 1);
        model.assertHolds(journal);
    }

    @EachBackend
    void watermarkFrameAfterDamageIsFoundAtAnyBufferBoundary(final Backend backend)
    {
        crashLarge(backend);
        crashed.loseForced();
        final Frame damaged = crashed.record(3);
        final long forced = crashed.record(5).end();
        Damage.BODY.apply(crashed, damaged);
        for (int distance = -80; distance <= 16; distance += 8)
        {
            final int offset = damaged.offset() + MIB + distance;
            crashed.writeMark(0, offset, 7, forced);
            final CorruptJournalException ex = assertThrows(
                CorruptJournalException.class, () -> openLarge(crashed, backend).close(), () -> "mark at " + offset);
            assertNames(ex.getMessage(), damaged);
            crashed.zero(segmentName(0), offset, offset + MARK_LENGTH);
        }

        final int last = LENGTH - MARK_LENGTH;
        crashed.writeMark(0, last, 7, forced);
        assertThrows(CorruptJournalException.class, () -> openLarge(crashed, backend).close());
        crashed.zero(segmentName(0), last, LENGTH);
        final Journal journal = closing(openLarge(crashed, backend));
        model.assertHolds(journal, 2);
    }

    @EachBackend
    void lastTruncatedByteIsFoundAtAnyBufferBoundary(final Backend backend)
    {
        crashLarge(backend);
        final int end = crashed.end();
        final Map<String, byte[]> image = crashed.content();
        for (final int distance : new int[]{ 0, 7, MIB - 1, MIB, MIB + 3, LENGTH - end - 1 })
        {
            crashed.restore(image);
            crashed.overwrite(segmentName(0), end + distance, (byte)1);
            try (Journal journal = openLarge(crashed, backend))
            {
                model.assertHolds(journal);
                assertEquals(distance + 1, journal.recoveryReport().tornLength());
                assertEquals(1, crashed.read(segmentName(0))[end + distance]);
                model.append(journal, 1, 10);
                model.assertHolds(journal);
                model.forgetAfter(model.size() - 1);
            }
        }
    }

    private void crashLarge(final Backend backend)
    {
        try (Journal journal = openLarge(live, backend))
        {
            model.append(journal, 5, 100);
            live.copyTo(crashed.path);
        }
    }

    private Journal openLarge(final JournalDirectory directory, final Backend backend)
    {
        return model.builder(directory, backend).segmentLength(LENGTH).open();
    }
}
