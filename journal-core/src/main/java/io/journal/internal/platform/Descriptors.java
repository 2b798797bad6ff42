// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;

/**
 * Initializes parts of the JDK while there are enough file descriptors. If a descriptor is missing when such a part is
 * used for the first time, the process can never use it.
 */
public final class Descriptors
{
    private static volatile boolean areChannelsReady;
    private static volatile SecureRandom random;

    private Descriptors()
    {
    }

    /**
     * Call before a channel is opened, or a file is created, which takes a channel: JDK 17 loads a library for the
     * first one, and opens a pair of sockets.
     *
     * @throws IOException if there are too few descriptors; the next call tries again.
     */
    public static void prepareChannels() throws IOException
    {
        if (!areChannelsReady)
        {
            check();
            // Uses a descriptor that exists anyway, and stays open.
            new FileInputStream(FileDescriptor.in).getChannel();
            areChannelsReady = true;
        }
    }

    /**
     * A secure random number, the first of which loads many classes and files. Thread-safe.
     *
     * @throws UncheckedIOException if there are too few descriptors for the first number; the next call tries again.
     */
    public static long secureRandom()
    {
        SecureRandom known = random;
        if (null == known)
        {
            known = firstRandom();
            random = known;
        }

        return known.nextLong();
    }

    private static SecureRandom firstRandom()
    {
        try
        {
            check();
            return new SecureRandom();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Takes four descriptors for a moment: listing a directory takes two, and no channel. */
    private static void check() throws IOException
    {
        final Path directory = Path.of(File.separator);
        try (DirectoryStream<Path> first = Files.newDirectoryStream(directory);
            DirectoryStream<Path> second = Files.newDirectoryStream(directory))
        {
            assert first != second;
        }
        catch (final AccessDeniedException ignore)
        {
            // The error is no lack of descriptors.
        }
    }
}
