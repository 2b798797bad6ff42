package io.journal;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongConsumer;

import org.agrona.ErrorHandler;

/**
 * Those who are told what is forced. Each hears of rising sequences only, unless records are cut.
 */
final class ForcedListeners
{
    private final List<Entry> entries = new CopyOnWriteArrayList<>();
    // Held while they are told. A listener may close the journal, which tells them for the last time.
    private final ReentrantLock lock = new ReentrantLock();

    private static final class Entry
    {
        final LongConsumer listener;
        volatile long told;

        Entry(final LongConsumer listener, final long told)
        {
            this.listener = listener;
            this.told = told;
        }
    }

    /**
     * @param forcedSequence that the listener need not be told.
     */
    void add(final LongConsumer listener, final long forcedSequence)
    {
        entries.add(new Entry(listener, forcedSequence));
    }

    boolean isAnyBehind(final long forcedSequence)
    {
        for (final Entry entry : entries)
        {
            if (entry.told < forcedSequence)
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Tells all who do not know it yet.
     *
     * @param errorHandler is told what listeners throw.
     * @return whether there was one.
     */
    boolean tell(final long forcedSequence, final ErrorHandler errorHandler)
    {
        if (!isAnyBehind(forcedSequence))
        {
            return false;
        }

        lock.lock();
        try
        {
            for (final Entry entry : entries)
            {
                if (entry.told < forcedSequence)
                {
                    entry.told = forcedSequence;
                    tell(entry.listener, forcedSequence, errorHandler);
                }
            }
        }
        finally
        {
            lock.unlock();
        }

        return true;
    }

    /**
     * Forgets that they were told of records that are cut now: others will have their sequences.
     */
    void cutAfter(final long sequence)
    {
        lock.lock();
        try
        {
            for (final Entry entry : entries)
            {
                entry.told = Math.min(entry.told, sequence);
            }
        }
        finally
        {
            lock.unlock();
        }
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
