// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.command;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;

/**
 * Answers that wait until their events are durable, in the order of the events. The writing thread adds answers. The
 * journal's background agent calls the durability listener, {@link #onForced}, which completes all answers that an
 * fsync covers. Thread-safe, so that an answer cannot miss an fsync that completes while the answer is added.
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
            // Answers are decided in order, so this one never needs a lower sequence than those already in the queue.
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
     * Fails all waiting answers, because nothing more becomes durable. Only reopening the journal shows whether it
     * holds their events.
     */
    synchronized void fail(final Throwable cause)
    {
        failure = cause;
        waiting.forEach((pending) -> pending.future().completeExceptionally(cause));
        waiting.clear();
    }
}
