// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.journal.examples.bank.command.Answer;
import io.journal.examples.bank.command.BankBusyException;
import io.journal.examples.bank.command.CommandSide;
import io.journal.examples.bank.domain.CommandRequest;
import io.journal.examples.bank.domain.Rejection.Reason;

/**
 * Takes commands, one or many in a request. No thread waits while a command waits for its fsync. Separate threads send
 * the durable answers, because the journal's background agent, which completes the commands, must not wait for clients.
 */
final class CommandApi
{
    private static final int MAX_BATCH = 1_000;
    private static final int RESPONDERS = 2;

    private final ExecutorService responders = Executors.newFixedThreadPool(RESPONDERS, (task) ->
    {
        final Thread thread = new Thread(task, "bank-response");
        thread.setDaemon(true);
        return thread;
    });
    private final CommandSide commands;

    /**
     * The answer to a command, as a client gets it.
     *
     * @param id       of the command.
     * @param status   HTTP status.
     * @param result   {@code executed}, {@code repeated} (it was executed before, under this id), {@code rejected},
     *                 {@code busy} (send it again later) or {@code unknown} (send it again: the id keeps it from being
     *                 executed twice).
     * @param sequence of the event; absent if there is none.
     * @param reason   the rule that forbids the command.
     * @param message  for people.
     */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    private record Result(UUID id, int status, String result, Long sequence, Reason reason, String message)
    {
        static Result of(final UUID id, final Answer answer)
        {
            if (answer.isExecuted())
            {
                return new Result(id, 200, answer.isRepeated() ? "repeated" : "executed", answer.sequence(), null,
                    null);
            }

            final Reason reason = answer.rejection().reason();
            final int status = Reason.NO_ACCOUNT == reason ? 404 : 409;
            return new Result(id, status, "rejected", null, reason, answer.rejection().getMessage());
        }

        static Result of(final UUID id, final Throwable error)
        {
            final Throwable cause = error instanceof CompletionException ? error.getCause() : error;
            return cause instanceof BankBusyException ?
                new Result(id, 503, "busy", null, null, cause.getMessage()) :
                new Result(id, 500, "unknown", null, null, "The bank has failed: send the command again, with its id.");
        }
    }

    CommandApi(final CommandSide commands)
    {
        this.commands = commands;
    }

    void register(final RoutesConfig routes)
    {
        routes.post("/api/commands", this::one);
        routes.post("/api/batch", this::batch);
    }

    void close()
    {
        responders.shutdownNow();
    }

    /** Executes one command; the HTTP status is that of its result. */
    private void one(final Context context)
    {
        final CommandRequest request = Json.body(context, CommandRequest.class);
        context.future(() -> submit(request).thenAcceptAsync(
            (result) -> context.status(result.status()).json(result), responders));
    }

    /** Executes many commands, each independently of the others, and answers when all answers are durable. */
    private void batch(final Context context)
    {
        // Parse all commands before the first is submitted, so that a malformed command means that nothing changes.
        final List<CommandRequest> requests = Arrays.asList(Json.body(context, CommandRequest[].class));
        if (requests.isEmpty() || requests.size() > MAX_BATCH)
        {
            throw new BadRequestResponse("an array of 1 to " + MAX_BATCH + " commands is expected");
        }

        final List<CompletableFuture<Result>> results = requests.stream().map(this::submit).toList();
        context.future(() -> CompletableFuture.allOf(results.toArray(CompletableFuture[]::new)).thenRunAsync(
            () -> context.json(results.stream().map(CompletableFuture::join).toList()), responders));
    }

    /** The result never completes with an exception. */
    private CompletableFuture<Result> submit(final CommandRequest request)
    {
        try
        {
            return commands.submit(request).handle(
                (answer, error) -> null == error ? Result.of(request.id(), answer) : Result.of(request.id(), error));
        }
        catch (final BankBusyException | IllegalStateException ex)
        {
            return CompletableFuture.completedFuture(Result.of(request.id(), ex));
        }
    }
}
