// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.function.IntToLongFunction;
import java.util.zip.CRC32C;

import io.journal.Checkpoint;

/**
 * The index of a range of durable events in a file, which is mapped and never changed. Little-endian:
 * <pre>
 * header     {@link #HEADER_LENGTH} bytes: magic, version, number of blocks, number of entries, first and last
 *            position, term before the first and of the last event, checksums of directory and header
 * blocks     of {@link #BLOCK_ENTRIES} entries, the last one shorter: key, position relative to the first (4 bytes);
 *            sorted by key, unsigned, then by position
 * directory  of each block its first key (8 bytes) and its checksum (4 bytes)
 * </pre>
 * Header and directory are verified on opening, a block before its first use. The checkpoints identify the journal and
 * its history. Thread-safe.
 */
final class IndexFile implements Source
{
    static final long MAGIC = 0x58444E494D525453L; // "STRMINDX"
    static final int VERSION = 1;
    static final int HEADER_LENGTH = 64;
    static final int ENTRY_LENGTH = Long.BYTES + Integer.BYTES;
    static final int BLOCK_ENTRIES = 4096 / ENTRY_LENGTH;
    // Of a mapping: 2 GiB.
    static final long MAX_ENTRIES = 128L * 1024 * 1024;

    private static final int CHECKSUM_OFFSET = HEADER_LENGTH - Integer.BYTES;

    private final Path path;
    private final ByteBuffer map;
    private final long first;
    private final Checkpoint before;
    private final Checkpoint end;
    private final int count;
    private final long[] firstKeys;
    private final int[] checksums;
    // Two threads may verify a block at once: harmless.
    private final boolean[] isVerified;

    /**
     * Maps a file.
     *
     * @param file as it is named now.
     * @param path that it is given before it is used.
     * @throws IOException           if it cannot be read.
     * @throws IndexDamagedException if it is damaged.
     */
    IndexFile(final Path file, final Path path) throws IOException
    {
        this.path = path;
        map = PlainFiles.map(file).order(ByteOrder.LITTLE_ENDIAN);
        check(map.capacity() >= HEADER_LENGTH && MAGIC == map.getLong() && VERSION == map.getInt(), "no header");
        check(checksum(0, CHECKSUM_OFFSET) == map.getInt(CHECKSUM_OFFSET), "checksum of the header");
        final int blocks = map.getInt();
        count = (int)map.getLong();
        first = map.getLong();
        final long last = map.getLong();
        before = 1 == first ? Checkpoint.START : new Checkpoint(map.getLong(map.position()), first - 1);
        end = new Checkpoint(map.getLong(map.position() + Long.BYTES), last);
        final int directory = HEADER_LENGTH + count * ENTRY_LENGTH;
        final int directoryLength = blocks * ENTRY_LENGTH;
        check(map.capacity() == directory + directoryLength, "length");
        check(checksum(directory, directoryLength) == map.getInt(CHECKSUM_OFFSET - Integer.BYTES), "directory");
        firstKeys = new long[blocks];
        checksums = new int[blocks];
        isVerified = new boolean[blocks];
        map.position(directory);
        for (int i = 0; i < blocks; i++)
        {
            firstKeys[i] = map.getLong();
            checksums[i] = map.getInt();
        }
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

    int count()
    {
        return count;
    }

    @Override
    public long first()
    {
        return first;
    }

    @Override
    public long last()
    {
        return end.sequence();
    }

    @Override
    public Checkpoint end()
    {
        return end;
    }

    @Override
    public Candidates candidates(final long key)
    {
        final int low = indexOf(key, false);
        return Candidates.sorted(indexOf(key, true) - low, (index) -> position(low + index));
    }

    /** Index of the first entry with this key or a higher one, or only with a higher one. */
    private int indexOf(final long key, final boolean isAfter)
    {
        // In the block before the first that begins with such a key.
        final int block = search(0, firstKeys.length, (index) -> firstKeys[index], key, isAfter) - 1;
        return block < 0 ? 0 : search(
            block * BLOCK_ENTRIES, Math.min(count, (block + 1) * BLOCK_ENTRIES), this::key, key, isAfter);
    }

    private static int search(
        final int begin, final int end, final IntToLongFunction keys, final long key, final boolean isAfter)
    {
        int low = begin;
        int high = end;
        while (low < high)
        {
            final int middle = low + high >>> 1;
            final int comparison = Long.compareUnsigned(keys.applyAsLong(middle), key);
            if (comparison < 0 || isAfter && 0 == comparison)
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }

    long key(final int index)
    {
        return map.getLong(verified(index));
    }

    long position(final int index)
    {
        return first + map.getInt(verified(index) + Long.BYTES);
    }

    /** Offset of an entry, in a block that was verified. */
    private int verified(final int index)
    {
        final int block = index / BLOCK_ENTRIES;
        if (!isVerified[block])
        {
            final int begin = block * BLOCK_ENTRIES;
            final int length = Math.min(BLOCK_ENTRIES, count - begin) * ENTRY_LENGTH;
            check(checksum(HEADER_LENGTH + begin * ENTRY_LENGTH, length) == checksums[block], "block " + block);
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

    @Override
    public String toString()
    {
        return "IndexFile{path=" + path + ", count=" + count + '}';
    }
}
