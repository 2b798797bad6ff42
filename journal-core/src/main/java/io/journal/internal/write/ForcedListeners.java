package io.journal.internal.write;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import org.agrona.ErrorHandler;

/**
 * Durability listeners. The notifications of each are monotonic, except after a truncation.
 */
public final class ForcedListeners
{
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    // Excludes a concurrent tell only. No other operation takes it, so a listener may call any method of the journal.
    private final ReentrantLock telling = new ReentrantLock();

    private static final class Entry
    {
        final LongConsumer listener;
        private long told;

        Entry(final LongConsumer listener, final long told)
        {
            this.listener = listener;
            this.told = told;
        }

        synchronized boolean isBehind(final long sequence)
        {
            return told < sequence;
        }

        /**
         * @param forcedSequence evaluated under the monitor, which excludes {@link #goBack}: a value from before a
         *                       truncation must not count as notified after it.
         * @return sequence to notify, or -1 if none is due.
         */
        synchronized long advance(final LongSupplier forcedSequence)
        {
            final long sequence = forcedSequence.getAsLong();
            if (told >= sequence)
            {
                return -1;
            }

            told = sequence;
            return sequence;
        }

        synchronized void goBack(final long sequence)
        {
            told = Math.min(told, sequence);
        }
    }

    /**
     * @param forcedSequence the durable sequence, which is not notified; evaluated again once the listener is
     *                       registered, since a truncation before that did not reach it.
     */
    public void add(final LongConsumer listener, final LongSupplier forcedSequence)
    {
        final Entry entry = new Entry(listener, forcedSequence.getAsLong());
        entries.add(entry);
        entry.goBack(forcedSequence.getAsLong());
    }

    public boolean isAnyBehind(final long forcedSequence)
    {
        for (final Entry entry : entries)
        {
            if (entry.isBehind(forcedSequence))
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Whether the calling thread is inside a listener.
     */
    public boolean isTelling()
    {
        return telling.isHeldByCurrentThread();
    }

    /**
     * Notifies all listeners that are behind.
     *
     * @param forcedSequence evaluated for each listener, since records may be truncated meanwhile.
     * @param errorHandler   receives what listeners throw.
     * @return whether one was behind.
     */
    public boolean tell(final LongSupplier forcedSequence, final ErrorHandler errorHandler)
    {
        if (!isAnyBehind(forcedSequence.getAsLong()))
        {
            return false;
        }

        telling.lock();
        try
        {
            for (final Entry entry : entries)
            {
                final long sequence = entry.advance(forcedSequence);
                if (sequence >= 0)
                {
                    tell(entry.listener, sequence, errorHandler);
                }
            }
        }
        finally
        {
            telling.unlock();
        }

        return true;
    }

    /**
     * Resets the notified sequences after a truncation: other records will get the truncated ones.
     */
    public void cutAfter(final long sequence)
    {
        entries.forEach((entry) -> entry.goBack(sequence));
    }

    private static void tell(final LongConsumer listener, final long forcedSequence, final ErrorHandler errorHandler)
    {
        try
        {
            listener.accept(forcedSequence);
        }
        catch (final Throwable ex)
        {
            errorHandler.onError(ex);
        }
    }
}
