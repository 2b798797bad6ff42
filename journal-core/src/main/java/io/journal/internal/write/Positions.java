package io.journal.internal.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The three ends of a journal: appended, written (handed to the operating system) and durable (fsynced). Each is a
 * position and the last sequence below it.
 * <p>
 * Stored with release and read with acquire: a thread that sees an end also sees every frame below it. Each end is
 * stored by one thread at a time. The position is stored before the sequence and read after it, so that a pair read
 * during a change has too low a sequence for its position, never too high.
 */
public final class Positions
{
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    // 128 bytes apart to avoid false sharing: the appender's stores do not slow down access to the other ends.
    private static final int APPENDED = 16;
    private static final int WRITTEN = 32;
    private static final int FORCED = 48;

    private final long[] values = new long[64];
    private final int written;

    /**
     * @param isWrittenAtOnce whether appended records are in the operating system's memory already (mapped segments).
     */
    public Positions(final boolean isWrittenAtOnce)
    {
        written = isWrittenAtOnce ? APPENDED : WRITTEN;
    }

    /** Sets all ends to one position, which may be lower than before. */
    void start(final long position, final long sequence)
    {
        // Lower the sequences first: no reader may see too high a sequence for a position.
        for (int end = FORCED; end >= APPENDED; end -= APPENDED)
        {
            LONGS.setRelease(values, end + 1, Math.min(sequence, (long)LONGS.getAcquire(values, end + 1)));
        }
        forced(position, sequence);
        written(position, sequence);
        appended(position, sequence);
    }

    public void appended(final long position, final long sequence)
    {
        set(APPENDED, position, sequence);
    }

    public long appendedPosition()
    {
        return (long)LONGS.getAcquire(values, APPENDED);
    }

    public long appendedSequence()
    {
        return (long)LONGS.getAcquire(values, APPENDED + 1);
    }

    public void written(final long position, final long sequence)
    {
        set(written, position, sequence);
    }

    public long writtenPosition()
    {
        return (long)LONGS.getAcquire(values, written);
    }

    public long writtenSequence()
    {
        return (long)LONGS.getAcquire(values, written + 1);
    }

    public void forced(final long position, final long sequence)
    {
        set(FORCED, position, sequence);
    }

    public long forcedPosition()
    {
        return (long)LONGS.getAcquire(values, FORCED);
    }

    public long forcedSequence()
    {
        return (long)LONGS.getAcquire(values, FORCED + 1);
    }

    private void set(final int end, final long position, final long sequence)
    {
        LONGS.setRelease(values, end, position);
        LONGS.setRelease(values, end + 1, sequence);
    }
}
