package io.journal.internal.read;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The thread that is inside a call of one reader. {@link ReaderGate} checks it to know whether memory is in use.
 */
public final class ReaderUse
{
    private static final VarHandle USER;

    static
    {
        try
        {
            USER = MethodHandles.lookup().findVarHandle(ReaderUse.class, "user", Thread.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private volatile Thread user;

    /**
     * The thread that is inside one of the reader's methods, or null.
     */
    public Thread user()
    {
        return user;
    }

    /**
     * Begins a call. Call before {@link ReaderGate#isHeldOff}. {@link ReaderGate#hold()} stores and checks in the
     * reverse order, so at least one of the two threads sees the other.
     */
    public void begin()
    {
        user = Thread.currentThread();
    }

    /**
     * Ends a call. A release store suffices: only the beginning of the call needs a full fence.
     */
    public void end()
    {
        USER.setRelease(this, null);
    }
}
