package io.journal.examples.bank.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.command.BankBusyException;
import io.journal.examples.bank.command.CommandSide;
import io.journal.examples.bank.domain.CommandRequest;

/**
 * Takes commands, one or many in a request. Answers are sent when they are durable, by threads of their own: the
 * journal's background agent, which completes the commands, must not wait for clients.
 */
final class CommandRoutes
{
    private static final int MAX_BODY = 4 * 1024;
    private static final int MAX_BATCH = 1_000;
    private static final int MAX_BATCH_BODY = 256 * 1024;

    private final CommandSide commands;
    private final Executor responders;

    CommandRoutes(final BankApplication bank, final Executor responders)
    {
        commands = bank.commands();
        this.responders = responders;
    }

    /** One command; the HTTP status is its result. */
    void one(final HttpExchange exchange) throws IOException, HttpError
    {
        final CommandRequest request = CommandParser.parse(Json.parse(Guard.readBody(exchange, MAX_BODY)));
        submit(request).thenAcceptAsync((result) ->
        {
            if (503 == result.status())
            {
                exchange.getResponseHeaders().set("Retry-After", "1");
            }
            respond(exchange, result.status(), result);
        }, responders);
    }

    /** Many commands, each of them executed or rejected by itself; answered when all are durable. */
    void batch(final HttpExchange exchange) throws IOException, HttpError
    {
        final JsonNode array = Json.parse(Guard.readBody(exchange, MAX_BATCH_BODY));
        if (!array.isArray() || array.isEmpty() || array.size() > MAX_BATCH)
        {
            throw new HttpError(400, "an array of 1 to " + MAX_BATCH + " commands is expected");
        }
        // All of them are read before the first one is submitted: a malformed one means that nothing changes.
        final List<CommandRequest> requests = new ArrayList<>(array.size());
        for (final JsonNode object : array)
        {
            requests.add(CommandParser.parse(object));
        }

        final List<CompletableFuture<Result>> results = requests.stream().map(this::submit).toList();
        CompletableFuture.allOf(results.toArray(CompletableFuture[]::new)).thenRunAsync(
            () -> respond(exchange, 200, results.stream().map(CompletableFuture::join).toList()), responders);
    }

    /** The result never completes with an exception. */
    private CompletableFuture<Result> submit(final CommandRequest request)
    {
        final UUID id = request.id();
        try
        {
            return commands.submit(request).handle((answer, error) -> Result.of(id, answer, error));
        }
        catch (final BankBusyException | IllegalStateException ex)
        {
            return CompletableFuture.completedFuture(Result.of(id, ex));
        }
    }

    private static void respond(final HttpExchange exchange, final int status, final Object value)
    {
        try
        {
            Responses.json(exchange, status, value);
        }
        catch (final IOException ex)
        {
            // The client has disconnected. It sends the command again, with the same id.
            exchange.close();
        }
    }
}
