package io.journal.tests.damage;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory.Frame;
import io.journal.verify.JournalVerifier;
import io.journal.verify.Verdict;

import static io.journal.tests.support.JournalDirectory.HEADER_LENGTH;
import static io.journal.tests.support.JournalDirectory.littleEndian;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A segment that was replaced by an older copy of its file, from before a truncation: its frames are valid, and its
 * header is the journal's.
 */
class OlderCopyTest extends RecoveryFixture
{
    private static final int LENGTH = 3000;

    @EachBackend
    void middleSegmentFromBeforeATruncationIsReportedByReaders(final Backend backend)
    {
        final byte[] older = refillMiddleSegment(backend, 1, 4);
        crashed.put(segmentName(1), older);
        assertReportedByReaders(backend);
    }

    /** As long as there is another one behind it, a damaged frame is not taken for an older copy. */
    @EachBackend
    void damagedFrameOfATruncationKeepsNoReaderFromTheRecordsBeforeIt(final Backend backend)
    {
        refillMiddleSegment(backend, 1, 4);
        final long epoch = crashed.state().epoch();
        final Frame mark = crashed.frames(1).stream()
            .filter((frame) -> frame.isMark() && epoch == littleEndian(frame.body()).getLong(16))
            .findFirst().orElseThrow();
        Damage.BODY.apply(crashed, mark);

        assertTrue(JournalVerifier.verify(crashed.path).isDamaged());
        try (Journal journal = open(crashed, backend))
        {
            assertReaderStaysAt(journal, mark);
        }
    }

    /** The truncation removed all of it, and another file has its name since. */
    @EachBackend
    void segmentThatWasReplacedByATruncationIsReportedByReaders(final Backend backend)
    {
        crashed.put(segmentName(1), refillMiddleSegment(backend, 0, 4));
        assertReportedByReaders(backend);
    }

    /** The second truncation is at the place of the first one, where the older copy has a watermark frame, too. */
    @EachBackend
    void middleSegmentFromBetweenTwoTruncationsAtOnePlaceIsReportedByReaders(final Backend backend)
    {
        refillMiddleSegment(backend, 1, 4);
        final byte[] older = refillMiddleSegment(backend, 1, 4);
        crashed.put(segmentName(1), older);
        assertReportedByReaders(backend);
    }

    private byte[] refillMiddleSegment(final Backend backend, final long ordinal, final int kept)
    {
        try (Journal journal = open(live, backend))
        {
            fill(journal);
            final byte[] older = live.read(segmentName(1));
            final long next = live.records(2).get(0).sequence();

            final long last = live.records(ordinal).get(kept).sequence();
            journal.truncateAfter(last);
            model.forgetAfter(last);
            fill(journal);
            assertEquals(next, live.records(2).get(0).sequence(), "the case is another one");
            crashed.restore(live.content());
            return older;
        }
    }

    private void fill(final Journal journal)
    {
        model.appendInto(journal, 2, LENGTH);
        model.append(journal, 3, LENGTH);
        journal.force();
    }

    private void assertReportedByReaders(final Backend backend)
    {
        assertFoundByVerifier();
        final int whole = crashed.records(0).size();
        try (ReadOnlyJournal followed = Journal.openReadOnly(crashed.path);
            JournalReader reader = followed.openReader())
        {
            assertStaysBefore(reader, whole);
            assertThrows(
                CorruptJournalException.class, () -> followed.get(whole + 7, (buffer, offset, length, header) ->
                {
                }));
        }
        try (Journal journal = open(crashed, backend); JournalReader reader = journal.openReader())
        {
            assertEquals(model.size(), journal.lastSequence());
            assertStaysBefore(reader, whole);
            assertThrows(
                CorruptJournalException.class, () -> journal.get(whole + 7, (buffer, offset, length, header) ->
                {
                }));
        }
    }

    private static void assertStaysBefore(final JournalReader reader, final int whole)
    {
        final List<Entry> found = new ArrayList<>();
        for (int i = 0; i < 2; i++)
        {
            final CorruptJournalException ex =
                assertThrows(CorruptJournalException.class, () -> readOn(reader, found));
            assertEquals(segmentName(1), ex.file());
            assertEquals(whole, found.size());
        }
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
                final byte[] older = live.read(segmentName(0));
                journal.truncateAfter(5);
                model.forgetAfter(5);
                model.append(journal, 20, length);
                journal.force();
                crashed.restore(live.content());
                crashed.put(segmentName(0), older);
                assertRejected(backend);
                journal.truncateAfter(0);
                model.forgetAfter(0);
            }
        }
    }

    /** Both versions end with a close frame, at one position. */
    @EachBackend
    void newestSegmentOfACleanlyClosedJournalIsRejected(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 20, 1000);
        }
        final byte[] older = live.read(segmentName(0));
        final int end = live.record(20).end();
        try (Journal journal = open(live, backend))
        {
            journal.truncateAfter(10);
            model.forgetAfter(10);
            model.append(journal, 9, 1000);
            model.append(journal, end - (int)journal.counters().appendedPosition() - HEADER_LENGTH);
        }
        assertEquals(end, live.record(20).end(), "the case is another one");
        live.copyTo(crashed.path);
        crashed.put(segmentName(0), older);

        assertRejected(backend);
    }

    private void assertRejected(final Backend backend)
    {
        assertFoundByVerifier();
        final Map<String, byte[]> before = crashed.content();
        final CorruptJournalException ex =
            assertThrows(CorruptJournalException.class, () -> open(crashed, backend).close());
        assertTrue(ex.getMessage().contains("older copy"), ex::getMessage);
        assertEquals(segmentName(0), ex.file());
        assertThrows(CorruptJournalException.class, () -> Journal.openReadOnly(crashed.path).close());
        final Map<String, byte[]> after = crashed.content();
        assertEquals(before.keySet(), after.keySet());
        before.forEach((name, bytes) -> assertArrayEquals(bytes, after.get(name), name));
    }

    private void assertFoundByVerifier()
    {
        final Verdict verdict = JournalVerifier.verify(crashed.path);
        assertTrue(verdict.isDamaged(), verdict::toString);
        assertFalse(verdict.areRecordsWhole(), verdict::toString);
        assertFalse(verdict.isRepairableByTruncation(), verdict::toString);
    }
}
