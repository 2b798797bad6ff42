// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.function.BooleanSupplier;

import io.journal.Checkpoint;

/** Writes an index file: entries, directory and, at last, the header. */
final class IndexWriter implements AutoCloseable
{
    private final RandomAccessFile file;
    private final ByteBuffer block = allocate(IndexFile.BLOCK_ENTRIES * IndexFile.ENTRY_LENGTH);
    private long[] firstKeys = new long[64];
    private int[] checksums = new int[64];
    private int blocks;
    private long count;

    private IndexWriter(final Path path) throws IOException
    {
        file = new RandomAccessFile(path.toFile(), "rw");
        try
        {
            file.setLength(0);
            file.seek(IndexFile.HEADER_LENGTH);
        }
        catch (final IOException ex)
        {
            file.close();
            throw ex;
        }
    }

    private static ByteBuffer allocate(final int length)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Writes sorted entries. */
    static boolean write(final Path path, final Checkpoint before, final Checkpoint end, final Entries entries)
        throws IOException
    {
        entries.sort();
        try (IndexWriter writer = new IndexWriter(path))
        {
            for (int i = 0; i < entries.count(); i++)
            {
                writer.add(entries.key(i), entries.position(i));
            }
            writer.finish(before, end);

            return true;
        }
    }

    /** Merges files of adjacent ranges, oldest first; returns false if it was stopped before the end. */
    static boolean merge(final Path path, final List<IndexFile> files, final BooleanSupplier isStopped)
        throws IOException
    {
        final int[] next = new int[files.size()];
        final IndexFile oldest = files.get(0);
        try (IndexWriter writer = new IndexWriter(path))
        {
            while (true)
            {
                int lowest = -1;
                for (int i = 0; i < next.length; i++)
                {
                    // Of equal keys the oldest file is first, so positions rise.
                    if (next[i] < files.get(i).count() && (lowest < 0 || Long
                        .compareUnsigned(files.get(i).key(next[i]), files.get(lowest).key(next[lowest])) < 0))
                    {
                        lowest = i;
                    }
                }
                if (lowest < 0)
                {
                    writer.finish(oldest.before(), files.get(files.size() - 1).end());
                    return true;
                }
                if (0 == writer.block.position() && isStopped.getAsBoolean())
                {
                    return false;
                }
                final IndexFile source = files.get(lowest);
                final int index = next[lowest]++;
                writer.add(source.key(index), (int)(source.position(index) - oldest.first()));
            }
        }
    }

    private void add(final long key, final int position) throws IOException
    {
        if (0 == block.position())
        {
            if (blocks == firstKeys.length)
            {
                firstKeys = Arrays.copyOf(firstKeys, 2 * blocks);
                checksums = Arrays.copyOf(checksums, 2 * blocks);
            }
            firstKeys[blocks] = key;
        }
        block.putLong(key).putInt(position);
        count++;
        if (!block.hasRemaining())
        {
            writeBlock();
        }
    }

    private void writeBlock() throws IOException
    {
        block.flip();
        checksums[blocks++] = IndexFile.checksum(block);
        file.write(block.array(), 0, block.limit());
        block.clear();
    }

    private void finish(final Checkpoint before, final Checkpoint end) throws IOException
    {
        if (block.position() > 0)
        {
            writeBlock();
        }
        final ByteBuffer directory = allocate(blocks * IndexFile.ENTRY_LENGTH);
        for (int i = 0; i < blocks; i++)
        {
            directory.putLong(firstKeys[i]).putInt(checksums[i]);
        }
        directory.flip();
        file.write(directory.array());

        final ByteBuffer header = allocate(IndexFile.HEADER_LENGTH);
        header.putLong(IndexFile.MAGIC).putInt(IndexFile.VERSION).putInt(blocks).putLong(count);
        header.putLong(before.sequence() + 1).putLong(end.sequence()).putLong(before.term()).putLong(end.term());
        header.putInt(IndexFile.checksum(directory));
        header.putInt(IndexFile.checksum(header.duplicate().flip()));
        file.seek(0);
        file.write(header.array());
        file.getFD().sync();
    }

    @Override
    public void close() throws IOException
    {
        file.close();
    }
}
