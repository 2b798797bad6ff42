package io.journal.internal.read;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Which thread is inside a call of one reader. {@link ReaderGate} looks at it to know whether memory is in use.
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
     * Begins a call. Comes before it is asked whether readers have to give way, which asks the other way round.
     */
    public void begin()
    {
        user = Thread.currentThread();
    }

    /**
     * Ends a call. With release, which costs nothing: the fence is paid for once, when the call begins.
     */
    public void end()
    {
        USER.setRelease(this, null);
    }
}
