// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Threads shared by the background agents of all journals of a process. Workers run the agents that have work. The
 * dispatcher starts a worker if all are busy, so that no agent waits for the device of another, and wakes agents whose
 * rest is over. If no further worker can be started, the agents take turns. All threads end with the last agent.
 * Thread-safe: the monitor of this object is a leaf lock.
 */
final class AgentThreads
{
    static final AgentThreads SHARED = new AgentThreads();

    // An idle worker ends after this time, unless it is the last worker.
    private static final long IDLE_NS = TimeUnit.SECONDS.toNanos(5);
    // If an agent is ready and none was taken for this long, all workers are busy.
    private static final long BUSY_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final List<AgentRunner> runners = new ArrayList<>();
    // Index of the agent that was taken last.
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

    /** Adds an agent that is not ready yet. Throws if there are no threads yet and none can be started. */
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

    /** Announces an agent that has become ready: a worker takes it, an idle worker if there is one. */
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

    /** Withdraws a ready agent, which has ended. */
    synchronized void cancel()
    {
        ready--;
    }

    /** Announces the calling worker's own agent as ready; the worker takes another agent now. */
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
        // The thread may outlive the caller's thread group and class loader, so it uses neither.
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
            // There is no thread or no memory; the dispatcher retries.
            return false;
        }
    }

    /** Makes agents ready whose rest is over. Returns the time until the next rest is over. */
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
            // One worker suffices, because most of them have no work.
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
