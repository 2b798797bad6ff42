package io.journal.internal.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Distinguishes a full disk from other write errors.
 */
public final class FullDisk
{
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
        return isReported(error) || isObserved(path, missing);
    }

    // The JDK passes on the operating system's message, but not its error number.
    private static boolean isReported(final IOException error)
    {
        final String message = String.valueOf(error.getMessage());
        // "Disk quota exceeded" of glibc, "Quota exceeded" of musl.
        return message.contains("No space left") || message.contains("uota exceeded");
    }

    // For operating systems whose messages are in another language.
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
}
