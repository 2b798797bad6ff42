package io.journal.replicated;

import java.util.concurrent.locks.ReentrantLock;

import io.journal.JournalException;
import org.agrona.concurrent.IdleStrategy;

/**
 * A request to prune, proposed again until it is answered; one at a time. Guarded by the writer's lock.
 */
final class Pruning
{
    private static final long REPEAT_NS = 1_000_000_000;

    private final Writer writer;
    // Held by the thread whose request is under way, before the writer's lock.
    private final ReentrantLock turn = new ReentrantLock();
    private long firstId = Long.MAX_VALUE;
    private long result;

    Pruning(final Writer writer)
    {
        this.writer = writer;
    }

    /**
     * Waits for the answer; takes the locks by itself.
     *
     * @return the sequence before which history is dropped.
     */
    long run(final long sequence, final long timeoutNs, final IdleStrategy idle)
    {
        final long beginNs = System.nanoTime();
        while (!turn.tryLock())
        {
            writer.check();
            if (System.nanoTime() - beginNs >= timeoutNs)
            {
                throw new JournalException(
                    "another thread's prune is not done in time, nothing was done: sequence=" + sequence);
            }
            idle.idle(0);
        }

        try
        {
            return request(sequence, beginNs, timeoutNs, idle);
        }
        finally
        {
            turn.unlock();
        }
    }

    private long request(final long sequence, final long beginNs, final long timeoutNs, final IdleStrategy idle)
    {
        long proposedNs = beginNs - REPEAT_NS;
        long nowNs = beginNs;
        boolean isProposed = false;
        while (nowNs - beginNs < timeoutNs)
        {
            writer.lock.lock();
            try
            {
                writer.check();
                if (nowNs - proposedNs >= REPEAT_NS)
                {
                    // An answer may take longer than the time to repeat: that to any of these requests will do.
                    final long id = writer.propose(Protocol.PRUNE, sequence);
                    if (!isProposed)
                    {
                        firstId = id;
                        result = 0;
                        isProposed = true;
                    }
                    proposedNs = nowNs;
                }
                writer.drive();
                if (result > 0)
                {
                    return result;
                }
            }
            finally
            {
                writer.lock.unlock();
            }
            idle.idle(0);
            nowNs = System.nanoTime();
        }

        throw new JournalException(
            "no answer to prune in time, it may be done nevertheless: sequence=" + sequence + ", state=" +
                writer.state());
    }

    void onPruned(final long answeredId, final long sequence)
    {
        if (answeredId >= firstId)
        {
            result = sequence;
        }
    }
}
