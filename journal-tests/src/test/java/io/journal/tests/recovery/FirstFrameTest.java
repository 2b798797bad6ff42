// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.journal.Internals;
import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.tests.support.JournalDirectory.State;
import io.journal.verify.Finding;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

import static io.journal.tests.support.JournalDirectory.FIRST_OFFSET;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Segments whose first frame is a record with a valid checksum and the expected sequence, where only a watermark frame
 * is valid.
 */
class FirstFrameTest extends RecoveryFixture
{
    private static final String FAULT = "first frame of a segment is not a watermark frame";

    @EachBackend
    void recoveryRefusesTheSegmentThatTheJournalWasClosedIn(final Backend backend)
    {
        closeWithFirstFrameReplaced(backend, 0, 0);
        final Map<String, byte[]> before = crashed.content();

        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertNamesFirstFrame(0, ex);
        crashed.assertHolds(before);
    }

    @EachBackend
    void recoveryRefusesTheSegmentThatItScans(final Backend backend)
    {
        closeWithFirstFrameReplaced(backend, 0, 0);
        crashed.raiseForceFlag();

        assertNamesFirstFrame(
            0, assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close()));
    }

    @EachBackend
    void readerStaysBeforeTheSegment(final Backend backend)
    {
        closeWithFirstFrameReplaced(backend, 1, 3);

        final Journal journal = closing(open(crashed, backend));
        final JournalReader reader = closing(journal.openReader());
        assertStaysBeforeSegmentOne(reader);
    }

    @EachBackend
    void readerOfAFollowerStaysBeforeTheSegment(final Backend backend)
    {
        closeWithFirstFrameReplaced(backend, 1, 3);

        try (ReadOnlyJournal journal = Internals.openReadOnly(crashed.path, backend.store(crashed.path));
            JournalReader reader = journal.openReader())
        {
            assertStaysBeforeSegmentOne(reader);
        }
    }

    @EachBackend
    void followerRefusesTheNewestSegment(final Backend backend)
    {
        closeWithFirstFrameReplaced(backend, 0, 0);

        assertNamesFirstFrame(0, assertThrows(
            CorruptJournalException.class,
            () -> Internals.openReadOnly(crashed.path, backend.store(crashed.path)).close()));
    }

    @EachBackend
    void verifierReportsTheSegment(final Backend backend) throws Exception
    {
        closeWithFirstFrameReplaced(backend, 1, 3);

        final Verdict verdict = JournalVerifier.verify(crashed.path);
        assertTrue(verdict.isDamaged());
        final Finding.Place place = verdict.findings().get(0).place();
        assertEquals(segmentName(1), place.file());
        assertEquals(FIRST_OFFSET, place.offset());
    }

    @EachBackend
    void backupRefusesTheSegment(final Backend backend)
    {
        closeWithFirstFrameReplaced(backend, 1, 3);
        final Path target = temp.resolve("backup");

        final Journal journal = closing(open(crashed, backend));
        assertNamesFirstFrame(1, assertThrows(CorruptJournalException.class, () -> journal.backup(target)));
    }

    /**
     * Replaces the first frame of a segment by a record of the same length, and raises all later sequences by one, so
     * that nothing but the kind of that frame is wrong.
     */
    private void closeWithFirstFrameReplaced(final Backend backend, final long ordinal, final int rolls)
    {
        try (Journal journal = open(live, backend))
        {
            for (int i = 0; i < rolls; i++)
            {
                // Fewer bytes are left than a padding frame needs.
                model.appendUpTo(journal, 16);
                model.append(journal, 1, 100);
            }
            model.append(journal, 3, 100);
        }
        live.copyTo(crashed.path);

        for (final long later : crashed.ordinals())
        {
            for (final Frame frame : later < ordinal ? List.<Frame>of() : crashed.frames(later))
            {
                final boolean isFirst = later == ordinal && FIRST_OFFSET == frame.offset();
                crashed.writeFrame(
                    later, frame.offset(), !isFirst && frame.isControl(), frame.sequence() + (isFirst ? 0 : 1),
                    frame.tag(), frame.body());
            }
        }
        assertFalse(crashed.frames(ordinal).get(0).isControl());
        final State state = crashed.state();
        crashed.writeState(state.withClosed(state.closedPosition(), state.closedSequence() + 1));
        crashed.writeForced(state.closedPosition(), state.closedSequence() + 1);
    }

    private void assertStaysBeforeSegmentOne(final JournalReader reader)
    {
        final List<Entry> found = new ArrayList<>();
        assertNamesFirstFrame(
            1, assertThrows(CorruptJournalException.class, () -> readOn(reader, found)));
        assertNamesFirstFrame(
            1, assertThrows(CorruptJournalException.class, () -> readOn(reader, found)));
        model.assertHolds(found, crashed.frames(1).get(0).sequence() - 1);
    }

    private static void assertNamesFirstFrame(final long ordinal, final CorruptJournalException ex)
    {
        assertTrue(ex.getMessage().contains("file=" + segmentName(ordinal) + ", offset=" + FIRST_OFFSET), ex::toString);
        assertTrue(ex.getMessage().contains(FAULT), ex::toString);
    }
}
