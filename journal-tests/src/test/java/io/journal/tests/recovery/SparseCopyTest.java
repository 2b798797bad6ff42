// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.recovery;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.Retention;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import io.journal.tests.faults.MountedDisk;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import org.junit.jupiter.api.Tag;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The file may have holes after the records, made by a tool that restored the journal or by a power loss. A store to a
 * mapped hole on a full device kills the process.
 */
@Tag("slow")
class SparseCopyTest extends JournalFixture
{
    private static final int BLOCK_LENGTH = 4096;
    private static final int RECORDS = 20;
    private static final int MORE = 1000;
    private static final int STEP = 1024 * 1024;
    private static final long LONG = 4L * STEP;

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
            assertTrue(child.hasSaid("full"), child::toString);
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
    void openingFillsOneStepAndTheAgentSomeMoreAhead(final Backend backend) throws Exception
    {
        final AtomicLong written = new AtomicLong();
        final StepStore store = new StepStore(backend.store(directory()), counting(written));
        for (int opening = 0; opening < 2; opening++)
        {
            written.set(0);
            try (Journal journal = builder(directory(), backend).segmentLength((int)LONG).store(store)
                .backgroundThread(false).open())
            {
                assertTrue(written.get() <= STEP + STEP / 2, () -> "opening: " + written);
                runAgent(journal);
                assertEquals(1, journal.counters().preparedSegments());
                // The opening fills the rest of this segment, and the first step of the next segment.
                assertTrue(written.get() >= LONG + STEP - 4 * BLOCK_LENGTH, () -> "agent: " + written);
                assertTrue(written.get() <= LONG + 2 * STEP, () -> "agent: " + written);
            }
        }
    }

    @EachBackend
    void recordsThatOvertakeTheFillingStay(final Backend backend) throws Exception
    {
        final Path directory = temp.resolve("copy");
        final int count = 4 * (int)LONG / 1000;
        for (int opening = 0; opening < 2; opening++)
        {
            try (Journal journal = builder(directory(), backend).segmentLength((int)LONG).recycleSegments(true)
                .retention(Retention.bytes(3 * LONG)).backgroundThread(true).open())
            {
                // Append into the existing segments, the next segment, and recycled segments.
                appendNumbered(journal, count, 1000);
            }
            final List<Entry> entries = readAll(directory(), backend);
            assertTrue(entries.size() > LONG / 1000);
            assertNumbered(entries.get(0).sequence(), (opening + 1) * count, entries);
            deleteTree(directory);
            copySparsely(directory(), directory);
            deleteTree(directory());
            Files.move(directory, directory());
        }
    }

    @EachBackend
    void diskThatIsFullHalfwayThroughASegmentLosesNothing(final Backend backend) throws Exception
    {
        final AtomicInteger room = new AtomicInteger(Integer.MAX_VALUE);
        final StepStore store = new StepStore(backend.store(directory()), new StepStore.AllSteps()
        {
            @Override
            public boolean beforeWrite(final String name, final long offset, final int length) throws IOException
            {
                if (offset + length > room.get() && !name.startsWith("journal."))
                {
                    throw new SegmentStore.NoSpaceException("on purpose", null);
                }
                return true;
            }
        });
        final JournalBuilder builder =
            builder(directory(), backend).segmentLength((int)LONG).store(store).backgroundThread(false);
        builder.open().close();
        room.set(STEP + STEP / 2);
        try (Journal journal = builder.open())
        {
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, (int)LONG, 1000));
            final long last = journal.lastSequence();
            assertTrue(last > STEP / 1100, () -> "last=" + last);
            assertTrue(
                journal.counters().appendedPosition() <= STEP + STEP / 2, () -> journal.counters().toString());
            assertTrue(
                journal.counters().appendedPosition() > STEP + STEP / 2 - 2000, () -> journal.counters().toString());
            assertEquals(1, journal.counters().refusals());
            journal.force();
            assertEquals(last, journal.forcedSequence());
            assertNumbered(1, last, readAll(journal));
            runAgent(journal);
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, 1, 1000));
        }

        // The filled part is used up. There is no room for the first frame, and yet the journal can be read.
        room.set(0);
        final long last;
        try (Journal journal = builder.open())
        {
            last = journal.lastSequence();
            assertNumbered(1, last, readAll(journal));
            assertThrows(JournalFullException.class, () -> appendNumbered(journal, 1, 1000));
            room.set(Integer.MAX_VALUE);
            appendNumbered(journal, (int)LONG / 1000, 1000);
            assertEquals(2, journal.counters().segments());
        }
        assertNumbered(1, last + LONG / 1000, readAll(directory(), backend));
    }

    /** The zeros would overwrite records that the next writer has appended. */
    @EachBackend
    void writerThatLostItsLockFillsNothing(final Backend backend) throws Exception
    {
        final JournalBuilder builder =
            builder(directory(), backend).segmentLength((int)LONG).backgroundThread(false).errorHandler((ex) ->
            {
            });
        final Journal fenced = builder.open();
        appendNumbered(fenced, 1, 1000);
        Files.delete(directory().resolve("journal.lock"));
        try (Journal journal = builder.open())
        {
            appendNumbered(journal, 2 * STEP / 1000, 1000);
            runAgent(fenced);
            assertThrows(JournalException.class, () -> appendNumbered(fenced, 2 * STEP / 1000, 1000));
            assertThrows(JournalException.class, fenced::close);
            assertNumbered(1, journal.lastSequence(), readAll(journal));
        }
        final List<Entry> entries = readAll(directory(), backend);
        assertNumbered(1, 1 + 2 * STEP / 1000, entries);
    }

    private static StepStore.Steps counting(final AtomicLong written)
    {
        return new StepStore.AllSteps()
        {
            @Override
            public boolean beforeWrite(final String name, final long offset, final int length)
            {
                written.addAndGet(name.endsWith(".journal") || name.startsWith("spare-") ? length : 0);
                return true;
            }
        };
    }

    private void close(final Backend backend) throws Exception
    {
        try (Journal journal = builder(temp.resolve("journal"), backend).backgroundThread(false).open())
        {
            appendNumbered(journal, RECORDS, 100);
            // The next segment is prepared.
            runAgent(journal);
        }
        assertTrue(Files.exists(segment(temp.resolve("journal"), 1)));
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
            // The disk is full.
        }
    }
}
