// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * A file accessed through a {@link FileChannel}.
 * <p>
 * An interrupted read, write or map is repeated, see {@link ReopenedChannel}; a force is never interrupted, see
 * {@link ForceChannel}. The monitor of this object is a leaf lock: it keeps two threads from mapping the file twice.
 * Reads, writes and forces do not take it.
 */
final class ChannelFile implements SegmentFile
{
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> WRITE =
        Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    private final Path path;
    private final boolean isWritable;
    private final ReopenedChannel channel;
    private final @Nullable ForceChannel forceChannel;
    private volatile @Nullable Mapping mapping;
    private boolean isClosed;

    ChannelFile(final Path path, final SegmentStore.Access access) throws IOException
    {
        this.path = path;
        isWritable = SegmentStore.Access.READ != access;
        channel = new ReopenedChannel(path, isWritable ? WRITE : READ);
        try
        {
            forceChannel = isWritable ? ForceChannel.ofFile(path, ByteBuffer.allocateDirect(1)) : null;
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(channel);
            throw ex;
        }
    }

    @Override
    public long length() throws IOException
    {
        return channel.uninterrupted(FileChannel::size);
    }

    @Override
    public void read(final long offset, final ByteBuffer target) throws IOException
    {
        channel.read(offset, target);
    }

    @Override
    public void write(final long offset, final ByteBuffer source) throws IOException
    {
        channel.write(offset, source);
    }

    @Override
    public synchronized ByteBuffer map() throws IOException
    {
        if (null == mapping)
        {
            final long length = length();
            final FileChannel.MapMode mode =
                isWritable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
            mapping = channel.uninterrupted((channel) -> Mapping.map(channel, mode, length));
            if (!isWritable)
            {
                // The mapping outlives it, and readers keep many.
                channel.pause();
            }
        }

        return mapping.buffer();
    }

    /**
     * Write-back of a mapped page first has to revoke write access in every mapping, on all processors, which doubles
     * the work. Not on Windows, where forcing the file would not write the pages of a former mapping.
     */
    @Override
    public synchronized void release()
    {
        if (null != mapping && '/' == File.separatorChar)
        {
            mapping.close();
            mapping = null;
        }
    }

    @Override
    public void force(final long from, final long to) throws IOException
    {
        final Mapping mapping = this.mapping;
        if (null == mapping)
        {
            forceChannel.force();
        }
        else
        {
            mapping.buffer().force((int)from, (int)(to - from));
        }

        forceChannel.checkLength(to, this);
    }

    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            isClosed = true;
            try
            {
                if (null != mapping)
                {
                    mapping.close();
                }
            }
            finally
            {
                CloseHelper.quietClose(channel);
                CloseHelper.quietClose(forceChannel);
            }
        }
    }
}
