package io.journal.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

import io.journal.internal.format.Block;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * Polls the durable watermark of a writer in any process. For use by one thread at a time. A mark file that is absent
 * or cannot be read counts as having no watermark.
 */
public final class MarkView implements AutoCloseable
{
    private final SegmentStore store;
    private final UUID uuid;
    private final ByteBuffer buffer = Block.allocate(MarkFile.LENGTH / Block.LENGTH);
    private SegmentFile file;
    private long generation;
    private long epoch;
    private long position;
    private long nextSequence;

    public MarkView(final SegmentStore store, final UUID uuid)
    {
        this.store = store;
        this.uuid = uuid;
    }

    /**
     * Reads the current durable watermark. Returns whether there is one for the truncation epoch; if not, the previous
     * values are kept.
     */
    public boolean poll(final long epoch)
    {
        if (null == file && !open())
        {
            return false;
        }

        try
        {
            file.read(
                MarkFile.SLOT_0_OFFSET,
                buffer.limit(MarkFile.SLOT_0_OFFSET + MarkFile.SLOTS_LENGTH).position(MarkFile.SLOT_0_OFFSET));
        }
        catch (final IOException ex)
        {
            close();
            return false;
        }

        buffer.clear();
        final long newest = Math.max(
            buffer.getLong(MarkFile.SLOT_0_OFFSET), buffer.getLong(MarkFile.SLOT_1_OFFSET));
        // A file in which no watermark was stored yet has the generation 0.
        if (0 != newest && newest == generation && epoch == this.epoch)
        {
            return true;
        }

        final int slot = MarkFile.newestSlot(buffer);
        if (slot < 0 || epoch != buffer.getLong(slot + Long.BYTES))
        {
            return false;
        }

        // The generation of the valid slot: a slot that is being written is read again next time.
        generation = buffer.getLong(slot);
        this.epoch = epoch;
        position = buffer.getLong(slot + 2 * Long.BYTES);
        nextSequence = buffer.getLong(slot + 3 * Long.BYTES);
        return true;
    }

    /** Everything below this position is durable. */
    public long position()
    {
        return position;
    }

    /** Sequence of the record at the position, or 0 if it is unknown. */
    public long nextSequence()
    {
        return nextSequence;
    }

    /**
     * Closes the file. The next {@link #poll} opens it again: another writer may have recreated it.
     */
    @Override
    public void close()
    {
        CloseHelper.quietClose(file);
        file = null;
        generation = 0;
    }

    private boolean open()
    {
        try
        {
            file = MarkFile.openToRead(store, uuid);
        }
        catch (final IOException ignore)
        {
            // The file is absent, or not created yet.
        }

        return null != file;
    }
}
