// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import io.journal.internal.platform.FileType;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * A file accessed through a {@link RandomAccessFile}, which an interrupt does not close.
 * <p>
 * The monitor of this object is a leaf lock: it keeps other threads from moving the file pointer between a seek and its
 * transfer, and from opening a second descriptor to map the file.
 */
final class PlainFile implements SegmentFile
{
    private final Path path;
    private final boolean isWritable;
    private final RandomAccessFile file;
    private final @Nullable ForceChannel forceChannel;
    private volatile @Nullable ChannelFile mapped;

    PlainFile(final Path path, final SegmentStore.Access access) throws IOException
    {
        this.path = path;
        isWritable = SegmentStore.Access.READ != access;
        FileType.regularFileKey(path);
        file = open(path, isWritable);
        try
        {
            forceChannel = isWritable ? ForceChannel.ofFile(path, ByteBuffer.allocate(1)) : null;
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(file);
            throw ex;
        }
    }

    private static RandomAccessFile open(final Path path, final boolean isWritable) throws IOException
    {
        try
        {
            return new RandomAccessFile(path.toFile(), isWritable ? "rw" : "r");
        }
        catch (final FileNotFoundException ex)
        {
            // Thrown for any cause, including file-descriptor exhaustion. Only a missing file is reported as missing.
            if (FileType.ABSENT == FileType.of(path, LinkOption.NOFOLLOW_LINKS))
            {
                throw new NoSuchFileException(path.toString());
            }
            if (!Files.isReadable(path) || isWritable && !Files.isWritable(path))
            {
                throw (IOException)new AccessDeniedException(path.toString()).initCause(ex);
            }
            throw new IOException(ex.getMessage(), ex);
        }
    }

    @Override
    public long length() throws IOException
    {
        return file.length();
    }

    @Override
    public synchronized void read(final long offset, final ByteBuffer target) throws IOException
    {
        if (!target.hasArray())
        {
            final ByteBuffer copy = ByteBuffer.allocate(target.remaining());
            read(offset, copy);
            target.put(copy.flip());
            return;
        }

        file.seek(offset);
        try
        {
            file.readFully(target.array(), target.arrayOffset() + target.position(), target.remaining());
        }
        catch (final EOFException ex)
        {
            final EOFException named = new EOFException("file ends too early: file=" + path + ", offset=" + offset);
            named.initCause(ex);
            throw named;
        }
        target.position(target.limit());
    }

    @Override
    public synchronized void write(final long offset, final ByteBuffer source) throws IOException
    {
        if (!source.hasArray())
        {
            final ByteBuffer copy = ByteBuffer.allocate(source.remaining()).put(source);
            write(offset, copy.flip());
            return;
        }

        try
        {
            file.seek(offset);
            file.write(source.array(), source.arrayOffset() + source.position(), source.remaining());
        }
        catch (final IOException ex)
        {
            throw DirectoryStore.translate(ex, path, source.remaining());
        }
        source.position(source.limit());
    }

    @Override
    public ByteBuffer map() throws IOException
    {
        return openMapped().map();
    }

    // Uses a separate descriptor, because an interrupt would close this file with its channel.
    private synchronized ChannelFile openMapped() throws IOException
    {
        if (null == mapped)
        {
            mapped = new ChannelFile(path, isWritable ? SegmentStore.Access.WRITE : SegmentStore.Access.READ);
        }

        return mapped;
    }

    @Override
    public void release()
    {
        final ChannelFile mapped = this.mapped;
        if (null != mapped)
        {
            mapped.release();
        }
    }

    @Override
    public void force(final long from, final long to) throws IOException
    {
        forceChannel.force();
        forceChannel.checkLength(to, this);
    }

    @Override
    public synchronized void close()
    {
        CloseHelper.quietClose(file);
        CloseHelper.quietClose(forceChannel);
        CloseHelper.quietClose(mapped);
    }
}
