// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.force;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.JournalBuilder;
import io.journal.store.Backend;
import io.journal.tests.support.JournalDirectory;
import io.journal.tests.support.JournalFixture;
import io.journal.tests.support.StepStore;
import io.journal.tests.support.StepStore.Step;

/**
 * A device whose fsyncs and writes a test counts, blocks, or fails. It applies to segments under their final names
 * only, not to segments in preparation or metadata files.
 */
public final class ForceGate implements StepStore.Steps
{
    private final AtomicInteger forces = new AtomicInteger();
    private volatile Hold hold;
    private volatile boolean isForceFailing;
    private volatile boolean isWriteFailing;

    /** Blocks fsyncs until it is released. */
    public static final class Hold
    {
        private final CountDownLatch reached = new CountDownLatch(1);
        private final CountDownLatch released = new CountDownLatch(1);

        /** Waits until a thread is inside a force. */
        public void awaitReached()
        {
            await(reached);
        }

        public void release()
        {
            released.countDown();
        }
    }

    public JournalBuilder builder(final Path path, final Backend backend)
    {
        return JournalFixture.builder(path, backend)
            .store(new StepStore(backend.store(path), this)).backgroundThread(false);
    }

    @Override
    public boolean before(final Step step, final String name) throws IOException
    {
        if (Step.FORCE == step && name.endsWith(".journal"))
        {
            forces.incrementAndGet();
            final Hold hold = this.hold;
            if (null != hold)
            {
                hold.reached.countDown();
                await(hold.released);
            }
            if (isForceFailing)
            {
                throw new IOException("force fails on purpose");
            }
        }

        return true;
    }

    @Override
    public boolean beforeWrite(final String name, final long offset, final int length) throws IOException
    {
        // Zeros ahead of the records are written in whole blocks.
        if (isWriteFailing && name.endsWith(".journal") && 0 != length % JournalDirectory.BLOCK_LENGTH)
        {
            throw new IOException("write fails on purpose");
        }
        return true;
    }

    /** Number of fsyncs that were begun, whatever their outcome. */
    public int forces()
    {
        return forces.get();
    }

    /** Holds up all forces that begin from now on, until the hold is released. */
    public Hold hold()
    {
        hold = new Hold();
        return hold;
    }

    public void failForces()
    {
        isForceFailing = true;
    }

    /** Fails writes of records. */
    public void failWrites()
    {
        isWriteFailing = true;
    }

    /**
     * Waits until a thread with a short timeout waits, or has ended because its wait was over before it was seen.
     *
     * @return whether it waits.
     */
    static boolean awaitWaitingOrEnded(final JournalFixture.Background background)
    {
        final Thread thread = background.thread();
        while (Thread.State.WAITING != thread.getState() && Thread.State.TIMED_WAITING != thread.getState())
        {
            background.check();
            if (!thread.isAlive())
            {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }

    private static void await(final CountDownLatch latch)
    {
        boolean wasInterrupted = false;
        while (latch.getCount() > 0)
        {
            try
            {
                latch.await();
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
