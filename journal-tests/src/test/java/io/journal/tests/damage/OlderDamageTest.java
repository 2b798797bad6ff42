// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory.Frame;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertThrows;

/** Damage that recovery does not scan is reported by the reader that meets it. */
class OlderDamageTest extends RecoveryFixture
{
    @EachBackend
    void damageInAnOlderSegmentIsReportedByTheReader(final Backend backend)
    {
        final List<Frame> frames = crashWithForcedSegments(backend);
        final Map<String, byte[]> image = crashed.content();
        for (final Damage damage : Damage.values())
        {
            for (final Frame frame : frames)
            {
                crashed.restore(image);
                damage.apply(crashed, frame);
                try (Journal journal = open(crashed, backend))
                {
                    assertNothingCut(journal.recoveryReport());
                    assertReaderStaysAt(journal, frame);
                    assertReadableBehind(journal, frame.sequence() + 1);
                }
            }
        }
    }

    private List<Frame> crashWithForcedSegments(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 3, 6000);
            journal.force();
            live.copyTo(crashed.path);
        }

        final List<Frame> records = crashed.records(1);
        return List.of(crashed.records(0).get(0), records.get(0), records.get(3), records.get(records.size() - 1));
    }

    @EachBackend
    void damagedHeaderOfAnOlderSegmentIsReportedByTheReader(final Backend backend)
    {
        crashWithForcedSegments(backend);
        final Frame first = crashed.records(1).get(0);
        crashed.flip(segmentName(1), 300, 2);

        final Journal journal = closing(open(crashed, backend));
        assertNothingCut(journal.recoveryReport());
        assertReaderStays(journal, first.sequence(), 1, 4092);
    }

    @EachBackend
    void truncatedOlderSegmentIsReportedByTheReader(final Backend backend)
    {
        crashWithForcedSegments(backend);
        final Frame first = crashed.records(1).get(0);
        final Map<String, byte[]> image = crashed.content();
        for (final int length : new int[]{ 0, 100, FIRST_OFFSET, 20_000, SEGMENT_LENGTH - 1 })
        {
            crashed.restore(image);
            crashed.cut(segmentName(1), length);

            try (Journal journal = open(crashed, backend))
            {
                assertReaderStays(journal, first.sequence(), 1, length);
            }
        }
    }

    @EachBackend
    void damagedFirstFrameOfAnOlderSegmentIsReportedByTheReader(final Backend backend)
    {
        crashWithForcedSegments(backend);
        final Frame mark = crashed.frames(1).get(0);
        Damage.BODY.apply(crashed, mark);

        final Journal journal = closing(open(crashed, backend));
        assertReaderStays(journal, mark.sequence(), 1, FIRST_OFFSET);
    }

    @EachBackend
    void openReaderStaysAtDamageWhileTheJournalContinues(final Backend backend)
    {
        crashWithForcedSegments(backend);
        final Frame damaged = crashed.records(1).get(2);
        Damage.BODY.apply(crashed, damaged);

        try (Journal journal = open(crashed, backend);
            JournalReader reader = journal.openReader())
        {
            final List<Entry> found = new ArrayList<>();
            assertThrows(CorruptJournalException.class, () -> readOn(reader, found));
            model.append(journal, 5, 6000);
            assertThrows(CorruptJournalException.class, () -> readOn(reader, found));
            model.assertHolds(found, damaged.sequence() - 1);
            assertReadableBehind(journal, damaged.sequence() + 1);
        }
    }
}
