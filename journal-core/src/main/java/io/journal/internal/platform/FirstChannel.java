// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.io.File;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Initializes the JDK's channels when there are enough file descriptors. JDK 17 does so when the first channel is
 * opened, with a library and a pair of sockets: if a descriptor is missing then, the process can never open a channel.
 */
public final class FirstChannel
{
    private static volatile boolean isInitialized;

    private FirstChannel()
    {
    }

    /**
     * Call before a channel is opened, or a file is created, which takes a channel.
     *
     * @throws IOException if there are too few descriptors; the next call tries again.
     */
    public static void prepare() throws IOException
    {
        if (!isInitialized)
        {
            checkDescriptors();
            // Uses a descriptor that exists anyway, and stays open.
            new FileInputStream(FileDescriptor.in).getChannel();
            isInitialized = true;
        }
    }

    /** Takes four descriptors for a moment: listing a directory takes two, and no channel. */
    static void checkDescriptors() throws IOException
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
