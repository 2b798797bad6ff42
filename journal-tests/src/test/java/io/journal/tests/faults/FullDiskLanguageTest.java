// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.platform.FullDisk;
import io.journal.store.Backend;
import io.journal.tests.support.ChildJvm;
import io.journal.tests.support.EachBackend;
import io.journal.tests.support.JournalFixture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A disk without inodes, and an exhausted quota, are recognised as a full disk although it has space, in a process
 * whose system messages are not English. Needs root on Linux, and the locale.
 */
@Tag("slow")
class FullDiskLanguageTest extends JournalFixture
{
    private static final String LOCALE = "de_DE.UTF-8";

    @EachBackend
    void diskWithoutInodesIsFull(final Backend backend) throws Exception
    {
        final MountedDisk disk = closing(MountedDisk.tmpfs(temp, "nr_inodes=12,size=100m"));
        runInChild("inodes", disk.path, backend);
    }

    @ParameterizedTest
    @ValueSource(strings = { "create", "directory", "write" })
    void exhaustedQuotaIsAFullDisk(final String what) throws Exception
    {
        final MountedDisk disk = mountBtrfs();
        MountedDisk.tool(disk.path, "btrfs", "quota", "enable", ".");
        MountedDisk.tool(disk.path, "btrfs", "subvolume", "create", "volume");
        MountedDisk.tool(disk.path, "btrfs", "qgroup", "limit", "20M", "volume");
        runInChild("quota", disk.path.resolve("volume"), what);
    }

    @Test
    void readOnlyDiskIsNotFull() throws Exception
    {
        final MountedDisk disk = mountBtrfs();
        disk.execute("mount", "-o", "remount,ro", disk.path.toString());
        runInChild("readOnly", disk.path);
    }

    private MountedDisk mountBtrfs() throws IOException
    {
        return closing(MountedDisk.mount(temp, 200, "mkfs.btrfs", "-q"));
    }

    private void runInChild(final Object... args) throws Exception
    {
        assumeTrue(MountedDisk.execute(temp, "locale", "-a").contains("de_DE.utf8"), "needs the locale " + LOCALE);
        ChildJvm.run(temp, List.of("env", "LC_ALL=" + LOCALE), FullDiskLanguageTest.class, args);
    }

    /**
     * @param args what the disk has not, the disk, and how.
     */
    public static void main(final String[] args) throws Exception
    {
        FaultedWriter.halt(60);
        final Path disk = Path.of(args[1]);
        switch (args[0])
        {
            case "inodes" -> appendWithoutInodes(disk, Backend.valueOf(args[2]));
            case "quota" -> exhaustQuota(disk, args[2]);
            default ->
            {
                final IOException error = createUntilRefused(disk);
                assertFalse(FullDisk.isReason(error, disk, 1), error::toString);
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static void appendWithoutInodes(final Path disk, final Backend backend) throws IOException
    {
        final List<Throwable> reported = new ArrayList<>();
        try (Journal journal = builder(disk.resolve("journal"), backend)
            .backgroundThread(false).errorHandler(reported::add).open())
        {
            assertFalse(createUntilRefused(disk).getMessage().contains("No space"), "the messages are English");
            final JournalException ex = assertThrows(JournalException.class, () -> appendNumbered(journal, 1000, 3000));
            assertInstanceOf(JournalFullException.class, ex);
            assertTrue(journal.counters().refusals() > 0);
            assertEquals(List.of(), reported);

            Files.delete(disk.resolve("other-0"));
            final long last = journal.lastSequence();
            appendNumbered(journal, 5, 3000);
            assertEquals(last + 5, journal.lastSequence());
        }
    }

    private static void exhaustQuota(final Path disk, final String what) throws IOException
    {
        // Open the file before: a file that is already open can be written without a free inode.
        try (OutputStream output = Files.newOutputStream(disk.resolve("large")))
        {
            final IOException full = assertThrows(IOException.class, () -> fill(output));
            final IOException error = switch (what)
            {
                case "create" -> createUntilRefused(disk);
                case "directory" ->
                    assertThrows(IOException.class, () -> Files.createDirectory(disk.resolve("directory")));
                default -> full;
            };
            assertFalse(error.getMessage().contains("uota exceeded"), "the messages are English");
            assertTrue(FullDisk.isReason(error, disk, 1), error::toString);
            assertFalse(FullDisk.isReason(new IOException("Eingabe-/Ausgabefehler"), disk, 1));
            assertFalse(Files.list(disk).anyMatch((file) -> file.getFileName().toString().startsWith(".probe")));
        }
    }

    private static void fill(final OutputStream output) throws IOException
    {
        final byte[] bytes = new byte[64 * 1024];
        while (true)
        {
            output.write(bytes);
        }
    }

    private static IOException createUntilRefused(final Path disk)
    {
        for (int i = 0;; i++)
        {
            try
            {
                Files.createFile(disk.resolve("other-" + i));
            }
            catch (final IOException ex)
            {
                return ex;
            }
        }
    }
}
