// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.journal.internal.platform.Descriptors;
import org.agrona.CloseHelper;

/**
 * A descriptor for fsyncing a file or a directory.
 * <p>
 * An interrupted force must never be retried: the interrupted call may have consumed the write-back error. The force of
 * an {@link AsynchronousFileChannel} runs on the calling thread, cannot be interrupted, and is an fdatasync. An
 * interrupt closes a {@link java.nio.channels.FileChannel}, and {@link java.io.FileDescriptor#sync()} is a full fsync,
 * which also waits for time stamps. See {@code docs/adr/0003-forcing.md}.
 */
final class ForceChannel implements AutoCloseable
{
    private static final ByteBuffer NO_BYTE = ByteBuffer.allocate(0);

    private final Path path;
    private final AsynchronousFileChannel channel;
    private final long firstLength;
    // Used by the thread that forces, one at a time. Empty for a directory.
    private final ByteBuffer lastByte;

    private ForceChannel(final Path path, final ByteBuffer lastByte, final OpenOption... access) throws IOException
    {
        this.path = path;
        this.lastByte = lastByte;
        Descriptors.prepareChannels();
        channel = AsynchronousFileChannel.open(path, access);
        try
        {
            firstLength = channel.size();
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(channel);
            throw ex;
        }
    }

    /**
     * Opens a file. Must happen before the file is written: a descriptor only reports write-back errors that occur
     * after it was opened.
     *
     * @param lastByte direct memory of one byte, which the file is read into without a copy: running out of memory for
     *                 a copy would fail a force.
     */
    static ForceChannel ofFile(final Path path, final ByteBuffer lastByte) throws IOException
    {
        return new ForceChannel(path, lastByte, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    static void forceDirectory(final Path directory) throws IOException
    {
        final ForceChannel forceChannel;
        try
        {
            forceChannel = new ForceChannel(directory, NO_BYTE, StandardOpenOption.READ);
        }
        catch (final IOException ex)
        {
            throw new SegmentStore.NotBegunException("directory cannot be opened to be forced: path=" + directory, ex);
        }
        try (forceChannel)
        {
            forceChannel.channel.force(true);
        }
    }

    void force() throws IOException
    {
        channel.force(false);
    }

    /**
     * Checks that the file was not truncated, neither below the forced end nor below its length when it was opened. A
     * store to a lost mapped page is not reported otherwise, and a write beyond the end leaves a hole.
     * <p>
     * Reads the last byte, because a length query would cost half as much as a force: in Java it also reads the file's
     * time stamps, after which Linux gives the next write new time stamps and ext4 writes the inode at each force.
     * See {@code docs/adr/0003-forcing.md}.
     */
    void checkLength(final long forcedEnd, final SegmentFile file) throws IOException
    {
        final long expected = Math.max(forcedEnd, firstLength);
        try
        {
            if (expected > 0)
            {
                file.read(expected - 1, lastByte.clear());
            }
        }
        catch (final EOFException ex)
        {
            throw new IOException(
                "file was cut short while in use: file=" + path + ", expected=" + expected + ", found=" +
                    channel.size(),
                ex);
        }
    }

    @Override
    public void close()
    {
        CloseHelper.quietClose(channel);
    }
}
