// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

import io.javalin.config.RoutesConfig;
import io.javalin.http.BadRequestResponse;
import io.javalin.http.ConflictResponse;
import io.javalin.http.Context;
import io.javalin.http.NotFoundResponse;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.read.AccountsView;
import io.journal.examples.bank.read.LedgerQueries;

/**
 * Answers queries from the read models, and runs the actions that are not commands: rebuild, snapshot, prune.
 */
final class QueryApi
{
    static final int SHOWN_ACCOUNTS = 50;

    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final BankApplication bank;

    QueryApi(final BankApplication bank)
    {
        this.bank = bank;
    }

    void register(final RoutesConfig routes)
    {
        routes.get("/api/accounts", this::accounts);
        routes.get("/api/ledger", (context) -> context.json(ledger().totals()));
        routes.get("/api/status", (context) -> context.json(bank.status()));
        routes.post("/api/audit", (context) -> context.json(ledger().audit(Json.body(context, UUID[].class))));
        routes.post("/api/rebuild", (context) -> timed(context, "events", bank::rebuildAccounts));
        routes.post("/api/snapshot", (context) ->
        {
            requireSnapshots();
            timed(context, "sequence", () -> bank.commands().saveSnapshot().join());
        });
        routes.post("/api/prune", (context) ->
        {
            requireSnapshots();
            timed(context, "first", () -> bank.journal().snapshots().prune());
        });
    }

    /**
     * Returns the accounts. With {@code /api/accounts?after=17} they include event 17, so a client sees its own
     * command.
     */
    private void accounts(final Context context) throws TimeoutException
    {
        final String after = context.queryParam("after");
        if (null != after && !after.matches("\\d{1,18}"))
        {
            throw new BadRequestResponse("after is the sequence of an event");
        }
        final long sequence = null == after ? 0 : Long.parseLong(after);
        if (sequence > bank.journal().forcedSequence())
        {
            throw new NotFoundResponse("there is no such event");
        }
        final AccountsView view = bank.accounts().await(sequence, PATIENCE);
        context.json(Map.of("totals", view.totals(), "accounts", view.accounts(SHOWN_ACCOUNTS)));
    }

    /** Returns the ledger, with all events up to now. */
    private LedgerQueries ledger() throws TimeoutException
    {
        return bank.ledger().await(bank.journal().forcedSequence(), PATIENCE).queries();
    }

    private void requireSnapshots()
    {
        if (null == bank.journal().snapshots())
        {
            throw new ConflictResponse("On a cluster there are no snapshots: a start replays the history.");
        }
    }

    private static void timed(final Context context, final String name, final Supplier<Long> action)
    {
        final long startNs = System.nanoTime();
        final long value = action.get();
        context.json(Map.of(name, value, "micros", TimeUnit.NANOSECONDS.toMicros(System.nanoTime() - startNs)));
    }
}
