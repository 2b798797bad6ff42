// SPDX-License-Identifier: Apache-2.0
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
    /** For threads that wait for records to be appended. */
    public final RecordWakeup appendedWakeup = new RecordWakeup();
    /** For threads that wait for records to be durable. */
    public final RecordWakeup forcedWakeup = new RecordWakeup();

    private final End appended = new End();
    private final End written;
    private final End forced = new End();

    /**
     * @param isWrittenAtOnce whether appended records are in the operating system's memory already (mapped segments).
     */
    public Positions(final boolean isWrittenAtOnce)
    {
        written = isWrittenAtOnce ? appended : new End();
    }

    /** Sets all ends to one position, which may be lower than before. */
    void start(final long position, final long sequence)
    {
        // Lower the sequences first: no reader may see too high a sequence for a position.
        forced.lowerSequence(sequence);
        written.lowerSequence(sequence);
        appended.lowerSequence(sequence);
        forced(position, sequence);
        written(position, sequence);
        appended(position, sequence);
    }

    public void appended(final long position, final long sequence)
    {
        appended.set(position, sequence);
    }

    public long appendedPosition()
    {
        return appended.position();
    }

    public long appendedSequence()
    {
        return appended.sequence();
    }

    public void written(final long position, final long sequence)
    {
        written.set(position, sequence);
    }

    public long writtenPosition()
    {
        return written.position();
    }

    public long writtenSequence()
    {
        return written.sequence();
    }

    public void forced(final long position, final long sequence)
    {
        forced.set(position, sequence);
    }

    public long forcedPosition()
    {
        return forced.position();
    }

    public long forcedSequence()
    {
        return forced.sequence();
    }

    /** Wakes all threads that wait, for a reason other than a record. */
    public void wakeAll()
    {
        appendedWakeup.wakeAll();
        forcedWakeup.wakeAll();
    }

    private abstract static class Padding
    {
        long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;
    }

    private abstract static class Values extends Padding
    {
        long position;
        long sequence;
    }

    /**
     * Alone on its cache lines, so that stores of the appending thread do not slow down access to the other ends: the
     * JVM lays out the fields of a superclass before those of its subclass.
     */
    private static final class End extends Values
    {
        private static final VarHandle POSITION;
        private static final VarHandle SEQUENCE;

        static
        {
            try
            {
                final MethodHandles.Lookup lookup = MethodHandles.lookup();
                POSITION = lookup.findVarHandle(End.class, "position", long.class);
                SEQUENCE = lookup.findVarHandle(End.class, "sequence", long.class);
            }
            catch (final ReflectiveOperationException ex)
            {
                throw new ExceptionInInitializerError(ex);
            }
        }

        long q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15;

        void set(final long position, final long sequence)
        {
            POSITION.setRelease(this, position);
            SEQUENCE.setRelease(this, sequence);
        }

        void lowerSequence(final long sequence)
        {
            SEQUENCE.setRelease(this, Math.min(sequence, sequence()));
        }

        long position()
        {
            return (long)POSITION.getAcquire(this);
        }

        long sequence()
        {
            return (long)SEQUENCE.getAcquire(this);
        }
    }
}
