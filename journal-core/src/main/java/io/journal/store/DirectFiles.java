// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

import io.journal.internal.platform.CleanUp;
import io.journal.internal.platform.Descriptors;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.Permissions;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Opens the files of one store: for direct I/O if records are appended to them, otherwise for the page cache.
 */
final class DirectFiles implements DirectoryStore.FileOpener
{
    private static final int MAX_BLOCK_LENGTH = 64 * 1024;
    // Prefix of names that the next opening of a journal deletes, if this process is killed before it does.
    private static final String PROBE_PREFIX = "spare-direct-io-";
    private static final Set<OpenOption> BUFFERED = Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    // Empty if the Java runtime has no option for it.
    private static final Set<OpenOption> OPTIONS = directOptions();

    // Allocated on first use, because most users of a store append nothing.
    private @Nullable BlockWindow window;

    @Override
    public SegmentFile open(final Path path, final SegmentStore.Access access) throws IOException
    {
        return SegmentStore.Access.APPEND == access ? new DirectFile(path, this) : new ChannelFile(path, access);
    }

    private synchronized BlockWindow window(final Path path) throws IOException
    {
        if (null == window)
        {
            window = new BlockWindow((int)Files.getFileStore(path).getBlockSize());
        }

        return window;
    }

    /**
     * Tries direct I/O on a new file, which is deleted at once, in a directory or, if it is absent, in its nearest
     * existing parent.
     */
    @Override
    public void checkFileSystem(final Path directory) throws IOException
    {
        Path place = directory.toAbsolutePath();
        for (Path parent = place.getParent(); FileType.DIRECTORY != FileType.of(place) && null != parent;
            parent = place.getParent())
        {
            place = parent;
        }

        final FileStore fileStore = Files.getFileStore(place);
        final String reason = reasonAgainst(place, fileStore);
        if (null != reason)
        {
            throw new UnsupportedFileSystemException(
                "direct I/O is not possible here, use another backend: path=" + directory + ", fileSystem=" +
                    fileStore.type() + ", reason=" + reason);
        }
    }

    private static @Nullable String reasonAgainst(final Path place, final FileStore fileStore) throws IOException
    {
        if (!"Linux".equals(System.getProperty("os.name")))
        {
            // Elsewhere reads through the page cache need not see direct writes.
            return "only on Linux";
        }
        if (OPTIONS.isEmpty())
        {
            return "not offered by this Java runtime";
        }

        Descriptors.prepareChannels();
        final Path probe;
        try
        {
            final long blockLength = fileStore.getBlockSize();
            if (blockLength <= 0 || blockLength > MAX_BLOCK_LENGTH || 0 != (blockLength & blockLength - 1))
            {
                return "blocks of " + blockLength + " bytes";
            }
            probe = Files.createFile(
                place.resolve(PROBE_PREFIX + ProcessHandle.current().pid() + "-" + System.nanoTime()),
                Permissions.ofFile(place.getFileSystem()));
        }
        catch (final UnsupportedOperationException ex)
        {
            return "blocks of unknown length";
        }
        catch (final IOException ignore)
        {
            // A full or read-only disk says nothing about direct I/O; the operation that needs a file reports it.
            return null;
        }

        try
        {
            new ReopenedChannel(probe, OPTIONS).close();
            return null;
        }
        catch (final NoSuchFileException ignore)
        {
            // Another process has just opened the journal, and deleted the probe.
            return null;
        }
        catch (final FileSystemException | UnsupportedOperationException ex)
        {
            // Throws if there is another reason, such as file-descriptor exhaustion.
            new ReopenedChannel(probe, BUFFERED).close();
            return ex.toString();
        }
        finally
        {
            CleanUp.quietly(() -> Files.deleteIfExists(probe));
        }
    }

