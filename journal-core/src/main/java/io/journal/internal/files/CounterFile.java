package io.journal.internal.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import io.journal.JournalException;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * The counters that a writer in any process publishes in {@code journal.mark}. If they cannot be read, the values read
 * last are kept.
 * <p>
 * Uses positional reads: an access to a mapping of a file that was cut short could crash the JVM.
 */
public final class CounterFile implements CounterSource, AutoCloseable
{
    private static final long LIVE_MS = TimeUnit.SECONDS.toMillis(10);
    private static final long REOPEN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int MAX_TRIES = 100;

    private final SegmentStore store;
    private final UUID uuid;
    private final EpochClock clock;
    private final ByteBuffer area = littleEndian(MarkFile.COUNTERS_LENGTH);
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
        giveUp();
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
            giveUp();
        }
    }

    private void reopen() throws IOException
    {
        openedNs = System.nanoTime();
        giveUp();
        file = MarkFile.openToRead(store, uuid);
        if (null != file)
        {
            read();
        }
    }

    private void giveUp()
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
                isKept = MarkFile.COUNTERS_KEPT == area.getLong(MarkFile.COUNTERS_STATE_OFFSET);
                timeMs = area.getLong(MarkFile.COUNTERS_TIME_OFFSET);
                for (int j = 0; j < values.length; j++)
                {
                    values[j] = area.getLong(MarkFile.COUNTERS_VALUES_OFFSET + j * Long.BYTES);
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
