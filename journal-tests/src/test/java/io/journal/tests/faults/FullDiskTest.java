// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.Journal;
import io.journal.JournalFullException;
import io.journal.RecordClaim;
import io.journal.internal.files.JournalFiles;
import io.journal.store.Backend;
import io.journal.tests.recovery.RecoveryFixture;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.RecordModel;
import org.junit.jupiter.api.Tag;

import static io.journal.tests.support.JournalDirectory.segmentName;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A full device, tested on small file systems mounted for it. Needs root on Linux; skipped elsewhere. */
@Tag("slow")
class FullDiskTest extends JournalFixture
{
    private static final int SEGMENTS = 4;

    private RecordModel model = new RecordModel();
    private MountedDisk disk;
    private JournalDirectory directory;

    @EachBackend(and = MountedDisk.Kind.class)
    void diskFullIsReportedAndWorkResumesWithSpace(final Backend backend, final MountedDisk.Kind device)
        throws Exception
    {
        mount(device);
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.append(journal, 10, 3000);
            journal.force();
            leaveRoomFor(SEGMENTS * SEGMENT_LENGTH);

            final JournalFullException ex = appendUntilFull(journal, 3000);
            assertTrue(ex.getMessage().contains("bytes=" + SEGMENT_LENGTH), ex.getMessage());
            assertTrue(ex.getMessage().contains(".journal"), ex.getMessage());
            assertFullAndUsable(journal);

            // Records that fit the segment are still appended.
            final long before = model.size();
            appendUntilFull(journal, 100);
            assertTrue(model.size() > before, () -> "before=" + before + ", after=" + model.size());
            appendUntilFull(journal, 0);
            assertFullAndUsable(journal);

            Files.delete(ballast());
            model.append(journal, 30, 3000);
            model.assertHolds(journal);
            journal.force();
            assertEquals(model.size(), journal.forcedSequence());
        }
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.assertHolds(journal);
        }
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void diskFullIsReportedWhenTheBackgroundAgentHitsItFirst(final Backend backend, final MountedDisk.Kind device)
        throws Exception
    {
        mount(device);
        final AtomicReference<Throwable> error = new AtomicReference<>();
        try (Journal journal =
            model.builder(directory, backend).backgroundThread(true).errorHandler(error::set).open())
        {
            leaveRoomFor(SEGMENTS * SEGMENT_LENGTH);
            appendUntilFull(journal, 3000);
            assertFullAndUsable(journal);
            Files.delete(ballast());
            model.append(journal, 100, 3000);
            model.assertHolds(journal);
        }
        assertNull(error.get());
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.assertHolds(journal);
        }
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void crashOnAFullDeviceLosesNothing(final Backend backend, final MountedDisk.Kind device) throws Exception
    {
        mount(device);
        final JournalDirectory crashed = new JournalDirectory(temp.resolve("crashed"));
        try (Journal journal = model.builder(directory, backend).open())
        {
            leaveRoomFor(SEGMENTS * SEGMENT_LENGTH);
            appendUntilFull(journal, 3000);
            journal.force();
            appendUntilFull(journal, 10);
            crashed.restore(directory.content());
        }

        try (Journal journal = model.builder(crashed, backend).open())
        {
            model.assertHolds(journal);
            assertEquals(0, journal.recoveryReport().tornLength());
        }
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void closedJournalOpensOnAFullDevice(final Backend backend, final MountedDisk.Kind device) throws Exception
    {
        mount(device);
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.append(journal, 10, 100);
        }
        leaveRoomFor(0);

        for (int opening = 0; opening < 3; opening++)
        {
            try (Journal journal = model.builder(directory, backend).open())
            {
                assertTrue(journal.recoveryReport().isCleanlyClosed());
                model.assertHolds(journal);
                model.append(journal, 10, 100);
                journal.force();
            }
        }
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void crashedJournalWithNothingToTruncateOpensOnAFullDevice(final Backend backend, final MountedDisk.Kind device)
        throws Exception
    {
        mount(device);
        crash(backend, false);
        leaveRoomFor(0);

        try (Journal journal = model.builder(directory, backend).open())
        {
            model.assertHolds(journal);
            model.append(journal, 10, 100);
            journal.force();
        }
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void tornTailThatFillsTheSegmentIsCutWhileTheDiskIsFull(final Backend backend, final MountedDisk.Kind device)
        throws Exception
    {
        mount(device);
        crash(backend, false);
        final int end = directory.end();
        final byte[] garbage = new byte[SEGMENT_LENGTH - end];
        new Random(11).nextBytes(garbage);
        directory.overwrite(segmentName(0), end, garbage);
        leaveRoomFor(0);

        try (Journal journal = model.builder(directory, backend).open())
        {
            assertEquals(garbage.length, journal.recoveryReport().tornLength());
            model.assertHolds(journal);
            assertThrows(JournalFullException.class, () -> journal.appender().append(new byte[100]));
        }
        assertArrayEquals(garbage, directory.read(segmentName(0), end, SEGMENT_LENGTH));

        Files.delete(ballast());
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.append(journal, 5, 100);
            model.assertHolds(journal);
        }
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.assertHolds(journal);
        }
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void appendingGoesOnBehindATornTailWhileTheDiskIsFull(final Backend backend, final MountedDisk.Kind device)
        throws Exception
    {
        mount(device);
        crash(backend, true);
        assertTrue(directory.exists(segmentName(1)));
        final int end = directory.end();
        final byte[] garbage = new byte[20_000];
        Arrays.fill(garbage, (byte)0x5A);
        directory.overwrite(segmentName(0), end, garbage);
        leaveRoomFor(0);

        try (Journal journal = model.builder(directory, backend).open())
        {
            model.assertHolds(journal);
            assertEquals(garbage.length, journal.recoveryReport().tornLength());
            model.append(journal, 5, 100);
            journal.force();
        }
        assertArrayEquals(garbage, directory.read(segmentName(0), end, end + garbage.length));
        Files.delete(ballast());
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.appendInto(journal, 2, 3000);
            model.assertHolds(journal);
        }
    }

    @EachBackend(and = MountedDisk.Kind.class)
    void journalIsCreatedOnceThereIsSpace(final Backend backend, final MountedDisk.Kind device) throws Exception
    {
        mount(device);
        for (final int room : new int[]{ 0, 8 * 1024, SEGMENT_LENGTH / 2, SEGMENT_LENGTH, SEGMENT_LENGTH + 8 * 1024 })
        {
            directory.restore(Map.of());
            leaveRoomFor(room);
            assertThrows(
                JournalFullException.class, () -> model.builder(directory, backend).open().close(),
                () -> "room=" + room);
            assertEquals(List.of(), directory.content().keySet().stream().filter(JournalFiles::isSpare).toList());
            Files.delete(ballast());
        }

        try (Journal journal = model.builder(directory, backend).open())
        {
            model.append(journal, 30, 3000);
            model.assertHolds(journal);
        }
    }

    /** The operation may lack an inode for any of its files. */
    @EachBackend
    void journalIsCreatedOnceThereAreInodes(final Backend backend) throws Exception
    {
        int refused = 0;
        for (boolean isRefused = true; isRefused;)
        {
            final int inodes = refused + 2;
            mounted(MountedDisk.tmpfs(temp, "nr_inodes=" + inodes));
            try (Journal journal = model.builder(directory, backend).open())
            {
                isRefused = false;
                model.append(journal, 10, 100);
                model.assertHolds(journal);
            }
            catch (final JournalFullException ex)
            {
                refused++;
            }
            disk.close();
        }
        // The directory, the lock, the segment and journal.control.
        assertTrue(refused >= 3, "refused=" + refused);
    }

    /** Mounts a file system of about two megabytes. */
    private void mount(final MountedDisk.Kind device) throws IOException
    {
        mounted(MountedDisk.mount(device, temp, MountedDisk.Kind.TMPFS == device ? 2 : 4));
    }

    private void mounted(final MountedDisk mounted)
    {
        disk = closing(mounted);
        directory = new JournalDirectory(disk.path.resolve("journal"));
    }

    private Path ballast()
    {
        return disk.path.resolve("ballast");
    }

    /** Fills the device but for some bytes. */
    private void leaveRoomFor(final int bytes) throws Exception
    {
        final Path room = disk.path.resolve("room");
        Files.write(room, new byte[bytes]);
        fill();
        Files.delete(room);
        disk.execute("sync", "-f", ".");
    }

    /**
     * Fills the device. A file system that reserves more than it needs has room again once it has written its data.
     */
    private void fill() throws Exception
    {
        int tries = 0;
        while (tries < 2)
        {
            disk.execute("sync", "-f", ".");
            tries = fillOnce() ? 0 : tries + 1;
        }
    }

    private boolean fillOnce() throws IOException
    {
        final ByteBuffer block = ByteBuffer.allocate(1024);
        boolean isFilled = false;
        try (FileChannel channel = FileChannel.open(
            ballast(), StandardOpenOption.CREATE, StandardOpenOption.APPEND))
        {
            while (channel.write(block.clear()) > 0)
            {
                isFilled = true;
            }
        }
        catch (final IOException ex)
        {
            assertTrue(ex.getMessage().contains("No space"), ex::toString);
        }

        return isFilled;
    }

    private JournalFullException appendUntilFull(final Journal journal, final int length)
    {
        final long limit = model.size() + 100_000;
        while (model.size() < limit)
        {
            final long last = journal.lastSequence();
            try
            {
                model.append(journal, length);
            }
            catch (final JournalFullException ex)
            {
                assertEquals(last, journal.lastSequence());
                return ex;
            }
        }

        throw new AssertionError("the device is never full");
    }

    private void assertFullAndUsable(final Journal journal) throws Exception
    {
        fillWithout(journal);
        final long last = journal.lastSequence();
        final byte[] large = new byte[3000];
        for (int i = 0; i < 3; i++)
        {
            assertThrows(JournalFullException.class, () -> journal.appender().append(large));
            assertThrows(JournalFullException.class, () -> commitClaim(journal, 3000));
        }
        assertEquals(last, journal.lastSequence());
        model.assertHolds(journal);
        journal.force();
        assertEquals(last, journal.forcedSequence());
        journal.awaitForced(last);
    }

    /**
     * Fills the device until the journal finds no space either. An agent may have held a file when the last append was
     * refused, and the next append uses the space of that file.
     */
    private void fillWithout(final Journal journal) throws Exception
    {
        long size = -1;
        for (int unchanged = 0; unchanged < 3; unchanged = size == model.size() ? unchanged + 1 : 0)
        {
            size = model.size();
            fill();
            appendUntilFull(journal, 3000);
        }
    }

    private static void commitClaim(final Journal journal, final int length)
    {
        try (RecordClaim claim = journal.appender().claim(length))
        {
            claim.commit();
        }
    }

    /** Leaves a journal as a crash would, in place. */
    private void crash(final Backend backend, final boolean isPrepared) throws Exception
    {
        final Map<String, byte[]> image;
        try (Journal journal = model.builder(directory, backend).open())
        {
            model.append(journal, 5, 100);
            journal.force();
            model.append(journal, 5, 100);
            if (isPrepared)
            {
                RecoveryFixture.prepareNext(journal, directory);
            }
            image = directory.content();
        }
        directory.restore(image);
    }
}
