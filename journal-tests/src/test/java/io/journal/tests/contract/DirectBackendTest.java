// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.Internals;
import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import io.journal.tests.support.UsableBackends;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Behaviour of the DIRECT backend alone: where it is refused, and how its records share writes. */
class DirectBackendTest extends JournalFixture
{
    private JournalBuilder direct()
    {
        assumeTrue(UsableBackends.in(temp).contains(Backend.DIRECT), "no direct I/O here");
        return Journal.builder(directory()).backend(Backend.DIRECT).segmentLength(SEGMENT_LENGTH)
            .backgroundThread(false);
    }

    @Test
    void refusalNamesTheReasonAndChangesNothing() throws IOException
    {
        final String name = System.getProperty("os.name");
        System.setProperty("os.name", "Plan 9");
        try
        {
            assertRefused();
            assertFalse(Files.exists(directory()));

            open(directory(), Backend.FILE_CHANNEL).close();
            final Map<String, String> before = picture(directory());
            assertRefused();
            assertEquals(before, picture(directory()));
        }
        finally
        {
            System.setProperty("os.name", name);
        }
    }

    private void assertRefused()
    {
        final JournalException ex = assertThrows(
            JournalException.class, () -> Journal.builder(directory()).backend(Backend.DIRECT).open());
        assertInstanceOf(UnsupportedFileSystemException.class, ex.getCause());
        assertTrue(ex.getMessage().contains("only on Linux"), ex::toString);
    }

    @Test
    void windowIs64KiBUnlessItIsSet()
    {
        final JournalBuilder builder = Journal.builder(directory()).backend(Backend.DIRECT);

        assertEquals(64 * 1024, Internals.writeWindow(builder));
        assertEquals(0, Internals.writeWindow(builder.writeWindow(0)));
        assertEquals(1000, Internals.writeWindow(builder.writeWindow(1000)));
        assertEquals(0, Internals.writeWindow(Journal.builder(directory()).backend(Backend.FILE_CHANNEL)));
    }

    @Test
    void recordsOfOneForceShareAWrite()
    {
        final AtomicInteger writes = new AtomicInteger();
        final StepStore store = new StepStore(Backend.DIRECT.store(directory()), (step, name) ->
        {
            if (Step.WRITE == step && name.endsWith(".journal"))
            {
                writes.incrementAndGet();
            }
            return true;
        });
        // The first preparation step covers the whole window.
        try (Journal journal = direct().store(store).segmentLength(16 * SEGMENT_LENGTH).open())
        {
            writes.set(0);
            appendNumbered(journal, 100, 100);
            assertEquals(0, writes.get());
            journal.force();
            assertEquals(1, writes.get());
        }
        assertNumbered(1, 100, readAll(directory(), Backend.MAPPED));
    }
}
