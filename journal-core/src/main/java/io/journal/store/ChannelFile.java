// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

import io.journal.internal.platform.PendingFault;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * A file accessed through a {@link FileChannel}.
 * <p>
 * An interrupted read, write or map is repeated, see {@link ReopenedChannel}; a force is never interrupted, see
 * {@link ForceChannel}. The monitor of this object is a leaf lock: it keeps two threads from mapping the file twice.
 * Reads, writes and forces do not take it.
 */
class ChannelFile implements SegmentFile
{
    private static final int PAGE_LENGTH = 4096;
    // Between two such ranges another thread may release or close the file.
    private static final int WARM_LENGTH = 64 * PAGE_LENGTH;
    private static final VarHandle INTS =
        MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
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
    public ByteBuffer map() throws IOException
    {
        final Mapping mapping = this.mapping;
        return null == mapping ? mapFile() : mapping.buffer();
    }

    private synchronized ByteBuffer mapFile() throws IOException
    {
        if (null == mapping)
        {
            final long length = length();
            final FileChannel.MapMode mode =
                isWritable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
            mapping = channel.uninterrupted((channel) -> Mapping.map(channel, mode, length));
            if (!isWritable)
            {
                // Closed now, because the mapping outlives the channel, and readers keep many mappings.
                channel.pause();
            }
        }

        return mapping.buffer();
    }

    /**
     * Write-back of a mapped page first has to revoke write access in every mapping, on all processors, which doubles
     * the work. So the mapping is released first, except on Windows, where forcing the file would not write the pages
     * of a former mapping.
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
    public void warm(final int from, final int to) throws IOException
    {
        for (int offset = from & -PAGE_LENGTH; offset < to; offset += WARM_LENGTH)
        {
            warmPart(offset, Math.min(to, offset + WARM_LENGTH));
        }
    }

    private synchronized void warmPart(final int from, final int to) throws IOException
    {
        if (isClosed || null == mapping)
        {
            return;
        }

        try
        {
            for (int i = from; i < to; i += PAGE_LENGTH)
            {
                // The JIT compiler would eliminate a plain store of the value just read.
                INTS.getAndAdd(mapping.buffer(), i, 0);
            }
            PendingFault.check();
        }
        catch (final InternalError ex)
        {
            throw new IOException("a page cannot be brought into memory: file=" + path, ex);
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
