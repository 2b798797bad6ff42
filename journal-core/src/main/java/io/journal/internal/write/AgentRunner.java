// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.observe.Log;
import org.jspecify.annotations.Nullable;

/**
 * Runs a background agent on one of the {@link AgentThreads} while it has work. An idle agent rests, without a thread.
 * A record to write or fsync, or other work, wakes it; so does a timeout, because some work is only found by polling.
 * Thread-safe.
 */
public final class AgentRunner
{
    /** How long an agent rests at most. */
    public static final long MAX_REST_NS = TimeUnit.SECONDS.toNanos(10);
    static final String THREAD_NAME = "journal-agent";

    // stop() polls, because the agent may enter a callback meanwhile.
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private enum State
    {
        RESTING, READY, RUNNING, ENDED
    }

    private final BackgroundAgent agent;
    private final String name;
    private final @Nullable AgentWakeup wakeup;
    private final long maxRestNs;
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();
    private final Runnable wake = this::wake;
    private final AtomicReference<State> state = new AtomicReference<>(State.ENDED);
    private volatile @Nullable Thread thread;
    private volatile boolean isWoken;
    private volatile boolean isStopped;
    // Time at which a rest ends at the latest.
    private volatile long dueNs;
    // Confined to the agent's thread: time of the last work, and whether the last step had any.
    private long busyNs;
    private boolean wasBusy;

    /**
     * @param wakeup    where the agent waits for more work before it rests; null if it rests at once.
     * @param maxRestNs how long it rests at most.
     */
    public AgentRunner(final BackgroundAgent agent, final @Nullable AgentWakeup wakeup, final long maxRestNs)
    {
        this.agent = agent;
        name = agent.roleName();
        this.wakeup = wakeup;
        this.maxRestNs = maxRestNs;
    }

    public void start()
    {
        AgentThreads.SHARED.add(this);
        state.set(State.READY);
        AgentThreads.SHARED.schedule();
    }

    /** Takes the agent for the calling thread if it is ready. */
    boolean take()
    {
        return state.compareAndSet(State.READY, State.RUNNING);
    }

    /** Runs the taken agent until it rests, or other agents need the thread. */
    void run()
    {
        final Thread current = Thread.currentThread();
        thread = current;
        name(current, name);
        current.setContextClassLoader(loader);
        if (null != wakeup)
        {
            wakeup.resume();
        }
        work();
        current.setContextClassLoader(null);
        name(current, THREAD_NAME);
    }

    private static void name(final Thread thread, final String name)
    {
        try
        {
            thread.setName(name);
        }
        catch (final OutOfMemoryError ignore)
        {
            // The thread keeps its old name, which does no harm.
        }
    }

    private void work()
    {
        // An agent that was woken in vain rests at once.
        busyNs = System.nanoTime() - RecordWakeup.IDLE_NS;
        wasBusy = true;
        boolean isLeft = false;
        while (!isLeft && !isStopped)
        {
            try
            {
                isLeft = step();
            }
            catch (final Throwable ex)
            {
                // The user's error handler threw: that must not end a thread the journals rely on.
                log(ex);
            }
            // An interrupt set by a listener or a handler would prevent the thread from parking.
            Thread.interrupted();
        }
        if (!isLeft)
        {
            state.set(State.ENDED);
            AgentThreads.SHARED.remove(this);
        }
    }

    /** Returns whether the agent has left the thread. */
    private boolean step()
    {
        isWoken = false;
        final boolean isBusy = agent.doWork() > 0;
        final long nowNs = System.nanoTime();
        if (isBusy || null != wakeup && wakeup.isWorkWaiting())
        {
            busyNs = nowNs;
        }
        final boolean isQuiet = !isBusy && (null == wakeup || nowNs - busyNs >= RecordWakeup.IDLE_NS);
        if (isQuiet && rest())
        {
            return true;
        }
        if (AgentThreads.SHARED.isShort())
        {
            thread = null;
            state.set(State.READY);
            AgentThreads.SHARED.takeTurns();
            return true;
        }
        if (!isBusy && !isQuiet)
        {
            wakeup.park(wasBusy);
        }
        wasBusy = isBusy;
        return false;
    }

    /** Begins to rest, unless there is work. Returns whether it rests; another thread may run it by then. */
    private boolean rest()
    {
        if (null != wakeup)
        {
            wakeup.rest(wake);
        }
        final Thread current = thread;
        // A multiple of the longest rest, so that the agents of the process are woken together.
        dueNs = (Math.floorDiv(System.nanoTime(), maxRestNs) + 1) * maxRestNs;
        thread = null;
        state.set(State.RESTING);
        final boolean isNeeded = isWoken || isStopped || null != wakeup && wakeup.isWorkWaiting();
        if (isNeeded && state.compareAndSet(State.RESTING, State.RUNNING))
        {
            thread = current;
            if (null != wakeup)
            {
                wakeup.resume();
            }
            return false;
        }

        return true;
    }

    /** Wakes the agent, because there is work. */
    public void wake()
    {
        isWoken = true;
        if (makeReady())
        {
            AgentThreads.SHARED.schedule();
        }
        else
        {
            LockSupport.unpark(thread);
        }
    }

    /** How long the agent may still rest; {@link #MAX_REST_NS} if it does not rest. */
    long restLeftNs(final long nowNs)
    {
        return State.RESTING == state.get() ? dueNs - nowNs : MAX_REST_NS;
    }

    /** Makes the agent ready, if it rests. */
    boolean makeReady()
    {
        return state.compareAndSet(State.RESTING, State.READY);
    }

    public boolean isCurrentThread()
    {
        return State.RUNNING == state.get() && Thread.currentThread() == thread;
    }

    /**
     * Stops the agent and waits until it has ended or is inside a callback. A callback may be waiting for the calling
     * thread; when it returns, the agent finds the journal closed. Not interruptible; the interrupt status is
     * preserved.
     */
    public void stop()
    {
        isStopped = true;
        boolean wasInterrupted = false;
        while (!isEnded() && !isCurrentThread() && !agent.isInCallback())
        {
            LockSupport.unpark(thread);
            LockSupport.parkNanos(this, POLL_NS);
            wasInterrupted |= Thread.interrupted();
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns whether the agent has ended. Ends it here if no thread runs it. */
    private boolean isEnded()
    {
        if (state.compareAndSet(State.READY, State.ENDED))
        {
            AgentThreads.SHARED.cancel();
            AgentThreads.SHARED.remove(this);
        }
        else if (state.compareAndSet(State.RESTING, State.ENDED))
        {
            AgentThreads.SHARED.remove(this);
        }
        return State.ENDED == state.get();
    }

    private void log(final Throwable error)
    {
        try
        {
            Log.warn("error handler failed: " + name, error);
        }
        catch (final Throwable ignore)
        {
            // There is nowhere left to report, and the journals rely on this thread.
        }
    }
}
