// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import io.journal.internal.files.FailureLatch;
import io.journal.internal.lock.OrderedLock;
import org.agrona.ErrorHandler;

/**
 * Notifies the listener for durability acknowledgements. Sequences rise, except after a truncation.
 * <p>
 * One thread at a time is inside the listener; no other thread waits for it. It is called with no lock held, so it may
 * call any method. The monitor of this object excludes a second registration.
 */
public final class DurabilityListener
{
    private final AtomicLong notifiedSequence = new AtomicLong();
    private final FailureLatch journal;
    private final LongSupplier forcedSequence;
    private final ErrorHandler errorHandler;
    private final AtomicReference<Thread> notifier = new AtomicReference<>();
    private volatile LongConsumer listener;

    public DurabilityListener(
        final FailureLatch journal, final LongSupplier forcedSequence, final ErrorHandler errorHandler)
    {
        this.journal = journal;
        this.forcedSequence = forcedSequence;
        this.errorHandler = errorHandler;
    }

    /** Registers the one listener. Records that are durable already are not notified. */
    public synchronized void register(final LongConsumer listener)
    {
        if (null != this.listener)
        {
            throw new IllegalStateException("a durability listener is registered already");
        }
        advance(forcedSequence.getAsLong());
        this.listener = listener;
    }

    public boolean isBehind()
    {
        return null != listener && notifiedSequence.get() < forcedSequence.getAsLong();
    }

    /** Whether the calling thread is inside the listener. */
    public boolean isNotifying()
    {
        return Thread.currentThread() == notifier.get();
    }

    /**
     * Notifies the listener if it is behind, unless a thread is inside it. If the journal is closed, that thread
     * catches up before it leaves, because the background agent does not run again. A duty of the background agent.
     */
    public boolean notifyIfBehind()
    {
        boolean isNotified = false;
        while (isBehind() && notifier.compareAndSet(null, Thread.currentThread()))
        {
            assert OrderedLock.isCallbackAllowed(journal);
            try
            {
                notifyListener();
            }
            finally
            {
                notifier.set(null);
            }
            isNotified = true;
            if (!journal.isClosed())
            {
                break;
            }
        }

        return isNotified;
    }

    private void notifyListener()
    {
        try
        {
            final long sequence = forcedSequence.getAsLong();
            if (notifiedSequence.get() < sequence)
            {
                advance(sequence);
                // A truncation may have lowered the durable sequence since.
                listener.accept(Math.min(sequence, forcedSequence.getAsLong()));
            }
        }
        catch (final Throwable ex)
        {
            errorHandler.onError(ex);
        }
    }

    /**
     * Lowers the notified sequence after a truncation, because other records get the truncated sequences. The durable
     * sequence is lower already.
     */
    public void truncatedAfter(final long sequence)
    {
        notifiedSequence.accumulateAndGet(sequence, Math::min);
    }

    private void advance(final long sequence)
    {
        notifiedSequence.set(sequence);
        // A truncation may have run since the sequence was read: then the durable sequence shows it.
        notifiedSequence.accumulateAndGet(forcedSequence.getAsLong(), Math::min);
    }
}
