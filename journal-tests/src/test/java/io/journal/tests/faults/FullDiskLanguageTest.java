// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
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
        final Path mount = mount("-t", "tmpfs", "-o", "nr_inodes=12,size=100m", "none");
        runInChild("inodes", mount, backend);
    }

    @ParameterizedTest
    @ValueSource(strings = { "create", "directory", "write" })
    void exhaustedQuotaIsAFullDisk(final String what) throws Exception
    {
        final Path mount = mountBtrfs();
        tool("btrfs", "quota", "enable", mount.toString());
        final Path volume = mount.resolve("volume");
        tool("btrfs", "subvolume", "create", volume.toString());
        tool("btrfs", "qgroup", "limit", "20M", volume.toString());
        runInChild("quota", volume, what);
    }

    @Test
    void readOnlyDiskIsNotFull() throws Exception
    {
        final Path mount = mountBtrfs();
        execute("mount", "-o", "remount,ro", mount.toString());
        runInChild("readOnly", mount);
    }

    private Path mountBtrfs() throws Exception
    {
        final Path image = temp.resolve("image");
        try (FileChannel channel =
            FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            channel.write(ByteBuffer.allocate(1), (200 << 20) - 1);
        }
        tool("mkfs.btrfs", "-q", image.toString());
        return mount("-o", "loop", image.toString());
    }

    private Path mount(final String... options) throws Exception
    {
        assumeTrue("Linux".equals(System.getProperty("os.name")), "needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to mount");
        final Path mount = Files.createDirectory(temp.resolve("mount"));
        final List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(List.of(options));
        command.add(mount.toString());
        tool(command.toArray(String[]::new));
        closing(() -> execute("umount", mount.toString()));
        return mount;
    }

    private void runInChild(final Object... args) throws Exception
    {
        assumeTrue(execute("locale", "-a").contains("de_DE.utf8"), "needs the locale " + LOCALE);
        try (ChildJvm child =
            new ChildJvm(temp, List.of("env", "LC_ALL=" + LOCALE), FullDiskLanguageTest.class, args))
        {
            assertEquals(0, child.awaitEnd(), child::toString);
        }
    }

    private static void tool(final String... command)
    {
        try
        {
            execute(command);
        }
        catch (final IOException ex)
        {
            assumeTrue(false, "cannot prepare the disk: " + ex.getMessage());
        }
    }

    private static String execute(final String... command) throws IOException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        if (0 != process.onExit().join().exitValue())
        {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return output;
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
