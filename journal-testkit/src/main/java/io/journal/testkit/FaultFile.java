// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NonWritableChannelException;

import io.journal.store.SegmentFile;

/**
 * An open file of a {@link FaultStore}.
 */
final class FaultFile implements SegmentFile
{
    private final Device device;
    private final Inode inode;
    private final String name;
    private final boolean isWritable;
    private ByteBuffer mapping;
    private boolean isClosed;

    FaultFile(final Device device, final Inode inode, final String name, final boolean isWritable)
    {
        this.device = device;
        this.inode = inode;
        this.name = name;
        this.isWritable = isWritable;
    }

    @Override
    public long length() throws IOException
    {
        synchronized (device)
        {
            checkOpen();
            return inode.length();
        }
    }

    @Override
    public void read(final long offset, final ByteBuffer target) throws IOException
    {
        synchronized (device)
        {
            checkOpen();
            device.before(StoreStep.of(StoreStep.Kind.READ, name, offset, target.remaining()));
            inode.read(offset, target, name);
        }
    }

    @Override
    public void write(final long offset, final ByteBuffer source) throws IOException
    {
        synchronized (device)
        {
            checkWritable();
            final StoreStep step = StoreStep.write(name, offset, source);
            final Fault fault = device.before(step);
            final int limit = source.limit();
            source.limit(source.position() + Math.min(source.remaining(), fault.done()));
            if (offset + source.remaining() > inode.length())
            {
                device.checkSpace(name, offset + source.remaining() - inode.length());
            }
            inode.write(offset, source, name);
            source.limit(limit);
            if (fault.isError())
            {
                throw fault.exception(step);
            }
            source.position(limit);
        }
    }

    @Override
    public ByteBuffer map() throws IOException
    {
        synchronized (device)
        {
            checkOpen();
            if (null == mapping)
            {
                final boolean isFirst = !inode.isMapped();
                final ByteBuffer memory = inode.map();
                mapping = (isWritable ? memory.duplicate() : memory.asReadOnlyBuffer()).order(ByteOrder.LITTLE_ENDIAN);
                if (isFirst)
                {
                    device.mapped(inode);
                }
            }

            return mapping;
        }
    }

    @Override
    public void release()
    {
        synchronized (device)
        {
            unmap();
        }
    }

    @Override
    public void force(final long from, final long to) throws IOException
    {
        synchronized (device)
        {
            checkWritable();
            final StoreStep step = StoreStep.of(StoreStep.Kind.FORCE, name, from, to - from);
            final Fault fault = device.before(step);
            if (!fault.isIgnored())
            {
                inode.force(from, to, !fault.isError(), name);
            }
            if (fault.isError())
            {
                throw fault.exception(step);
            }
        }
    }

    @Override
    public void close()
    {
        synchronized (device)
        {
            if (!isClosed)
            {
                isClosed = true;
                unmap();
            }
        }
    }

    private void unmap()
    {
        if (null != mapping)
        {
            mapping = null;
            inode.unmap();
            if (!inode.isMapped())
            {
                device.unmapped(inode);
            }
        }
    }

    private void checkOpen() throws ClosedChannelException
    {
        if (isClosed)
        {
            throw new ClosedChannelException();
        }
    }

    private void checkWritable() throws ClosedChannelException
    {
        checkOpen();
        if (!isWritable)
        {
            throw new NonWritableChannelException();
        }
    }
}
