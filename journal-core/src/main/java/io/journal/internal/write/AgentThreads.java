// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * The threads that the background agents of all journals of a process share: workers, which run agents that have work,
 * and a dispatcher, which starts workers, so that no agent waits for another one's device, and wakes agents that have
 * rested for long enough. If no further worker can be had, the agents take turns. All threads end with the last agent.
 * Thread-safe: the monitor of this object is a leaf lock.
 */
final class AgentThreads
{
    static final AgentThreads SHARED = new AgentThreads();

    // A worker that has had no agent for so long ends, unless it is the last one.
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(5);
    // If no agent was taken for so long although one is ready, the workers are busy.
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<AgentRunner> runners = new ArrayList<>();
    // Of the list: the agent that was taken last.
    private int last;
    private int ready;
    private long takes;
    private long takesSeen;
    private int workers;
    private int idleWorkers;
    private @Nullable Thread dispatcher;
    private volatile boolean isShort;

    private AgentThreads()
    {
    }

    /** Adds an agent, which is ready. Throws if there are no threads yet, and none can be had. */
    synchronized void add(final AgentRunner runner)
    {
        runners.add(runner);
        try
        {
            if (null == dispatcher)
            {
                dispatcher = start("journal-agents", this::dispatch);
            }
            if (0 == workers)
            {
                startWorker();
            }
        }
        catch (final Throwable ex)
        {
            runners.remove(runner);
            throw ex;
        }
        schedule();
    }

    /** Removes an agent that has ended. */
    synchronized void remove(final AgentRunner runner)
    {
        runners.remove(runner);
        if (runners.isEmpty())
        {
            notifyAll();
            LockSupport.unpark(dispatcher);
        }
    }

    /** An agent has become ready: a worker takes it, an idle one if there is any. */
    synchronized void schedule()
    {
        ready++;
        if (idleWorkers > 0)
        {
            notify();
        }
        if (ready > idleWorkers)
        {
            LockSupport.unpark(dispatcher);
        }
    }

    /** An agent that was ready has ended. */
    synchronized void cancel()
    {
        ready--;
    }

    /** An agent is ready whose worker is the calling thread, which takes another one now. */
    synchronized void takeTurns()
    {
        ready++;
    }

    /** Whether an agent is ready, and no worker could be started for it. */
    boolean isShort()
    {
        return isShort;
    }

    private void startWorker()
    {
        start(AgentRunner.THREAD_NAME, this::work);
        workers++;
    }

    private static Thread start(final String name, final Runnable action)
    {
        // The thread outlives the caller's thread group and class loader.
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (null != group.getParent())
        {
            group = group.getParent();
        }
        final Thread thread = new Thread(group, action, name, 0, false);
        thread.setContextClassLoader(null);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void dispatch()
    {
        long waitNs = 0;
        while (waitNs >= 0)
        {
            LockSupport.parkNanos(this, waitNs);
            Thread.interrupted();
            waitNs = dispatchOnce();
        }
    }

    /** Returns how long to wait until the next call; a negative time if the dispatcher is to end. */
    private synchronized long dispatchOnce()
    {
        if (runners.isEmpty())
        {
            dispatcher = null;
            return -1;
        }

        final long dueNs = wakeDue(System.nanoTime());
        final boolean isBusy = ready > 0 && takes == takesSeen;
        takesSeen = takes;
        isShort &= ready > 0;
        if (isBusy && idleWorkers > 0)
        {
            notify();
        }
        else if (isBusy)
        {
            isShort = !tryStartWorker();
        }
        return ready > 0 ? Math.min(dueNs, isShort ? RETRY_NS : BUSY_NS) : dueNs;
    }

    private boolean tryStartWorker()
    {
        try
        {
            startWorker();
            return true;
        }
        catch (final Throwable ignore)
        {
            // No thread or no memory can be had.
            return false;
        }
    }

    /** Makes agents ready that have rested for long enough. Returns the time after which another one will have. */
    private long wakeDue(final long nowNs)
    {
        long waitNs = AgentRunner.MAX_REST_NS;
        boolean isAny = false;
        for (int i = 0; i < runners.size(); i++)
        {
            final long leftNs = runners.get(i).restLeftNs(nowNs);
            if (leftNs > 0)
            {
                waitNs = Math.min(waitNs, leftNs);
            }
            else if (runners.get(i).makeReady())
            {
                ready++;
                isAny = true;
            }
        }
        if (isAny)
        {
            // One worker for all of them: most have no work.
            notify();
        }
        return waitNs;
    }

    private void work()
    {
        AgentRunner runner = next();
        while (null != runner)
        {
            runner.run();
            runner = next();
        }
    }

    /** Waits for an agent that is ready, and takes it; null if the worker is to end. */
    private synchronized @Nullable AgentRunner next()
    {
        final long startNs = System.nanoTime();
        AgentRunner runner = take();
        while (null == runner && !runners.isEmpty() && (1 == workers || System.nanoTime() - startNs < IDLE_NS))
        {
            awaitReady();
            runner = take();
        }
        workers -= null == runner ? 1 : 0;
        return runner;
    }

    private @Nullable AgentRunner take()
    {
        for (int i = 0; i < runners.size() && ready > 0; i++)
        {
            last = (last + 1) % runners.size();
            if (runners.get(last).take())
            {
                ready--;
                takes++;
                return runners.get(last);
            }
        }
        return null;
    }

    private void awaitReady()
    {
        idleWorkers++;
        try
        {
            TimeUnit.NANOSECONDS.timedWait(this, IDLE_NS);
        }
        catch (final InterruptedException ignore)
        {
            // The caller waits again.
        }
        finally
        {
            idleWorkers--;
        }
    }
}
