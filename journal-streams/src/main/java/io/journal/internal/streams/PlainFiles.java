// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/** Operations on channels that an interrupt does not fail. */
final class PlainFiles
{
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
        return open(file, (channel) -> channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size()));
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
        final boolean isInterrupted = Thread.interrupted();
        try (FileChannel channel = FileChannel.open(path))
        {
            return operation.on(channel);
        }
        catch (final ClosedByInterruptException ex)
        {
            // The interrupt status is set: the next try clears it first and restores it at the end.
            return open(path, operation);
        }
        finally
        {
            if (isInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }
}
