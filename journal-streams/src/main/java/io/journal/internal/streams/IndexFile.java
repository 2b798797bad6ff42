// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.CRC32C;

import io.journal.Checkpoint;

/**
 * The index of a range of durable events in a file, which is mapped and never changed. Little-endian:
 * <pre>
 * header     {@link #HEADER_LENGTH} bytes: magic, version, number of blocks, number of entries, first and last
 *            position, term before the first and of the last event, checksums of directory and header
 * blocks     of {@link #BLOCK_ENTRIES} entries, the last one shorter: key, position relative to the first (4 bytes);
 *            sorted by key, unsigned, then by position
 * directory  of each block its first entry and its checksum (4 bytes)
 * </pre>
 * Header and directory are verified on opening, a block before its first use. The checkpoints identify the journal and
 * its history. Thread-safe.
 */
final class IndexFile implements Source, Entries
{
    /** Other work while a file is written. */
    interface Interruption
    {
        /** Returns whether to give up writing. */
        boolean isStop() throws IOException;
    }

    // Of a mapping: 2 GiB.
    static final long MAX_ENTRIES = 128L * 1024 * 1024;

    private static final long MAGIC = 0x58444E494D525453L; // "STRMINDX"
    private static final int VERSION = 1;
    private static final int HEADER_LENGTH = 64;
    private static final int CHECKSUM_OFFSET = HEADER_LENGTH - Integer.BYTES;
    private static final int ENTRY_LENGTH = Long.BYTES + Integer.BYTES;
    private static final int BLOCK_ENTRIES = 4096 / ENTRY_LENGTH;
    private static final int DIRECTORY_ENTRY_LENGTH = ENTRY_LENGTH + Integer.BYTES;

    private final Path path;
    private final ByteBuffer map;
    private final Checkpoint before;
    private final Checkpoint end;
    private final int count;
    private final int directory;
    // Two threads may verify a block at once: harmless.
    private final boolean[] isVerified;

    /**
     * Maps a file.
     *
     * @throws IOException           if it cannot be read.
     * @throws IndexDamagedException if it is damaged.
     */
    IndexFile(final Path path) throws IOException
    {
        this.path = path;
        map = PlainFiles.map(path).order(ByteOrder.LITTLE_ENDIAN);
        check(map.capacity() >= HEADER_LENGTH && MAGIC == map.getLong() && VERSION == map.getInt(), "no header");
        check(checksum(0, CHECKSUM_OFFSET) == map.getInt(CHECKSUM_OFFSET), "checksum of the header");
        isVerified = new boolean[map.getInt()];
        count = (int)map.getLong();
        final long first = map.getLong();
        final long last = map.getLong();
        final long termBefore = map.getLong();
        before = 1 == first ? Checkpoint.START : new Checkpoint(termBefore, first - 1);
        end = new Checkpoint(map.getLong(), last);
        directory = HEADER_LENGTH + count * ENTRY_LENGTH;
        final int directoryLength = isVerified.length * DIRECTORY_ENTRY_LENGTH;
        check(map.capacity() == directory + directoryLength, "length");
        check(checksum(directory, directoryLength) == map.getInt(), "checksum of the directory");
    }

    /**
     * Writes a file.
     *
     * @param end          of the last event: entries after it are left out.
     * @param parts        the entries, adjacent ranges in order.
     * @param interruption called before each block.
     * @return false if it was stopped; there is no file then, nor after a failure.
     */
    static boolean write(
        final Path path,
        final Checkpoint before,
        final Checkpoint end,
        final List<? extends Entries> parts,
        final Interruption interruption)
        throws IOException
    {
        boolean isComplete = false;
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw"))
        {
            file.setLength(0);
            final long entries = parts.stream().mapToLong(Entries::count).sum();
            final ByteBuffer directory =
                allocate((int)((entries + BLOCK_ENTRIES - 1) / BLOCK_ENTRIES) * DIRECTORY_ENTRY_LENGTH);
            final ByteBuffer block = allocate(BLOCK_ENTRIES * ENTRY_LENGTH);
            final int[] next = new int[parts.size()];
            long count = 0;
            boolean isStopped = interruption.isStop();
            file.seek(HEADER_LENGTH);
            for (int part = lowest(parts, next); part >= 0 && !isStopped; part = lowest(parts, next))
            {
                final long position = parts.get(part).position(next[part]);
                final long key = parts.get(part).key(next[part]++);
                if (position <= end.sequence())
                {
                    block.putLong(key).putInt((int)(position - before.sequence() - 1));
                    count++;
                }
                if (!block.hasRemaining())
                {
                    write(file, block, directory);
                    isStopped = interruption.isStop();
                }
            }
            if (!isStopped)
            {
                write(file, block, directory);
                directory.flip();
                file.write(directory.array(), 0, directory.limit());
                final ByteBuffer header = allocate(HEADER_LENGTH).putLong(MAGIC).putInt(VERSION);
                header.putInt(directory.limit() / DIRECTORY_ENTRY_LENGTH);
                header.putLong(count).putLong(before.sequence() + 1).putLong(end.sequence());
                header.putLong(before.term()).putLong(end.term()).putInt(checksum(directory));
                header.putInt(checksum(header.duplicate().flip()));
                file.seek(0);
                file.write(header.array());
                file.getFD().sync();
                isComplete = true;
            }
        }
        finally
        {
            if (!isComplete)
            {
                Files.deleteIfExists(path);
            }
        }

        return isComplete;
    }

