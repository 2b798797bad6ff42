// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.faults;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A small file system mounted for a test and always unmounted. Needs root on Linux; the test is skipped elsewhere. */
public final class MountedDisk implements AutoCloseable
{
    private static final int PIECE_LENGTH = 1024 * 1024;

    public final Path path;
    private final List<String> mount;
    private boolean isMounted;
    private int pieces;

    private MountedDisk(final Path temp, final String... mount) throws IOException
    {
        this.mount = List.of(mount);
        path = Files.createDirectories(temp.resolve("mount"));
    }

    public enum Kind
    {
        TMPFS, EXT4
    }

    /** File systems on which rewriting a page may need space again. */
    public enum CopyOnWrite
    {
        BTRFS, XFS, EXT4
    }

    public static MountedDisk mount(final Kind kind, final Path temp, final int megabytes) throws IOException
    {
        return Kind.TMPFS == kind ? tmpfs(temp, "size=" + megabytes + "m") :
            mount(temp, megabytes, "mkfs.ext4", "-q", "-F", "-m", "0");
    }

    static MountedDisk tmpfs(final Path temp, final String options) throws IOException
    {
        return prepare(temp, "-t", "tmpfs", "-o", options, "tmpfs");
    }

    /** Mounts a file system of the smallest size that its tools allow. */
    public static MountedDisk mount(final CopyOnWrite kind, final Path temp) throws IOException
    {
        return switch (kind)
        {
            case BTRFS -> mount(temp, 128, "mkfs.btrfs", "-q", "-f", "--mixed");
            case XFS -> mount(temp, 320, "mkfs.xfs", "-q", "-f", "-m", "reflink=1");
            case EXT4 -> mount(temp, 64, "mkfs.ext4", "-q", "-F", "-m", "0");
        };
    }

    /**
     * @param make the command that makes the file system in a file.
     */
    static MountedDisk mount(final Path temp, final int megabytes, final String... make) throws IOException
    {
        final Path image = temp.resolve("image");
        try (RandomAccessFile file = new RandomAccessFile(image.toFile(), "rw"))
        {
            file.setLength(megabytes * 1024L * 1024);
        }
        final List<String> command = new ArrayList<>(List.of(make));
        command.add(image.toString());
        tool(temp, command.toArray(new String[0]));
        return prepare(temp, "-o", "loop", image.toString());
    }

    private static MountedDisk prepare(final Path temp, final String... mount) throws IOException
    {
        assumeTrue("Linux".equals(System.getProperty("os.name")), "needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to mount");
        final MountedDisk disk = new MountedDisk(temp, mount);
        try
        {
            disk.mount();
        }
        catch (final IOException ex)
        {
            abort("cannot mount here: " + ex.getMessage());
        }
        return disk;
    }

    /** Runs a command, without which the test is skipped. */
    static void tool(final Path directory, final String... command)
    {
        try
        {
            execute(directory, command);
        }
        catch (final IOException ex)
        {
            abort("cannot prepare the disk: " + ex.getMessage());
        }
    }

    /** Takes all the space that is left. */
    void fill() throws IOException
    {
        // Fill twice: btrfs finds room for small files when it has none for large files.
        for (final String blockSize : List.of("1M", "4k"))
        {
            execute(
                "sh", "-c",
                "dd if=/dev/zero of=filler-" + blockSize + " bs=" + blockSize + " 2>/dev/null; sync -f . || true");
        }
    }

    /**
     * Makes the next write of each block of a directory's files need space: by a copy that shares the blocks, where
     * possible, otherwise by holes in parts that are still zero.
     */
    void share(final String directory) throws IOException
    {
        execute(
            "sh", "-c", "cp -a --reflink=always " + directory + " copy 2>/dev/null || " +
                "for f in $(ls " + directory + "/*.journal | tail -n 1); do fallocate --dig-holes $f; done; sync -f .");
    }

    void removeAll() throws IOException
    {
        execute("sh", "-c", "rm -rf journal copy filler-*");
    }

    void removeAllBut(final String directory) throws IOException
    {
        execute("sh", "-c", "ls | grep -v '^" + directory + "$' | xargs rm -rf");
    }

    /** Takes space that can be given back later, a piece at a time. */
    void take(final int count) throws IOException
    {
        for (int i = 0; i < count; i++)
        {
            Files.write(path.resolve("piece-" + pieces++), new byte[PIECE_LENGTH]);
        }
    }

    void giveBack() throws IOException
    {
        Files.delete(path.resolve("piece-" + --pieces));
    }

    /**
     * Lets the file system refuse all writes from now on, as it does after an error. A plain read-only remount is
     * refused by the kernel while files are open for writing.
     */
    void abortWrites() throws IOException
    {
        execute("mount", "-o", "remount,abort", path.toString());
    }

    /** Unmounts, mounts and so lets the file system recover. */
    void mountAgain() throws IOException
    {
        close();
        mount();
    }

    @Override
    public void close() throws IOException
    {
        if (isMounted)
        {
            isMounted = false;
            execute(path.getParent(), "umount", path.toString());
        }
    }

    private void mount() throws IOException
    {
        final List<String> command = new ArrayList<>(List.of("mount"));
        command.addAll(mount);
        command.add(path.toString());
        execute(path.getParent(), command.toArray(new String[0]));
        isMounted = true;
    }

    void execute(final String... command) throws IOException
    {
        execute(path, command);
    }

    static String execute(final Path directory, final String... command) throws IOException
    {
        final Process process =
            new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        if (0 != process.onExit().join().exitValue())
        {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
        return output;
    }
}
