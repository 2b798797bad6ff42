package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The readable content of a damaged {@code journal.meta}.
 */
final class MetaRemains
{
    /** Length of the file, 0 if it is absent. */
    final long length;
    /** A generation not below any that was used, as far as that can be determined. */
    final long generation;
    /** UUID of the journal, or null. */
    final UUID uuid;
    /** Length of segments, or 0. */
    final int segmentLength;
    final long timeMs;
    private final ByteBuffer buffer;

    private MetaRemains(final ByteBuffer buffer, final long length)
    {
        this.buffer = buffer;
        this.length = length;
        final boolean isIdentified = isIdentity(buffer);
        uuid = isIdentified ? Block.uuid(buffer) : null;
        segmentLength = isIdentified ? (int)buffer.getLong(JournalMeta.SEGMENT_LENGTH_OFFSET) : 0;
        timeMs = buffer.getLong(JournalMeta.TIME_OFFSET);
        generation = Math.max(generation(0), generation(1));
    }

    /**
     * Reads what can be read of the file, in whatever state it is.
     *
     * @param isThere whether the file exists.
     * @throws JournalException if it is of a newer format.
     */
    static MetaRemains read(final SegmentStore store, final boolean isThere) throws IOException
    {
        final ByteBuffer buffer = Block.allocate(3);
        if (!isThere)
        {
            return new MetaRemains(buffer, 0);
        }

        try (SegmentFile file = store.open(JournalFiles.META, SegmentStore.Access.READ))
        {
            final long length = file.length();
            file.read(0, buffer.limit((int)Math.min(length, JournalMeta.LENGTH)));
            return new MetaRemains(buffer.clear(), length);
        }
    }

    /**
     * The newest state that is valid, or null.
     */
    JournalMeta.State newest(final int segmentLength)
    {
        JournalMeta.State newest = null;
        for (int slot = 0; slot < 2; slot++)
        {
            final int start = (1 + slot) * Block.LENGTH;
            if (Block.isSealed(buffer, start))
            {
                final JournalMeta.State state = JournalMeta.State.decode(buffer, start);
                if (JournalMeta.isPossible(state, segmentLength, slot) &&
                    (null == newest || state.generation > newest.generation))
                {
                    newest = state;
                }
            }
        }

        return newest;
    }

    /**
     * Whether the newest valid state is certainly the newest that was written: no slot held another one that is damaged
     * now.
     */
    boolean isNewestSure()
    {
        return JournalMeta.LENGTH == length && isSure(Block.LENGTH) && isSure(2 * Block.LENGTH);
    }

    private boolean isSure(final int start)
    {
        return Block.isSealed(buffer, start) ||
            buffer.slice(start, Block.LENGTH).mismatch(ByteBuffer.allocate(Block.LENGTH)) < 0;
    }

    /**
     * Generation in a slot, damaged or not; 0 if it is not possible.
     */
    private long generation(final int slot)
    {
        final long generation = buffer.getLong((1 + slot) * Block.LENGTH);
        return generation > 0 && generation < Layout.MAX_POSITION / 2 && slot == (generation & 1) ? generation : 0;
    }

    private static boolean isIdentity(final ByteBuffer buffer)
    {
        try
        {
            Block.check(buffer, JournalMeta.MAGIC, JournalFiles.META, true);
            return JournalMeta.isSegmentLength(buffer.getLong(JournalMeta.SEGMENT_LENGTH_OFFSET));
        }
        catch (final CorruptJournalException ex)
        {
            return false;
        }
    }
}
