package io.journal.tests.recovery;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.journal.tests.support.FailingSteps;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.store.Backend;
import io.journal.tests.faults.MountedDisk;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Journals restored by a tool that turns zeros into holes. A store to a mapped hole on a full device kills the process.
 */
class SparseCopyTest extends JournalFixture
{
    private static final int BLOCK_LENGTH = 4096;
    private static final int RECORDS = 20;
    private static final int MORE = 1000;

    /** Opens a journal and appends, in a JVM of its own. */
    static final class Writer
    {
        private Writer()
        {
        }

        public static void main(final String[] args)
        {
            try (Journal journal = open(Path.of(args[0]), Backend.valueOf(args[1])))
            {
                System.out.println("opened " + journal.lastSequence());
                appendNumbered(journal, MORE, 100);
                journal.force();
                System.out.println("forced " + journal.lastSequence());
            }
            catch (final JournalFullException ex)
            {
                System.out.println("full 0");
            }
            catch (final JournalException ex)
            {
                // A write of a backend that does not map.
                System.out.println("failed 0");
            }
        }
    }

    @EachBackend
    void sparseCopyOnAFullDiskDoesNotCrashTheProcess(final Backend backend) throws Exception
    {
        close(backend);
        final MountedDisk disk = closing(MountedDisk.mount(MountedDisk.Kind.TMPFS, temp, 2));
        final Path copy = disk.path.resolve("journal");
        copySparsely(temp.resolve("journal"), copy);
        final Path filler = disk.path.resolve("filler");
        fill(filler);
        try (ChildJvm child = write(copy, backend))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
            assertFalse(child.hasCrashed(), child::toString);
            assertTrue(child.hasSaid("full") || Backend.MAPPED != backend && child.hasSaid("failed"),
                child::toString);
        }

        Files.delete(filler);
        try (ChildJvm child = write(copy, backend))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
            assertTrue(child.highest("forced") >= RECORDS + MORE, child::toString);
        }
        final List<Entry> entries = readAll(copy, backend);
        assertNumbered(1, entries.size(), entries);
    }

    @EachBackend
    void onlySparseFilesAreAllocatedAgainAndOnlyForMapping(final Backend backend) throws Exception
    {
        final Path directory = temp.resolve("journal");
        close(backend);
        assertEquals(0, bytesWrittenByOpening(directory, backend), "in place");

        final Path copy = temp.resolve("copy");
        copy(directory, copy);
        final long written = bytesWrittenByOpening(copy, backend);
        assertEquals(Backend.MAPPED == backend, written > SEGMENT_LENGTH * 3L / 2, () -> "copy: " + written);
        assertTrue(bytesWrittenByOpening(copy, backend) < SEGMENT_LENGTH / 2, "in place again");
    }

    @EachBackend
    void spaceThatWasOnlyReservedIsAllocatedAgainAfterAnotherBoot(final Backend backend) throws Exception
    {
        final Path directory = temp.resolve("journal");
        try (Journal journal = JournalFixture.builder(directory, backend).backgroundThread(false).open())
        {
            while (!Files.exists(JournalFixture.segment(directory, 1)))
            {
                appendNumbered(journal, 1, 1000);
            }
        }
        assertEquals(0, bytesWritten(directory, backend), "in place");

        final Path owner = directory.resolve("journal.owner");
        final String line = Files.readAllLines(owner).get(1);
        Files.writeString(owner, "owner\n" + line.substring(0, line.lastIndexOf(':')) + ":another-boot\n");
        final FailingSteps disk = new FailingSteps((step, name) -> Step.WRITE == step && name.endsWith(".journal"));
        disk.beFull();
        assertThrows(
            JournalFullException.class,
            () -> builder(directory, backend).store(new StepStore(backend.store(directory), disk)).open());
        final long written = bytesWritten(directory, backend);
        assertTrue(written > SEGMENT_LENGTH / 2, () -> "after another boot: " + written);
        assertEquals(0, bytesWritten(directory, backend), "in place again");
    }

    private void close(final Backend backend) throws Exception
    {
        try (Journal journal = builder(temp.resolve("journal"), backend).backgroundThread(false).open())
        {
            appendNumbered(journal, RECORDS, 100);
            while (journal.backgroundAgent().doWork() > 0)
            {
                // The next segment is prepared.
            }
        }
        assertTrue(Files.exists(segment(temp.resolve("journal"), 1)));
    }

    private long bytesWrittenByOpening(final Path directory, final Backend backend)
    {
        return bytesWritten(directory, backend, RECORDS);
    }

    private long bytesWritten(final Path directory, final Backend backend)
    {
        return bytesWritten(directory, backend, SEGMENT_LENGTH / 1100);
    }

    private long bytesWritten(final Path directory, final Backend backend, final int leastRecords)
    {
        final long[] written = { 0 };
        final StepStore store = new StepStore(backend.store(directory), new StepStore.Steps()
        {
            @Override
            public boolean before(final Step step, final String name)
            {
                return true;
            }

            @Override
            public boolean beforeWrite(final String name, final long offset, final int length)
            {
                written[0] += name.endsWith(".journal") ? length : 0;
                return true;
            }
        });
        try (Journal journal =
            builder(directory, backend).backgroundThread(false).store(store).open())
        {
            assertTrue(journal.lastSequence() >= leastRecords, journal::toString);
            // Watermark frames, of the backends that write them.
            return written[0] < BLOCK_LENGTH ? 0 : written[0];
        }
    }

    private ChildJvm write(final Path directory, final Backend backend)
    {
        return new ChildJvm(temp, List.of(), Writer.class, directory, backend);
    }

    private static void copySparsely(final Path from, final Path to) throws IOException
    {
        Files.createDirectory(to);
        try (Stream<Path> files = Files.list(from))
        {
            for (final Path file : files.toList())
            {
                final byte[] bytes = Files.readAllBytes(file);
                try (RandomAccessFile copy = new RandomAccessFile(to.resolve(file.getFileName()).toFile(), "rw"))
                {
                    copy.setLength(bytes.length);
                    for (int offset = 0; offset < bytes.length; offset += BLOCK_LENGTH)
                    {
                        final byte[] block =
                            Arrays.copyOfRange(bytes, offset, Math.min(bytes.length, offset + BLOCK_LENGTH));
                        if (!Arrays.equals(new byte[block.length], block))
                        {
                            copy.seek(offset);
                            copy.write(block);
                        }
                    }
                }
            }
        }
    }

    private static void fill(final Path filler)
    {
        try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw"))
        {
            final byte[] block = new byte[BLOCK_LENGTH];
            while (true)
            {
                file.write(block);
            }
        }
        catch (final IOException ignore)
        {
            // Full.
        }
    }
}