    /** The JDK's option is found by its name, since newer compilers warn of its type. Its package is exported. */
    private static Set<OpenOption> directOptions()
    {
        try
        {
            final Object direct =
                Class.forName("com.sun.nio.file.ExtendedOpenOption").getField("DIRECT").get(null);
            return Set.of(StandardOpenOption.WRITE, (OpenOption)direct, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final ReflectiveOperationException ignore)
        {
            return Set.of();
        }
    }

    /**
     * A file to which records are appended with direct I/O.
     * <p>
     * Writes go through the {@link BlockWindow} as whole blocks, and bypass the page cache, whose copies of these
     * blocks the operating system drops. Reads go through the page cache, and so does the rest of a file whose length
     * is not a multiple of the block length, or a write that extends it. A force flushes the device's cache, which
     * direct I/O does not bypass: an fdatasync, as for {@link ChannelFile}.
     */
    private static final class DirectFile extends ChannelFile
    {
        private final ReopenedChannel direct;
        private final BlockWindow window;
        private final long blocksEnd;

        DirectFile(final Path path, final DirectFiles files) throws IOException
        {
            // Opened first, because this rejects links, pipes and directories.
            super(path, SegmentStore.Access.APPEND);
            try
            {
                window = files.window(path);
                blocksEnd = length() & -window.blockLength;
                direct = new ReopenedChannel(path, OPTIONS);
            }
            catch (final Throwable ex)
            {
                super.close();
                throw ex;
            }
        }

        @Override
        public void write(final long offset, final ByteBuffer source) throws IOException
        {
            if (offset + source.remaining() <= blocksEnd)
            {
                window.write(this, offset, source);
            }
            else
            {
                window.forget(this);
                super.write(offset, source);
            }
        }

        /** Offset after the last whole block. */
        long blocksEnd()
        {
            return blocksEnd;
        }

        /** Writes whole blocks from aligned memory. */
        void writeBlocks(final long offset, final ByteBuffer source) throws IOException
        {
            direct.write(offset, source);
        }

        /**
         * Rejects mapping: a store to mapped memory, which is in the page cache, could be lost to a direct write of the
         * same block.
         */
        @Override
        public ByteBuffer map()
        {
            throw new UnsupportedOperationException("a file that is open for appending is not mapped");
        }

        @Override
        public void close()
        {
            window.forget(this);
            CloseHelper.quietClose(direct);
            super.close();
        }
    }

    /**
     * Memory for direct I/O: a few aligned blocks of the file that was written last.
     * <p>
     * Direct I/O writes whole blocks, so a write within a block also writes the bytes around it. The window keeps these
     * bytes, so that a block is loaded at most once while records are appended to it. It never holds bytes that are not
     * in the file, so another file can take it over without loss. One window serves all files of a store, because only
     * one of them is appended to.
     * <p>
     * The monitor of this object is a leaf lock: it keeps two threads, or two files, from using the memory at the same
     * time.
     */
    private static final class BlockWindow
    {
        // Room for a write of the journal's own window, 64 KiB by default, and the blocks that it shares at both ends.
        private static final int LENGTH = 128 * 1024;

        private final int blockLength;
        private final ByteBuffer memory;
        private @Nullable DirectFile file;
        // Offset in the file of the first byte of the memory, and how much of the memory equals the file, in whole
        // blocks.
        private long offset;
        private int knownLength;

        BlockWindow(final int blockLength)
        {
            this.blockLength = blockLength;
            memory = ByteBuffer.allocateDirect(LENGTH + blockLength).alignedSlice(blockLength);
        }

        /**
         * Writes the remaining bytes of a buffer, and around them the file's own bytes. The blocks lie within the file,
         * which nothing else changes meanwhile.
         */
        synchronized void write(final DirectFile file, final long offset, final ByteBuffer source) throws IOException
        {
            long at = offset;
            try
            {
                while (source.hasRemaining())
                {
                    moveTo(file, at, source.remaining());
                    final int from = (int)(at - this.offset);
                    final int length = Math.min(source.remaining(), memory.capacity() - from);
                    loadAround(from, from + length);
                    memory.put(from, source, source.position(), length);
                    storeBlocks(from, from + length);
                    source.position(source.position() + length);
                    at += length;
                }
            }
            catch (final Throwable ex)
            {
                // The file's content is no longer known.
                this.file = null;
                memory.clear();
                throw ex;
            }
        }

        /** Drops the window's bytes of a file that is about to be changed in another way. */
        synchronized void forget(final DirectFile file)
        {
            if (this.file == file)
            {
                this.file = null;
            }
        }

        /** Moves so that a write fits as a whole, if it can, and keeps the blocks that are known at its beginning. */
        private void moveTo(final DirectFile file, final long at, final int length)
        {
            final long block = at & -blockLength;
            final boolean isKept = this.file == file && block >= offset && block <= offset + knownLength;
            if (isKept && (block == offset || at + length <= offset + memory.capacity()))
            {
                return;
            }

            final int from = isKept ? (int)(block - offset) : knownLength;
            memory.put(0, memory, from, knownLength - from);
            knownLength -= from;
            offset = block;
            this.file = file;
        }

        /** Loads the blocks that a write changes in part only. */
        private void loadAround(final int from, final int to) throws IOException
        {
            final int firstBlock = from & -blockLength;
            final int lastBlock = to & -blockLength;
            final int known = knownLength;
            if (lastBlock < to && lastBlock >= known)
            {
                // Also loads the blocks after it, where the next writes will be, so that an append waits for a read
                // more rarely.
                load(lastBlock, (int)Math.min(memory.capacity(), file.blocksEnd() - offset));
            }
            if (firstBlock < from && firstBlock >= known && firstBlock != lastBlock)
            {
                load(firstBlock, firstBlock + blockLength);
            }
        }

        private void load(final int from, final int to) throws IOException
        {
            file.read(offset + from, memory.limit(to).position(from));
            memory.clear();
            knownLength = Math.max(knownLength, to);
        }

        private void storeBlocks(final int from, final int to) throws IOException
        {
            final int end = to + blockLength - 1 & -blockLength;
            file.writeBlocks(offset + (from & -blockLength), memory.limit(end).position(from & -blockLength));
            memory.clear();
            knownLength = Math.max(knownLength, end);
        }
    }
}
