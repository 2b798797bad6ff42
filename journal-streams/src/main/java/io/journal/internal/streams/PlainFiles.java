// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/** Operations on files that an interrupt does not fail. */
final class PlainFiles
{
    /** An operation on a channel. */
    private interface Operation
    {
        ByteBuffer on(FileChannel channel) throws IOException;
    }

    private PlainFiles()
    {
    }

    /** Maps a whole file for reading. The mapping lives as long as it is referenced, also if the file is deleted. */
    static ByteBuffer map(final Path file) throws IOException
    {
        return open(file, (channel) ->
        {
            if (channel.size() > Integer.MAX_VALUE)
            {
                throw new IndexDamagedException(file, "too long");
            }
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size());
        });
    }

    /** Makes the names in a directory durable. */
    static void forceDirectory(final Path directory) throws IOException
    {
        open(directory, (channel) ->
        {
            channel.force(true);
            return ByteBuffer.allocate(0);
        });
    }

    private static ByteBuffer open(final Path path, final Operation operation) throws IOException
    {
        boolean isInterrupted = false;
        try
        {
            while (true)
            {
                isInterrupted |= Thread.interrupted();
                try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ))
                {
                    return operation.on(channel);
                }
                catch (final ClosedByInterruptException ex)
                {
                    // Again, without the interrupt.
                    isInterrupted = true;
                }
            }
        }
        finally
        {
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** The files of a directory that have a suffix; none if it does not exist. */
    static List<Path> list(final Path directory, final String suffix) throws IOException
    {
        final List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*" + suffix))
        {
            all.forEach(files::add);
        }
        catch (final NoSuchFileException ex)
        {
            return files;
        }
        catch (final DirectoryIteratorException ex)
        {
            throw ex.getCause();
        }

        return files;
    }
}
