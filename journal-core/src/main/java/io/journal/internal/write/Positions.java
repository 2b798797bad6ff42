package io.journal.internal.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The three ends of a journal: appended, written, forced. Each is a position and the last sequence below it.
 * <p>
 * Stored with release and read with acquire: who sees an end also sees every frame below it. Each end is stored by one
 * thread at a time. The position is stored before the sequence and read after it, so that a pair that was read while
 * it changed claims too few sequences for its position, never too many.
 */
public final class Positions
{
    private static final VarHandle LONGS = MethodHandles.arrayElementVarHandle(long[].class);

    // 128 bytes apart: the appender's stores do not slow down who reads or stores the others.
    private static final int APPENDED = 16;
    private static final int WRITTEN = 32;
    private static final int FORCED = 48;

    private final long[] values = new long[64];
    private final int written;

    /**
     * @param isWrittenAtOnce whether what is appended is with the operating system already.
     */
    public Positions(final boolean isWrittenAtOnce)
    {
        written = isWrittenAtOnce ? APPENDED : WRITTEN;
    }

    /**
     * Sets all ends to one place, also a lower one than they had.
     */
    void start(final long position, final long sequence)
    {
        // The sequences first where they fall: nobody may see too many for a position.
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
