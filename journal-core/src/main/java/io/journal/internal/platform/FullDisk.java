// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Distinguishes a full disk from other write errors. The JDK passes on the operating system's message, which is in the
 * language of the process, but not its error number.
 */
public final class FullDisk
{
    private static final String ENGLISH = "No space left";
    // "Disk quota exceeded" of glibc, "Quota exceeded" of musl.
    private static final String ENGLISH_QUOTA = "uota exceeded";
    private static final Path ALWAYS_FULL = Path.of("/dev/full");
    private static final int MAX_PROBE_LENGTH = 64 * 1024;

    private FullDisk()
    {
    }

    /**
     * Whether a disk without space or inodes, or a quota, is the reason of an error.
     *
     * @param path    of the file, or of its directory if the file does not exist.
     * @param missing bytes that were to be written.
     */
    public static boolean isReason(final IOException error, final Path path, final long missing)
    {
        final String reason = reasonOf(error);
        if (reason.contains(ENGLISH) || reason.contains(ENGLISH_QUOTA) || isObserved(path, missing))
        {
            return true;
        }

        final String noSpace = noSpace();
        // No device shows the message of an exhausted quota. The English message was recognised above.
        return !reason.isEmpty() && !noSpace.contains(ENGLISH) &&
            (reason.equals(noSpace) || isProbed(reason, directoryOf(path), missing));
    }

    /** The operating system's message; empty if the JDK has replaced it by a type, as for a file that is absent. */
    private static String reasonOf(final IOException error)
    {
        final String reason = error instanceof FileSystemException ex ? ex.getReason() : error.getMessage();
        return null == reason ? "" : reason;
    }

    private static boolean isObserved(final Path path, final long missing)
    {
        try
        {
            return Files.getFileStore(path).getUsableSpace() < missing;
        }
        catch (final IOException ignore)
        {
            return false;
        }
    }

    /** The message for {@code ENOSPC} in this process; empty if this system has no device that is always full. */
    private static String noSpace()
    {
        // Checked, because the device would be created otherwise. Uses a stream, because an interrupt would close a
        // channel.
        if (!Files.exists(ALWAYS_FULL))
        {
            return "";
        }
        try (OutputStream full = new FileOutputStream(ALWAYS_FULL.toFile()))
        {
            full.write(0);
            return "";
        }
        catch (final IOException ex)
        {
            return reasonOf(ex);
        }
    }

    /**
     * Whether an operation that needs space fails for the same reason, while one that needs none succeeds. That
     * excludes, for example, a read-only file system and file-descriptor exhaustion.
     */
    private static boolean isProbed(final String reason, final Path directory, final long length)
    {
        if (FileSystems.getDefault() != directory.getFileSystem())
        {
            return false;
        }

        Path probe = null;
        try
        {
            // Not a temporary file of the JDK, whose name takes a secure random number, see Descriptors.
            probe = Files.createFile(
                directory.resolve(".probe-" + Long.toHexString(System.nanoTime())),
                Permissions.ofFile(directory.getFileSystem()));
            try (OutputStream output = new FileOutputStream(probe.toFile()))
            {
                output.write(new byte[(int)Math.max(1, Math.min(length, MAX_PROBE_LENGTH))]);
            }
            return false;
        }
        catch (final IOException ex)
        {
            return reason.equals(reasonOf(ex)) && isChangeable(null == probe ? directory : probe);
        }
        finally
        {
            if (null != probe)
            {
                // A journal accepts other files in its directory.
                CleanUp.quietly(probe.toFile()::delete);
            }
        }
    }

    private static boolean isChangeable(final Path path)
    {
        try
        {
            Files.setLastModifiedTime(path, Files.getLastModifiedTime(path));
            return true;
        }
        catch (final IOException ignore)
        {
            return false;
        }
    }

    private static Path directoryOf(final Path path)
    {
        final Path absolute = path.toAbsolutePath();
        return Files.isDirectory(absolute) || null == absolute.getParent() ? absolute : absolute.getParent();
    }
}
