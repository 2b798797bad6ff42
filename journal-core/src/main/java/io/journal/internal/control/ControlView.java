// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.jspecify.annotations.Nullable;

/**
 * {@code journal.control} of a journal that another process may be writing. It is mapped, so that a change is noticed
 * without a system call. For one thread at a time, except {@link #generation()}.
 */
public final class ControlView implements AutoCloseable
{
    private static final int MAX_ATTEMPTS = 100;
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    public final UUID uuid;
    public final int segmentLength;
    private final SegmentStore store;
    private final SegmentFile file;
    private final ByteBuffer view;
    // The watermarks of this read and the previous one, the term that they were decoded for, and the result.
    private ByteBuffer watermarks = Block.allocate(1);
    private ByteBuffer decoded = Block.allocate(1);
    private long decodedTerm = Term.NONE;
    private ControlState.@Nullable End watermark;

    public ControlView(final SegmentStore store) throws IOException
    {
        this.store = store;
        final ControlContent content = readWhole(store);
        uuid = content.uuid();
        segmentLength = content.segmentLength();
        file = store.open(JournalFiles.CONTROL, SegmentStore.Access.READ);
        try
        {
            view = file.map();
        }
        catch (final Throwable ex)
        {
            file.close();
            throw ex;
        }
    }

    /**
     * The higher generation of the two slots. A torn slot counts as well: as long as neither slot has a higher
     * generation, there is no newer state.
     */
    public long generation()
    {
        try
        {
            return Math.max(
                (long)LONG.getAcquire(view, ControlContent.slotOffset(0)),
                (long)LONG.getAcquire(view, ControlContent.slotOffset(1)));
        }
        catch (final InternalError ex)
        {
            throw cutShort(ex);
        }
    }

    /**
     * Reads the file.
     *
     * @throws CorruptJournalException if it is damaged, or belongs to another journal now.
     */
    public ControlContent read() throws IOException
    {
        final ControlContent content;
        try
        {
            content = readWhole(store);
        }
        catch (final InternalError ex)
        {
            // The fault of reading the generations in mapped memory, which surfaces late.
            throw cutShort(ex);
        }

        if (!content.uuid().equals(uuid) || content.segmentLength() != segmentLength)
        {
            throw new CorruptJournalException(
                "another journal took the place of this one: file=" + JournalFiles.CONTROL + ", offset=32" +
                    ", expected=" + uuid + ", found=" + content.uuid() + "; open it anew",
                null, JournalFiles.CONTROL, 32, CorruptJournalException.UNKNOWN);
        }
        return content;
    }

    /**
     * Reads the whole file. Repeats that if both slots appear damaged, because each may have been read in the middle of
     * a write.
     */
    public static ControlContent readWhole(final SegmentStore store) throws IOException
    {
        for (int i = 1;; i++)
        {
            try
            {
                return ControlContent.read(store, false);
            }
            catch (final CorruptJournalException ex)
            {
                if (i == MAX_ATTEMPTS)
                {
                    throw ex;
                }
                Thread.onSpinWait();
            }
        }
    }

    /** The current durable watermark, or null if there is none of the term. Allocates nothing unless it has changed. */
    public ControlState.@Nullable End watermark(final long term)
    {
        try
        {
            file.read(
                ControlContent.WATERMARKS_OFFSET,
                watermarks.clear().limit(2 * ControlContent.WATERMARK_DISTANCE));
        }
        catch (final IOException ex)
        {
            throw unreadable(ex);
        }

        watermarks.clear();
        if (term != decodedTerm || watermarks.mismatch(decoded) >= 0)
        {
            watermark = ControlContent.watermark(watermarks, 0, term);
            decodedTerm = term;
            final ByteBuffer before = decoded;
            decoded = watermarks;
            watermarks = before;
        }
        return watermark;
    }

    public void checkWhole()
    {
        try
        {
            file.read(ControlContent.LENGTH - 1, ByteBuffer.allocate(1));
        }
        catch (final IOException ex)
        {
            throw unreadable(ex);
        }
    }

    @Override
    public void close()
    {
        file.close();
    }

    private static JournalException unreadable(final IOException ex)
    {
        return ex instanceof EOFException ? cutShort(ex) :
            new JournalException("cannot read: file=" + JournalFiles.CONTROL + "; cause=" + ex, ex);
    }

    private static JournalException cutShort(final Throwable ex)
    {
        return new JournalException("file was cut short: file=" + JournalFiles.CONTROL + "; restore it", ex);
    }
}
