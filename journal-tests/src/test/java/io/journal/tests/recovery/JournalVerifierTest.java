// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.nio.file.Files;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.verify.Finding;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalVerifier;
import io.journal.verify.SegmentCheck;
import io.journal.verify.Verdict;
import org.junit.jupiter.api.Test;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Damage outside the records: the verifier reports it with its consequence, and that the records are intact. */
class JournalVerifierTest extends RecoveryFixture
{
    private static final String LOCK = "journal.lock";
    private static final long UNKNOWN_CRITICAL_KIND = 99 | 1L << 62;

    @EachBackend
    void directoryInPlaceOfTheLockIsReported(final Backend backend) throws Exception
    {
        crash(backend);
        Files.deleteIfExists(crashed.file(LOCK));
        Files.createDirectory(crashed.file(LOCK));

        assertUnusable(LOCK);
        assertThrows(JournalException.class, () -> open(crashed, backend));
    }

    private void assertUnusable(final String file)
    {
        final Verdict verdict = verify();
        assertEquals(1, verdict.findings().size(), verdict::toString);
        assertEquals(Severity.UNUSABLE, verdict.findings().get(0).severity());
        assertEquals(file, verdict.findings().get(0).place().file());
        assertTrue(verdict.isDamaged());
        assertTrue(verdict.areRecordsWhole());
    }

    @EachBackend
    void lostDurableWatermarkIsANote(final Backend backend)
    {
        for (final MarkLoss loss : MarkLoss.values())
        {
            crash(backend);
            loss.apply(crashed);

            final Verdict verdict = verify();

            assertEquals(1, verdict.findings().size(), loss::toString);
            assertEquals(Severity.NOTE, verdict.findings().get(0).severity(), loss::toString);
            assertEquals(CONTROL, verdict.findings().get(0).place().file());
            assertFalse(verdict.isDamaged());
            assertTrue(verdict.areRecordsWhole());
            open(crashed, backend).close();
            assertEquals(List.of(), verify().findings(), "opening writes it again");
        }
    }

    @Test
    void tornTailWithoutDurableWatermarkMayBeDamage()
    {
        crash(Backend.FILE_CHANNEL);
        crashed.overwrite(JournalDirectory.segmentName(0), crashed.end() + 8, (byte)1);
        assertTrue(tail().meaning().startsWith("not known to be durable"), () -> tail().meaning());

        crashed.loseForced();

        assertTrue(tail().meaning().contains("durable records"), () -> tail().meaning());
    }

    private Finding tail()
    {
        return verify().findings().stream()
            .filter((finding) -> Severity.TAIL == finding.severity()).findFirst().orElseThrow();
    }

    @EachBackend
    void cursorSavedAfterTheSegmentsWereReadIsNotAheadOfTheEnd(final Backend backend)
    {
        final Journal journal = closing(open(live, backend));
        model.append(journal, 6, 100);
        journal.cursor("a").save(6);
        final JournalVerifier verifier = JournalVerifier.open(live.path);
        final List<SegmentCheck> checks = checks(verifier);
        model.append(journal, 1, 100);
        journal.cursor("a").save(7);

        final Verdict verdict = verifier.conclude(checks);

        assertFalse(verdict.isDamaged(), verdict::toString);
        assertTrue(verdict.areRecordsWhole());
        assertEquals(6, verdict.lastSequence());
    }

    @EachBackend
    void recordsBeforeAFrameOfANewerFormatAreIntact(final Backend backend)
    {
        crash(backend);
        crashed.writeFrame(0, crashed.end(), true, 7, UNKNOWN_CRITICAL_KIND, new byte[16]);

        final Verdict verdict = verify();

        assertEquals(
            List.of(Severity.NEWER_FORMAT), verdict.findings().stream().map(Finding::severity).toList());
        assertFalse(verdict.areRecordsWhole());
        assertEquals(6, verdict.lastSequence());
        assertEquals(7, verdict.findings().get(0).place().sequence());
    }

    /** A writer with six records and two cursors that is killed. */
    private void crash(final Backend backend)
    {
        begin();
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 6, 100);
            journal.cursor("a").save(4);
            journal.cursor("b").save(6);
            crashed.restore(live.content());
        }
    }

    private Verdict verify()
    {
        return JournalVerifier.verify(crashed.path);
    }

    private static List<SegmentCheck> checks(final JournalVerifier verifier)
    {
        return verifier.ordinals().stream().map((ordinal) -> verifier.check(ordinal, (n) ->
        {
        })).toList();
    }
}
