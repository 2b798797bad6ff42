package io.journal.examples.bank.command;

import java.util.concurrent.CompletableFuture;

import io.journal.examples.bank.domain.CommandRequest;

/**
 * A command on its way, and the future of its answer.
 */
final class Pending
{
    final CommandRequest request;
    final CompletableFuture<Answer> future = new CompletableFuture<>();

    // Set by the writing thread, before the command is handed to the answers.
    private Answer answer;
    private long durableSequence;

    Pending(final CommandRequest request)
    {
        this.request = request;
    }

    void decided(final Answer answer, final long durableSequence)
    {
        this.answer = answer;
        this.durableSequence = durableSequence;
    }

    /** The event that must be durable before the command may be answered. */
    long durableSequence()
    {
        return durableSequence;
    }

    void complete()
    {
        future.complete(answer);
    }
}
