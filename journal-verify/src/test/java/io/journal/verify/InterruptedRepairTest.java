// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A repair that ends in the midst of its steps: opening refuses the journal or finds it whole, and the repair can be
 * repeated.
 */
class InterruptedRepairTest
{
    private static final int SEGMENT_LENGTH = 64 * 1024;
    private static final int NEWEST = 4;
    private static final Set<String> STEPS =
        Set.of("create", "createUnallocated", "write", "force", "rename", "delete");

    @TempDir
    Path temp;
    private Path path;

    /** Fails one of the calls that change files. */
    private static final class FailingStep implements StoreProxy.Calls
    {
        private int left;

        FailingStep(final int step)
        {
            left = step;
        }

        @Override
        public void before(final String name, final String method, final Object... args) throws IOException
        {
            if (STEPS.contains(method) && 0 == left--)
            {
                throw new IOException("injected");
            }
        }

        boolean hasFailed()
        {
            return left < 0;
        }
    }

    @ParameterizedTest
    @CsvSource({ "1,true", "2,true", "3,true", "4,true", "1,false", "2,false", "4,false" })
    void truncationBeforeASegmentThatIsInterruptedIsRefusedOrWhole(final int damaged, final boolean isThere)
        throws IOException
    {
        writeJournal();
        final Path segment = path.resolve(JournalFiles.segment(damaged));
        if (isThere)
        {
            zero(segment, 0, 4096 + 64);
        }
        else
        {
            Files.delete(segment);
        }

        assertRefusedOrWholeAfterEachStep();
    }

    @Test
    void truncationWithinASegmentThatIsInterruptedIsRefusedOrWhole() throws IOException
    {
        writeJournal();
        zero(path.resolve(JournalFiles.segment(NEWEST)), 8_000, 100);

        assertRefusedOrWholeAfterEachStep();
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, 1, 2, 3 })
    void rebuildOfTheControlFileThatIsInterruptedIsRefusedOrWhole(final int kind) throws IOException
    {
        writeJournal();
        final long last;
        try (Journal journal = Journal.open(path))
        {
            last = journal.lastSequence() - 1;
            journal.truncateAfter(last);
            journal.appender().append(new byte[10]);
        }
        final Path control = path.resolve(JournalFiles.CONTROL);
        if (0 == kind)
        {
            Files.delete(control);
        }
        else if (1 == kind)
        {
            zero(control, 0, ControlContent.LENGTH);
        }
        else if (2 == kind)
        {
            zero(control, 0, 100);
        }
        else
        {
            Files.write(control, Arrays.copyOf(Files.readAllBytes(control), ControlContent.LENGTH - 4096));
        }
        final Map<String, byte[]> image = image();

        int refused = 0;
        boolean hasFailed = true;
        for (int step = 0; hasFailed; step++)
        {
            restore(image);
            final FailingStep failing = new FailingStep(step);
            hasFailed = !isRebuilt(StoreProxy.of(Backend.FILE_CHANNEL.store(path), failing));
            assertEquals(hasFailed, failing.hasFailed());
            if (!JournalRepair.rebuildable(path).isEmpty())
            {
                assertThrows(CorruptJournalException.class, () -> Journal.open(path).close(), "step=" + step);
                refused++;
            }
            assertTrue(isRebuilt(Backend.FILE_CHANNEL.store(path)));

            assertFalse(JournalVerifier.verify(path).isDamaged());
            try (Journal journal = Journal.open(path))
            {
                assertEquals(last + 1, journal.lastSequence());
                journal.get(last + 1, (buffer, offset, length, header) -> assertEquals(10, length));
            }
        }
        assertTrue(refused > 0);
    }

    private boolean isRebuilt(final SegmentStore store)
    {
        try (JournalRepair repair = JournalRepair.open(path, store))
        {
            repair.rebuild();
            return true;
        }
        catch (final JournalException ex)
        {
            assertTrue(ex.getMessage().contains("injected"), ex::toString);
            return false;
        }
    }

    private void assertRefusedOrWholeAfterEachStep() throws IOException
    {
        final Map<String, byte[]> image = image();
        final Verdict verdict = JournalVerifier.verify(path);
        assertTrue(verdict.isRepairableByTruncation());

        int refused = 0;
        boolean hasFailed = true;
        for (int step = 0; hasFailed; step++)
        {
            restore(image);
            final FailingStep failing = new FailingStep(step);
            hasFailed = !isRepaired(StoreProxy.of(Backend.FILE_CHANNEL.store(path), failing));
            assertEquals(hasFailed, failing.hasFailed());
            final boolean isWhole = !JournalVerifier.verify(path).isDamaged();
            assertTrue(hasFailed || isWhole);
            if (!isWhole)
            {
                refused++;
                assertEquals(verdict.lastSequence(), JournalVerifier.verify(path).lastSequence());
                assertTrue(isRepaired(Backend.FILE_CHANNEL.store(path)));
            }
            assertOpens(verdict.lastSequence());
            assertFalse(JournalVerifier.verify(path).isDamaged());
        }
        assertTrue(refused > 0);
    }

    private boolean isRepaired(final SegmentStore store)
    {
        try (JournalRepair repair = JournalRepair.open(path, store))
        {
            final Verdict verdict = JournalVerifier.verify(path);
            repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
            return true;
        }
        catch (final JournalException ex)
        {
            assertTrue(ex.getMessage().contains("injected"), ex::toString);
            return false;
        }
    }

    private void assertOpens(final long last)
    {
        try (Journal journal = Journal.open(path))
        {
            assertEquals(last, journal.lastSequence());
            assertTrue(journal.cursor("mails").sequence() <= last);
            assertEquals(3, journal.cursor("invoices").sequence());
        }
    }

    private void writeJournal() throws IOException
    {
        path = temp.resolve("orders");
        try (Journal journal = Journal.builder(path).segmentLength(SEGMENT_LENGTH).backgroundThread(false).open())
        {
            final byte[] record = new byte[1000];
            Arrays.fill(record, (byte)7);
            while (journal.counters().appendedPosition() < NEWEST * SEGMENT_LENGTH + 10_000)
            {
                journal.appender().append(record);
                journal.force();
            }
            journal.cursor("invoices").save(3);
            journal.cursor("mails").save(journal.lastSequence());
        }
        Files.deleteIfExists(path.resolve(JournalFiles.segment(NEWEST + 1)));
    }

    private static void zero(final Path file, final int offset, final int length) throws IOException
    {
        try (RandomAccessFile access = new RandomAccessFile(file.toFile(), "rw"))
        {
            access.seek(offset);
            access.write(new byte[length]);
        }
    }

    private Map<String, byte[]> image() throws IOException
    {
        final Map<String, byte[]> image = new TreeMap<>();
        try (Stream<Path> files = Files.walk(path))
        {
            for (final Path file : (Iterable<Path>)files.filter(Files::isRegularFile)::iterator)
            {
                image.put(path.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return image;
    }

    private void restore(final Map<String, byte[]> image) throws IOException
    {
        for (final String name : image().keySet())
        {
            Files.delete(path.resolve(name));
        }
        for (final Map.Entry<String, byte[]> file : image.entrySet())
        {
            Files.write(path.resolve(file.getKey()), file.getValue());
        }
    }
}
