// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.StepStore;
import io.journal.verify.Finding.Severity;
import io.journal.verify.JournalVerifier;
import io.journal.verify.SegmentCheck;
import io.journal.verify.Verdict;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.journal.tests.support.JournalDirectory.CONTROL;
import static io.journal.tests.support.JournalDirectory.STATE_SLOTS;
import static io.journal.tests.support.JournalDirectory.WATERMARKS;
import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** An unreadable sector is not treated as corruption: it may be intact, and truncating it would lose it. */
class UnreadableTest extends RecoveryFixture
{
    @ParameterizedTest
    @ValueSource(ints = { 0, 100, 4096, 30_000, SEGMENT_LENGTH - 1 })
    void readErrorOfASegmentIsNotReportedAsCorruption(final int failing)
    {
        try (Journal journal = open(live, Backend.FILE_CHANNEL))
        {
            model.appendInto(journal, 3, 3000);
        }

        final Verdict verdict = verify(failing);

        assertTrue(verdict.isDamaged());
        assertEquals(1, verdict.findings().size(), verdict::toString);
        assertEquals(Severity.UNREADABLE, verdict.findings().get(0).severity());
        assertEquals(segmentName(1), verdict.findings().get(0).place().file());
        assertTrue(verdict.findings().get(0).found().contains("Input/output error"), verdict::toString);
        assertTrue(verdict.findings().get(0).place().offset() <= failing, verdict::toString);
    }

    private Verdict verify(final int failing)
    {
        return verify(live.path, failing(Backend.FILE_CHANNEL.store(live.path), segmentName(1), failing));
    }

    private static Verdict verify(final Path path, final SegmentStore store)
    {
        final JournalVerifier verifier = JournalVerifier.open(path, store);
        final List<SegmentCheck> checks = verifier.ordinals().stream().map((ordinal) -> verifier.check(ordinal, (n) ->
        {
        })).toList();
        return verifier.conclude(checks);
    }

    @EachBackend
    void controlFileThatFailsToBeReadIsNotReportedAsCorruption(final Backend backend)
    {
        try (Journal journal = open(live, backend))
        {
            model.append(journal, 10, 100);
            journal.cursor("a").save(5);
            live.copyTo(crashed.path);
        }
        final Map<String, byte[]> before = crashed.content();

        for (final int failing : new int[]{ 0, STATE_SLOTS[0], STATE_SLOTS[1] + 100, WATERMARKS[1] })
        {
            final SegmentStore store = failing(backend.store(crashed.path), CONTROL, failing);
            assertUnreadable(
                assertThrows(JournalException.class, () -> model.builder(crashed, backend).store(store).open()));
            assertUnreadable(assertThrows(JournalException.class, () -> Internals.openReadOnly(crashed.path, store)));
            crashed.assertHolds(before);
        }

        final Journal journal = closing(open(crashed, backend));
        model.assertHolds(journal);
        assertEquals(5, journal.cursor("a").sequence());
    }

    private static void assertUnreadable(final JournalException ex)
    {
        assertEquals(JournalException.class, ex.getClass(), ex::toString);
        assertTrue(ex.getMessage().contains("Input/output error"), ex::getMessage);
    }

    /** A store in which a file cannot be read at an offset, if it has the given name or a path that ends with it. */
    private static SegmentStore failing(final SegmentStore store, final String name, final int failing)
    {
        return new StepStore(store, new StepStore.AllSteps()
        {
            @Override
            public void afterRead(final String file, final long offset, final ByteBuffer bytes) throws IOException
            {
                if (file.endsWith(name) && offset <= failing && failing < offset + bytes.remaining())
                {
                    throw new IOException("Input/output error");
                }
            }
        });
    }
}
