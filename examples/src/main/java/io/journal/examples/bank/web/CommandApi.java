package io.journal.examples.bank.web;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

import com.fasterxml.jackson.core.type.TypeReference;
import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.Context;
import io.journal.examples.bank.command.BankBusyException;
import io.journal.examples.bank.command.CommandSide;
import io.journal.examples.bank.domain.CommandRequest;

/**
 * Takes commands, one or many in a request. A request keeps no thread while its command waits for the device; answers
 * are sent by threads of their own when they are durable, because the journal's background agent, which completes the
 * commands, must not wait for clients.
 */
final class CommandApi
{
    private static final int MAX_BATCH = 1_000;
    private static final int RESPONDERS = 2;
    private static final TypeReference<CommandRequest> REQUEST = new TypeReference<>()
    {
    };
    private static final TypeReference<List<CommandRequest>> REQUESTS = new TypeReference<>()
    {
    };

    private final ExecutorService responders = Executors.newFixedThreadPool(RESPONDERS, (task) ->
    {
        final Thread thread = new Thread(task, "bank-response");
        thread.setDaemon(true);
        return thread;
    });
    private final CommandSide commands;

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

    /** One command; the HTTP status is its result. */
    private void one(final Context context)
    {
        final CommandRequest request = Json.body(context, REQUEST);
        context.future(() -> submit(request).thenAcceptAsync(
            (result) -> context.status(result.status()).json(result), responders));
    }

    /** Many commands, each of them executed or rejected by itself; answered when all are durable. */
    private void batch(final Context context)
    {
        // All of them are read before the first one is submitted: a malformed one means that nothing changes.
        final List<CommandRequest> requests = Json.body(context, REQUESTS);
        if (requests.isEmpty() || requests.size() > MAX_BATCH || requests.contains(null))
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
