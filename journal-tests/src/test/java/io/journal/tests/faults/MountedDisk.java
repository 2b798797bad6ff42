package io.journal.tests.faults;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A small file system mounted for a test and always unmounted. Needs root on Linux; the test is skipped elsewhere.
 */
public final class MountedDisk implements AutoCloseable
{
    private static final int PIECE_LENGTH = 1024 * 1024;

    public final Path path;
    private final Kind kind;
    private final Path image;
    private boolean isMounted;
    private int pieces;

    private MountedDisk(final Kind kind, final Path temp) throws IOException
    {
        this.kind = kind;
        image = temp.resolve("image");
        path = Files.createDirectory(temp.resolve("mount"));
    }

    public enum Kind
    {
        TMPFS, EXT4
    }

    public static MountedDisk mount(final Kind kind, final Path temp, final int megabytes) throws IOException
    {
        assumeTrue("Linux".equals(System.getProperty("os.name")), "needs Linux");
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root, to mount");
        final MountedDisk disk = new MountedDisk(kind, temp);
        try
        {
            if (Kind.EXT4 == kind)
            {
                Files.write(disk.image, new byte[megabytes * 1024 * 1024]);
                execute("mkfs.ext4", "-q", "-F", "-m", "0", disk.image.toString());
            }
            disk.mount(megabytes);
        }
        catch (final IOException ex)
        {
            abort("cannot mount here: " + ex.getMessage());
        }
        return disk;
    }

    /**
     * Takes space that can be given back later, a piece at a time.
     */
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
     * Lets the file system refuse all writes from now on, as it does by itself after an error. To make it read-only
     * otherwise the kernel refuses while files are open for writing.
     */
    void abortWrites() throws IOException
    {
        execute("mount", "-o", "remount,abort", path.toString());
    }

    /**
     * Unmounts, mounts and so lets the file system recover.
     */
    void mountAgain() throws IOException
    {
        close();
        mount(0);
    }

    @Override
    public void close() throws IOException
    {
        if (isMounted)
        {
            isMounted = false;
            execute("umount", path.toString());
        }
    }

    private void mount(final int megabytes) throws IOException
    {
        if (Kind.TMPFS == kind)
        {
            execute("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", path.toString());
        }
        else
        {
            execute("mount", "-o", "loop", image.toString(), path.toString());
        }
        isMounted = true;
    }

    private static void execute(final String... command) throws IOException
    {
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
        if (0 != process.onExit().join().exitValue())
        {
            throw new IOException(String.join(" ", command) + ": " + output);
        }
    }
}
