// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.damage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.RecordModel;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A segment, or {@code journal.control}, that was replaced by an older copy of the file: all its bytes are valid, and
 * the files do not fit together.
 */
class OlderCopyTest extends RecoveryFixture
{
    private static final int LENGTH = 3000;

    // Segments.

    @EachBackend
    void olderCopyOfAnySegmentIsReported(final Backend backend)
    {
        final List<Map<String, byte[]>> moments = moments(backend);
        final Map<String, byte[]> last = moments.get(moments.size() - 1);
        int reported = 0;
        for (final Map<String, byte[]> moment : moments)
        {
            for (final String name : last.keySet())
            {
                final byte[] older = moment.get(name);
                if (name.endsWith(".journal") && null != older && !Arrays.equals(older, last.get(name)))
                {
                    crashed.restore(last);
                    crashed.put(name, older);
                    assertReportedOrWhole(backend, name);
                    reported++;
                }
            }
        }
        assertTrue(reported > 10, "copies=" + reported);
    }

    @EachBackend
    void newestSegmentFromBeforeATruncationIsRejected(final Backend backend)
    {
        for (final int length : new int[]{ 300, 1000 })
        {
            try (Journal journal = open(live, backend))
            {
                model.append(journal, 40, 1000);
                journal.force();
                final String name = segmentName(live.newestUsed());
                final byte[] older = live.read(name);
                journal.truncateAfter(model.size() - 20);
                model.forgetAfter(model.size() - 20);
                model.append(journal, 5, length);
                journal.force();
                crashed.restore(live.content());
                crashed.put(name, older);
                assertRejected(backend, name);
            }
        }
    }

    /** Nothing was appended after the truncation, so the older copy differs in one frame only. */
    @EachBackend
    void newestSegmentOfACleanlyClosedJournalIsReportedOrWhole(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 20, 1000);
        }
        final byte[] older = live.read(segmentName(0));
        try (Journal journal = open(live, backend))
        {
            journal.truncateAfter(10);
            model.forgetAfter(10);
        }
        live.copyTo(crashed.path);
        crashed.put(segmentName(0), older);

        assertReportedOrWhole(backend, segmentName(0));
    }

    /** Records were appended to both copies, and each term of a copy has the number of a term of the other copy. */
    @EachBackend
    void segmentOfACopyOfTheJournalThatWentAnotherWayIsReported(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.appendInto(journal, 1, LENGTH);
        }
        final JournalDirectory other = live.copyTo(directory("other").path);
        final RecordModel way = model.copy();
        crashWithForcedSegments(backend, 3, LENGTH);
        try (Journal journal = way.builder(other, backend).open())
        {
            way.appendInto(journal, 3, LENGTH);
        }
        for (final long ordinal : new long[]{ 2, 3 })
        {
            final Map<String, byte[]> image = crashed.content();
            crashed.put(segmentName(ordinal), other.read(segmentName(ordinal)));
            assertTrue(JournalVerifier.verify(crashed.path).isDamaged());
            assertThrows(CorruptJournalException.class, () -> openAndRead(backend));
            assertThrows(CorruptJournalException.class, this::followAndRead);
            crashed.restore(image);
        }
    }

    /** A damaged frame is not taken for an older copy as long as an intact frame follows it. */
    @EachBackend
    void damagedFrameOfATruncationKeepsNoReaderFromTheRecordsBeforeIt(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 5, LENGTH);
            journal.truncateAfter(3);
            model.forgetAfter(3);
            model.appendInto(journal, 2, LENGTH);
            journal.force();
            live.copyTo(crashed.path);
        }
        final long term = crashed.state().term();
        final Frame mark = crashed.frames(0).stream()
            .filter((frame) -> frame.isMark() && term == frame.markedTerm())
            .findFirst().orElseThrow();
        Damage.BODY.apply(crashed, mark);

        assertTrue(JournalVerifier.verify(crashed.path).isDamaged());
        try (Journal journal = open(crashed, backend))
        {
            assertReaderStaysAt(journal, mark);
        }
    }

    // The control file.

    @EachBackend
    void olderControlFileIsRejected(final Backend backend)
    {
        final List<Map<String, byte[]>> moments = moments(backend);
        final Map<String, byte[]> last = moments.get(moments.size() - 1);
        crashed.restore(last);
        final long term = crashed.state().term();
        int rejected = 0;
        for (final Map<String, byte[]> moment : moments)
        {
            crashed.restore(last);
            crashed.put(CONTROL, moment.get(CONTROL));
            if (term != crashed.state().term())
            {
                final Map<String, byte[]> before = crashed.content();
                assertTrue(JournalVerifier.verify(crashed.path).isDamaged());
                assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
                assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
                crashed.assertHolds(before);
                rejected++;
            }
        }
        assertTrue(rejected > 4, "copies=" + rejected);
    }

    /** Two control files of the same term can differ only in the cursors, the start, and the watermark. */
    @EachBackend
    void olderControlFileOfTheSameTermLosesNoRecord(final Backend backend)
    {
        final byte[] older;
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(4);
            older = live.read(CONTROL);
            model.append(journal, 10, 100);
            journal.cursor("a").save(14);
            journal.force();
            live.copyTo(crashed.path);
        }
        crashed.put(CONTROL, older);

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertEquals(4, journal.cursor("a").sequence());
    }

    // Whether a copy is noticed.

    /** The files of a journal in use at several moments, with openings, truncations and several segments in between. */
    private List<Map<String, byte[]>> moments(final Backend backend)
    {
        final List<Map<String, byte[]>> moments = new ArrayList<>();
        for (int life = 0; life < 3; life++)
        {
            try (Journal journal = open(live, backend))
            {
                model.appendInto(journal, live.newestUsed() + 1, LENGTH);
                model.append(journal, 4, LENGTH);
                journal.force();
                moments.add(live.content());
                journal.truncateAfter(model.size() - 2);
                model.forgetAfter(model.size() - 2);
                moments.add(live.content());
                model.append(journal, 3, 100);
                journal.force();
                moments.add(live.content());
            }
            moments.add(live.content());
        }
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 2, 100);
            journal.force();
            moments.add(live.content());
        }
        return moments;
    }

    /** Opening, a follower and the verifier agree; where none of them reports anything, nothing is missing. */
    private void assertReportedOrWhole(final Backend backend, final String name)
    {
        final boolean isDamaged = JournalVerifier.verify(crashed.path).isDamaged();
        boolean isReported = false;
        try
        {
            followAndRead();
        }
        catch (final CorruptJournalException ex)
        {
            isReported = true;
        }
        assertEquals(isDamaged, isReported, name);
        try
        {
            openAndRead(backend);
            assertFalse(isDamaged, name);
        }
        catch (final CorruptJournalException ex)
        {
            assertTrue(isDamaged, ex::toString);
        }
    }

    private void openAndRead(final Backend backend)
    {
        try (Journal journal = open(crashed, backend))
        {
            model.assertHolds(journal);
        }
    }

    private void followAndRead()
    {
        final List<Entry> found = new ArrayList<>();
        try (ReadOnlyJournal followed = Journal.openReadOnly(crashed.path);
            JournalReader reader = followed.openReader())
        {
            readOn(reader, found);
        }
        model.assertHolds(found, model.size());
    }

    private void assertRejected(final Backend backend, final String name)
    {
        final Verdict verdict = JournalVerifier.verify(crashed.path);
        assertTrue(verdict.isDamaged(), verdict::toString);
        assertFalse(verdict.areRecordsWhole(), verdict::toString);
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertEquals(name, ex.file());
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
        crashed.assertHolds(before);
    }
}
