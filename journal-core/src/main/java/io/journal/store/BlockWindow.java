// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.store.DirectFiles.DirectFile;
import org.jspecify.annotations.Nullable;

/**
 * Memory for direct I/O: a few aligned blocks of the file that was written last.
 * <p>
 * Direct I/O writes whole blocks, so a write within a block also writes the bytes around it. The window keeps these
 * bytes, so that a block is loaded at most once while records are appended to it. It never holds bytes that are not in
 * the file, so another file can take it over without loss. One window serves all files of a store, because only one of
 * them is appended to.
 * <p>
 * The monitor of this object is a leaf lock: it keeps two threads, or two files, from using the memory at the same
 * time.
 */
final class BlockWindow
{
    /** Room for a write of the journal's own window, 64 KiB by default, and the blocks that it shares at both ends. */
    private static final int LENGTH = 128 * 1024;

    private final int blockLength;
    private final ByteBuffer memory;
    private @Nullable DirectFile file;
    // Offset in the file of the first byte of the memory, and how much of the memory equals the file, in whole blocks.
    private long offset;
    private int knownLength;

    BlockWindow(final int blockLength)
    {
        this.blockLength = blockLength;
        memory = ByteBuffer.allocateDirect(LENGTH + blockLength).alignedSlice(blockLength);
    }

    int blockLength()
    {
        return blockLength;
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
            // Also loads the blocks after it, where the next writes will be, so that an append waits for a read more
            // rarely.
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
