package io.journal.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.agrona.CloseHelper;

/**
 * A descriptor for forcing a file or a directory.
 * <p>
 * A force must never be made again because an interrupt ended it: its error may have been consumed. The force of an
 * {@link AsynchronousFileChannel} runs on the calling thread, out of reach of interrupts, and is an fdatasync; that of
 * a {@link java.nio.channels.FileChannel} is closed by them, and a file descriptor's sync is an fsync, which also waits
 * for time stamps. Measured in {@code docs/adr/0003-forcing.md}.
 */
final class ForceChannel implements AutoCloseable
{
    private final Path path;
    private final AsynchronousFileChannel channel;
    private final long firstLength;
    private final ByteBuffer lastByte = ByteBuffer.allocate(1);

    private ForceChannel(final Path path, final OpenOption... access) throws IOException
    {
        this.path = path;
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
     * Opens a file. To be done before it is written: a descriptor tells errors of the time since it was opened.
     */
    static ForceChannel ofFile(final Path path) throws IOException
    {
        return new ForceChannel(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    }

    static void forceDirectory(final Path directory) throws IOException
    {
        final ForceChannel forceChannel;
        try
        {
            forceChannel = new ForceChannel(directory, StandardOpenOption.READ);
        }
        catch (final IOException ex)
        {
            throw new NotBegunException("directory cannot be opened to be forced: path=" + directory, ex);
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
     * Checks that the file still has its bytes, also those it had at first: a store to a mapped page that it lost fails
     * nowhere else, and a write behind its end leaves a hole.
     * <p>
     * By reading the last one. Asking for the length would cost as much as half a force: who asks for a file's times,
     * as every call of Java for the length does, makes Linux give the next write times of its own, and ext4 then writes
     * the inode at each force. Measured in {@code docs/adr/0003-forcing.md}.
     */
    synchronized void checkLength(final long forcedEnd, final SegmentFile file) throws IOException
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
