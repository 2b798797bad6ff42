package io.journal.testkit;

import java.io.IOException;

import io.journal.store.NoSpaceException;

/**
 * What becomes of a call to a {@link FaultStore}. Immutable.
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
     * The call does what it should.
     *
     * @return the absence of a fault.
     */
    public static Fault none()
    {
        return NONE;
    }

    /**
     * The call fails and has done nothing. A force that fails is worse: as on Linux, what it should have forced counts
     * as forced from then on, so that forcing again does nothing for it unless it was written again, and a loss of
     * power may still lose any of it.
     *
     * @return the fault.
     */
    public static Fault error()
    {
        return new Fault(true, false, 0);
    }

    /**
     * A write fails when some bytes are written. For any other call this is {@link #error()}.
     *
     * @param bytes that are written.
     * @return the fault.
     */
    public static Fault errorAfter(final int bytes)
    {
        return new Fault(true, false, bytes);
    }

    /**
     * A write or a creation fails with {@link NoSpaceException}, a write when some bytes are written. To run out of
     * space at a certain fill, use {@link FaultStore#capacity(long)}.
     *
     * @param bytes that are written.
     * @return the fault.
     */
    public static Fault noSpaceAfter(final int bytes)
    {
        return new Fault(true, true, bytes);
    }

    /**
     * The call returns as if it had done what it should, and does nothing: storage that lies. For writes, forces,
     * renames and deletions; all others do what they should.
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
