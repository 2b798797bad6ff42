package io.journal.examples.bank.web;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpExchange;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.command.BankBusyException;
import io.journal.examples.bank.domain.Account;
import io.journal.examples.bank.read.BankTotals;
import io.journal.examples.bank.read.Ledger;

/**
 * Answers from the read models, and what the page can do with snapshots, models and the process.
 */
final class QueryRoutes
{
    private static final int MAX_AUDIT_BODY = 512 * 1024;
    private static final int SHOWN_ACCOUNTS = 200;
    private static final int SHOWN_IDS = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final BankApplication bank;
    private final Runnable kill;
    private final Runnable killLeader;

    QueryRoutes(final BankApplication bank, final Runnable kill, final Runnable killLeader)
    {
        this.bank = bank;
        this.kill = kill;
        this.killLeader = killLeader;
    }

    /** Accounts as the client's own command left them, if it passes the sequence: {@code /api/accounts?after=17}. */
    void accounts(final HttpExchange exchange) throws IOException, HttpError
    {
        final String query = exchange.getRequestURI().getQuery();
        if (null != query)
        {
            awaitOwnWrites(query);
        }
        final BankTotals totals = bank.accounts().totals();
        final List<Account> accounts = bank.accounts().accounts(SHOWN_ACCOUNTS);
        Responses.json(exchange, 200, Map.of("totals", totals, "accounts", accounts));
    }

    void status(final HttpExchange exchange) throws IOException
    {
        Responses.json(exchange, 200, bank.status());
    }

    /** Looks for the events of commands, in a ledger that has all events up to now. */
    void audit(final HttpExchange exchange) throws IOException, HttpError
    {
        final JsonNode array = Json.parse(Guard.readBody(exchange, MAX_AUDIT_BODY));
        if (!array.isArray())
        {
            throw new HttpError(400, "an array of ids is expected");
        }
        final List<UUID> ids = new ArrayList<>(array.size());
        for (final JsonNode id : array)
        {
            if (!id.isTextual())
            {
                throw new HttpError(400, "an array of ids is expected");
            }
            ids.add(Json.id(id.textValue()));
        }

        awaitLedger(bank.durableSequence());
        final Ledger.Audit audit = bank.ledger().audit(ids);
        Responses.json(
            exchange, 200, Map.of(
                "sequence", audit.sequence(), "asked", ids.size(), "once", audit.once(),
                "missing", audit.missing().size(), "repeated", audit.repeated().size(),
                "missingIds", audit.missing().stream().limit(SHOWN_IDS).toList()));
    }

    void ledger(final HttpExchange exchange) throws IOException, HttpError
    {
        awaitLedger(bank.durableSequence());
        Responses.json(exchange, 200, bank.ledger().totals());
    }

    void rebuild(final HttpExchange exchange) throws IOException
    {
        final long startNs = System.nanoTime();
        final long events = bank.rebuildAccounts();
        Responses.json(
            exchange, 200, Map.of("events", events, "durationUs", (System.nanoTime() - startNs) / 1_000));
    }

    void snapshot(final HttpExchange exchange) throws IOException, HttpError
    {
        final long startNs = System.nanoTime();
        try
        {
            final long sequence = bank.commands().saveSnapshot().join();
            Responses.json(
                exchange, 200, Map.of("sequence", sequence, "durationUs", (System.nanoTime() - startNs) / 1_000));
        }
        catch (final BankBusyException ex)
        {
            throw new HttpError(503, ex.getMessage());
        }
        catch (final CompletionException ex)
        {
            throw new HttpError(503, "the snapshot was not saved: " + ex.getCause());
        }
    }

    void prune(final HttpExchange exchange) throws IOException
    {
        Responses.json(exchange, 200, Map.of("first", bank.prune()));
    }

    void kill(final HttpExchange exchange) throws IOException, HttpError
    {
        if (null == kill)
        {
            throw new HttpError(409, "nobody would start the bank again: there is no supervisor");
        }
        Responses.json(exchange, 202, Map.of("pid", ProcessHandle.current().pid()));
        kill.run();
    }

    void killLeader(final HttpExchange exchange) throws IOException, HttpError
    {
        if (null == killLeader)
        {
            throw new HttpError(409, "there is no leader: the journal is kept by this machine alone");
        }
        Responses.json(exchange, 202, Map.of("leader", bank.status().cluster().leaderId()));
        killLeader.run();
    }

    private void awaitOwnWrites(final String query) throws HttpError
    {
        if (!query.matches("after=\\d{1,18}"))
        {
            throw new HttpError(400, "unknown query");
        }
        final long sequence = Long.parseLong(query.substring("after=".length()));
        if (sequence > bank.durableSequence())
        {
            throw new HttpError(404, "there is no such event");
        }
        try
        {
            bank.accounts().awaitSequence(sequence, PATIENCE);
        }
        catch (final TimeoutException | InterruptedException ex)
        {
            throw new HttpError(503, "the read model is behind");
        }
    }

    private void awaitLedger(final long sequence) throws HttpError
    {
        try
        {
            bank.ledger().awaitSequence(sequence, PATIENCE);
        }
        catch (final TimeoutException ex)
        {
            throw new HttpError(503, "the ledger is behind");
        }
    }
}
