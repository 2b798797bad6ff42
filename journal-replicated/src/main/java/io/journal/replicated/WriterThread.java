package io.journal.replicated;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

import io.journal.replicated.spi.Problems;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.IdleStrategy;

/**
 * Drives a writer while no other thread does, and calls the durability listener.
 */
final class WriterThread
{
    private static final long END_TIMEOUT_MS = 5_000;

    private final Writer writer;
    private final IdleStrategy idle;
    private final ErrorHandler errorHandler;
    private final Thread thread = new Thread(this::run, "journal-replicated");
    private final AtomicReference<LongConsumer> listener = new AtomicReference<>();
    private volatile boolean isEnding;

    WriterThread(final Writer writer, final IdleStrategy idle, final ErrorHandler errorHandler)
    {
        this.writer = writer;
        this.idle = idle;
        this.errorHandler = Problems.guarded(errorHandler);
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    void onForced(final LongConsumer newListener)
    {
        if (!listener.compareAndSet(null, Objects.requireNonNull(newListener, "listener")))
        {
            throw new IllegalStateException("a listener is registered: compose the two");
        }
    }

    private void run()
    {
        long notified = writer.acknowledged();
        while (!isEnding)
        {
            final int work = drive();
            final long acknowledged = notifyAbove(notified);
            idle.idle(work + (acknowledged > notified ? 1 : 0));
            notified = acknowledged;
        }
        // What was acknowledged while the journal was closed.
        notifyAbove(notified);
    }

    private int drive()
    {
        if (!writer.lock.tryLock())
        {
            return 0;
        }

        Throwable error = null;
        try
        {
            return writer.drive();
        }
        catch (final Throwable ex)
        {
            // Also an Error: without this thread nobody would hear of acknowledgements, nor of a deadline that passes.
            error = ex;
            return 0;
        }
        finally
        {
            writer.lock.unlock();
            // Without the lock: the handler may wait for a thread that closes the journal.
            if (null != error)
            {
                errorHandler.onError(error);
            }
        }
    }

    /** Calls the listener if there is one and more is acknowledged, and returns up to where it was called. */
    private long notifyAbove(final long notified)
    {
        final LongConsumer current = listener.get();
        final long acknowledged = writer.acknowledged();
        if (acknowledged <= notified || null == current)
        {
            return notified;
        }

        try
        {
            current.accept(acknowledged);
        }
        catch (final Throwable ex)
        {
            errorHandler.onError(ex);
        }
        return acknowledged;
    }

    /**
     * Ends the thread; a listener that does not return is not waited for.
     */
    void end() throws InterruptedException
    {
        isEnding = true;
        thread.join(END_TIMEOUT_MS);
    }
}
