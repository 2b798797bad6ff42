package io.journal.bench.journal;

import java.util.HashSet;
import java.util.List;

import io.journal.store.Backend;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CaseTest
{
    private static List<Case> cases()
    {
        return Case.all(256);
    }

    @Test
    void theDefaultComesFirstAndEveryBackendIsThere()
    {
        assertEquals(new Case(Backend.MAPPED, 0), cases().get(0));
        for (final Backend backend : Backend.values())
        {
            assertTrue(cases().stream().anyMatch((each) -> backend == each.backend()), backend.name());
        }
        assertEquals(cases().size(), new HashSet<>(cases()).size());
    }

    @Test
    void aMappedJournalHasNoWindow()
    {
        assertEquals(1, cases().stream().filter((each) -> Backend.MAPPED == each.backend()).count());
        assertTrue(cases().contains(new Case(Backend.FILE_CHANNEL, 64 * 1024)));
    }

    @Test
    void directIoHasAWindowIfRecordsFitOne()
    {
        assertEquals(
            List.of(new Case(Backend.DIRECT, 64 * 1024)),
            cases().stream().filter((each) -> Backend.DIRECT == each.backend()).toList());
        assertTrue(Case.all(1024 * 1024).contains(new Case(Backend.DIRECT, 0)));
    }

    @Test
    void windowsThatHoldNoTwoRecordsAreLeftOut()
    {
        final int recordLength = 40 * 1024;

        for (final Case each : Case.all(recordLength))
        {
            assertTrue(0 == each.writeWindow() || each.writeWindow() >= 2 * recordLength, each.label());
        }
        assertEquals(Backend.values().length, Case.all(1024 * 1024).size());
    }

    @Test
    void labelNamesTheWindow()
    {
        assertEquals("FILE_CHANNEL", new Case(Backend.FILE_CHANNEL, 0).label());
        assertEquals("FILE_CHANNEL 64 KiB", new Case(Backend.FILE_CHANNEL, 64 * 1024).label());
        assertEquals("FILE_CHANNEL 1 MiB", new Case(Backend.FILE_CHANNEL, 1024 * 1024).label());
    }
}
