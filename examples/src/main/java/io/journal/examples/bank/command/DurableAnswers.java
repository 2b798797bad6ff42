// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * Commands that are decided and wait to become durable, in the order of their events. The writing thread adds them; the
 * journal's background agent calls the durability listener, {@link #onForced}, which answers all that an fsync covers.
 * Thread-safe: an addition must not miss the fsync that completes at the same moment.
 */
final class DurableAnswers
{
    private final Deque<Pending> waiting = new ArrayDeque<>();
    private long durableSequence;
    private Throwable failure;

    private record Pending(long sequence, Answer answer, CompletableFuture<Answer> future)
    {
    }

    DurableAnswers(final long durableSequence)
    {
        this.durableSequence = durableSequence;
    }

    /**
     * Adds an answer, with the sequence of the last event that it may depend on. A rejection waits as well, because the
     * events on which it was decided could still be lost.
     */
    synchronized void add(final long sequence, final Answer answer, final CompletableFuture<Answer> future)
    {
        if (sequence <= durableSequence)
        {
            future.complete(answer);
        }
        else if (null != failure)
        {
            future.completeExceptionally(failure);
        }
        else
        {
            // Each answer is decided after those that wait, so it never needs a lower sequence.
            waiting.add(new Pending(sequence, answer, future));
        }
    }

    /** The durability listener. */
    synchronized void onForced(final long sequence)
    {
        durableSequence = Math.max(durableSequence, sequence);
        while (!waiting.isEmpty() && waiting.peek().sequence() <= durableSequence)
        {
            final Pending pending = waiting.remove();
            pending.future().complete(pending.answer());
        }
    }

    /**
     * Fails all waiting answers: nothing more becomes durable, and whether their events are in the journal is known
     * only after reopening.
     */
    synchronized void fail(final Throwable cause)
    {
        failure = cause;
        waiting.forEach((pending) -> pending.future().completeExceptionally(cause));
        waiting.clear();
    }
}
