// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Tracks the open readers of a journal and the threads inside a reader's call. Files are recycled only while no thread
 * is inside, and a read-only journal closes its files once none is. Lock-free.
 */
public final class ReaderGate
{
    private final List<Passage> readers = new CopyOnWriteArrayList<>();
    private final AtomicReference<Runnable> onDrained = new AtomicReference<>();

    /** A reader's entry in the gate, until it is closed: shows which thread is inside a call of the reader. */
    final class Passage
    {
        private final AtomicReference<Thread> user = new AtomicReference<>();
        private boolean isClosed;

        private Passage()
        {
            readers.add(this);
        }

        /**
         * Enters a call: until {@link #leave()} no file that the reader uses is recycled, nor a read-only journal's
         * files closed.
         */
        void enter()
        {
            // Before the reader looks at the history: a prune publishes the history, then checks whether a thread is
            // inside.
            take("use");
            if (isClosed)
            {
                leave();
                throw new IllegalStateException("reader is closed");
            }
        }

        /** Leaves the call. A release store suffices: only the beginning of a call needs a full fence. */
        void leave()
        {
            user.setRelease(null);
            if (null != onDrained.get())
            {
                // If two readers leave at once, at least one sees that the other has left.
                VarHandle.fullFence();
                runIfDrained();
            }
        }

        /** Idempotent. */
        void close()
        {
            take("close");
            isClosed = true;
            readers.remove(this);
            leave();
        }

        boolean isClosed()
        {
            return isClosed;
        }

        private void take(final String what)
        {
            final Thread current = Thread.currentThread();
            final Thread inside = user.compareAndExchange(null, current);
            if (null != inside)
            {
                throw new IllegalStateException(
                    current == inside ? "reader is in use: its handler must not " + what + " it" :
                        "reader is in use by another thread: thread=" + inside.getName());
            }
        }
    }

    Passage newPassage()
    {
        return new Passage();
    }

    /**
     * Whether a reader is inside a poll or a seek. A prune asks this, because it must not wait for readers: a handler
     * may be waiting for the prune. A reader that enters later sees everything published before this call.
     */
    public boolean isAnyInside()
    {
        for (final Passage reader : readers)
        {
            if (null != reader.user.get())
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Runs an action once no reader is inside a call: now, or by the last reader that leaves. Does not wait, since a
     * handler may be waiting for the calling thread. Readers that enter from now on must not need the resources that
     * the action releases.
     */
    public void onceDrained(final Runnable action)
    {
        onDrained.set(action);
        for (final Passage reader : readers)
        {
            final Thread user = reader.user.get();
            if (null != user)
            {
                // Leaving has no fence. The stack trace brings the thread to a safepoint: it has left before, or sees
                // the action.
                user.getStackTrace();
            }
        }
        runIfDrained();
    }

    private void runIfDrained()
    {
        if (!isAnyInside())
        {
            final Runnable action = onDrained.getAndSet(null);
            if (null != action)
            {
                action.run();
            }
        }
    }
}
