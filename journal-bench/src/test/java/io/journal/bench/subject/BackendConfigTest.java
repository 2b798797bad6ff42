// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.util.HashSet;
import java.util.List;

import io.journal.store.Backend;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class BackendConfigTest
{
    private static List<BackendConfig> cases()
    {
        return BackendConfig.all(256);
    }

    @Test
    void theDefaultComesFirstAndEveryBackendIsThere()
    {
        assertEquals(new BackendConfig(Backend.MAPPED, 0), cases().get(0));
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
        assertTrue(cases().contains(new BackendConfig(Backend.FILE_CHANNEL, 64 * 1024)));
    }

    @Test
    void directIoHasAWindowIfRecordsFitOne()
    {
        assertEquals(
            List.of(new BackendConfig(Backend.DIRECT, 64 * 1024)),
            cases().stream().filter((each) -> Backend.DIRECT == each.backend()).toList());
        assertTrue(BackendConfig.all(1024 * 1024).contains(new BackendConfig(Backend.DIRECT, 0)));
    }

    @Test
    void windowsThatHoldNoTwoRecordsAreLeftOut()
    {
        final int recordLength = 40 * 1024;

        for (final BackendConfig each : BackendConfig.all(recordLength))
        {
            assertTrue(0 == each.writeWindow() || each.writeWindow() >= 2 * recordLength, each.label());
        }
        assertEquals(Backend.values().length, BackendConfig.all(1024 * 1024).size());
    }

    @Test
    void labelNamesTheWindow()
    {
        assertEquals("FILE_CHANNEL", new BackendConfig(Backend.FILE_CHANNEL, 0).label());
        assertEquals("FILE_CHANNEL 64 KiB", new BackendConfig(Backend.FILE_CHANNEL, 64 * 1024).label());
        assertEquals("FILE_CHANNEL 1 MiB", new BackendConfig(Backend.FILE_CHANNEL, 1024 * 1024).label());
    }
}
