package io.journal.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.store.SegmentStore.NoSpaceException;

/**
 * Distinguishes a full disk from other write errors.
 */
final class NoSpace
{
    private NoSpace()
    {
    }

    /**
     * Returns a {@link NoSpaceException} if the error means that the disk is full, else the error itself.
     */
    static IOException translate(final IOException error, final Path path, final long missing)
    {
        if (error instanceof NoSpaceException || !(isReported(error) || isObserved(path, missing)))
        {
            return error;
        }

        return new NoSpaceException("no space left: file=" + path + ", missing=" + missing, error);
    }

    // The JDK passes on the operating system's message, but not its error number.
    private static boolean isReported(final IOException error)
    {
        final String message = String.valueOf(error.getMessage());
        return message.contains("No space left") || message.contains("quota exceeded");
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
