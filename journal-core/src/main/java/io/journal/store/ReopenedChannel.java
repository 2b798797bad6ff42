// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Set;

import io.journal.internal.platform.Descriptors;
import io.journal.internal.platform.FileType;
import org.agrona.CloseHelper;

/**
 * A {@link FileChannel} whose operations are not interruptible.
 * <p>
 * A {@link FileChannel} closes itself when a thread that uses it is interrupted. A read, write or map that fails for
 * this reason is repeated on a new channel. The monitor of this object is a leaf lock: it keeps two interrupted threads
 * from replacing the same channel twice.
 */
final class ReopenedChannel implements AutoCloseable
{
    private final Path path;
    private final Set<OpenOption> options;
    private final Object fileKey;
    private volatile FileChannel channel;
    private boolean isClosed;

    ReopenedChannel(final Path path, final Set<OpenOption> options) throws IOException
    {
        this.path = path;
        this.options = options;
        fileKey = FileType.regularFileKey(path);
        channel = openChannel();
    }

    interface Operation<T>
    {
        T apply(FileChannel channel) throws IOException;
    }

    void read(final long offset, final ByteBuffer target) throws IOException
    {
        final int start = target.position();
        try
        {
            readFully(channel, path, offset, target);
        }
        catch (final ClosedChannelException ex)
        {
            uninterrupted((channel) -> readFully(channel, path, offset, target.position(start)));
        }
    }

    void write(final long offset, final ByteBuffer source) throws IOException
    {
        final int start = source.position();
        try
        {
            writeFully(channel, path, offset, source);
        }
        catch (final ClosedChannelException ex)
        {
            uninterrupted((channel) -> writeFully(channel, path, offset, source.position(start)));
        }
    }

    <T> T uninterrupted(final Operation<T> operation) throws IOException
    {
        boolean wasInterrupted = false;
        try
        {
            while (true)
            {
                final FileChannel channel = this.channel;
                try
                {
                    return operation.apply(channel);
                }
                catch (final ClosedChannelException ex)
                {
                    wasInterrupted |= Thread.interrupted();
                    reopen(channel, ex);
                }
            }
        }
        finally
        {
            if (wasInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized void reopen(final FileChannel broken, final ClosedChannelException cause) throws IOException
    {
        if (isClosed)
        {
            throw cause;
        }

        if (channel == broken)
        {
            if (!Objects.equals(fileKey, FileType.regularFileKey(path)))
            {
                throw new IOException("file was replaced while in use: file=" + path, cause);
            }
            channel = openChannel();
        }
    }

    /** Closes the file until the next operation, which opens it again. */
    void pause()
    {
        CloseHelper.quietClose(channel);
    }

    private FileChannel openChannel() throws IOException
    {
        Descriptors.prepareChannels();
        try
        {
            return FileChannel.open(path, options);
        }
        catch (final UnsupportedOperationException ex)
        {
            if (ex.getCause() instanceof final IOException cause)
            {
                // The JDK's way to report that it could not ask the file system for the block length.
                throw new IOException("cannot open for direct I/O: file=" + path + "; cause=" + cause, ex);
            }
            throw ex;
        }
    }

    @Override
    public synchronized void close()
    {
        isClosed = true;
        CloseHelper.quietClose(channel);
    }

    /** Reads until the buffer is full. A read that makes no progress throws: it would make none the next time. */
    static int readFully(final FileChannel channel, final Path path, final long offset, final ByteBuffer target)
        throws IOException
    {
        final int start = target.position();
        while (target.hasRemaining())
        {
            final long at = offset + target.position() - start;
            final int count = channel.read(target, at);
            if (count < 0)
            {
                throw new EOFException("file ends too early: file=" + path + ", offset=" + at);
            }
            if (0 == count)
            {
                throw new IOException("nothing could be read: file=" + path + ", offset=" + at);
            }
        }

        return target.limit();
    }

    /** Writes until all bytes are written. A write that makes no progress throws: it would make none the next time. */
    static int writeFully(final FileChannel channel, final Path path, final long offset, final ByteBuffer source)
        throws IOException
    {
        final int start = source.position();
        try
        {
            while (source.hasRemaining())
            {
                final long at = offset + source.position() - start;
                if (0 == channel.write(source, at))
                {
                    throw new IOException("nothing could be written: file=" + path + ", offset=" + at);
                }
            }
        }
        catch (final ClosedChannelException ex)
        {
            throw ex;
        }
        catch (final IOException ex)
        {
            throw DirectoryStore.translate(ex, path, source.remaining());
        }

        return source.limit();
    }
}