    private static void write(final RandomAccessFile file, final ByteBuffer block, final ByteBuffer directory)
        throws IOException
    {
        if (block.flip().hasRemaining())
        {
            directory.putLong(block.getLong(0)).putInt(block.getInt(Long.BYTES)).putInt(checksum(block.duplicate()));
            file.write(block.array(), 0, block.limit());
        }
        block.clear();
    }

    private static ByteBuffer allocate(final int length)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }

    /** Number of the part whose next entry has the lowest key; of equal keys the oldest, so that positions rise. */
    private static int lowest(final List<? extends Entries> parts, final int[] next)
    {
        int lowest = -1;
        for (int i = 0; i < next.length; i++)
        {
            if (next[i] < parts.get(i).count() && (lowest < 0 ||
                Long.compareUnsigned(parts.get(i).key(next[i]), parts.get(lowest).key(next[lowest])) < 0))
            {
                lowest = i;
            }
        }

        return lowest;
    }

    private void check(final boolean isAsExpected, final String what)
    {
        if (!isAsExpected)
        {
            throw new IndexDamagedException(path, what);
        }
    }

    Path path()
    {
        return path;
    }

    /** Checkpoint of the event before the first. */
    Checkpoint before()
    {
        return before;
    }

    /** Checkpoint of the last event. */
    Checkpoint end()
    {
        return end;
    }

    @Override
    public long first()
    {
        return before.sequence() + 1;
    }

    @Override
    public long last()
    {
        return end.sequence();
    }

    @Override
    public int count()
    {
        return count;
    }

    @Override
    public long key(final int index)
    {
        return map.getLong(verified(index));
    }

    @Override
    public long position(final int index)
    {
        return positionAt(verified(index));
    }

    private long positionAt(final int offset)
    {
        return first() + map.getInt(offset + Long.BYTES);
    }

    @Override
    public long find(final long key, final long from, final long to)
    {
        final boolean isForward = from <= to;
        // In the last block that begins before.
        final int block = (int)Source.bisect(0, isVerified.length,
            (i) -> isBefore(directory + (int)i * DIRECTORY_ENTRY_LENGTH, key, from, isForward)) - 1;
        final int begin = Math.max(0, block * BLOCK_ENTRIES);
        final int next = block < 0 ? 0 : (int)Source.bisect(begin, Math.min(count, begin + BLOCK_ENTRIES),
            (i) -> isBefore(verified((int)i), key, from, isForward));
        final int at = isForward ? next : next - 1;
        if (at < 0 || at >= count || key != key(at))
        {
            return NONE;
        }
        final long found = position(at);

        return isForward && found > to || !isForward && found < to ? NONE : found;
    }

    /** Whether an entry is before what is looked for; backwards, or is that itself. */
    private boolean isBefore(final int offset, final long key, final long from, final boolean isForward)
    {
        final int keys = Long.compareUnsigned(map.getLong(offset), key);
        return keys < 0 || 0 == keys && positionAt(offset) < (isForward ? from : from + 1);
    }

    /** Offset of an entry, in a block that was verified. */
    private int verified(final int index)
    {
        final int block = index / BLOCK_ENTRIES;
        if (!isVerified[block])
        {
            final int begin = block * BLOCK_ENTRIES;
            final int length = Math.min(BLOCK_ENTRIES, count - begin) * ENTRY_LENGTH;
            check(checksum(HEADER_LENGTH + begin * ENTRY_LENGTH, length) == map.getInt(
                directory + (block + 1) * DIRECTORY_ENTRY_LENGTH - Integer.BYTES), "checksum of block " + block);
            isVerified[block] = true;
        }

        return HEADER_LENGTH + index * ENTRY_LENGTH;
    }

    private int checksum(final int offset, final int length)
    {
        try
        {
            return checksum(map.slice(offset, length));
        }
        catch (final InternalError ex)
        {
            throw new IndexDamagedException(path, "truncated while it was mapped; cause=" + ex);
        }
    }

    static int checksum(final ByteBuffer bytes)
    {
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int)crc.getValue();
    }
}
