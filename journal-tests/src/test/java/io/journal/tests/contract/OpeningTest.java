// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.contract;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalNotFoundException;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.FailingSteps;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** The files that opening creates, and the advice in its exceptions. */
class OpeningTest extends JournalFixture
{
    private static final String CONTROL = "journal.control";

    // A wrong path.

    @EachBackend
    void absentOrUnfinishedJournalIsNotCreatedIfItMustExist(final Backend backend) throws IOException
    {
        final JournalNotFoundException ex =
            assertThrows(JournalNotFoundException.class, () -> builder(directory(), backend).openExisting());
        assertTrue(ex.getMessage().contains("path=" + directory()), ex::getMessage);
        assertFalse(Files.exists(directory()));

        Files.createDirectory(directory());
        Files.writeString(directory().resolve("other"), "file");
        assertNotFound(backend);

        builder(directory(), backend).backgroundThread(false).open().close();
        final JournalDirectory files = new JournalDirectory(directory());
        files.delete(CONTROL);
        files.zero(JournalDirectory.segmentName(0), SEGMENT_HEADER_LENGTH, SEGMENT_LENGTH);
        assertNotFound(backend);
    }

    private void assertNotFound(final Backend backend) throws IOException
    {
        final Map<String, String> before = new TreeMap<>(picture(directory()));
        assertThrows(JournalNotFoundException.class, () -> builder(directory(), backend).openExisting());
        assertEquals(before, picture(directory()));
    }

    @EachBackend
    void existingJournalIsOpenedAndTheReportSaysWhetherItWasCreated(final Backend backend)
    {
        try (Journal journal = builder(directory(), backend).open())
        {
            assertTrue(journal.recoveryReport().isNew());
            // The last sequence of an empty journal is durable.
            journal.awaitForced(journal.lastSequence());
            assertTrue(journal.awaitForced(0, Duration.ZERO));
            appendNumbered(journal, 3, 10);
        }
        final Journal journal = closing(builder(directory(), backend).openExisting());
        assertFalse(journal.recoveryReport().isNew());
        assertNumbered(1, 3, readAll(journal));
    }

    @EachBackend
    void missingParentIsNotCreated(final Backend backend)
    {
        final Path missing = temp.resolve("missing");
        final Path path = missing.resolve("below").resolve("journal");
        final JournalNotFoundException ex =
            assertThrows(JournalNotFoundException.class, () -> open(path, backend).close());

        assertTrue(ex.getMessage().contains("missing=" + missing.resolve("below")), ex::getMessage);
        assertFalse(Files.exists(missing));
    }

    // A lost journal.control.

    @EachBackend
    void repairIsAdvisedIfTheControlFileIsLost(final Backend backend) throws IOException
    {
        try (Journal journal = open(directory(), backend))
        {
            appendNumbered(journal, 3, 10);
        }
        Files.delete(directory().resolve(CONTROL));
        for (final JournalException ex : List.of(
            assertThrows(CorruptJournalException.class, () -> open(directory(), backend).close()),
            assertThrows(CorruptJournalException.class, () -> builder(directory(), backend).openExisting()),
            assertThrows(JournalNotFoundException.class, () -> Journal.openReadOnly(directory()))))
        {
            assertTrue(ex.getMessage().contains("\"journal repair\" rebuilds"), ex::getMessage);
            assertFalse(ex.getMessage().contains("away"), ex::getMessage);
        }
    }

    // A full disk.

    @EachBackend
    void fullDiskNamesAllThatANewJournalNeeds(final Backend backend) throws IOException
    {
        final String need = "needs " + (SEGMENT_LENGTH + 256 * 1024) + " bytes";
        final AtomicInteger steps = new AtomicInteger();
        builder(temp.resolve("counted"), backend).backgroundThread(false).store(
            new StepStore(backend.store(temp.resolve("counted")), (step, name) ->
            {
                steps.addAndGet(takesSpace(step) ? 1 : 0);
                return true;
            })).open().close();

        int refused = 0;
        for (int failing = 0; failing < steps.get(); failing++)
        {
            final Path path = temp.resolve("full-" + failing);
            final AtomicInteger left = new AtomicInteger(failing);
            final StepStore store = new StepStore(backend.store(path), (step, name) ->
            {
                if (takesSpace(step) && 0 == left.getAndDecrement())
                {
                    throw new NoSpaceException("injected", null);
                }
                return true;
            });
            try (Journal journal = builder(path, backend).backgroundThread(false).store(store).open())
            {
                assertTrue(journal.recoveryReport().isNew());
            }
            catch (final JournalFullException ex)
            {
                assertTrue(ex.getMessage().contains(need), ex::getMessage);
                refused++;
            }
            catch (final JournalException ignore)
            {
                // A refused write of the watermark fails the journal, so closing throws too.
            }
        }
        assertTrue(refused > 3, "refused=" + refused);
    }

    private static boolean takesSpace(final Step step)
    {
        return Step.CREATE == step || Step.WRITE == step;
    }

    @EachBackend
    void copyWithHolesIsOpenedOnAFullDiskAndAnAppendNamesAllThatTheyNeed(final Backend backend) throws Exception
    {
        final Path source = temp.resolve("source");
        try (Journal journal = builder(source, backend).backgroundThread(false).open())
        {
            appendNumbered(journal, 3, 10);
            RecoveryFixture.prepareNext(journal, new JournalDirectory(source));
        }
        copy(source, directory());
        final FailingSteps full = new FailingSteps((step, name) -> Step.WRITE == step && name.endsWith(".journal"));
        full.beFull();

        try (Journal journal = builder(directory(), backend)
            .backgroundThread(false).store(new StepStore(backend.store(directory()), full)).open())
        {
            final JournalFullException ex =
                assertThrows(JournalFullException.class, () -> appendNumbered(journal, 1, 10));
            final String need = ex.getMessage().replaceFirst(".*bytes=(\\d+).*", "$1");
            assertTrue(Long.parseLong(need) > SEGMENT_LENGTH * 3L / 4, ex::getMessage);
            assertNumbered(1, 3, readAll(journal));
        }
        assertNumbered(1, 3, readAll(directory(), backend));
    }

    // Permissions.

    @Test
    void deniedAccessNamesOwnerAndModeAndAdvisesTheSameUser() throws IOException
    {
        open(directory(), Backend.FILE_CHANNEL).close();
        final Path control = directory().resolve(CONTROL);
        assumeTrue(Files.getFileStore(control).supportsFileAttributeView("posix"), "no permissions here");
        assertDenied(control, "file=" + control + ", owner=" + Files.getOwner(control).getName() + ", mode=" +
            PosixFilePermissions.toString(Files.getPosixFilePermissions(control)) + ", user=" +
            System.getProperty("user.name"));
        // Of a file that is not there, the directory is named.
        assertDenied(directory().resolve("new"), "denied: file=" + directory() + ", owner=");
    }

    private void assertDenied(final Path path, final String expected)
    {
        final JournalException ex = assertThrows(
            JournalException.class, () -> builder(Backend.FILE_CHANNEL, (step, name) ->
            {
                throw new AccessDeniedException(path.toString());
            }).open());
        assertTrue(ex.getMessage().contains(expected), ex::getMessage);
        assertTrue(ex.getMessage().contains("run as the same user"), ex::getMessage);
    }

    // The last sequence.
}
