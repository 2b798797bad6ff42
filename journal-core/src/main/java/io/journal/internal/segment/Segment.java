// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.CorruptJournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * An open segment with a validated header.
 */
public final class Segment implements AutoCloseable
{
    public final SegmentFile file;
    public final long ordinal;
    public final long salt;
    public final int length;
    public final long basePosition;
    /** Whether stale bytes of the file's previous use may follow the frames. */
    public final boolean isRecycled;

    // Sequence of the first record in it; known once the preceding segment is complete.
    private volatile long firstSequence;
    // Blocks of the file are allocated up to here. After it there may be holes, and a store to a hole fails on a full
    // disk.
    private volatile int filledEnd;

    private final AtomicInteger users = new AtomicInteger(1);

    private Segment(
        final SegmentFile file, final long ordinal, final long salt, final int length, final boolean isRecycled)
    {
        this.file = file;
        this.ordinal = ordinal;
        this.salt = salt;
        this.length = length;
        this.isRecycled = isRecycled;
        basePosition = ordinal * length;
        filledEnd = length;
    }

    /**
     * Opens a segment.
     *
     * @param forWriting whether the journal will be changed, which unknown read-only-compatible features forbid.
     * @throws CorruptJournalException if the segment is absent, has another length, is damaged, or belongs to another
     *                                 ordinal or journal.
     */
    public static Segment open(
        final SegmentStore store,
        final SegmentStore.Access access,
        final boolean forWriting,
        final UUID uuid,
        final long ordinal,
        final int length) throws IOException
    {
        final String name = JournalFiles.segment(ordinal);
        SegmentFile file = null;
        try
        {
            file = store.open(name, access);
            final long found = file.length();
            if (found != length)
            {
                throw wrongLength(name, length, found);
            }

            final ByteBuffer header = Block.allocate(1);
            file.read(0, header);
            SegmentHeader.check(header, name, uuid, ordinal, length, forWriting);
            return of(file, header, ordinal, length);
        }
        catch (final NoSuchFileException ex)
        {
            CloseHelper.quietClose(file);
            throw new CorruptJournalException(
                "segment is missing: file=" + name + ", offset=0, expected=" + length + " bytes, found=no file",
                ex, name, 0, CorruptJournalException.UNKNOWN);
        }
        catch (final EOFException ex)
        {
            CloseHelper.quietClose(file);
            throw new CorruptJournalException(
                "file was cut short: file=" + name + ", offset=0", ex, name, 0, CorruptJournalException.UNKNOWN);
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(file);
            throw ex;
        }
    }

    static CorruptJournalException wrongLength(final String name, final int length, final long found)
    {
        return new CorruptJournalException(
            "wrong length: file=" + name + ", offset=" + Math.min(found, length) +
                ", expected=" + length + ", found=" + found + "; restore the file from a backup",
            null, name, Math.min(found, length), CorruptJournalException.UNKNOWN);
    }

    /**
     * Opens a segment for reading with the given header instead of its own.
     */
    public static Segment open(final SegmentStore store, final ByteBuffer header, final long ordinal, final int length)
        throws IOException
    {
        return of(store.open(JournalFiles.segment(ordinal), SegmentStore.Access.READ), header, ordinal, length);
    }

    /**
     * Returns a segment with the given header, whatever header and name its file has.
     */
    public static Segment of(final SegmentFile file, final ByteBuffer header, final long ordinal, final int length)
    {
        return new Segment(file, ordinal, SegmentHeader.salt(header), length, SegmentHeader.isRecycled(header));
    }

    public String name()
    {
        return JournalFiles.segment(ordinal);
    }

    public long endPosition()
    {
        return basePosition + length;
    }

    public long firstSequence()
    {
        return firstSequence;
    }

    public void firstSequence(final long sequence)
    {
        firstSequence = sequence;
    }

    /** Offset up to which records may be appended: the segment's length, unless opening has lowered it. */
    public int filledEnd()
    {
        return filledEnd;
    }

    public void filledEnd(final int offset)
    {
        filledEnd = offset;
    }

    /**
     * Adds a user of the segment; each user has to close it.
     *
     * @return false if the last user has closed it already.
     */
    public boolean retain()
    {
        int count = users.get();
        while (count > 0 && !users.compareAndSet(count, count + 1))
        {
            count = users.get();
        }

        return count > 0;
    }

    /** Ends the use of the segment. The last user closes the file. */
    @Override
    public void close()
    {
        if (0 == users.decrementAndGet())
        {
            file.close();
        }
    }
}
