package io.journal.internal.files;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.journal.JournalException;
import io.journal.internal.platform.PendingFault;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * The counters that a writer in any process publishes in {@code journal.mark}: where they lie, how they are stored, and
 * a reader of them. If they cannot be read, the values read last are kept.
 * <pre>
 *   0  int64  version: odd during an update
 *   8  int64  state: 1 updated by a writer, 2 final
 *  16  int64  time
 *  24  int64  values, in the order of {@link CounterSource}
 * </pre>
 * Any thread of an application may ask, while another closes the file: the monitor excludes them. It is held for one or
 * two small reads, and never by a thread that appends, forces or reads records. Reads are positional: an access to a
 * mapping of a file that was cut short could crash the JVM.
 */
public final class CounterFile implements CounterSource, AutoCloseable
{
    private static final long LIVE_MS = TimeUnit.SECONDS.toMillis(10);
    private static final long REOPEN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_TRIES = 100;

    private static final int STATE_OFFSET = 8;
    private static final int TIME_OFFSET = 16;
    private static final int VALUES_OFFSET = 24;
    private static final int LENGTH = VALUES_OFFSET + CounterSource.COUNT * Long.BYTES;
    private static final long KEPT = 1;
    private static final long FINAL = 2;
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final SegmentStore store;
    private final UUID uuid;
    private final EpochClock clock;
    private final ByteBuffer area = littleEndian(LENGTH);
    private final ByteBuffer version = littleEndian(Long.BYTES);
    private final long[] values = new long[CounterSource.COUNT];
    private SegmentFile file;
    private long openedNs = System.nanoTime() - REOPEN_NS;
    private long timeMs;
    private boolean isKept;
    private boolean isClosed;

    public CounterFile(final SegmentStore store, final UUID uuid, final EpochClock clock)
    {
        this.store = store;
        this.uuid = uuid;
        this.clock = clock;
    }

    /**
     * Stores counters in the mapped file. Each store is atomic; the version is a seqlock, which lets a reader detect a
     * mixed set.
     */
    static void publish(final ByteBuffer mark, final long[] values, final boolean isKept, final long timeMs)
    {
        final int start = MarkFile.COUNTERS_OFFSET;
        // A writer that crashed while publishing has left the version odd.
        final long version = ((long)LONG.getOpaque(mark, start) + 1) | 1;
        LONG.setRelease(mark, start, version);
        VarHandle.fullFence();
        if (version != (long)LONG.getVolatile(mark, start))
        {
            PendingFault.check();
            return;
        }
        LONG.setOpaque(mark, start + STATE_OFFSET, isKept ? KEPT : FINAL);
        LONG.setOpaque(mark, start + TIME_OFFSET, timeMs);
        for (int i = 0; i < values.length; i++)
        {
            LONG.setOpaque(mark, start + VALUES_OFFSET + i * Long.BYTES, values[i]);
        }
        LONG.setRelease(mark, start, version + 1);
        // Without the fence the compiler takes the value stored for the value read.
        VarHandle.acquireFence();
        if (version + 1 != (long)LONG.getVolatile(mark, start))
        {
            PendingFault.check();
        }
    }

    @Override
    public synchronized long get(final int counter)
    {
        refresh();
        return values[counter];
    }

    @Override
    public synchronized boolean isLive()
    {
        refresh();
        return isFresh();
    }

    @Override
    public synchronized long timeMs()
    {
        refresh();
        return timeMs;
    }

    @Override
    public synchronized void close()
    {
        isClosed = true;
        isKept = false;
        closeFile();
    }

    private boolean isFresh()
    {
        return isKept && Math.abs(clock.time() - timeMs) <= LIVE_MS;
    }

    private void refresh()
    {
        if (isClosed)
        {
            return;
        }

        try
        {
            if (null != file)
            {
                read();
            }
            // The next writer may have recreated the file.
            if (!isFresh() && System.nanoTime() - openedNs >= REOPEN_NS)
            {
                reopen();
            }
        }
        catch (final IOException | JournalException ignore)
        {
            isKept = false;
            closeFile();
        }
    }

    private void reopen() throws IOException
    {
        openedNs = System.nanoTime();
        closeFile();
        file = MarkFile.openToRead(store, uuid);
        if (null != file)
        {
            read();
        }
    }

    private void closeFile()
    {
        if (null != file)
        {
            file.close();
            file = null;
        }
    }

    /**
     * Reads a consistent set of counters. If the writer keeps changing them, the values read last are kept.
     */
    private void read() throws IOException
    {
        for (int i = 0; i < MAX_TRIES; i++)
        {
            file.read(MarkFile.COUNTERS_OFFSET, area.clear());
            file.read(MarkFile.COUNTERS_OFFSET, version.clear());
            final long found = area.getLong(0);
            if (0 == (found & 1) && found == version.getLong(0))
            {
                isKept = KEPT == area.getLong(STATE_OFFSET);
                timeMs = area.getLong(TIME_OFFSET);
                for (int j = 0; j < values.length; j++)
                {
                    values[j] = area.getLong(VALUES_OFFSET + j * Long.BYTES);
                }
                return;
            }
            Thread.onSpinWait();
        }
    }

    private static ByteBuffer littleEndian(final int length)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
