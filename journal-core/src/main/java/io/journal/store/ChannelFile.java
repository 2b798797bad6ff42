package io.journal.store;

import java.io.EOFException;
import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;

import io.journal.internal.platform.NotRegularFileException;
import org.agrona.CloseHelper;

/**
 * A file accessed through a {@link FileChannel}.
 * <p>
 * A {@link FileChannel} closes itself when a thread that uses it is interrupted. A read, write or map that fails for
 * this reason is repeated on a new channel; a force is never interrupted, see {@link ForceChannel}.
 * <p>
 * The monitor of this object is a leaf lock: it keeps two threads from mapping the file twice, and two interrupted
 * threads from replacing the same channel twice. Reads, writes and forces do not take it.
 */
final class ChannelFile implements SegmentFile
{
    private static final int PAGE_LENGTH = 4096;
    private static final VarHandle INTS =
        MethodHandles.byteBufferViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
    private static final Set<OpenOption> READ = Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    private static final Set<OpenOption> WRITE =
        Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);

    private final Path path;
    private final boolean isWritable;
    private final boolean isMappedWhenUsed;
    private final Object fileKey;
    private final ForceChannel forceChannel;
    private volatile FileChannel channel;
    private volatile Mapping mapping;
    private boolean isClosed;

    ChannelFile(final Path path, final SegmentStore.Access access, final boolean isMappedWhenUsed) throws IOException
    {
        this.path = path;
        isWritable = SegmentStore.Access.WRITE == access;
        this.isMappedWhenUsed = isMappedWhenUsed;
        fileKey = regularFileKey(path);
        channel = openChannel();
        try
        {
            forceChannel = isWritable ? ForceChannel.ofFile(path) : null;
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
        return uninterrupted(FileChannel::size);
    }

    @Override
    public void read(final long offset, final ByteBuffer target) throws IOException
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

    @Override
    public void write(final long offset, final ByteBuffer source) throws IOException
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

    @Override
    public synchronized ByteBuffer map() throws IOException
    {
        if (null == mapping)
        {
            final long length = length();
            final FileChannel.MapMode mode =
                isWritable ? FileChannel.MapMode.READ_WRITE : FileChannel.MapMode.READ_ONLY;
            mapping = uninterrupted((channel) -> Mapping.map(channel, mode, length));
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
    public void warm() throws IOException
    {
        if (isMappedWhenUsed)
        {
            touch(map());
        }
    }

    private void touch(final ByteBuffer buffer) throws IOException
    {
        try
        {
            for (int i = 0; i < buffer.capacity(); i += PAGE_LENGTH)
            {
                // The JIT compiler would eliminate a plain store of the value just read.
                INTS.getAndAdd(buffer, i, 0);
            }
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

    /**
     * Reads until the buffer is full. A read that makes no progress throws: it would make none the next time.
     */
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

    /**
     * Writes until all bytes are written. A write that makes no progress throws: it would make none the next time.
     */
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
            throw NoSpace.translate(ex, path, source.remaining());
        }

        return source.limit();
    }

    private interface Operation<T>
    {
        T apply(FileChannel channel) throws IOException;
    }

    private <T> T uninterrupted(final Operation<T> operation) throws IOException
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
            if (!Objects.equals(fileKey, regularFileKey(path)))
            {
                throw new IOException("file was replaced while in use: file=" + path, cause);
            }
            channel = openChannel();
        }
    }

    private FileChannel openChannel() throws IOException
    {
        return FileChannel.open(path, isWritable ? WRITE : READ);
    }

    /**
     * Rejects anything but a regular file before it is opened: opening a pipe could block forever.
     */
    static Object regularFileKey(final Path path) throws IOException
    {
        final BasicFileAttributes attributes =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile())
        {
            throw new NotRegularFileException(path);
        }

        return attributes.fileKey();
    }
}
