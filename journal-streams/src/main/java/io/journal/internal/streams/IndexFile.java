// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.zip.CRC32C;

import io.journal.Checkpoint;

/**
 * The index of a range of durable events in a file, which is mapped and never changed. Little-endian:
 * <pre>
 * header     {@link #HEADER_LENGTH} bytes: magic, version, number of blocks, number of entries, first and last
 * position, term before the first and of the last event, checksums of directory and header
 * blocks     of {@link #BLOCK_ENTRIES} entries, the last one shorter: key, position relative to the first (4 bytes);
 *            sorted by key, unsigned, then by position
 * directory  first key of each block (8 bytes), then the checksum of each block (4 bytes)
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
    static final int BLOCK_LENGTH = BLOCK_ENTRIES * ENTRY_LENGTH;
    // Of a mapping: 2 GiB.
    static final long MAX_ENTRIES = 128L * 1024 * 1024;

    static final int BLOCKS_OFFSET = 12;
    static final int ENTRIES_OFFSET = 16;
    static final int FIRST_OFFSET = 24;
    static final int LAST_OFFSET = 32;
    static final int TERM_BEFORE_OFFSET = 40;
    static final int TERM_OFFSET = 48;
    static final int DIRECTORY_CHECKSUM_OFFSET = 56;
    static final int CHECKSUM_OFFSET = 60;

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
        check(map.capacity() >= HEADER_LENGTH && MAGIC == map.getLong(0), "no header");
        check(checksum(0, CHECKSUM_OFFSET) == map.getInt(CHECKSUM_OFFSET), "checksum of the header");
        check(VERSION == map.getInt(Long.BYTES), "version");
        final int blocks = map.getInt(BLOCKS_OFFSET);
        count = (int)map.getLong(ENTRIES_OFFSET);
        final int directoryOffset = HEADER_LENGTH + count * ENTRY_LENGTH;
        final int directoryLength = blocks * ENTRY_LENGTH;
        check(map.capacity() == directoryOffset + directoryLength, "length");
        check(checksum(directoryOffset, directoryLength) == map.getInt(DIRECTORY_CHECKSUM_OFFSET),
            "checksum of the directory");
        first = map.getLong(FIRST_OFFSET);
        before = checkpoint(map.getLong(TERM_BEFORE_OFFSET), first - 1);
        end = checkpoint(map.getLong(TERM_OFFSET), map.getLong(LAST_OFFSET));
        firstKeys = new long[blocks];
        checksums = new int[blocks];
        isVerified = new boolean[blocks];
        for (int i = 0; i < blocks; i++)
        {
            firstKeys[i] = map.getLong(directoryOffset + i * ENTRY_LENGTH);
            checksums[i] = map.getInt(directoryOffset + i * ENTRY_LENGTH + Long.BYTES);
        }
    }

    private static Checkpoint checkpoint(final long term, final long sequence)
    {
        return new Checkpoint(0 == sequence ? 0 : term, sequence);
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
    public Postings postings(final long key)
    {
        final int low = indexOf(key, false);
        final int size = indexOf(key, true) - low;

        return 0 == size ? Postings.NONE : new Postings()
        {
            @Override
            int size()
            {
                return size;
            }

            @Override
            long at(final int index)
            {
                return position(low + index);
            }
        };
    }

    /** Index of the first entry with this key or a higher one, or only with a higher one. */
    private int indexOf(final long key, final boolean isAfter)
    {
        // The block before the first that begins with such a key.
        int low = 0;
        int high = firstKeys.length;
        while (low < high)
        {
            final int middle = low + high >>> 1;
            if (isBefore(firstKeys[middle], key, isAfter))
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }
        if (0 == low)
        {
            return 0;
        }

        high = Math.min(count, low * BLOCK_ENTRIES);
        low = (low - 1) * BLOCK_ENTRIES;
        while (low < high)
        {
            final int middle = low + high >>> 1;
            if (isBefore(key(middle), key, isAfter))
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

    private static boolean isBefore(final long other, final long key, final boolean isAfter)
    {
        final int comparison = Long.compareUnsigned(other, key);
        return comparison < 0 || isAfter && 0 == comparison;
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
        catch (final IndexOutOfBoundsException | InternalError ex)
        {
            // An InternalError: the file was truncated while it was mapped.
            throw new IndexDamagedException(path, "shorter than its header says; cause=" + ex);
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
        return "IndexFile{path=" + path + ", first=" + first + ", last=" + last() + ", count=" + count + '}';
    }
}
