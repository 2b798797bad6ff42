// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import java.io.IOException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;
import io.journal.internal.control.ControlState;
import io.journal.internal.write.AgentRunner;
import io.journal.internal.write.Positions;
import org.agrona.CloseHelper;

/**
 * Closes a journal, once: refuses new records, forces the appended ones and records where it has ended, and releases
 * the files. Any thread may call it, even from a callback of the journal.
 */
final class Closing
{
    private final Engine engine;
    private final AtomicReference<Thread> closer = new AtomicReference<>();
    private final CountDownLatch ended = new CountDownLatch(1);

    Closing(final Engine engine)
    {
        this.engine = engine;
    }

    boolean hasEnded()
    {
        return 0 == ended.getCount();
    }

    void close()
    {
        if (closer.compareAndSet(null, Thread.currentThread()))
        {
            try
            {
                closeOnce();
            }
            finally
            {
                ended.countDown();
                engine.positions.wakeAll();
                // Notified last, since the listener may wait for another thread that closes the journal. Also notified
                // after a failure, because records that were durable before it still are.
                engine.listener.notifyIfBehind();
            }
        }
        else if (!isClosingItself())
        {
            awaitEnd();
        }
    }

    private void closeOnce()
    {
        engine.latch.close();
        boolean isQuiet = false;
        try
        {
            // Under a periodic policy no other thread forces for the waiters any more.
            engine.forcer.wakeWaiters();
            engine.runners.forEach(AgentRunner::stop);
            engine.appendPath.close();
            isQuiet = true;
            finishOrFail();
        }
        finally
        {
            // If an error came before, an appender may still be storing into a mapped file, so the files stay open.
            if (isQuiet)
            {
                releaseFiles();
            }
        }
    }

    private void finishOrFail()
    {
        try
        {
            finish();
        }
        catch (final Error ex)
        {
            // A mapped file was cut short, or there is no memory: readers must no longer cause the remaining records to
            // be written, since the files are closed now.
            throw engine.latch.fail(ex).exception("close", ex);
        }
    }

    private void finish()
    {
        engine.latch.checkStorage();
        final JournalException unknown = checkFence();
        engine.forcer.force();
        if (null != unknown)
        {
            throw unknown;
        }
        final Positions positions = engine.positions;
        engine.control.change("close", false, (state) -> state.closed(new ControlState.End(
            engine.layout.place(positions.forcedPosition()), positions.forcedSequence() + 1)));
    }

    /**
     * @return the exception to throw once everything is forced, if it is unknown whether the journal is still this
     *         writer's; otherwise null.
     */
    private JournalException checkFence()
    {
        try
        {
            engine.fence.check();
            return null;
        }
        catch (final IOException ex)
        {
            return new JournalException(
                "closed, but it cannot be known whether the files are still the journal's: path=" + engine.path +
                    "; cause=" + ex,
                ex);
        }
    }

    private void releaseFiles()
    {
        // Waits for a change in progress. Once the journal is closed, no other change follows.
        engine.history.exclusively(() -> null);
        // After a failure a reader may be writing appended records, in order to read them.
        engine.tailWindow.awaitWrite();
        engine.source.closeSegments();
        engine.tail.release();
        CloseHelper.closeAll(engine.supply, engine.forcer, engine.lock);
    }

    /** Whether the calling thread is closing already, or the closing thread may be waiting for it. */
    private boolean isClosingItself()
    {
        return Thread.currentThread() == closer.get() || engine.listener.isNotifying() ||
            engine.runners.stream().anyMatch(AgentRunner::isCurrentThread);
    }

    private void awaitEnd()
    {
        boolean wasInterrupted = false;
        while (!hasEnded())
        {
            try
            {
                ended.await();
            }
            catch (final InterruptedException ignore)
            {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }
}
