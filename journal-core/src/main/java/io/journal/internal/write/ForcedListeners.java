package io.journal.internal.write;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import org.agrona.ErrorHandler;

/**
 * Those who are told what is forced. Each hears of rising sequences only, unless records are cut.
 */
public final class ForcedListeners
{
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    // Held while listeners are called, by nobody else: they may do with the journal what they like.
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
         * @param forcedSequence asked for here: one from before a cut must not count as told after it.
         * @return what the listener is to be told, or -1.
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
     * @param forcedSequence what the listener need not be told; asked for again once cuts reach it.
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
     * Whether the calling thread is in a listener.
     */
    public boolean isTelling()
    {
        return telling.isHeldByCurrentThread();
    }

    /**
     * Tells all who do not know it yet.
     *
     * @param forcedSequence asked for each, since records may be cut meanwhile.
     * @param errorHandler   is told what listeners throw.
     * @return whether there was one.
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
     * Forgets that they were told of records that are cut now: others will have their sequences.
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
