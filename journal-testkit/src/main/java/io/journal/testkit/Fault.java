// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.io.IOException;

import io.journal.store.SegmentStore.NoSpaceException;

/**
 * Outcome of a call to a {@link FaultStore}. Immutable.
 */
public final class Fault
{
    private static final Fault NONE = new Fault(false, false, Integer.MAX_VALUE);
    private static final Fault IGNORED = new Fault(false, false, 0);

    private final boolean isError;
    private final boolean isNoSpace;
    private final int done;

    private Fault(final boolean isError, final boolean isNoSpace, final int done)
    {
        this.isError = isError;
        this.isNoSpace = isNoSpace;
        this.done = done;
    }

    /**
     * The call succeeds.
     *
     * @return no fault.
     */
    public static Fault none()
    {
        return NONE;
    }

    /**
     * The call throws and has no effect. A failed fsync of a file has an effect, as on Linux: the pages that it did not
     * write become clean. Another fsync skips them unless they were written again, and a power loss may still lose any
     * of them.
     *
     * @return the fault.
     */
    public static Fault error()
    {
        return new Fault(true, false, 0);
    }

    /**
     * A write throws after some bytes are written. For any other call this is {@link #error()}. With
     * {@link io.journal.store.Backend#MAPPED} only zeros and metadata are written: records are stored without a call.
     *
     * @param bytes written before the failure.
     * @return the fault.
     */
    public static Fault errorAfter(final int bytes)
    {
        return new Fault(true, false, bytes);
    }

    /**
     * A write or a creation throws {@link NoSpaceException}; a write after some bytes are written. To simulate a disk
     * of limited size, use {@link FaultStore#capacity(long)}. To test a device that has no space for a write in place,
     * do not use {@link io.journal.store.Backend#MAPPED}, because it stores records without a call.
     *
     * @param bytes written before the failure.
     * @return the fault.
     */
    public static Fault noSpaceAfter(final int bytes)
    {
        return new Fault(true, true, bytes);
    }

    /**
     * The call returns normally but has no effect, as with a device that lies. Only writes, forces, renames and
     * deletions can be ignored; any other call succeeds.
     *
     * @return the fault.
     */
    public static Fault ignored()
    {
        return IGNORED;
    }

    boolean isError()
    {
        return isError;
    }

    boolean isIgnored()
    {
        return IGNORED == this;
    }

    int done()
    {
        return done;
    }

    IOException exception(final StoreStep step)
    {
        final String message = "injected: kind=" + step.kind() + ", file=" + step.name() + ", offset=" + step.offset() +
            ", length=" + step.length();
        return isNoSpace ? new NoSpaceException(message, null) : new IOException(message);
    }
}
