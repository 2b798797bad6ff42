package io.journal.internal.follow;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Block;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * {@code journal.meta} of a journal that another process may be writing. It is mapped, so that a change is noticed
 * without a system call. Thread-safe until it is closed.
 */
final class FollowedMeta implements AutoCloseable
{
    private static final int MAX_ATTEMPTS = 100;
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** As it was when this was opened: what never changes, and an old state. */
    final JournalMeta identity;
    private final SegmentStore store;
    private final SegmentFile file;
    private final ByteBuffer view;

    FollowedMeta(final SegmentStore store) throws IOException
    {
        this.store = store;
        identity = readWhole(store);
        file = store.open(JournalFiles.META, SegmentStore.Access.READ);
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
     * The higher generation of the two slots. Even if a slot is torn: as long as neither has a higher generation, there
     * is no newer state.
     */
    long generation()
    {
        try
        {
            return Math.max(
                (long)LONG.getAcquire(view, Block.LENGTH), (long)LONG.getAcquire(view, 2 * Block.LENGTH));
        }
        catch (final InternalError ex)
        {
            throw cutShort(ex);
        }
    }

    /**
     * Reads the file.
     *
     * @throws CorruptJournalException if it is damaged, or is that of another journal now.
     */
    JournalMeta read() throws IOException
    {
        final JournalMeta meta;
        try
        {
            meta = readWhole(store);
        }
        catch (final InternalError ex)
        {
            // From reading the generations in mapped memory: such a fault surfaces late.
            throw cutShort(ex);
        }

        if (!meta.uuid.equals(identity.uuid) || meta.segmentLength != identity.segmentLength)
        {
            throw new CorruptJournalException(
                "another journal took the place of this one: file=" + JournalFiles.META + ", offset=32" +
                    ", expected=" + identity.uuid + ", found=" + meta.uuid + "; open it anew",
                null, JournalFiles.META, 32, CorruptJournalException.UNKNOWN);
        }
        return meta;
    }

    /** Both slots may be read in the middle of a write, one after the other: then it is read again. */
    private static JournalMeta readWhole(final SegmentStore store) throws IOException
    {
        for (int i = 1;; i++)
        {
            try
            {
                return JournalMeta.read(store, false);
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

    void checkWhole()
    {
        try
        {
            file.read(JournalMeta.LENGTH - 1, ByteBuffer.allocate(1));
        }
        catch (final IOException ex)
        {
            throw cutShort(ex);
        }
    }

    @Override
    public void close()
    {
        file.close();
    }

    private static JournalException cutShort(final Throwable ex)
    {
        return new JournalException("file was cut short: file=" + JournalFiles.META + "; restore it", ex);
    }
}
