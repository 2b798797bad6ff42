// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.web;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import io.javalin.Javalin;
import io.javalin.compression.CompressionStrategy;
import io.javalin.config.JavalinConfig;
import io.javalin.http.ConflictResponse;
import io.javalin.http.Context;
import io.javalin.http.ForbiddenResponse;
import io.javalin.http.HttpResponseException;
import io.javalin.http.UnsupportedMediaTypeResponse;
import io.javalin.http.staticfiles.Location;
import io.javalin.json.JavalinJackson;
import io.journal.examples.bank.BankApplication;
import io.journal.examples.bank.journal.JournalStatus;

/**
 * The web server, on the loopback interface.
 * <p>
 * The bank has no log-in. Only programs of this machine can reach it, but a browser on this machine also sends requests
 * that pages of other sites make. Three checks refuse those. The {@code Host} must be a name of this machine, because
 * an attacker can let a name of his own point here (DNS rebinding). The {@code Origin} must be this server. A body must
 * be declared as JSON, which a form of another site cannot do.
 */
public final class BankWebServer implements AutoCloseable
{
    private static final String PAGE = "/io/journal/examples/bank/web/page";
    private static final int KILL_DELAY_MS = 50;
    private static final int MAX_BODY = 1 << 20;
    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "127.0.0.1", "[::1]");

    private final BankApplication bank;
    private final Consumer<String> kill;
    private final CommandApi commands;
    private final LiveStream stream;
    private final Javalin server;

    /**
     * Starts the server on a port; 0 for any. The last argument ends a process as a crash does: {@code server}, which
     * is this process, or a member of the cluster by its id. It is null if there is no supervisor to restart the
     * process.
     */
    public BankWebServer(final BankApplication bank, final int port, final Consumer<String> kill)
    {
        this.bank = bank;
        this.kill = kill;
        commands = new CommandApi(bank.commands());
        stream = new LiveStream(bank);
        server = Javalin.create(this::configure).start("127.0.0.1", port);
    }

    /** {@return the port} */
    public int port()
    {
        return server.port();
    }

    /** Closes all connections. */
    @Override
    public void close()
    {
        stream.close();
        server.stop();
        commands.close();
    }

    private void configure(final JavalinConfig config)
    {
        config.startup.showJavalinBanner = false;
        config.http.prefer405over404 = true;
        config.http.maxRequestSize = MAX_BODY;
        config.http.compressionStrategy = CompressionStrategy.NONE;
        config.jsonMapper(new JavalinJackson(Json.MAPPER, false));
        config.staticFiles.add(PAGE, Location.CLASSPATH);
        config.staticFiles.enableWebjars();
        config.routes.before(BankWebServer::check);
        commands.register(config.routes);
        new QueryApi(bank).register(config.routes);
        config.routes.sse("/api/stream", stream::open);
        config.routes.post("/api/kill", (context) -> kill(context, "server"));
        config.routes.post("/api/kill-leader", (context) -> kill(context, leader()));
        config.routes.exception(HttpResponseException.class,
            (ex, context) -> error(context, ex.getStatus(), ex.getMessage()));
        config.routes.exception(TimeoutException.class, (ex, context) -> error(context, 503, ex.getMessage()));
        config.routes.exception(IllegalStateException.class, (ex, context) -> error(context, 503, ex.getMessage()));
    }

    private static void check(final Context context)
    {
        final String host = context.header("Host");
        if (null == host || !LOCAL_NAMES.contains(host.replaceFirst(":\\d+$", "")))
        {
            throw new ForbiddenResponse("this bank is for this machine only");
        }
        context.header("Cache-Control", "no-store").header("X-Content-Type-Options", "nosniff")
            // Allows only the page's own scripts, and forbids other sites to embed the page, where visitors would click
            // on buttons that they do not see (clickjacking).
            .header("Content-Security-Policy", "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'");
        if ("POST".equals(context.req().getMethod()))
        {
            checkPost(context, host);
        }
    }

    private static void checkPost(final Context context, final String host)
    {
        final String origin = context.header("Origin");
        final String site = context.header("Sec-Fetch-Site");
        if (null != origin && !("http://" + host).equals(origin) || null != site && !"same-origin".equals(site))
        {
            throw new ForbiddenResponse("not from the bank's own page");
        }
        final String type = context.contentType();
        if (null == type || !"application/json".equalsIgnoreCase(type.split(";", 2)[0].strip()))
        {
            throw new UnsupportedMediaTypeResponse("the content type must be application/json");
        }
    }

    private String leader()
    {
        final JournalStatus.Cluster cluster = bank.journal().status().cluster();
        if (null == cluster)
        {
            throw new ConflictResponse("there is no leader: the journal is kept by this machine alone");
        }
        return Integer.toString(cluster.leaderId());
    }

    private void kill(final Context context, final String process)
    {
        if (null == kill)
        {
            throw new ConflictResponse("no supervisor would restart the bank");
        }
        context.status(202).json(Map.of("killed", process));
        // Kill only after the response is sent: a browser repeats a request that got no response, and would kill twice.
        CompletableFuture.delayedExecutor(KILL_DELAY_MS, TimeUnit.MILLISECONDS).execute(() -> kill.accept(process));
    }

    private static void error(final Context context, final int status, final String message)
    {
        context.status(status).json(Map.of("status", status, "message", String.valueOf(message)));
    }
}
