// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The threads that the background agents of all journals of a process share. An agent has a thread while it has work,
 * and none while it rests. While one agent waits for its device, the others get further threads; if no further one can
 * be had, they take turns. Thread-safe: the monitor of this object is a leaf lock.
 */
final class AgentThreads
{
    static final AgentThreads SHARED = new AgentThreads();

    // A thread that has had no work for so long ends, unless it is the last one.
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(5);

    private final List<AgentRunner> runners = new ArrayList<>();
    private int ready;
    private int threads;
    private int idleThreads;
    private int last;
    private long nextDueNs = System.nanoTime();
    private volatile boolean isShort;

    private AgentThreads()
    {
    }

    /** Adds an agent, which is ready. Throws if the process has no thread for agents and cannot make one. */
    synchronized void add(final AgentRunner runner)
    {
        if (0 == threads)
        {
            startThread();
        }
        runners.add(runner);
        schedule();
    }

    /** Removes an agent that has ended. The last one ends the threads. */
    synchronized void remove(final AgentRunner runner)
    {
        runners.remove(runner);
        notifyAll();
    }

    /** Gives a thread to an agent that has become ready, as soon as there is one. Allocates nothing if one is idle. */
    synchronized void schedule()
    {
        ready++;
        if (ready <= idleThreads)
        {
            notify();
        }
        else
        {
            tryStartThread();
        }
    }

    /** The calling thread, which leaves an agent that is ready, takes another one. */
    synchronized void takeTurns()
    {
        ready++;
    }

    /** An agent that was ready needs no thread any more. */
    synchronized void cancel()
    {
        ready--;
    }

    /** Whether an agent is ready, and no thread could be had for it: those that have one are to take turns. */
    boolean isShort()
    {
        return isShort;
    }

    /** Wakes agents that rest at a time. */
    synchronized void wakeAt(final long timeNs)
    {
        if (timeNs - nextDueNs < 0)
        {
            nextDueNs = timeNs;
            notify();
        }
    }

    private void tryStartThread()
    {
        try
        {
            startThread();
        }
        catch (final Throwable ignore)
        {
            isShort = true;
        }
    }

    private void startThread()
    {
        final Thread thread = new Thread(null, this::run, AgentRunner.THREAD_NAME, 0, false);
        thread.setDaemon(true);
        thread.start();
        threads++;
    }

    private void run()
    {
        AgentRunner runner = next();
        while (null != runner)
        {
            runner.run();
            runner = next();
        }
    }

    /** Waits for an agent that is ready, and takes it; null if the thread is to end. */
    private synchronized AgentRunner next()
    {
        final long startNs = System.nanoTime();
        AgentRunner runner = take();
        while (null == runner && !runners.isEmpty() && (1 == threads || System.nanoTime() - startNs < IDLE_NS))
        {
            await();
            runner = take();
        }
        if (null == runner)
        {
            threads--;
        }
        return runner;
    }

    private AgentRunner take()
    {
        AgentRunner taken = null;
        for (int i = 0; i < runners.size() && ready > 0 && null == taken; i++)
        {
            last = (last + 1) % runners.size();
            final AgentRunner runner = runners.get(last);
            taken = runner.take() ? runner : null;
        }
        ready -= null == taken ? 0 : 1;
        isShort &= ready > 0;
        return taken;
    }

    private void await()
    {
        final long nowNs = System.nanoTime();
        if (nextDueNs - nowNs <= 0)
        {
            wakeDue(nowNs);
            return;
        }

        idleThreads++;
        try
        {
            // One of the idle threads looks after the agents that rest.
            final long waitNs = 1 == idleThreads ? Math.min(IDLE_NS, nextDueNs - nowNs) : IDLE_NS;
            TimeUnit.NANOSECONDS.timedWait(this, waitNs);
        }
        catch (final InterruptedException ignore)
        {
            // The loop waits again.
        }
        finally
        {
            idleThreads--;
        }
    }

    /** Makes agents ready that have rested for long enough. They take turns: most have no work. */
    private void wakeDue(final long nowNs)
    {
        long leftNs = AgentRunner.MAX_REST_NS;
        for (final AgentRunner runner : runners)
        {
            final long runnerLeftNs = runner.restLeftNs(nowNs);
            if (runnerLeftNs <= 0 && runner.makeReady())
            {
                ready++;
            }
            else
            {
                leftNs = Math.min(leftNs, Math.max(1, runnerLeftNs));
            }
        }
        nextDueNs = nowNs + leftNs;
    }
}
